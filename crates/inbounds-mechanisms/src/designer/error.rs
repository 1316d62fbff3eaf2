//! Errors in a design, before any programme is solved.

use thiserror::Error;

/// A broken requirement on the noise, the window, the weights or the bias bound.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DesignError {
    /// The law does not live on the integers.
    #[error(
        "designed rules are tables over whole steps: the noise must have spacing 1, got {spacing}; take a law on a grid"
    )]
    Lattice {
        /// Spacing of the law.
        spacing: f64,
    },
    /// There is hardly any noise.
    #[error("the noise must leave zero with probability above 1e-24: without noise there is nothing to design")]
    TooNarrow,
    /// The programme would be too large.
    #[error("the noise or the window spans {outputs} outputs, at most {largest} can be designed: take a coarser grid")]
    TooWide {
        /// Outputs called for.
        outputs: f64,
        /// The most there may be.
        largest: f64,
    },
    /// There is only one answer, or none.
    #[error("the answers must be 0 to at least 1, got top = 0: a single answer needs no rule")]
    Answers,
    /// The window does not hold the answers it must.
    #[error("the window must hold 0 and {must_hold}, got {first} to {last}")]
    Window {
        /// First raw value of the window.
        first: i64,
        /// Last raw value of the window.
        last: i64,
        /// The answer besides 0 that it must hold.
        must_hold: i64,
    },
    /// The weights do not describe an average.
    #[error("there must be between 1 and {largest} weights, finite, not negative and not all zero")]
    Weights {
        /// Answers that may be weighted.
        largest: usize,
    },
    /// The bound on the bias is not a size.
    #[error("worst_bias must be finite and positive, got {worst_bias}")]
    BiasBound {
        /// The bound found.
        worst_bias: f64,
    },
    /// The values of a rule are not numbers, or there are none.
    #[error("a table needs at least one value, and all values and the shift must be finite")]
    Table,
}
