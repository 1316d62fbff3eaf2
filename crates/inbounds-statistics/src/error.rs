//! Why a statistic cannot be released as described.

use inbounds_core::{CoreError, Epsilon};
use inbounds_mechanisms::calibrate::CalibrationError;
use thiserror::Error;

/// A broken requirement on a statistic. Public: nothing here was read from rows.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum StatisticError {
    /// A sum or mean without bounds on its column.
    #[error("a {kind} needs lower and upper bounds on its column, to clip each row to")]
    NoBounds {
        /// Kind of statistic.
        kind: &'static str,
    },
    /// The declared output range leaves out everything the statistic can be.
    #[error("the declared range has no point in common with [{lower}, {upper}], where the statistic must lie")]
    EmptyRange {
        /// Lower end of the natural range.
        lower: f64,
        /// Upper end of the natural range.
        upper: f64,
    },
    /// One unit can move the answer further than the range is wide.
    #[error(
        "the range is {width} wide but one privacy unit can move the statistic by {sensitivity}: widen the range, or \
         narrow the column's bounds"
    )]
    SensitivityWiderThanRange {
        /// Width of the range in the statistic's unit.
        width: f64,
        /// Largest change of one cell in the statistic's unit.
        sensitivity: f64,
    },
    /// Every row counts and the number of rows is public.
    #[error("the number of rows is public under substitution: publish it, it needs no noise and no epsilon")]
    PublicCount,
    /// A ratio by another mechanism than the clamped one.
    #[error(
        "this mean is a noisy sum over a noisy count, in range by construction: no other mechanism than \"clamped\" applies; \
         leave out `mechanism`, or use substitute neighbours with a public number of rows"
    )]
    RatioMechanism,
    /// A ratio without a range.
    #[error(
        "this mean is a noisy sum over a noisy count and lies within the column's bounds by construction: leave out \
         `range = \"unbounded\"`; the two measurements are in the bundle, unbiased"
    )]
    UnboundedRatio,
    /// The bounds of a column collapse or overflow on the grid.
    #[error("the column's bounds [{lower}, {upper}] do not fit the grid that epsilon = {epsilon} calls for")]
    Bounds {
        /// Declared lower bound.
        lower: f64,
        /// Declared upper bound.
        upper: f64,
        /// Epsilon of the statistic.
        epsilon: Epsilon,
    },
    /// No scale meets the guarantee.
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
    /// A number is outside its admissible set.
    #[error(transparent)]
    Core(#[from] CoreError),
}
