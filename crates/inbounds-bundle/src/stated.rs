//! Words on bias and root mean square error beside a number.

use crate::figures::{bias, figure, simulated};

/// The errors that stand beside a number.
///
/// # Example
/// ```
/// use inbounds_bundle::StatedErrors;
/// let at_estimate = (Some((0.0312, 0.0011)), Some((0.2, 0.01)));
/// assert_eq!(StatedErrors::choose(Some((-0.46, 0.5)), at_estimate, true).shown(), ["0.46", "0.5"]);
/// assert_eq!(StatedErrors::choose(None, at_estimate, true).shown(), ["tells nothing", "0.200 ± 0.010"]);
/// assert_eq!(StatedErrors::choose(None, at_estimate, false).shown(), ["0.0312 ± 0.0011", "0.200 ± 0.010"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StatedErrors {
    /// The largest over the truths in the interval, wherever it covers.
    AtMost {
        /// Of the bias, with its sign.
        bias: f64,
        /// Of the RMSE.
        rmse: f64,
    },
    /// Those at the estimate, each with its Monte Carlo standard error; `None` where a bundle has none.
    AtEstimate {
        /// The bias.
        bias: Option<(f64, f64)>,
        /// The RMSE.
        rmse: Option<(f64, f64)>,
    },
    /// The same RMSE; the interval fills the range, so that the bias at the estimate is not that at the truth.
    TellsNothing {
        /// The RMSE.
        rmse: Option<(f64, f64)>,
    },
}

/// Bias and RMSE, each with its Monte Carlo standard error.
type AtEstimate = (Option<(f64, f64)>, Option<(f64, f64)>);

impl StatedErrors {
    /// The largest errors where they are known, else those at the estimate; `tells_nothing` where the interval fills
    /// the range.
    pub fn choose(over_interval: Option<(f64, f64)>, (of_bias, rmse): AtEstimate, tells_nothing: bool) -> Self {
        match (over_interval, tells_nothing) {
            (Some((bias, rmse)), _) => Self::AtMost { bias, rmse },
            (None, false) => Self::AtEstimate { bias: of_bias, rmse },
            (None, true) => Self::TellsNothing { rmse },
        }
    }

    /// Bias and RMSE for reading.
    pub fn shown(self) -> [String; 2] {
        let at_estimate = |mean_and_error: Option<(f64, f64)>| {
            mean_and_error.map_or_else(String::new, |(value, error)| simulated(value, error))
        };
        match self {
            Self::AtMost { bias: largest, rmse } => [bias(largest.abs(), rmse), figure(rmse)],
            Self::AtEstimate { bias, rmse } => [at_estimate(bias), at_estimate(rmse)],
            Self::TellsNothing { rmse } => ["tells nothing".to_owned(), at_estimate(rmse)],
        }
    }
}
