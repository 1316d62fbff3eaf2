//! Discrete Laplace noise, conditioned on the noisy value falling in the range.

use std::sync::Arc;

use inbounds_core::{IntervalMethod, StepRange};

use super::{BiasFormula, Calibration, ErrorAt, Mechanism, StepValue, through_wide};
use crate::{
    bounding::{Bounding, BoundingBias, Conditioned, Range},
    interval::{self, StepInterval},
    law::Noise,
    noise::{DiscreteLaplace, GridNoise},
    sampler::{Entropy, Reach, add_conditioned},
};

/// Publishes `y = q + N` given that `y` lies in the range; measurement and estimate are the same number.
///
/// # Law
/// `P(y | q)` proportional to `exp(-tau |y - q|)` on the range. An answer outside the range has the law of the nearest
/// end, whatever its distance.
///
/// # Guarantee
/// That of [`crate::calibrate::conditioned`], whose inverse scale is smaller than `epsilon / l1` because the normaliser
/// depends on the answer. Claim: `conditioned-loss`. With no range it is the plain mechanism.
#[derive(Debug, Clone)]
pub struct ConditionedDiscreteLaplace {
    name: &'static str,
    calibration: Calibration,
    law: DiscreteLaplace,
}

impl ConditionedDiscreteLaplace {
    /// The mechanism of noise calibrated for conditioning.
    pub(crate) fn over(name: &'static str, calibration: Calibration, law: DiscreteLaplace) -> Arc<dyn Mechanism> {
        debug_assert_eq!(calibration.noise, GridNoise::Laplace(law.clone()));
        Arc::new(Self { name, calibration, law })
    }

    /// The law around a candidate at zero.
    fn conditioned(&self, range: Range) -> Conditioned<&DiscreteLaplace> {
        Conditioned::new(&self.law, range)
    }
}

/// Limits of the noise around a number in the range.
#[inline]
fn reach(range: StepRange, center: i128) -> Reach {
    Reach {
        below: range.lower().map(|lower| center.wrapping_sub(lower) as u128),
        above: range.upper().map(|upper| upper.wrapping_sub(center) as u128),
    }
}

/// Draws around the points of the range nearest to answers, conditioned on the range.
pub(crate) fn measure_within(law: &DiscreteLaplace, range: StepRange, answers: &mut [i128], entropy: &mut dyn Entropy) {
    answers.iter_mut().for_each(|answer| *answer = range.clamp(*answer));
    add_conditioned(law, |center| reach(range, center), entropy, answers);
}

impl Mechanism for ConditionedDiscreteLaplace {
    fn name(&self) -> &'static str {
        self.name
    }

    fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    fn measure_in_place(&self, answers: &mut [i128], entropy: &mut dyn Entropy) {
        measure_within(&self.law, self.calibration.range, answers, entropy);
    }

    fn measure_narrow(&self, answers: &mut [i64], entropy: &mut dyn Entropy) {
        let range = self.calibration.range;
        let [lowest, highest] = [i64::MIN, i64::MAX].map(|end| i64::try_from(range.clamp(end.into())));
        let (Ok(lowest), Ok(highest)) = (lowest, highest) else {
            // No number of 64 bits is in the range.
            return through_wide(self, answers, entropy);
        };
        answers.iter_mut().for_each(|answer| *answer = (*answer).clamp(lowest, highest));
        add_conditioned(&self.law, |center| reach(range, i128::from(center)), entropy, answers);
    }

    fn estimate(&self, measurement: i128) -> StepValue {
        StepValue::whole(measurement)
    }

    fn error_at(&self, candidate: i128) -> ErrorAt {
        self.calibration.error_around(candidate, |range| self.conditioned(range))
    }

    fn worst_bias(&self) -> f64 {
        self.conditioned(self.calibration.range_from_end()).worst_bias()
    }

    fn interval(&self, measurement: i128, level: f64) -> StepInterval {
        interval::by_inversion(&self.law, measurement, self.calibration.range, level)
    }

    fn ln_likelihood(&self, measurement: i128, candidate: StepValue) -> f64 {
        let reach = |end: Option<i128>| end.map_or(f64::INFINITY, |end| candidate.distance_to(end).abs());
        let (below, above) = (reach(self.calibration.range.lower()), reach(self.calibration.range.upper()));
        let mass = self.law.half_mass(below) + self.law.half_mass(above);
        -self.law.tau() * candidate.distance_to(measurement).abs() - libm::log(mass)
    }

    fn bias_formula(&self) -> BiasFormula {
        if self.calibration.range.is_unbounded() {
            BiasFormula::Unbiased
        } else {
            BiasFormula::Bounding(BoundingBias::ConditionedDiscreteLaplace)
        }
    }

    fn interval_method(&self) -> IntervalMethod {
        if self.calibration.range.is_unbounded() {
            IntervalMethod::NoiseQuantile
        } else {
            IntervalMethod::DistanceCdfInverted
        }
    }
}
