//! Discrete Laplace noise, clamped to the range afterwards.

use std::sync::Arc;

use inbounds_core::{Epsilon, Sensitivity, StepRange};

use super::{Calibration, ErrorAt, Mechanism};
use crate::{
    bounding::Clamped,
    calibrate::{self, CalibrationError},
    interval::{self, StepInterval},
    sampler::{Entropy, Reach, sample_discrete_laplace},
};

/// Publishes `y = q + N` and estimates `q` by the point of the range nearest to `y`.
///
/// # Law
/// `N` is discrete Laplace with inverse scale `tau = epsilon / l1`; the estimate has atoms at the ends of the range.
///
/// # Guarantee
/// `epsilon`-DP for vectors of answers within the l1 sensitivity: the loss is exactly `tau * l1`. The estimate is
/// post-processing. With no range this is the plain, unbiased mechanism. Claim: `clamped-loss`.
#[derive(Debug, Clone)]
pub struct ClampedDiscreteLaplace(Calibration);

impl ClampedDiscreteLaplace {
    /// Name in the registry.
    pub const NAME: &'static str = "clamped-discrete-laplace";

    /// Calibrates to `epsilon`.
    ///
    /// # Errors
    /// [`CalibrationError`] for a zero sensitivity or a scale outside the sampler's reach.
    pub fn calibrate(
        epsilon: &Epsilon,
        sensitivity: &Sensitivity,
        range: StepRange,
    ) -> Result<Arc<dyn Mechanism>, CalibrationError> {
        let inverse_scale = calibrate::clamped(epsilon, sensitivity)?;
        let loss_bound = epsilon.value().to_f64_up();
        Ok(Arc::new(Self(Calibration::new(epsilon, sensitivity, range, inverse_scale, loss_bound)?)))
    }
}

impl Mechanism for ClampedDiscreteLaplace {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn calibration(&self) -> &Calibration {
        &self.0
    }

    fn measure_one(&self, answer: i128, entropy: &mut dyn Entropy) -> i128 {
        // |answer| < 2^117 and |noise| < 2^110 for every scale the law accepts, so the sum fits.
        answer + sample_discrete_laplace(&self.0.noise, Reach::UNLIMITED, entropy)
    }

    fn estimate(&self, measurement: i128) -> i128 {
        self.0.range.clamp(measurement)
    }

    fn error_at(&self, candidate: i128) -> ErrorAt {
        self.0.error_at(candidate, Clamped::new)
    }

    fn interval(&self, measurement: i128, level: f64) -> StepInterval {
        interval::from_noise(&self.0.noise, measurement, self.0.range, level)
    }

    fn bias_formula(&self) -> &'static str {
        if self.0.range.is_unbounded() { "unbiased" } else { "clamped-discrete-laplace-bias" }
    }

    fn interval_method(&self) -> &'static str {
        if self.0.range.is_unbounded() { "noise-quantile" } else { "noise-quantile-cut-to-range" }
    }
}
