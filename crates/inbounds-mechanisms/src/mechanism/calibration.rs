//! Common parts of every calibrated mechanism.

use inbounds_core::{Guarantee, Sensitivity, StepRange};

use super::ErrorAt;
use crate::{
    bounding::{Bounding, Range},
    calibrate::{self, CalibrationError},
    noise::{DiscreteLaplace, GridLaw, GridNoise, NoiseKind},
};

/// Noise, range and guarantee of a mechanism.
#[derive(Debug, Clone)]
pub struct Calibration {
    /// The guarantee.
    pub guarantee: Guarantee,
    /// The largest change between neighbours it protects.
    pub sensitivity: Sensitivity,
    /// The noise, proved to keep the guarantee.
    pub noise: GridNoise,
    /// The public range of the estimate.
    pub range: StepRange,
    /// A proved upper bound on the privacy loss at this noise, at most the epsilon of the guarantee; `None` under a
    /// guarantee that bounds no loss.
    pub loss_bound: Option<f64>,
}

impl Calibration {
    /// Noise that keeps the guarantee when it is added and nothing else is done.
    ///
    /// # Errors
    /// [`CalibrationError`].
    pub(crate) fn plain(
        kind: NoiseKind,
        guarantee: &Guarantee,
        sensitivity: &Sensitivity,
        range: StepRange,
    ) -> Result<Self, CalibrationError> {
        Ok(Self::proved(guarantee, sensitivity, kind.calibrate(guarantee, sensitivity)?, range))
    }

    /// Discrete Laplace noise that keeps the guarantee when it is conditioned on the range.
    ///
    /// # Errors
    /// [`CalibrationError`].
    pub(crate) fn conditioned(
        guarantee: &Guarantee,
        sensitivity: &Sensitivity,
        range: StepRange,
    ) -> Result<(Self, DiscreteLaplace), CalibrationError> {
        let law = match guarantee {
            _ if range.is_unbounded() => DiscreteLaplace::calibrate(guarantee, sensitivity)?,
            Guarantee::Pure { epsilon } => {
                calibrate::law(calibrate::conditioned(epsilon, sensitivity, range.width())?, epsilon, sensitivity)?
            }
            Guarantee::Approximate { epsilon, delta } => {
                let calibrated = calibrate::approximate::conditioned(epsilon, delta, sensitivity, range.width())?;
                calibrate::law(calibrated.parameter, epsilon, sensitivity)?
            }
            Guarantee::ZeroConcentrated { .. } => return Err(CalibrationError::NeedsEpsilon),
        };
        Ok((Self::proved(guarantee, sensitivity, GridNoise::Laplace(law.clone()), range), law))
    }

    /// Noise whose parameter came with a proof of the guarantee.
    pub(crate) fn proved(guarantee: &Guarantee, sensitivity: &Sensitivity, noise: GridNoise, range: StepRange) -> Self {
        let loss_bound = match guarantee {
            Guarantee::Pure { epsilon } => Some(epsilon.value().to_f64_up()),
            Guarantee::Approximate { .. } | Guarantee::ZeroConcentrated { .. } => None,
        };
        Self { guarantee: guarantee.clone(), sensitivity: sensitivity.clone(), noise, range, loss_bound }
    }

    /// Distances of a candidate, moved into the range, from its lower and its upper end.
    pub(super) fn distances(&self, candidate: i128) -> (f64, f64) {
        let candidate = self.range.clamp(candidate);
        let distance = |end: Option<i128>| end.map_or(f64::INFINITY, |end| candidate.abs_diff(end) as f64);
        (distance(self.range.lower()), distance(self.range.upper()))
    }

    /// Error at a candidate under the bounding that `bound` makes of a range around it.
    ///
    /// The bounding is built around a candidate at zero, on distances, which are exact where positions as doubles would
    /// not be.
    pub(super) fn error_around<B: Bounding>(&self, candidate: i128, bound: impl Fn(Range) -> B) -> ErrorAt {
        let (below, above) = self.distances(candidate);
        let around = Range::new(-below, above).expect("a step range has lower < upper, and the candidate lies in it");
        let bound = bound(around);
        ErrorAt { bias: bound.bias(0.0), rmse: bound.mse(0.0).sqrt() }
    }

    /// The range as seen from its lower end, or from its only end, in doubles.
    pub(super) fn range_from_end(&self) -> Range {
        let width = self.range.width().map_or(f64::INFINITY, |width| width as f64);
        match (self.range.lower(), self.range.upper()) {
            (None, None) => Range::new(f64::NEG_INFINITY, f64::INFINITY),
            (None, Some(_)) => Range::new(f64::NEG_INFINITY, 0.0),
            (Some(_), _) => Range::new(0.0, width),
        }
        .expect("a step range has lower < upper")
    }
}
