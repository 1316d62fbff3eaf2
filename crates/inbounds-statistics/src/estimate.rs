//! What is published beside every number.

/// A constrained value and everything a reader needs to judge it, in the statistic's unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The raw noisy value before the constraint; `None` for a ratio whose noisy count is not positive.
    pub measurement: Option<f64>,
    /// The value inside the range.
    pub value: f64,
    /// Lower end of the interval.
    pub lower: f64,
    /// Upper end of the interval.
    pub upper: f64,
    /// Bias of the estimate, were the truth the estimate.
    pub bias_at_estimate: f64,
    /// Monte Carlo standard error of the bias; zero where it is a formula.
    pub bias_error: f64,
    /// Largest absolute bias over the range; `None` where none is known.
    pub worst_bias: Option<f64>,
    /// Root mean square error of the estimate, were the truth the estimate.
    pub rmse_at_estimate: f64,
    /// Monte Carlo standard error of the root mean square error; zero where it is a formula.
    pub rmse_error: f64,
}

impl Estimate {
    /// Moves the value and both ends of the interval to the nearest points of a range, `lower <= upper`.
    ///
    /// Rounding in the last step of a computation can carry them a last bit outside; every estimate passes here before it is
    /// published. The measurement stays as it is.
    ///
    /// # Panics
    /// If the range is empty.
    pub fn move_inside(&mut self, (lower, upper): (f64, f64)) {
        for number in [&mut self.value, &mut self.lower, &mut self.upper] {
            *number = number.clamp(lower, upper);
        }
    }
}

/// Error to expect before anything is measured, for a candidate truth.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpectedError {
    /// The candidate, in words.
    pub case: String,
    /// Bias of the estimate there.
    pub bias: f64,
    /// Root mean square error of the estimate there.
    pub rmse: f64,
}
