//! A mean from two noisy sums that are one measured vector: the distances of rows to both ends of their bounds.
//!
//! With the bounds `[l, u]` of the column, `R = u - l` and `c` their middle, a group of `n` rows with mean `mu` has the sums
//! `T = n (mu - l)` and `U = n (u - mu)`. They are measured as `T' = T + b x` and `U' = U + b y`, with discrete Laplace noise of
//! scale `b` on both, and
//!
//! ```text
//! rows N' = (T' + U') / R,      estimate = clamp( c + (T' - U') / 2 / max(N', 1) ; range ),
//! ```
//!
//! which is `l + T' / N'` where `N' >= 1`. A row adds `x - l` to one sum and `u - x` to the other, together exactly `R` wherever
//! it lies, so that both cost what one does ([`of_distances`](crate::of_distances)), and both have all of epsilon.
//!
//! # Error
//! To first order the noise of the estimate is `((1 - p) b x - p b y) / n` with `p = (mu - l) / R`, of variance
//! `2 (p^2 + (1 - p)^2) (b / n)^2`. Under add-remove a sum of `x - c` and a count with half of epsilon each give twice that
//! variance, so `sqrt(2)` times the RMSE. With the clamp, at `epsilon = 1` (a test evaluates the table):
//!
//! | RMSE from halves of epsilon / RMSE | `p = 0` | `p = 1/4` | `p = 1/2` |
//! |---|---|---|---|
//! | 20 rows | 1.396 | 1.412 | 1.408 |
//! | 100 rows | 1.406 | 1.415 | 1.414 |
//! | 10,000 rows | 1.414 | 1.414 | 1.414 |
//!
//! Bias and RMSE are one integral over the noise of `N'`: see `error.rs`. The interval inverts a test that needs no number of
//! rows: see `interval.rs`.

mod error;
mod interval;

use inbounds_core::Answer;
use inbounds_mechanisms::mechanism::Measurements;

use crate::{Component, Estimate, ExpectedError, Supposed};

/// Names of the two measured numbers of a cell, in order.
pub(crate) const ENTRIES: [&str; 2] = ["above the lower bound", "below the upper bound"];

/// Noisy distances to both bounds, a pair a cell, and the mean that they make.
#[derive(Debug, Clone)]
pub struct Ratio {
    /// Sums of `value - lower` and of `upper - value`, cell by cell.
    pub distances: Component,
    /// Steps of the measured grid in one step of the column's grid.
    pub refinement: i128,
    /// Bounds of the column, in steps of its grid.
    pub bounds_in_steps: (i128, i128),
    /// Range of the estimate.
    pub range: (f64, f64),
}

impl Ratio {
    /// The exact distances, from the engine's sums and numbers of rows.
    pub fn answer(&self, sums: &Answer, counts: &Answer) -> Answer {
        let (lower, upper) = self.bounds_in_steps;
        let above = sums.combine(self.refinement, counts, -self.refinement * lower);
        let below = sums.combine(-self.refinement, counts, self.refinement * upper);
        Answer::side_by_side(&[above, below])
    }

    /// One estimate a cell.
    pub fn estimate(&self, measured: &Measurements, level: f64) -> Vec<Estimate> {
        measured.steps().chunks_exact(2).map(|pair| self.estimate_one((pair[0], pair[1]), level)).collect()
    }

    fn estimate_one(&self, (above, below): (i128, i128), level: f64) -> Estimate {
        let step = self.distances.step();
        let count = (above + below) as f64 * step / self.width();
        let centred = 0.5 * (above - below) as f64 * step;
        let rows = count.max(1.0);
        let value = (self.middle() + centred / rows).clamp(self.range.0, self.range.1);
        let measurement = (count > 0.0).then(|| self.middle() + centred / count);
        let (lower, upper) = measurement.map_or(self.range, |mean| self.interval(mean, count, level));
        let (bias_at_estimate, rmse_at_estimate) = self.error(value, rows);
        Estimate {
            measurement,
            value,
            lower: lower.min(value),
            upper: upper.max(value),
            bias_at_estimate,
            bias_error: 0.0,
            worst_bias: Some(self.worst_bias_at(rows)),
            rmse_at_estimate,
            rmse_error: 0.0,
        }
    }

    /// Steps that a row adds to both distances together.
    pub(crate) fn steps_a_row(&self) -> f64 {
        ((self.bounds_in_steps.1 - self.bounds_in_steps.0) * self.refinement) as f64
    }

    /// Bounds of the column, in its unit.
    pub fn bounds(&self) -> (f64, f64) {
        let end = |steps: i128| self.distances.value(steps * self.refinement);
        (end(self.bounds_in_steps.0), end(self.bounds_in_steps.1))
    }

    fn width(&self) -> f64 {
        self.distances.value((self.bounds_in_steps.1 - self.bounds_in_steps.0) * self.refinement)
    }

    fn middle(&self) -> f64 {
        0.5 * self.distances.value((self.bounds_in_steps.0 + self.bounds_in_steps.1) * self.refinement)
    }

    fn worst_bias_at(&self, rows: f64) -> f64 {
        let bias_at = |mean: f64| self.error(mean, rows).0.abs();
        let (lower, upper) = self.range;
        // Errors are mirrored in the middle of the bounds.
        if self.range == self.bounds() { bias_at(lower) } else { bias_at(lower).max(bias_at(upper)) }
    }

    /// The largest absolute bias over the range for groups of 1, 2, 4, ..., 1024 rows.
    pub fn worst_bias(&self) -> f64 {
        (0..=10).map(|power| self.worst_bias_at(2f64.powi(power))).fold(0.0, f64::max)
    }

    /// Error at the lower end and in the middle of the range, for groups of the supposed sizes.
    pub fn expected_errors(&self, supposed: &Supposed) -> Vec<ExpectedError> {
        let (lower, upper) = self.range;
        let means = [("at the lower end", lower), ("in the middle", 0.5 * (lower + upper))];
        let cases = supposed
            .sizes_up_to(f64::INFINITY)
            .into_iter()
            .flat_map(|rows| means.map(|(place, mean)| (rows, place, mean)));
        cases
            .map(|(rows, place, mean)| {
                let (bias, rmse) = self.error(mean, rows);
                let (lower, upper) = self.interval(mean, rows, supposed.level);
                let half_width = Some(0.5 * (upper - lower));
                ExpectedError { case: format!("{place}, group of {rows} rows"), bias, rmse, half_width }
            })
            .collect()
    }
}
