//! Discrete Gaussian noise, conditioned on the noisy value falling in a range with two ends.

use std::sync::Arc;

use inbounds_core::{Enclosure, IntervalMethod, root};

use super::{BiasFormula, Calibration, ErrorAt, Mechanism, StepValue};
use crate::{
    bounding::{Bounding, BoundingBias, Conditioned},
    calibrate::prefix_sums,
    interval::{OUTWARD, StepInterval},
    law::Noise,
    noise::{DiscreteGaussian, GridLaw, GridNoise},
    sampler::{
        Entropy,
        exact::{LazyUniform, between},
    },
};

/// Publishes `y = q + N` given that `y` lies in the range; measurement and estimate are the same number.
///
/// # Law
/// `P(y | q)` proportional to `exp(-(y - q)^2 / (2 v))` on the range. An answer outside the range has the law of the
/// nearest end.
///
/// # Guarantee
/// Epsilon, with certainty, by [`crate::calibrate::conditioned_gaussian`], or epsilon and delta, by
/// [`crate::calibrate::conditioned_gaussian_delta`]: on a range with two ends no measurement has
/// an unbounded loss. Claims: `conditioned-gaussian-loss`, `conditioned-gaussian-sampler`.
///
/// # Draws
/// By inversion: a uniform real is compared with the exact distribution function, at as many steps of a bisection for
/// every answer. Sums of weights are enclosed once for all draws; a comparison that they do not decide, with a
/// probability below `2^-60` a draw, reads further words.
#[derive(Debug, Clone)]
pub struct ConditionedDiscreteGaussian {
    name: &'static str,
    calibration: Calibration,
    law: DiscreteGaussian,
    lower: i128,
    width: u64,
    sums: Arc<Vec<Enclosure>>,
}

/// Fractional bits of the sums that draws use.
const PRECISION: usize = 256;

impl ConditionedDiscreteGaussian {
    /// The mechanism of noise calibrated for conditioning.
    ///
    /// # Panics
    /// Unless the range has two ends.
    pub(crate) fn over(name: &'static str, calibration: Calibration, law: DiscreteGaussian) -> Arc<dyn Mechanism> {
        debug_assert_eq!(calibration.noise, GridNoise::Gaussian(law.clone()));
        let (lower, width) = calibration.range.lower().zip(calibration.range.width()).expect("a range with two ends");
        let width = u64::try_from(width).expect("a range as wide as a table is long");
        let sums = Arc::new(prefix_sums(law.sigma_squared(), width as usize, PRECISION));
        Arc::new(Self { name, calibration, law, lower, width, sums })
    }

    /// A draw for an answer that is `q` steps from the lower end, told from there too.
    ///
    /// # Postcondition
    /// `y` with the probability of the law, exactly.
    fn draw(&self, q: u64, word: u64, entropy: &mut dyn Entropy) -> u64 {
        LazyUniform::new(word).decide(entropy, |uniform| {
            let bits = PRECISION.max(64 * uniform.words() + 128);
            let finer = (bits > PRECISION).then(|| prefix_sums(self.law.sigma_squared(), self.width as usize, bits));
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
        let (below, beyond) = (self.law.half_mass(end(range.lower())), self.law.half_mass(end(range.upper())));
        let (near, far) = if above { (beyond, below) } else { (below, beyond) };
        let outward = if above { x - q } else { q - x } as f64;
        let mass =
            if outward > 0.0 { near - self.law.half_mass(outward - 1.0) } else { near + self.law.half_mass(-outward) };
        mass / (near + far)
    }
}

impl Mechanism for ConditionedDiscreteGaussian {
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
        self.calibration.error_around(candidate, |range| Conditioned::new(&self.law, range))
    }

    /// That at an end: the bias falls from there, since noise that is conditioned varies less.
    fn worst_bias(&self) -> f64 {
        Conditioned::new(&self.law, self.calibration.range_from_end()).worst_bias()
    }

    /// All answers under which neither tail from the measurement is rare; both turn once, since the laws have
    /// increasing likelihood ratios.
    fn interval(&self, measurement: i128, level: f64) -> StepInterval {
        let range = self.calibration.range;
        let miss = 0.5 * (1.0 - level) * (1.0 - OUTWARD);
        let top = self.lower + i128::from(self.width);
        let x = range.clamp(measurement);
        let lowest = root::bisect_integer(self.lower - 1, top, |q| q < self.lower || self.tail(x, q, true) <= miss) + 1;
        let highest = root::bisect_integer(self.lower, top + 1, |q| self.tail(x, q, false) > miss);
        let (lowest, highest) = (lowest.min(x), highest.max(x));
        StepInterval { lower: Some(lowest), upper: Some(highest) }
    }

    fn ln_likelihood(&self, measurement: i128, candidate: StepValue) -> f64 {
        let range = self.calibration.range;
        let reach = |end: Option<i128>| end.map_or(f64::INFINITY, |end| candidate.distance_to(end).abs());
        let mass = self.law.half_mass(reach(range.lower())) + self.law.half_mass(reach(range.upper()));
        self.law.ln_kernel(candidate.distance_to(measurement)) - libm::log(mass)
    }

    fn bias_formula(&self) -> BiasFormula {
        BiasFormula::Bounding(BoundingBias::Conditioned)
    }

    fn interval_method(&self) -> IntervalMethod {
        IntervalMethod::TailsInvertedCutToRange
    }
}
