//! Figures that are published beside every number.

use crate::ColumnMoments;

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
    /// Bias of the estimate, were the truth the estimate. Not to be subtracted: near an end of the range the bias at
    /// the truth can be several times as large, or of the other sign.
    pub bias_at_estimate: f64,
    /// Monte Carlo standard error of the bias; zero where it is a formula.
    pub bias_error: f64,
    /// The largest absolute bias over the truths in the interval, with its sign, and so the largest possible one
    /// wherever the interval covers; `None` where it is not known.
    pub bias_over_interval: Option<f64>,
    /// Largest absolute bias over the range; `None` where none is known.
    pub worst_bias: Option<f64>,
    /// Root mean square error of the estimate, were the truth the estimate.
    pub rmse_at_estimate: f64,
    /// The largest root mean square error over the truths in the interval; `None` where it is not known.
    pub rmse_over_interval: Option<f64>,
    /// Monte Carlo standard error of the root mean square error; zero where it is a formula.
    pub rmse_error: f64,
}

/// Part of a range from which on an interval fills it.
const FILLS: f64 = 0.9;

impl Estimate {
    /// With the largest errors over the truths in the interval, of which the estimate is one: what was found of it
    /// counts too.
    pub(crate) fn with_errors_over_interval(self, (bias, rmse): (f64, f64)) -> Self {
        let largest = if self.bias_at_estimate.abs() > bias.abs() { self.bias_at_estimate } else { bias };
        Self { bias_over_interval: Some(largest), rmse_over_interval: Some(rmse.max(self.rmse_at_estimate)), ..self }
    }

    /// Moves the value and both ends of the interval to the nearest points of a range, `lower <= upper`.
    ///
    /// Rounding in the last step of a computation can carry them a last bit outside; every estimate passes here before
    /// it is published. The measurement stays as it is.
    ///
    /// # Panics
    /// If the range is empty.
    pub fn move_inside(&mut self, (lower, upper): (f64, f64)) {
        for number in [&mut self.value, &mut self.lower, &mut self.upper] {
            *number = number.clamp(lower, upper);
        }
    }

    /// Moves every estimate inside its range, cell by cell: `ranges` has one of each output.
    ///
    /// # Panics
    /// If a range is empty.
    pub fn move_all_inside(estimates: &mut [Self], ranges: &[(f64, f64)]) {
        estimates.iter_mut().zip(ranges.iter().cycle()).for_each(|(estimate, range)| estimate.move_inside(*range));
    }

    /// `true` if the interval takes up nine tenths of the range or more, so that the estimate adds next to nothing to
    /// prior knowledge: noise beats the rows. An open range is always narrowed.
    ///
    /// # Example
    /// ```
    /// use inbounds_statistics::Estimate;
    /// let estimate = Estimate {
    ///     measurement: None, value: 40.0, lower: 0.0, upper: 100.0, bias_at_estimate: 0.1, bias_error: 0.0,
    ///     bias_over_interval: None, worst_bias: None, rmse_at_estimate: 30.0, rmse_over_interval: None, rmse_error: 0.0,
    /// };
    /// assert!(estimate.tells_nothing((0.0, 100.0)) && !estimate.tells_nothing((0.0, 120.0)));
    /// assert!(!estimate.tells_nothing((0.0, f64::INFINITY)));
    /// ```
    pub fn tells_nothing(&self, (lower, upper): (f64, f64)) -> bool {
        let range = upper - lower;
        range.is_finite() && self.upper - self.lower >= FILLS * range
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
    /// Half the width of the interval, were the measurement the truth; `None` where intervals come from simulated
    /// errors.
    pub half_width: Option<f64>,
}

/// The largest error to expect before anything is measured, over the truths that are possible or, where errors are
/// simulated, over the candidate truths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorstError {
    /// The largest root mean square error.
    pub rmse: f64,
    /// The largest half width of an interval; `None` where intervals come from simulated errors.
    pub half_width: Option<f64>,
}

impl ExpectedError {
    /// The largest for a group of `rows` rows with these moments.
    pub(crate) fn worst(
        (moments, rows): (&ColumnMoments, f64),
        (bias, rmse): (f64, f64),
        half_width: Option<f64>,
    ) -> Self {
        Self { case: format!("{}, group of {rows} rows", moments.worst_case()), bias, rmse, half_width }
    }
}

impl WorstError {
    /// The largest of the errors of candidate truths.
    pub(crate) fn among(expected: &[ExpectedError]) -> Self {
        let rmse = expected.iter().map(|error| error.rmse).fold(0.0, f64::max);
        let half_widths = expected.iter().map(|error| error.half_width);
        let half_width = half_widths.reduce(|most, next| Some(most?.max(next?))).flatten();
        Self { rmse, half_width }
    }
}

/// Quantity on which the error of a statistic depends besides its noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorDependence {
    /// Nothing: noise alone is the most that it can err by.
    Noise,
    /// The number of rows of a group, or of all.
    Rows,
    /// The values of the rows, so that nothing can be promised before they are read.
    Values,
}
/// An estimate that noise may make of an assumed truth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PossibleEstimate {
    /// The estimate.
    pub value: f64,
    /// The interval beside it; none where making one takes simulations of its own.
    pub interval: Option<(f64, f64)>,
}
