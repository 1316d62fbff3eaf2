//! A number with what it cost.

use std::fmt;

use inbounds_core::Quantity;

use crate::{Estimate, population::Interval};

/// A published number: inside its range, beside the raw measurement, with interval, bias and error.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// Quantity of the number.
    pub quantity: Quantity,
    /// The value inside the range.
    pub value: f64,
    /// The raw noisy value before the constraint; `None` for a ratio whose noisy count is not positive.
    pub measurement: Option<f64>,
    /// The interval for the exact answer.
    pub interval: Interval,
    /// Level of the interval.
    pub level: f64,
    /// Bias of the value, were the truth the value.
    pub bias: f64,
    /// Root mean square error of the value, were the truth the value.
    pub rmse: f64,
}

impl Published {
    pub(super) fn new(quantity: Quantity, estimate: &Estimate, level: f64) -> Self {
        Self {
            quantity,
            value: estimate.value,
            measurement: estimate.measurement,
            interval: Interval { lower: estimate.lower, upper: estimate.upper },
            level,
            bias: estimate.bias_at_estimate,
            rmse: estimate.rmse_at_estimate,
        }
    }
}

/// One line: `4, 95 % interval 0 to 9, bias 0.02, RMSE 2.6`, to the second digit of the RMSE.
///
/// # Example
/// ```
/// use inbounds_core::Quantity;
/// use inbounds_statistics::{Published, population::Interval};
/// let published = Published {
///     quantity: Quantity::COUNT, value: 4.0, measurement: Some(4.0), interval: Interval { lower: 0.0, upper: 9.0 },
///     level: 0.95, bias: 0.0217, rmse: 2.613,
/// };
/// assert_eq!(published.to_string(), "4.0, 95 % interval 0.0 to 9.0, bias 0.0, RMSE 2.6");
/// ```
impl fmt::Display for Published {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = if self.rmse > 0.0 { libm::floor(libm::log10(self.rmse)) } else { 0.0 };
        let digits = (1.0 - magnitude).clamp(0.0, 17.0) as usize;
        let Self { value, interval: Interval { lower, upper }, bias, rmse, .. } = self;
        let percent = 100.0 * self.level;
        // Minus zero is no number that anybody writes.
        let bias = if libm::fabs(*bias) < 0.5 * libm::pow(10.0, -(digits as f64)) { 0.0 } else { *bias };
        write!(
            formatter,
            "{value:.digits$}, {percent} % interval {lower:.digits$} to {upper:.digits$}, bias {bias:.digits$}, RMSE {rmse:.digits$}"
        )
    }
}
