//! The last iterate of a method: a matrix and its multipliers.

use crate::constraint::Symmetric;

/// Result of a method.
pub(super) struct Iterate {
    pub(super) matrix: Symmetric,
    /// `y`.
    pub(super) multipliers: Vec<f64>,
    pub(super) iterations: usize,
}
