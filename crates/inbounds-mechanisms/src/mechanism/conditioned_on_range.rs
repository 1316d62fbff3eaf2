//! Noise other than discrete Laplace noise, conditioned on the noisy value falling in a range with two ends.

use std::sync::Arc;

use inbounds_core::{Enclosure, IntervalMethod, root};

use super::{BiasFormula, Calibration, ErrorAt, Mechanism, StepValue};
use crate::{
    bounding::{Bounding, BoundingBias, Conditioned},
    interval::{OUTWARD, StepInterval},
    noise::{GridLaw, NoiseKind, weights},
    sampler::{
        Entropy,
        exact::{LazyUniform, between},
    },
};

/// Publishes `y = q + N` given that `y` lies in the range; measurement and estimate are the same number.
///
/// # Law
/// `P(y | q)` proportional to the mass of the noise at `y - q`, on the range: discrete Gaussian, generalised Gaussian
/// or staircase noise. An answer outside the range has the law of the nearest end.
///
/// # Guarantee
/// Epsilon, with certainty, by [`crate::calibrate::conditioned_gaussian`],
/// [`crate::calibrate::conditioned_generalised_gaussian`] or [`crate::calibrate::conditioned_staircase`], or, but for
/// staircase noise, epsilon and delta, by [`crate::calibrate::conditioned_gaussian_delta`] and
/// [`crate::calibrate::conditioned_generalised_gaussian_delta`]: on a range with two ends no measurement has an
/// unbounded loss. Claims: `conditioned-gaussian-loss`, `conditioned-generalised-gaussian-loss`,
/// `conditioned-staircase-loss`, `conditioned-gaussian-sampler`.
///
/// # Draws
/// By inversion: a uniform real is compared with the exact distribution function, at as many steps of a bisection for
/// every answer. Sums of weights are enclosed once for all draws; a comparison that they do not decide, with a
/// probability below `2^-60` a draw, reads further words.
#[derive(Debug, Clone)]
pub struct ConditionedOnRange {
    name: &'static str,
    calibration: Calibration,
    lower: i128,
    width: u64,
    sums: Arc<Vec<Enclosure>>,
}

/// Fractional bits of the sums that draws use.
const PRECISION: usize = 256;

impl ConditionedOnRange {
    /// The mechanism of noise calibrated for conditioning.
    ///
    /// # Panics
    /// Unless the range has two ends, and the noise is one of those named above.
    pub(crate) fn over(name: &'static str, calibration: Calibration) -> Arc<dyn Mechanism> {
        let (lower, width) = calibration.range.lower().zip(calibration.range.width()).expect("a range with two ends");
        let width = u64::try_from(width).expect("a range as wide as a table is long");
        let sums = weights::prefix_sums(&calibration.noise, width as usize, PRECISION).expect("noise with such sums");
        Arc::new(Self { name, calibration, lower, width, sums: Arc::new(sums) })
    }

    fn law(&self) -> &dyn GridLaw {
        self.calibration.noise.law()
    }

    /// A draw for an answer that is `q` steps from the lower end, told from there too.
    ///
    /// # Postcondition
    /// `y` with the probability of the law, exactly.
    fn draw(&self, q: u64, word: u64, entropy: &mut dyn Entropy) -> u64 {
        LazyUniform::new(word).decide(entropy, |uniform| {
            let bits = PRECISION.max(64 * uniform.words() + 128);
            let sums_of = |bits| weights::prefix_sums(&self.calibration.noise, self.width as usize, bits);
            let finer = if bits > PRECISION { sums_of(bits) } else { None };
            let sums = finer.as_deref().unwrap_or(&self.sums);
            let cut = |y: u64| -> Enclosure {
                // The sum of weights up to y.
                let (own, one) = (&sums[q as usize], Enclosure::one(bits));
                match y.checked_sub(q) {
                    Some(beyond) => own.add(&sums[beyond as usize]).sub(&one),
                    None => own.sub(&sums[(q - y - 1) as usize]),
                }
            };
            let target = between(&uniform.ends(), bits).mul(&cut(self.width));
            // The first y whose sum is above the target; every comparison must be certain.
            let (mut low, mut high) = (-1, i128::from(self.width));
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                let order = cut(middle as u64).certain_order(&target)?;
                if order.is_gt() { high = middle } else { low = middle }
            }
            Some(high as u64)
        })
    }

    /// `P(X <= x | q)` or `P(X >= x | q)`, all inside the range.
    fn tail(&self, x: i128, q: i128, above: bool) -> f64 {
        let range = self.calibration.range;
        let end = |end: Option<i128>| end.map_or(f64::INFINITY, |end| q.abs_diff(end) as f64);
        let (below, beyond) = (self.law().half_mass(end(range.lower())), self.law().half_mass(end(range.upper())));
        let (near, far) = if above { (beyond, below) } else { (below, beyond) };
        let outward = if above { x - q } else { q - x } as f64;
        let mass = if outward > 0.0 {
            near - self.law().half_mass(outward - 1.0)
        } else {
            near + self.law().half_mass(-outward)
        };
        mass / (near + far)
    }
}

impl Mechanism for ConditionedOnRange {
    fn name(&self) -> &'static str {
        self.name
    }

    fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    fn measure_in_place(&self, answers: &mut [i128], entropy: &mut dyn Entropy) {
        for answer in answers {
            let inside = self.calibration.range.clamp(*answer).abs_diff(self.lower) as u64;
            let word = entropy.word();
            *answer = self.lower + i128::from(self.draw(inside, word, entropy));
        }
    }

    fn estimate(&self, measurement: i128) -> StepValue {
        StepValue::whole(measurement)
    }

    fn error_at(&self, candidate: i128) -> ErrorAt {
        self.calibration.error_around(candidate, |range| Conditioned::new(self.law(), range))
    }

    /// That at an end: the bias falls from there, by integration by parts for any symmetric law whose mass falls.
    fn worst_bias(&self) -> f64 {
        Conditioned::new(self.law(), self.calibration.range_from_end()).worst_bias()
    }

    /// All answers under which neither tail from the measurement is rare, and those between them. Both tails turn once
    /// where the laws have increasing likelihood ratios; staircase noise has none, and every answer is asked.
    fn interval(&self, measurement: i128, level: f64) -> StepInterval {
        let range = self.calibration.range;
        let miss = 0.5 * (1.0 - level) * (1.0 - OUTWARD);
        let top = self.lower + i128::from(self.width);
        let x = range.clamp(measurement);
        let is_low = |q: i128| self.tail(x, q, true) <= miss;
        let is_high = |q: i128| self.tail(x, q, false) <= miss;
        let (lowest, highest) = if self.calibration.noise.kind() == NoiseKind::Staircase {
            let is_in = |q: &i128| !is_low(*q) && !is_high(*q);
            ((self.lower..=x).find(is_in).unwrap_or(x), (x..=top).rfind(is_in).unwrap_or(x))
        } else {
            let lowest = root::bisect_integer(self.lower - 1, top, |q| q < self.lower || is_low(q)) + 1;
            (lowest, root::bisect_integer(self.lower, top + 1, |q| !is_high(q)))
        };
        let (lowest, highest) = (lowest.min(x), highest.max(x));
        StepInterval { lower: Some(lowest), upper: Some(highest) }
    }

    fn ln_likelihood(&self, measurement: i128, candidate: StepValue) -> f64 {
        let range = self.calibration.range;
        let reach = |end: Option<i128>| end.map_or(f64::INFINITY, |end| candidate.distance_to(end).abs());
        let mass = self.law().half_mass(reach(range.lower())) + self.law().half_mass(reach(range.upper()));
        self.law().ln_kernel(candidate.distance_to(measurement)) - libm::log(mass)
    }

    fn bias_formula(&self) -> BiasFormula {
        BiasFormula::Bounding(BoundingBias::Conditioned)
    }

    fn interval_method(&self) -> IntervalMethod {
        IntervalMethod::TailsInvertedCutToRange
    }
}
