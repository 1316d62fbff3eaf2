//! Mechanisms: a law of noise, a sensitivity and a guarantee, tied together.
//!
//! A mechanism is the only thing that reads an [`Answer`]. What it returns is public, and carries the mechanism with it,
//! so that whoever holds the [`Measurements`] can redo every computation after it.

mod clamped_discrete_laplace;
mod conditioned_discrete_laplace;

use std::{fmt, sync::Arc};

use inbounds_core::{Answer, Epsilon, Sensitivity, StepRange};

pub use clamped_discrete_laplace::ClampedDiscreteLaplace;
pub use conditioned_discrete_laplace::ConditionedDiscreteLaplace;

use crate::{interval::StepInterval, law::DiscreteLaplace, sampler::Entropy};

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

    /// The guarantee it was calibrated to.
    fn epsilon(&self) -> &Epsilon;

    /// The largest change between neighbours it protects.
    fn sensitivity(&self) -> &Sensitivity;

    /// The noise.
    fn noise(&self) -> &DiscreteLaplace;

    /// The public range of the estimate.
    fn range(&self) -> StepRange;

    /// A proved upper bound on the privacy loss at the noise that runs, at most epsilon.
    fn loss_bound(&self) -> f64;

    /// One raw measurement of one answer.
    fn measure_one(&self, answer: i128, entropy: &mut dyn Entropy) -> i128;

    /// The estimate inside the range that a measurement gives. Reads no answer.
    fn estimate(&self, measurement: i128) -> i128;

    /// Error of the estimate for a candidate answer; a candidate outside the range is moved to its nearest end.
    fn error_at(&self, candidate: i128) -> ErrorAt;

    /// The largest absolute bias of the estimate over all answers in the range.
    fn worst_bias(&self) -> f64;

    /// A set of answers in the range that contains the true one with probability at least `level`.
    fn interval(&self, measurement: i128, level: f64) -> StepInterval;

    /// Identifier of the bias formula in the documentation and in manifests.
    fn bias_formula(&self) -> &'static str;

    /// Identifier of the method behind [`Mechanism::interval`].
    fn interval_method(&self) -> &'static str;
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
    /// use inbounds_core::{Answer, Epsilon, Sensitivity, StepRange};
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
struct Calibrated {
    epsilon: Epsilon,
    sensitivity: Sensitivity,
    noise: DiscreteLaplace,
    range: StepRange,
    loss_bound: f64,
}

impl Calibrated {
    /// The range as distances around a candidate, which is exact where positions as doubles would not be.
    fn range_around(&self, candidate: i128) -> crate::bounding::Range {
        let candidate = self.range.clamp(candidate);
        let distance = |end: Option<i128>| end.map_or(f64::INFINITY, |end| candidate.abs_diff(end) as f64);
        crate::bounding::Range::new(-distance(self.range.lower()), distance(self.range.upper()))
            .expect("a step range has lower < upper, and the candidate lies in it")
    }

    /// Error at a candidate under the bounding that `bound` puts around the noise.
    fn error_at<B: crate::bounding::Bounding>(&self, bound: B) -> ErrorAt {
        ErrorAt { bias: bound.bias(0.0), rmse: bound.mse(0.0).sqrt() }
    }

    /// A finite end of the range, where (discrete) Laplace boundings have their largest bias.
    fn finite_end(&self) -> Option<i128> {
        self.range.lower().or(self.range.upper())
    }
}
