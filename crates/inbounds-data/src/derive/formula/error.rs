//! Errors in a formula.

use std::fmt;

use thiserror::Error;

/// Error in a formula, independent of the rows.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FormulaError {
    /// No expression.
    #[error("`{text}` cannot be read: {problem}")]
    Syntax {
        /// The text.
        text: String,
        /// Where and how it breaks.
        problem: String,
    },
    /// A part that no formula may have.
    #[error("`{part}` is not allowed; {remedy}")]
    Refused {
        /// The part.
        part: String,
        /// The allowed alternative.
        remedy: &'static str,
    },
    /// A formula of constants only.
    #[error("`{formula}` must name a column")]
    Constant {
        /// The formula.
        formula: String,
    },
    /// Not one range for each column.
    #[error("`{formula}` must have one range for each of its columns, from the less to the greater, got {ranges}")]
    Ranges {
        /// The formula.
        formula: String,
        /// Number of ranges.
        ranges: usize,
    },
    /// A divisor that may be zero.
    #[error(
        "the divisor `{divisor}` must not be zero for any row, but it may be from {lower} to {upper}; narrow the \
         bounds of its columns, or write greatest({divisor}, 1) if it is never below 1"
    )]
    Divisor {
        /// The divisor.
        divisor: String,
        /// The least that it can be.
        lower: String,
        /// The greatest.
        upper: String,
    },
    /// A part that may be too large.
    #[error(
        "`{part}` may be as large as {magnitude:e}, and must stay within {most:e} to be exact; narrow the \
         bounds of its columns"
    )]
    TooLarge {
        /// The part.
        part: String,
        /// Its largest magnitude, as a double.
        magnitude: Magnitude,
        /// The most.
        most: Magnitude,
    },
}

/// A finite double for messages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Magnitude(pub(super) f64);

/// It is finite.
impl Eq for Magnitude {}

impl fmt::LowerExp for Magnitude {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
