//! Discrete Laplace noise, conditioned on the noisy value falling in the range.

use std::sync::Arc;

use inbounds_core::IntervalMethod;

use super::{BiasFormula, Calibration, ErrorAt, Mechanism, StepValue};
use crate::{
    bounding::{Bounding, BoundingBias, Conditioned, Range},
    interval::{self, StepInterval},
    law::Noise,
    noise::{DiscreteLaplace, GridNoise},
    sampler::{Entropy, Reach, fill_conditioned},
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

impl Mechanism for ConditionedDiscreteLaplace {
    fn name(&self) -> &'static str {
        self.name
    }

    fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    fn measure(&self, answers: &[i128], entropy: &mut dyn Entropy) -> Vec<i128> {
        let range = self.calibration.range;
        let centers: Vec<i128> = answers.iter().map(|answer| range.clamp(*answer)).collect();
        let reach = |cell: usize| {
            let distance = |end: Option<i128>| end.map(|end| centers[cell].abs_diff(end));
            Reach { below: distance(range.lower()), above: distance(range.upper()) }
        };
        let mut sums = vec![0; answers.len()];
        fill_conditioned(&self.law, reach, entropy, &mut sums);
        sums.iter_mut().zip(centers.iter()).for_each(|(sum, center)| *sum += center);
        sums
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
