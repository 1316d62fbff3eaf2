//! Sums of a hierarchy; a count is the sum of ones.
//!
//! One number is measured of each cell. What adds up is solved for in whole numbers where the column has whole numbers
//! of moderate size, on the grid else, and in the range that a sum of so signed values has.

use inbounds_core::{Answer, Grid, Quantity, Tally};
use inbounds_statistics::{CellEntry, Clip, Entries, ErrorDependence, Estimate, ExpectedError, Output, RowTerms, Unit};

use super::{
    additive::Additive,
    amount::amount,
    level::Level,
    solving::{Said, Solving, around},
};
use crate::plan::Granularity;
use crate::{
    progress::Progress,
    projection::{Drift, Measured, Model, Replicate},
};

/// Whole sums of larger contributions might leave the whole numbers that doubles hold.
pub(super) const LARGEST_WHOLE: i64 = 1 << 20;

/// The grouped sum of a column, or the grouped count.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    /// None for a count.
    clip: Option<Clip>,
    /// The number of rows that bounds it, if it is public and heeded.
    rows: Option<u64>,
    /// True if estimates have no range, so that they have no bias.
    is_free: bool,
}

impl Sums {
    /// Numbers of rows, at most this many where they are bounded.
    pub(super) fn count(rows: Option<u64>) -> Self {
        Self { clip: None, rows, is_free: false }
    }

    /// Sums of a column, of at most this many rows where they are bounded.
    pub(super) fn clipped(clip: Clip, rows: Option<u64>) -> Self {
        Self { clip: Some(clip), rows, is_free: false }
    }

    /// The same without a range: the linear fit, which is unbiased.
    pub(super) fn free(self) -> Self {
        Self { is_free: true, ..self }
    }

    /// Least and largest contribution of a row, in steps.
    fn contributions(&self) -> (i64, i64) {
        self.clip.map_or((1, 1), |clip| (clip.lower, clip.upper))
    }

    /// Range of every sum, in steps.
    fn range(&self) -> (f64, f64) {
        if self.is_free {
            return (f64::NEG_INFINITY, f64::INFINITY);
        }
        range(self.contributions(), self.rows)
    }
}

/// Range of the sum of any of the rows, in steps: it keeps the sign of its terms, and does not exceed all of them.
pub(super) fn range((lower, upper): (i64, i64), rows: Option<u64>) -> (f64, f64) {
    let most = rows.map_or(f64::INFINITY, |rows| rows as f64);
    let end = |contribution: i64| if contribution == 0 { 0.0 } else { contribution as f64 * most };
    (end(lower.min(0)), end(upper.max(0)))
}

impl Additive for Sums {
    fn role(&self) -> Quantity {
        if self.clip.is_some() { Quantity::Sum } else { Quantity::COUNT }
    }

    fn unit(&self) -> &'static str {
        if self.clip.is_some() { "units of the column" } else { "rows" }
    }

    fn grid(&self) -> Grid {
        self.clip.map_or(Grid::INTEGERS, |clip| clip.grid)
    }

    fn clip(&self) -> Option<Clip> {
        self.clip
    }

    fn is_solved_in_whole_steps(&self) -> bool {
        let (lower, upper) = self.contributions();
        !self.is_free && self.grid() == Grid::INTEGERS && -LARGEST_WHOLE <= lower && upper <= LARGEST_WHOLE
    }

    fn has_either_sign(&self) -> bool {
        let (lower, upper) = self.contributions();
        self.is_free || lower < 0 && upper > 0
    }

    fn entries(&self) -> &'static [CellEntry] {
        &[CellEntry::Only]
    }

    fn rows(&self) -> Option<Entries> {
        self.clip.is_none().then_some(Entries::Rows)
    }

    fn terms(&self) -> RowTerms {
        let (lower, upper) = self.contributions();
        RowTerms::Number(lower.into(), upper.into())
    }

    fn answer(&self, level: &Level, tally: &Tally) -> Answer {
        level.sums(if self.clip.is_some() { &tally.sums[0] } else { &tally.counts })
    }

    fn outputs(&self) -> Vec<Output> {
        let unit = if self.clip.is_some() { Unit::Columns(vec![0]) } else { Unit::Rows };
        vec![Output { quantity: Quantity::Statistic, unit }]
    }

    fn ranges(&self) -> Vec<(f64, f64)> {
        let (lower, upper) = self.range();
        let spacing = self.grid().spacing();
        vec![(lower * spacing, upper * spacing)]
    }

    fn model(&self, parents: &[Option<u32>], measured: &[Measured]) -> Model {
        let (lower, upper) = self.range();
        let nodes = parents.len();
        let plain = upper == f64::INFINITY && (lower == 0.0 || lower == f64::NEG_INFINITY);
        let bounds = (!plain).then(|| (vec![lower; nodes], vec![upper; nodes]));
        let numbers = measured.iter().map(|measured| (measured.value, measured.variance)).unzip();
        Model::new(parents, numbers, lower >= 0.0, bounds).expect("nodes are a forest")
    }

    /// The interval is around the linear estimate, moved into the range and cut to it.
    fn describe(&self, solving: &Solving, drift: &mut Drift, progress: &dyn Progress) -> Vec<Estimate> {
        let is_linear = solving.method.is_linear();
        let (simulation, mut errors) = solving.simulated();
        let deviations = || solving.linear_variances().into_iter().take(solving.cells).map(libm::sqrt).collect();
        let mut at_once = solving.at_once(deviations);
        let see = |replicate: &Replicate| {
            errors.take_in(replicate);
            if !is_linear {
                drift.take_in(replicate);
            }
            if let Some(all) = &mut at_once {
                all.note(replicate.linear.iter().copied());
            }
        };
        simulation.each(see, progress);
        let half_width =
            |node: usize| at_once.as_ref().map_or_else(|| errors.half_width(node), |all| all.half_width(node));
        let exact = is_linear.then(|| solving.linear_variances());
        let said = |node: usize| {
            // Of linear estimates all is known without simulation.
            let (bias, rmse) = match &exact {
                Some(variances) => ((0.0, 0.0), (libm::sqrt(variances[node]), 0.0)),
                None => (errors.bias(node), errors.rmse(node)),
            };
            Said {
                value: solving.solved.estimates[node],
                interval: around(solving.linear[node], half_width(node), self.range()),
                measurement: solving.raw(node),
                bias,
                rmse,
            }
        };
        let spacing = self.grid().spacing();
        (0..solving.cells).map(|node| said(node).in_unit(spacing)).collect()
    }

    fn concentrated(&self, full: &[bool], rows: Option<u64>, plenty: f64) -> Vec<f64> {
        let (lower, upper) = self.contributions();
        // Sums of one sign have its end; those of both have no range, and are not asked.
        let of_row = if upper > 0 { upper } else { lower } as f64;
        let amount = amount(of_row.abs(), self.rows.or(rows), plenty).copysign(of_row);
        full.iter().map(|&full| if full { amount } else { 0.0 }).collect()
    }

    fn error_of_cell(&self, errors: &[f64], (cell, _): (usize, usize)) -> f64 {
        errors[cell] * self.grid().spacing()
    }

    fn linear_mean_square(&self, variance: f64) -> Option<f64> {
        Some(variance * self.grid().spacing() * self.grid().spacing())
    }

    fn sparse_case(&self) -> &'static str {
        "one finest cell has all rows"
    }

    fn error_dependence(&self) -> ErrorDependence {
        ErrorDependence::Noise
    }

    fn worst_rmse(&self, variance: f64, _rows: f64) -> f64 {
        libm::sqrt(variance) * self.grid().spacing()
    }

    fn expected(&self, level: &Granularity, variance: f64) -> Vec<ExpectedError> {
        let (lower, upper) = self.range();
        let is_free = lower == f64::NEG_INFINITY && upper == f64::INFINITY;
        let end = if is_free { "" } else { ", all cells far from 0" };
        let rmse = libm::sqrt(variance) * self.grid().spacing();
        vec![ExpectedError { case: format!("{level}{end}"), bias: 0.0, rmse, half_width: None }]
    }
}
