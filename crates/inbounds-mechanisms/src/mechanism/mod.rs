//! Mechanisms: noise, a bounding, a sensitivity and a guarantee, tied together.
//!
//! Only a mechanism reads an [`inbounds_core::Answer`]. Its measurements are public, and carry the
//! mechanism with them, so that a user who has the [`Measurements`] can redo every computation after it.

mod bias;
mod calibration;
mod candidates;
mod conditioned;
mod conditioned_on_range;
mod error_at;
mod measurements;
mod multiplied;
mod over;
mod processed;
mod relative;
mod together;

use std::fmt;

use inbounds_core::{Guarantee, IntervalMethod, Sensitivity, StepRange};

pub use bias::BiasFormula;
pub use calibration::Calibration;
pub use candidates::{in_ratios, inside};
pub use conditioned::ConditionedDiscreteLaplace;
pub(crate) use conditioned::measure_within;
pub use conditioned_on_range::ConditionedOnRange;
pub use error_at::ErrorAt;
pub use measurements::Measurements;
pub use multiplied::Multiplied;
pub use processed::Processed;
pub use relative::RelativeError;
pub use together::Together;

pub use crate::bounding::step_value::StepValue;
use crate::{
    bounding::GridMap,
    interval::StepInterval,
    law::Noise,
    noise::GridNoise,
    posterior::{Posterior, PosteriorError, Prior},
    sampler::{Entropy, nearest},
    selection::RankSelection,
};

/// A calibrated mechanism for integer answers on a grid; all numbers are in grid steps.
///
/// # Contract
/// For neighbouring answers within [`Mechanism::sensitivity`], the laws of `measure` keep [`Mechanism::guarantee`] on
/// every event, for the integers that are computed and not for a real-valued idealisation.
pub trait Mechanism: fmt::Debug + Send + Sync {
    /// Its name in [`crate::registry`].
    fn name(&self) -> &'static str;

    /// Noise, range and guarantee.
    fn calibration(&self) -> &Calibration;

    /// One raw measurement of each answer, in its place.
    fn measure_in_place(&self, answers: &mut [i128], entropy: &mut dyn Entropy);

    /// The same for answers of 64 bits, by the same draws. A measurement beyond 64 bits is the nearest number that has
    /// as many.
    fn measure_narrow(&self, answers: &mut [i64], entropy: &mut dyn Entropy) {
        through_wide(self, answers, entropy);
    }

    /// Consumes answers and returns their measurements: one of each, but for a [selection](Mechanism::selection), which
    /// has fewer.
    fn take(&self, mut answers: Vec<i128>, entropy: &mut dyn Entropy) -> Vec<i128> {
        self.measure_in_place(&mut answers, entropy);
        answers
    }

    /// The choice of bins that it is, whose measurements are no noisy answers.
    fn selection(&self) -> Option<&RankSelection> {
        None
    }

    /// One raw measurement of each answer.
    fn measure(&self, answers: &[i128], entropy: &mut dyn Entropy) -> Vec<i128> {
        let mut measurements = answers.to_vec();
        self.measure_in_place(&mut measurements, entropy);
        measurements
    }

    /// The estimate inside the range that a measurement gives. Reads no answer.
    fn estimate(&self, measurement: i128) -> StepValue;

    /// The map from measurements to estimates; `None` where they are the same.
    fn processing(&self) -> Option<&dyn GridMap> {
        None
    }

    /// `true` if a measurement is its answer plus noise of [`Mechanism::noise`]; conditioned and multiplied noise is
    /// drawn otherwise, and a selection adds none.
    fn adds_noise(&self) -> bool {
        self.selection().is_none() && (self.processing().is_some() || self.range().is_unbounded())
    }

    /// Error of the estimate, rounded to whole steps, for a candidate answer; a candidate outside the range is moved to
    /// its nearest end.
    fn error_at(&self, candidate: i128) -> ErrorAt;

    /// The largest absolute bias of the estimate over all answers in the range.
    fn worst_bias(&self) -> f64;

    /// The largest absolute bias, with its sign, and the largest root mean square error over the answers of an interval
    /// in the range.
    ///
    /// Where the interval holds the answer, the error is no larger: unlike [`Mechanism::error_at`] the estimate, which
    /// may be much smaller near an end of the range.
    fn error_over(&self, interval: StepInterval) -> ErrorAt {
        over::largest(self, interval)
    }

    /// A set of answers in the range that contains the true one with probability at least `level`.
    fn interval(&self, measurement: i128, level: f64) -> StepInterval;

    /// Log probability of a measurement under a candidate answer in the range, up to a term that no candidate changes.
    fn ln_likelihood(&self, measurement: i128, candidate: StepValue) -> f64;

    /// Identifier of the bias formula in the documentation and in manifests.
    fn bias_formula(&self) -> BiasFormula;

    /// Identifier of the method behind [`Mechanism::interval`].
    fn interval_method(&self) -> IntervalMethod;

    /// Posterior of the answer after a measurement, for a prior over the range.
    ///
    /// # Errors
    /// [`PosteriorError`] if the prior has no mass where the measurement is possible.
    fn posterior(&self, measurement: i128, prior: &Prior) -> Result<Posterior, PosteriorError> {
        let anchor = self.range().clamp(measurement);
        let ln_likelihood = |candidate| self.ln_likelihood(measurement, candidate);
        Posterior::new((self.range(), anchor, self.posterior_reach(measurement)), prior, ln_likelihood)
    }

    /// Steps from the likeliest answer beyond which the likelihood has fallen by `e^-60` of its mass, whatever the
    /// normaliser does.
    fn posterior_reach(&self, _measurement: i128) -> i128 {
        (-3.0 * self.noise().quantile(1e-18)).ceil() as i128 + 2
    }

    /// `P(Y <= measurement)` and `P(Y >= measurement)` for an answer, of noise that is multiplied; `None` of other
    /// noise.
    fn tails(&self, _measurement: i128, _answer: i128) -> Option<(f64, f64)> {
        None
    }

    /// The relative error far from the ends of the range, of noise that is multiplied; `None` of other noise.
    fn relative_error(&self) -> Option<RelativeError> {
        None
    }

    /// The guarantee it was calibrated to.
    fn guarantee(&self) -> &Guarantee {
        &self.calibration().guarantee
    }

    /// The largest change between neighbours it protects.
    fn sensitivity(&self) -> &Sensitivity {
        &self.calibration().sensitivity
    }

    /// The noise.
    fn noise(&self) -> &GridNoise {
        &self.calibration().noise
    }

    /// The public range of the estimate.
    fn range(&self) -> StepRange {
        self.calibration().range
    }

    /// A proved upper bound on the privacy loss at the noise that runs, at most epsilon.
    fn loss_bound(&self) -> Option<f64> {
        self.calibration().loss_bound
    }

    /// Answers at which a picture shows the error: up to 241, evenly from the lower end inwards (from the upper one
    /// where there is no lower), to the other end or to eight standard deviations of the noise, beyond which an end is
    /// not felt.
    fn candidates(&self) -> Vec<i128> {
        candidates::candidates(self)
    }

    /// Steps from an end of the range beyond which it is not felt, so that errors are the same at every answer;
    /// infinite where they never are.
    fn felt(&self) -> f64 {
        self.reach() + over::FAR * self.noise().scale()
    }

    /// Steps from an end of the range beyond which its map moves every measurement alike.
    fn reach(&self) -> f64 {
        self.processing().map_or(0.0, |map| map.reach(self.range()))
    }

    /// The two answers at which errors are shown: one at an end of the range, if it has one, and one well inside, in
    /// the middle or fifty scales from where the end of a half line is felt.
    fn landmarks(&self) -> (Option<i128>, i128) {
        let felt = if self.reach().is_finite() { self.reach() } else { 0.0 };
        let far = (felt + 50.0 * self.noise().scale()).ceil() as i128;
        match (self.range().lower(), self.range().upper()) {
            (Some(lower), Some(upper)) => (Some(lower), lower + (upper - lower) / 2),
            (Some(lower), None) => (Some(lower), lower + far),
            (None, Some(upper)) => (Some(upper), upper - far),
            (None, None) => (None, 0),
        }
    }
}

/// [`Mechanism::measure_narrow`] by way of 128 bits.
fn through_wide<M: Mechanism + ?Sized>(mechanism: &M, answers: &mut [i64], entropy: &mut dyn Entropy) {
    let mut wide: Vec<i128> = answers.iter().map(|answer| i128::from(*answer)).collect();
    mechanism.measure_in_place(&mut wide, entropy);
    answers.iter_mut().zip(wide).for_each(|(answer, steps)| *answer = nearest(steps));
}
