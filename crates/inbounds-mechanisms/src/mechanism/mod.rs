//! Mechanisms: a law of noise, a sensitivity and a guarantee, tied together.
//!
//! A mechanism is the only thing that reads an [`Answer`]. What it returns is public, and carries the mechanism with it,
//! so that whoever holds the [`Measurements`] can redo every computation after it.

mod clamped_discrete_laplace;
mod conditioned_discrete_laplace;

use std::{fmt, sync::Arc};

use inbounds_core::{Answer, Epsilon, Rational, Sensitivity, StepRange};

pub use clamped_discrete_laplace::ClampedDiscreteLaplace;
pub use conditioned_discrete_laplace::ConditionedDiscreteLaplace;

use crate::{
    bounding::{Bounding, Range},
    calibrate::{self, CalibrationError},
    interval::StepInterval,
    law::DiscreteLaplace,
    sampler::Entropy,
};

/// Bias and root mean square error of an estimate, in grid steps, were the answer a given candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorAt {
    /// `E(estimate) - answer`.
    pub bias: f64,
    /// `sqrt(E (estimate - answer)^2)`.
    pub rmse: f64,
}

/// A calibrated mechanism for integer answers on a grid; all numbers are in grid steps.
///
/// # Contract
/// For neighbouring answers within [`Mechanism::sensitivity`], the laws of `measure` differ by a factor of at most
/// `exp(epsilon)` on every event, for the integers that are computed and not for a real-valued idealisation.
pub trait Mechanism: fmt::Debug + Send + Sync {
    /// Its name in [`crate::registry`].
    fn name(&self) -> &'static str;

    /// Law, range and guarantee.
    fn calibration(&self) -> &Calibration;

    /// One raw measurement of one answer.
    fn measure_one(&self, answer: i128, entropy: &mut dyn Entropy) -> i128;

    /// The estimate inside the range that a measurement gives. Reads no answer.
    fn estimate(&self, measurement: i128) -> i128;

    /// Error of the estimate for a candidate answer; a candidate outside the range is moved to its nearest end.
    fn error_at(&self, candidate: i128) -> ErrorAt;

    /// A set of answers in the range that contains the true one with probability at least `level`.
    fn interval(&self, measurement: i128, level: f64) -> StepInterval;

    /// Identifier of the bias formula in the documentation and in manifests.
    fn bias_formula(&self) -> &'static str;

    /// Identifier of the method behind [`Mechanism::interval`].
    fn interval_method(&self) -> &'static str;

    /// The guarantee it was calibrated to.
    fn epsilon(&self) -> &Epsilon {
        &self.calibration().epsilon
    }

    /// The largest change between neighbours it protects.
    fn sensitivity(&self) -> &Sensitivity {
        &self.calibration().sensitivity
    }

    /// The noise.
    fn noise(&self) -> &DiscreteLaplace {
        &self.calibration().noise
    }

    /// The public range of the estimate.
    fn range(&self) -> StepRange {
        self.calibration().range
    }

    /// A proved upper bound on the privacy loss at the noise that runs, at most epsilon.
    fn loss_bound(&self) -> f64 {
        self.calibration().loss_bound
    }

    /// The two answers at which errors are shown: one at an end of the range, if it has one, and one well inside, in the
    /// middle or fifty scales from the end of a half line.
    fn landmarks(&self) -> (Option<i128>, i128) {
        let far = (50.0 * self.noise().scale()).ceil() as i128;
        match (self.range().lower(), self.range().upper()) {
            (Some(lower), Some(upper)) => (Some(lower), lower + (upper - lower) / 2),
            (Some(lower), None) => (Some(lower), lower + far),
            (None, Some(upper)) => (Some(upper), upper - far),
            (None, None) => (None, 0),
        }
    }

    /// The largest absolute bias of the estimate over all answers in the range: for (discrete) Laplace noise, that at a
    /// finite end.
    fn worst_bias(&self) -> f64 {
        let range = self.range();
        range.lower().or(range.upper()).map_or(0.0, |end| self.error_at(end).bias.abs())
    }
}

/// Noisy values, public, with the mechanism that made them.
#[derive(Debug, Clone)]
pub struct Measurements {
    mechanism: Arc<dyn Mechanism>,
    steps: Vec<i128>,
}

impl Measurements {
    /// Consumes an answer and returns its measurements, one a cell.
    ///
    /// # Example
    /// ```
    /// use inbounds_core::{Answer, Epsilon, Rational, Sensitivity, StepRange};
    /// use inbounds_mechanisms::{mechanism::Measurements, registry, sampler::SeededEntropy};
    /// let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "sum-add-remove" };
    /// let counts = StepRange::new(Some(0), None)?;
    /// let clamped = registry::find("clamped-discrete-laplace").expect("registered");
    /// let mechanism = clamped.calibrate(&Epsilon::new("1".parse()?)?, &one, counts).expect("calibrates");
    /// let measured = Measurements::take(mechanism, Answer::new(vec![0, 500]), &mut SeededEntropy::from_seed(7));
    /// assert_eq!(measured.steps().len(), 2);
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn take(mechanism: Arc<dyn Mechanism>, answer: Answer, entropy: &mut dyn Entropy) -> Self {
        let steps = answer.private_steps().iter().map(|answer| mechanism.measure_one(*answer, entropy)).collect();
        Self { mechanism, steps }
    }

    /// Measurements that were taken earlier, with the mechanism that took them.
    pub fn from_published(mechanism: Arc<dyn Mechanism>, steps: Vec<i128>) -> Self {
        Self { mechanism, steps }
    }

    /// The mechanism.
    pub fn mechanism(&self) -> &Arc<dyn Mechanism> {
        &self.mechanism
    }

    /// Raw noisy values in grid steps, one a cell.
    pub fn steps(&self) -> &[i128] {
        &self.steps
    }
}

/// What a calibrated discrete Laplace mechanism holds, whatever its bounding.
#[derive(Debug, Clone)]
pub struct Calibration {
    /// The guarantee.
    pub epsilon: Epsilon,
    /// The largest change between neighbours it protects.
    pub sensitivity: Sensitivity,
    /// The noise.
    pub noise: DiscreteLaplace,
    /// The public range of the estimate.
    pub range: StepRange,
    /// A proved upper bound on the privacy loss, at most epsilon.
    pub loss_bound: f64,
}

impl Calibration {
    /// A calibration whose inverse scale has been proved to lose at most `loss_bound`.
    ///
    /// # Errors
    /// [`CalibrationError::Scale`] outside the scales that the sampler accepts.
    fn new(
        epsilon: &Epsilon,
        sensitivity: &Sensitivity,
        range: StepRange,
        inverse_scale: Rational,
        loss_bound: f64,
    ) -> Result<Self, CalibrationError> {
        let noise = calibrate::law(inverse_scale, epsilon, sensitivity)?;
        Ok(Self { epsilon: epsilon.clone(), sensitivity: sensitivity.clone(), noise, range, loss_bound })
    }

    /// Error at a candidate under the bounding that `bound` puts around the noise.
    ///
    /// The bounding is built around a candidate at zero, on distances, which are exact where positions as doubles would
    /// not be.
    fn error_at<B: Bounding>(&self, candidate: i128, bound: fn(DiscreteLaplace, Range) -> B) -> ErrorAt {
        let candidate = self.range.clamp(candidate);
        let distance = |end: Option<i128>| end.map_or(f64::INFINITY, |end| candidate.abs_diff(end) as f64);
        let around = Range::new(-distance(self.range.lower()), distance(self.range.upper()))
            .expect("a step range has lower < upper, and the candidate lies in it");
        let bound = bound(self.noise.clone(), around);
        ErrorAt { bias: bound.bias(0.0), rmse: bound.mse(0.0).sqrt() }
    }
}
