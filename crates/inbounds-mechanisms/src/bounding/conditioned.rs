//! Noise given that the noisy value falls inside the range.

use super::{Bounding, Range};
use crate::law::{Laplace, Noise};

/// `q + N` given `lower <= q + N <= upper`.
///
/// # Law
/// The density of `N` around `q` divided by `C(q) = P(-a <= N <= c)` on the range, zero outside.
///
/// # Error
/// ```text
/// bias(q) = (E[N; 0 < N <= c] - E[N; 0 < N <= a]) / C(q)
/// mse(q)  = (E[N^2; 0 < N <= c] + E[N^2; 0 < N <= a]) / C(q)
/// ```
/// The bias of (discrete) Laplace noise is largest at the ends: its numerator falls and its denominator rises from an
/// end to the middle.
///
/// # Guarantee
/// `C` depends on the private answer, so this is **not** post-processing; the scale must come from
/// [`crate::calibrate::conditioned`]. Claim: `conditioned-loss`.
///
/// # Example
/// At the end of a half line the law is the end plus an exponential, of mean `b` and mean square `2 b^2`.
/// ```
/// use inbounds_mechanisms::{bounding::{Bounding, Conditioned, Range}, law::Laplace};
/// let law = Conditioned::new(Laplace::with_scale(3.0)?, Range::new(0.0, f64::INFINITY)?);
/// assert_eq!((law.bias(0.0), law.mse(0.0)), (3.0, 18.0));
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// Liu, Proposition 1; Holohan et al., section 3.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conditioned<N> {
    noise: N,
    range: Range,
}

impl<N: Noise> Conditioned<N> {
    /// Conditions `noise` around an answer on `range`.
    pub fn new(noise: N, range: Range) -> Self {
        Self { noise, range }
    }

    /// `C(q) = P(lower <= q + N <= upper)`.
    pub fn mass(&self, q: f64) -> f64 {
        let (a, c) = self.range.distances(q);
        self.noise.half_mass(a) + self.noise.half_mass(c)
    }

    /// Log density at `x` given `q`; minus infinity outside the range.
    pub fn ln_density(&self, x: f64, q: f64) -> f64 {
        if x < self.range.lower() || x > self.range.upper() {
            return f64::NEG_INFINITY;
        }
        self.noise.ln_density(x - q) - libm::log(self.mass(q))
    }
}

impl Conditioned<Laplace> {
    /// The `x` with `P(X <= x | q) = p`, for `p` in `[0, 1]`.
    pub fn quantile(&self, p: f64, q: f64) -> f64 {
        let (a, c) = self.range.distances(q);
        let (below, above) = (self.noise.half_mass(a), self.noise.half_mass(c));
        let total = below + above;
        let (target, rest) = (p * total, (1.0 - p) * total);
        let x = if target <= below {
            q - self.noise.distance(below - target, self.noise.sf(a) + target)
        } else {
            q + self.noise.distance(above - rest, self.noise.sf(c) + rest)
        };
        x.clamp(self.range.lower(), self.range.upper())
    }
}

impl<N: Noise> Bounding for Conditioned<N> {
    fn bias(&self, q: f64) -> f64 {
        let (a, c) = self.range.distances(q);
        let numerator =
            if a <= c { self.noise.first_moment_between(a, c) } else { -self.noise.first_moment_between(c, a) };
        numerator / self.mass(q)
    }

    fn mse(&self, q: f64) -> f64 {
        let (a, c) = self.range.distances(q);
        (self.noise.half_second_moment(a) + self.noise.half_second_moment(c)) / self.mass(q)
    }

    fn range(&self) -> Range {
        self.range
    }
}
