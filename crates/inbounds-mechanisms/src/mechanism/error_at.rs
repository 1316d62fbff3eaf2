//! The error of an estimate at one answer.

/// Bias and root mean square error of an estimate, in grid steps, were the answer a given candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorAt {
    /// `E(estimate) - answer`.
    pub bias: f64,
    /// `sqrt(E (estimate - answer)^2)`.
    pub rmse: f64,
}
