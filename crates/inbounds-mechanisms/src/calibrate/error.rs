//! Why no scale meets a guarantee.

use inbounds_core::Epsilon;
use thiserror::Error;

use crate::bounding::TabulatedRuleError;

/// Why no scale meets the guarantee.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CalibrationError {
    /// One unit cannot move the answer: there is nothing to protect and noise would be wasted.
    #[error("the sensitivity is zero: the statistic is public under this neighbour relation and needs no noise")]
    ZeroSensitivity,
    /// The scale is one that the sampler does not accept.
    #[error(
        "epsilon {epsilon} over a sensitivity of {l1} grid steps calls for a noise scale of {scale:.3e} steps; it must \
         be between 0.001 and 1e30: change epsilon or the share"
    )]
    Scale {
        /// Epsilon asked for.
        epsilon: Epsilon,
        /// Sensitivity in grid steps.
        l1: u128,
        /// Scale in grid steps.
        scale: f64,
    },
    /// Gaussian noise has outputs of unbounded privacy loss.
    #[error(
        "Gaussian noise keeps no epsilon with certainty: state a delta greater than 0 beside epsilon, or rho, or choose \
         Laplace noise"
    )]
    NeedsDelta,
    /// Without delta a key that one unit alone has may never be published.
    #[error(
        "keys that nobody listed are learned only with a delta: state a delta greater than 0 beside epsilon, or list the keys"
    )]
    KeysNeedDelta,
    /// Laplace and staircase noise are calibrated to epsilon, with or without delta.
    #[error("Laplace and staircase noise take epsilon, with or without delta; for rho choose Gaussian noise")]
    NeedsEpsilon,
    /// Cube noise is calibrated to pure epsilon only.
    #[error("noise that several numbers share takes epsilon alone; leave out delta, or choose Gaussian noise")]
    PureOnly,
    /// Bins are chosen for quantiles alone.
    #[error("permute-and-flip chooses among the bins of a quantile, and measures no number: choose other noise")]
    RanksOnly,
    /// Too few or too many bins to choose among.
    #[error("a quantile is chosen among 1 to {most} bins, got {found}: make the bins wider")]
    Bins {
        /// Bins.
        found: usize,
        /// Most bins.
        most: usize,
    },
    /// No increasing probabilities of quantiles.
    #[error(
        "probabilities of quantiles must increase between 0 and 1, as fractions of at most 2^40 parts, got {found}"
    )]
    Probability {
        /// The first that does not.
        found: f64,
    },
    /// The staircase is one that the sampler does not accept.
    #[error(
        "staircase noise takes an epsilon a cell between 1e-12 and 700 and a change of at most 2^53 grid steps; here they \
         are {epsilon} and {steps}: choose other noise"
    )]
    Stairs {
        /// Epsilon a cell.
        epsilon: String,
        /// Largest change of a cell in grid steps.
        steps: u128,
    },
    /// The vector is one that the sampler does not accept.
    #[error(
        "cube noise takes 1 to 64 numbers of a cell and a scale between 0.001 and 1e24 grid steps; here they are \
         {dimensions} and {scale:.3e}: put fewer statistics together, or change epsilon"
    )]
    Cube {
        /// Numbers that are drawn together.
        dimensions: usize,
        /// Scale in grid steps.
        scale: f64,
    },
    /// A number has no room among the steps of its vector.
    #[error(
        "a number that one unit moves by {l1} grid steps has no room beside others, which are brought to {most}: take it out \
         of the statistics that are measured together, or narrow its bounds"
    )]
    TooManySteps {
        /// Its sensitivity in grid steps.
        l1: u128,
        /// The steps that all are brought to.
        most: u128,
    },
    /// A mechanism that is a table of one's own, without the table, or a table for one that takes none.
    #[error(
        "a table of one's own is a mechanism only with its rows: name the file, as in mechanism = {{ rule = \"rule.csv\" }}"
    )]
    NoTable,
    /// A table says nothing where the range has no end.
    #[error("a rule of one's own needs a range with an end, from which its rows are placed: give the range an end")]
    TableNeedsEnd,
    /// A table that does not fit the number.
    #[error(transparent)]
    Table(#[from] TabulatedRuleError),
    /// Noise other than Laplace noise is conditioned on a range with two ends alone.
    #[error(
        "Gaussian, generalised Gaussian and staircase noise, conditioned, take a range with two ends and at most {widest} steps between them: give \
         the range both, or choose other noise"
    )]
    NeedsBothEnds {
        /// Most steps.
        widest: u128,
    },
    /// Generalised Gaussian noise is drawn from a table.
    #[error(
        "generalised Gaussian noise takes a shape from 3 to 6, an epsilon of at most 80 and a scale of at most 20,000 grid steps; here the shape is {shape} \
         and the scale {scale:.3e}: choose other noise"
    )]
    Shape {
        /// Shape asked for.
        shape: u32,
        /// Scale in grid steps.
        scale: f64,
    },
    /// Multiplied noise has cells from a lower end above zero.
    #[error(
        "log-Laplace noise is for answers above 0, of which its size is a part: give the range a lower end above 0 that everyone knows, such as \
         range = {{ lower = 1 }}, or choose other noise"
    )]
    NeedsPositiveRange,
    /// One unit may change the answer by a factor that is too far from 1, or too near.
    #[error(
        "one unit may change the smallest answer by {change:.3e} of it; log-Laplace noise takes changes between 1e-9 and 1e9: choose another lower \
         end of the range, or other noise"
    )]
    RelativeChange {
        /// Largest change over the lower end.
        change: f64,
    },
    /// Without an upper end the variance of multiplied noise would be infinite.
    #[error(
        "log-Laplace noise would have an infinite variance: the scale of its logarithm is {scale:.4}, and must be below 1/2, that is, epsilon above \
         {:.4} where one unit may add {change:.4} of it to the smallest answer; raise the lower end of the range, give it an upper end, or grant more \
         epsilon",
        2.0 * libm::log1p(*change)
    )]
    HeavyTail {
        /// Scale of the logarithm.
        scale: f64,
        /// Largest change over the lower end.
        change: f64,
    },
    /// The variance is one that the sampler does not accept.
    #[error(
        "{guarantee} over a change of {l1} grid steps calls for Gaussian noise of variance {variance:.3e} squared steps; \
         it must be between 1e-6 and 1e30: change the guarantee or the share"
    )]
    Variance {
        /// Guarantee asked for, in words.
        guarantee: String,
        /// Sensitivity in grid steps.
        l1: u128,
        /// Variance parameter in squared grid steps.
        variance: f64,
    },
    /// The resulting scale is so extreme that the proof did not close in the precision it is given.
    #[error("epsilon {epsilon} over a sensitivity of {l1} grid steps is too extreme to calibrate")]
    Unproved {
        /// Epsilon asked for.
        epsilon: String,
        /// Sensitivity in grid steps.
        l1: u128,
    },
}
