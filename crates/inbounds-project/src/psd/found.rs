//! A matrix that an iteration found, with its multipliers.

use crate::constraint::Symmetric;

/// Result of a method.
pub(super) struct Found {
    pub(super) matrix: Symmetric,
    /// `y`.
    pub(super) multipliers: Vec<f64>,
    pub(super) iterations: usize,
}
