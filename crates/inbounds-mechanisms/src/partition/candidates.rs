//! The cells that get noise.

use inbounds_core::Rational;

use super::NewCells;

/// Which cells a choice of keys is made from.
#[derive(Debug, Clone, PartialEq)]
pub enum KeyCandidates {
    /// Those whose key some row has: which there are is private, and protected by a delta.
    OfRows {
        /// Bounds on the cells of one unit alone.
        new: NewCells,
        /// A proved upper bound on the probability that a cell of one unit alone is published, at most delta.
        delta_bound: f64,
    },
    /// All of a public space of keys, with or without rows: no delta is needed.
    OfSpace {
        /// Number of possible keys.
        cells: u64,
        /// The expected number of published cells without rows is at most this.
        spurious: Rational,
        /// A proved upper bound on it, at most `spurious`.
        spurious_bound: f64,
    },
}
