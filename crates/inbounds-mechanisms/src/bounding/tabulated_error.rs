//! Faults in a rule of a user's own.

use inbounds_core::Rational;
use thiserror::Error;

/// Error in a rule of one's own.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum TabulatedRuleError {
    /// Too few rows for a spacing.
    #[error("a rule needs at least two rows of `measurement` and `estimate`, got {found}: add the rows")]
    FewRows {
        /// Rows found.
        found: usize,
    },
    /// More rows than errors are summed over.
    #[error(
        "a rule has at most {most} rows, got {found}: write rows that are further apart, between which estimates are \
         interpolated"
    )]
    ManyRows {
        /// The most that are admissible.
        most: usize,
        /// Rows found.
        found: usize,
    },
    /// Measurements that do not rise.
    #[error(
        "line {line}: `measurement` must rise from row to row, and {found} follows {before}: sort the \
         rows, one a measurement"
    )]
    NotRising {
        /// Line of the row.
        line: u64,
        /// The measurement before it.
        before: Box<Rational>,
        /// Its measurement.
        found: Box<Rational>,
    },
    /// Rows that are missing, or too many.
    #[error(
        "line {line}: `measurement` must rise by {spacing}, as from the first row to the second, and {found} follows \
         {before}: add the row for {expected}, or space all rows evenly"
    )]
    Gap {
        /// Line of the row.
        line: u64,
        /// Distance of the first two rows.
        spacing: Box<Rational>,
        /// The measurement before it.
        before: Box<Rational>,
        /// Its measurement.
        found: Box<Rational>,
        /// The measurement that should stand there.
        expected: Box<Rational>,
    },
    /// An estimate that is impossible.
    #[error(
        "line {line}: `estimate` must be in the range of the statistic, {range}, got {found}: move it into the range"
    )]
    OutsideRange {
        /// Line of the row.
        line: u64,
        /// The range, in words.
        range: String,
        /// The estimate.
        found: Box<Rational>,
    },
    /// Numbers beyond those that errors can be computed for.
    #[error(
        "line {line}: the row must be within 2^52 grid steps of the end of the range, and is {steps:.3e} steps \
         away: remove it"
    )]
    FarAway {
        /// Line of the row.
        line: u64,
        /// Its distance in steps.
        steps: f64,
    },
    /// Made for other noise than is drawn.
    #[error(
        "the rule was designed for {designed} noise of scale {designed_scale}, and the noise of this statistic is \
         {drawn} of scale {drawn_scale}: design it for that, or leave out the columns `noise` and `scale`, so that it is \
         applied to the noise that is drawn"
    )]
    OtherNoise {
        /// The noise that it is for.
        designed: &'static str,
        /// Its scale in the unit of the statistic.
        designed_scale: f64,
        /// The noise that is drawn.
        drawn: &'static str,
        /// Its scale in the unit of the statistic.
        drawn_scale: f64,
    },
    /// Noise that several numbers share.
    #[error("a rule of one's own follows noise of one number, not {noise}: choose laplace, staircase or gaussian")]
    NoiseOfSeveral {
        /// The noise.
        noise: &'static str,
    },
}
