//! Noise, then the nearest point of the range.

use inbounds_core::StepRange;

use super::{Bounding, BoundingBias, GridMap, ProcessingRecord, Range, step_value::StepValue};
use crate::law::Noise;

/// `min(max(q + N, lower), upper)`.
///
/// # Law
/// Atoms at the ends, `P(lower) = P(N <= -a)` and `P(upper) = P(N >= c)`; the law of `q + N` in between.
///
/// # Error
/// ```text
/// bias(q) = E(N - a)+ - E(N - c)+          mse(q) = E min(N+, a)^2 + E min(N+, c)^2
/// ```
/// For Laplace noise that is `(b/2)(e^(-a/b) - e^(-c/b))` and `b^2 (P_2(a/b) + P_2(c/b))`. The bias is largest at the
/// ends, since each term is monotone in `q`.
///
/// # Guarantee
/// Post-processing of `q + N`: keeps the epsilon and the delta of the plain mechanism, exactly.
///
/// # Example
/// ```
/// use inbounds_mechanisms::{bounding::{Bounding, Clamped, Range}, law::Laplace};
/// let counts = Clamped::new(Laplace::with_scale(1.0)?, Range::new(0.0, f64::INFINITY)?);
/// assert_eq!((counts.bias(0.0), counts.mse(0.0)), (0.5, 1.0));
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// Liu, Proposition 1 (with the misprint in its Eq. 5 corrected); McGlinchey and Mason, section 3.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clamped<N> {
    noise: N,
    range: Range,
}

impl<N: Noise> Clamped<N> {
    /// Clamps `noise` around an answer to `range`.
    pub fn new(noise: N, range: Range) -> Self {
        Self { noise, range }
    }

    /// `P(X = lower | q)` and `P(X = upper | q)`.
    pub fn atoms(&self, q: f64) -> (f64, f64) {
        let (lower, upper) = (self.range.lower(), self.range.upper());
        let at_lower = self.noise.cdf(lower - q);
        // P(N >= c) = P(-N <= -c), and the law is symmetric.
        (at_lower, self.noise.cdf(q - upper))
    }

    /// `P(X <= x | q)`.
    pub fn cdf(&self, x: f64, q: f64) -> f64 {
        if x < self.range.lower() {
            0.0
        } else if x >= self.range.upper() {
            1.0
        } else {
            self.noise.cdf(x - q)
        }
    }

    /// `P(X > x | q)`.
    pub fn sf(&self, x: f64, q: f64) -> f64 {
        if x < self.range.lower() {
            1.0
        } else if x >= self.range.upper() {
            0.0
        } else {
            self.noise.sf(x - q)
        }
    }

    /// The smallest `x` with `cdf(x) >= p`.
    pub fn quantile(&self, p: f64, q: f64) -> f64 {
        (q + self.noise.quantile(p)).clamp(self.range.lower(), self.range.upper())
    }
}

impl<N: Noise> Bounding for Clamped<N> {
    fn bias(&self, q: f64) -> f64 {
        let (a, c) = self.range.distances(q);
        if a <= c { self.noise.excess_between(a, c) } else { -self.noise.excess_between(c, a) }
    }

    fn mse(&self, q: f64) -> f64 {
        let (a, c) = self.range.distances(q);
        self.noise.capped_second_moment(a) + self.noise.capped_second_moment(c)
    }

    fn range(&self) -> Range {
        self.range
    }
}

/// The map of [`Clamped`].
#[derive(Debug)]
pub(crate) struct Clamp;

impl GridMap for Clamp {
    fn value(&self, range: StepRange, measurement: i128) -> StepValue {
        StepValue::whole(range.clamp(measurement))
    }

    fn error(&self, noise: &dyn Noise, below: f64, above: f64) -> (f64, f64) {
        let around = Range::new(-below, above).expect("the ends of a range differ, and the answer lies between them");
        let clamped = Clamped::new(noise, around);
        (clamped.bias(0.0), clamped.mse(0.0))
    }

    fn formula(&self, noise: &dyn Noise) -> BoundingBias {
        // Of the laws on the integers, the discrete Laplace law alone has no memory.
        if noise.decay(1.0).is_some() { BoundingBias::ClampedDiscreteLaplace } else { BoundingBias::Clamped }
    }

    fn record(&self) -> ProcessingRecord {
        ProcessingRecord { rule: "clamp", numbers: vec![], estimates: Vec::new() }
    }
}
