//! Discrete Laplace noise, conditioned on the noisy value falling in the range.

use std::sync::Arc;

use inbounds_core::{Epsilon, Sensitivity, StepRange};

use super::{Calibration, ErrorAt, Mechanism};
use crate::{
    bounding::Conditioned,
    calibrate::{self, CalibrationError},
    interval::{self, StepInterval},
    sampler::{Entropy, Reach, sample_discrete_laplace},
};

/// Publishes `y = q + N` given that `y` lies in the range; measurement and estimate are the same number.
///
/// # Law
/// `P(y | q)` proportional to `exp(-tau |y - q|)` on the range. An answer outside the range has the law of the nearest
/// end, whatever its distance.
///
/// # Guarantee
/// `epsilon`-DP at the inverse scale of [`calibrate::conditioned`], which is smaller than `epsilon / l1` because the
/// normaliser depends on the answer. Claim: `conditioned-loss`. With no range it is the plain mechanism.
#[derive(Debug, Clone)]
pub struct ConditionedDiscreteLaplace(Calibration);

impl ConditionedDiscreteLaplace {
    /// Name in the registry.
    pub const NAME: &'static str = "conditioned-discrete-laplace";

    /// Calibrates to `epsilon`.
    ///
    /// # Errors
    /// [`CalibrationError`] for a zero sensitivity or a scale outside the sampler's reach.
    pub fn calibrate(
        epsilon: &Epsilon,
        sensitivity: &Sensitivity,
        range: StepRange,
    ) -> Result<Arc<dyn Mechanism>, CalibrationError> {
        let (inverse_scale, loss_bound) = if range.is_unbounded() {
            (calibrate::clamped(epsilon, sensitivity)?, epsilon.value().to_f64_up())
        } else {
            let inverse_scale = calibrate::conditioned(epsilon, sensitivity, range.width())?;
            let loss_bound = calibrate::conditioned_loss(&inverse_scale, sensitivity, range.width())?;
            (inverse_scale, loss_bound.min(epsilon.value().to_f64_up()))
        };
        Ok(Arc::new(Self(Calibration::new(epsilon, sensitivity, range, inverse_scale, loss_bound)?)))
    }
}

impl Mechanism for ConditionedDiscreteLaplace {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn calibration(&self) -> &Calibration {
        &self.0
    }

    fn measure_one(&self, answer: i128, entropy: &mut dyn Entropy) -> i128 {
        let center = self.0.range.clamp(answer);
        let distance = |end: Option<i128>| end.map(|end| center.abs_diff(end));
        let reach = Reach { below: distance(self.0.range.lower()), above: distance(self.0.range.upper()) };
        center + sample_discrete_laplace(&self.0.noise, reach, entropy)
    }

    fn estimate(&self, measurement: i128) -> i128 {
        measurement
    }

    fn error_at(&self, candidate: i128) -> ErrorAt {
        self.0.error_at(candidate, Conditioned::new)
    }

    fn interval(&self, measurement: i128, level: f64) -> StepInterval {
        interval::by_inversion(&self.0.noise, measurement, self.0.range, level)
    }

    fn bias_formula(&self) -> &'static str {
        if self.0.range.is_unbounded() { "unbiased" } else { "conditioned-discrete-laplace-bias" }
    }

    fn interval_method(&self) -> &'static str {
        if self.0.range.is_unbounded() { "noise-quantile" } else { "distance-cdf-inverted-in-the-location" }
    }
}
