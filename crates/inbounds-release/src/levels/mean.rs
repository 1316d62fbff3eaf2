//! Means of a hierarchy, with the counts and sums that they come from.
//!
//! Two numbers are measured of each cell, as one vector: `T`, the sum of `x - lower`, and `U`, the sum of `upper - x`.
//! A unit moves both together by no more than the one sum that suffices for a sum (claims `distances-add-remove`,
//! `distances-substitute`). Each is solved for as a tree of its own, at zero or above, and gives with
//! `W = upper - lower`
//!
//! ```text
//! count = (T + U) / W        sum = T + lower count        mean = lower + W T / (T + U)
//! ```
//!
//! The mean is in `[lower, upper]` by construction, sums and counts add up because `T` and `U` do, and `mean * count`
//! is the sum. Where `T + U = 0` nothing is known of the mean: the estimate is the middle of the bounds, the interval
//! all of them.
//!
//! With noise of scale `b` on `T` and on `U` the error of the mean of `n` rows at `lower + t W` has, to first order,
//! variance `2 b^2 (t^2 + (1 - t)^2) / n^2`. A sum about the middle of the bounds and a count, half of epsilon each,
//! take noise of the same scale `b` on the sum and of `2 b / W` on the count, so `2 b^2 (1 + 4 (t - 1/2)^2) / n^2`:
//! twice that for every `t`. The variances of count and sum are halved too.
//!
//! Under a public number of rows, at levels, a node above all roots holds `W` times that number: the sum of all `T` and
//! `U` and of what rows without a listed key have, which is not measured.

use inbounds_core::{Answer, Grid, Quantity, Tally};
use inbounds_statistics::{CellEntry, Clip, Entries, ErrorDependence, Estimate, ExpectedError, Output, RowTerms, Unit};

use super::{
    additive::Additive,
    amount::amount,
    at_once::AtOnce,
    interval::{WEDGES, Wedges},
    level::Level,
    solving::{Said, Solving, around},
    sum,
};
use crate::plan::Granularity;
use crate::{
    progress::Progress,
    projection::{Drift, Errors, Measured, Model, Replicate},
};

/// Sums of the distances of the rows of a cell from the lower and to the upper bound, in steps.
type Pair = (f64, f64);

/// The distances of a column's values to both of its bounds.
#[derive(Debug, Clone)]
pub(super) struct Distances {
    clip: Clip,
    /// The number of rows that bounds it, if it is public and heeded.
    rows: Option<u64>,
}

impl Distances {
    /// Of a column, over at most this many rows where the number is bounded.
    pub(super) fn new(clip: Clip, rows: Option<u64>) -> Self {
        Self { clip, rows }
    }

    fn lower(&self) -> f64 {
        self.clip.lower as f64
    }

    fn width(&self) -> f64 {
        self.clip.upper.abs_diff(self.clip.lower) as f64
    }

    /// The value a part of the way from the lower bound to the upper one, never beyond: a width above `2^53` steps may
    /// have been rounded up.
    fn at(&self, part: f64) -> f64 {
        let value = self.lower() + self.width() * part;
        if part <= 1.0 { value.min(self.clip.upper as f64) } else { value }
    }

    /// The mean in steps, between the bounds to the last bit for numbers at zero or above; none where there is nothing.
    fn mean(&self, (from, to): Pair) -> Option<f64> {
        let both = from + to;
        (both > 0.0).then(|| self.at(from / both))
    }

    /// The estimate of the mean: the middle where nothing is known.
    fn estimate(&self, pair: Pair) -> f64 {
        self.mean(pair).unwrap_or_else(|| self.at(0.5))
    }

    /// The interval of a mean with this estimate: all bounds where nothing is known, else what is not rejected, and the
    /// estimate.
    fn interval(&self, estimate: Option<f64>, (lower, upper): (f64, f64)) -> (f64, f64) {
        match estimate {
            Some(estimate) => (self.at(lower).min(estimate), self.at(upper).max(estimate)),
            None => (self.at(0.0), self.at(1.0)),
        }
    }

    fn count(&self, (from, to): Pair) -> f64 {
        (from + to) / self.width()
    }

    fn sum(&self, pair: Pair) -> f64 {
        pair.0 + self.lower() * self.count(pair)
    }

    /// Ranges of count and sum, in rows and steps.
    fn ranges_of_sums(&self) -> [(f64, f64); 2] {
        [sum::range((1, 1), self.rows), sum::range((self.clip.lower, self.clip.upper), self.rows)]
    }

    /// Bias, error and intervals of mean, count and sum of each cell, from the same replicates.
    fn simulate(
        &self,
        solving: &Solving,
        drift: &mut Drift,
        progress: &dyn Progress,
    ) -> (Errors, Wedges, Option<AtOnce>) {
        let cells = solving.cells;
        let mut errors = Errors::new(3 * cells, solving.replicates, solving.rank, false);
        let mut wedges = Wedges::new(cells, solving.replicates + 1 - solving.rank);
        let mut at_once = solving.at_once(|| self.scales(solving));
        let truth: Vec<Pair> = pairs(&solving.solved.estimates, cells).collect();
        let see = |replicate: &Replicate| {
            drift.take_in(replicate);
            if let Some(all) = &mut at_once {
                let errors = pairs(&replicate.linear, cells);
                all.note(errors.flat_map(|error| self.directions_of(&wedges, error)));
            }
            let linear = pairs(&replicate.linear, cells).enumerate().flat_map(|(cell, error)| {
                wedges.note(cell, error);
                // The mean is not linear; its interval is that of the wedges.
                [0.0, self.count(error), self.sum(error)]
            });
            let linear = linear.collect();
            let of_cell = |(error, truth): (Pair, &Pair)| {
                let again = (truth.0 + error.0, truth.1 + error.1);
                [self.estimate(again) - self.estimate(*truth), self.count(error), self.sum(error)]
            };
            let solved = pairs(&replicate.errors, cells).zip(&truth).flat_map(of_cell).collect();
            errors.take_in(&Replicate { linear, errors: solved, unsolved: replicate.unsolved });
        };
        solving.simulation().each(see, progress);
        (errors, wedges, at_once)
    }

    /// Quantities that have to be within their half widths in each cell, where all are to be at once: the combinations
    /// of the ends of wedges, the count and the sum.
    fn directions_of(&self, wedges: &Wedges, error: Pair) -> impl Iterator<Item = f64> {
        wedges.combinations(error).into_iter().chain([self.count(error), self.sum(error)])
    }

    /// The deviations of these as if both distances had errors of their own: a scale may be any.
    fn scales(&self, solving: &Solving) -> Vec<f64> {
        let (variances, wedges) = (solving.linear_variances(), Wedges::new(0, 1));
        let of_cell = |(one, other): Pair| {
            let moved = |error: Pair| self.directions_of(&wedges, error);
            let (ones, others) = (moved((libm::sqrt(one), 0.0)), moved((0.0, libm::sqrt(other))));
            ones.zip(others).map(|(one, other)| one.hypot(other)).collect::<Vec<f64>>()
        };
        pairs(&variances, solving.cells).flat_map(of_cell).collect()
    }
}

/// Numbers of a cell that are to hold at once: the combinations of the ends of wedges, the count and the sum.
const DIRECTIONS: usize = WEDGES + 3;

/// The numbers of each cell from those by node.
fn pairs(by_node: &[f64], cells: usize) -> impl Iterator<Item = Pair> {
    by_node[..cells].iter().copied().zip(by_node[cells..].iter().copied())
}

impl Additive for Distances {
    fn role(&self) -> Quantity {
        Quantity::Distances
    }

    fn unit(&self) -> &'static str {
        "units of the column"
    }

    fn grid(&self) -> Grid {
        self.clip.grid
    }

    fn clip(&self) -> Option<Clip> {
        Some(self.clip)
    }

    /// With two whole numbers a step apart, `T` counts the upper and `U` the lower: both are whole, and so is their
    /// sum.
    fn is_solved_in_whole_steps(&self) -> bool {
        self.grid() == Grid::INTEGERS && self.width() == 1.0
    }

    fn has_either_sign(&self) -> bool {
        false
    }

    fn entries(&self) -> &'static [CellEntry] {
        &[CellEntry::Named("above the lower bound"), CellEntry::Named("below the upper bound")]
    }

    fn rows(&self) -> Option<Entries> {
        Some(Entries::Distances { width: self.width() })
    }

    fn terms(&self) -> RowTerms {
        RowTerms::Distances(self.clip.upper.abs_diff(self.clip.lower).into())
    }

    fn answer(&self, level: &Level, tally: &Tally) -> Answer {
        let (counts, sums) = (&tally.counts, &tally.sums[0]);
        let from = level.sums(&sums.combine(1, counts, -i128::from(self.clip.lower)));
        let to = level.sums(&sums.combine(-1, counts, self.clip.upper.into()));
        Answer::side_by_side(&[from, to])
    }

    fn outputs(&self) -> Vec<Output> {
        let output = |quantity, unit| Output { quantity, unit };
        let of_column = || Unit::Columns(vec![0]);
        vec![
            output(Quantity::MEAN, of_column()),
            output(Quantity::COUNT, Unit::Rows),
            output(Quantity::Sum, of_column()),
        ]
    }

    fn ranges(&self) -> Vec<(f64, f64)> {
        let spacing = self.grid().spacing();
        let [count, sum] = self.ranges_of_sums();
        let in_unit = |(lower, upper): (f64, f64)| (lower * spacing, upper * spacing);
        vec![in_unit((self.at(0.0), self.at(1.0))), count, in_unit(sum)]
    }

    fn model(&self, parents: &[Option<u32>], measured: &[Measured]) -> Model {
        let cells = parents.len() as u32;
        let second = parents.iter().map(|parent| parent.map(|parent| parent + cells));
        let mut parents: Vec<Option<u32>> = parents.iter().copied().chain(second).collect();
        let (mut value, mut variance): (Vec<f64>, Vec<f64>) =
            measured.iter().map(|measured| (measured.value, measured.variance)).unzip();
        if let Some(rows) = self.rows {
            let above = 2 * cells;
            parents.iter_mut().for_each(|parent| *parent = parent.or(Some(above)));
            parents.extend([None, Some(above)]);
            value.extend([rows as f64 * self.width(), 0.0]);
            variance.extend([0.0, f64::INFINITY]);
        }
        Model::new(&parents, (value, variance), true, None).expect("prefixes of keys are a forest")
    }

    fn describe(&self, solving: &Solving, drift: &mut Drift, progress: &dyn Progress) -> Vec<Estimate> {
        let cells = solving.cells;
        let (errors, wedges, at_once) = self.simulate(solving, drift, progress);
        let spacing = self.grid().spacing();
        let pair_at = |numbers: &[f64], cell: usize| (numbers[cell], numbers[cells + cell]);
        let [range_of_count, range_of_sum] = self.ranges_of_sums();
        let of_cell = |cell: usize| {
            let value = pair_at(&solving.solved.estimates, cell);
            let raw = solving.raw(cell).zip(solving.raw(cells + cell));
            let linear = pair_at(&solving.linear, cell);
            let said = |index: usize, value: f64, interval: (f64, f64), measurement: Option<f64>| {
                let (bias, rmse) = (errors.bias(3 * cell + index), errors.rmse(3 * cell + index));
                Said { value, interval, measurement, bias, rmse }
            };
            let own = |index: usize| cell * DIRECTIONS + WEDGES + index;
            let half = |index: usize| match &at_once {
                Some(all) => all.half_width(own(index)),
                None => errors.half_width(3 * cell + index),
            };
            let of_wedges = match &at_once {
                Some(all) => wedges.interval_within(linear, |wedge| {
                    let end = |place: usize| all.half_width(cell * DIRECTIONS + place);
                    end(wedge).max(end(wedge + 1))
                }),
                None => wedges.interval(cell, linear),
            };
            let of_mean = self.interval(self.mean(value), of_wedges);
            let of_count = around(self.count(linear), half(1), range_of_count);
            let of_sum = around(self.sum(linear), half(2), range_of_sum);
            [
                said(0, self.estimate(value), of_mean, raw.and_then(|raw| self.mean(raw))).in_unit(spacing),
                said(1, self.count(value), of_count, raw.map(|raw| self.count(raw))).in_unit(1.0),
                said(2, self.sum(value), of_sum, raw.map(|raw| self.sum(raw))).in_unit(spacing),
            ]
        };
        (0..cells).flat_map(of_cell).collect()
    }

    /// In the middle of the bounds, where both distances are the same.
    fn concentrated(&self, full: &[bool], rows: Option<u64>, plenty: f64) -> Vec<f64> {
        let amount = amount(0.5 * self.width(), self.rows.or(rows), plenty);
        let amount = if self.is_solved_in_whole_steps() { amount.floor() } else { amount };
        full.iter().chain(full).map(|&full| if full { amount } else { 0.0 }).collect()
    }

    fn error_of_cell(&self, errors: &[f64], (cell, cells): (usize, usize)) -> f64 {
        self.count((errors[cell], errors[cells + cell]))
    }

    /// A public number of rows ties both distances together.
    fn linear_mean_square(&self, variance: f64) -> Option<f64> {
        self.rows.is_none().then(|| 2.0 * variance / (self.width() * self.width()))
    }

    fn sparse_case(&self) -> &'static str {
        "count where one finest cell has all rows, in rows"
    }

    /// The mean is of the fewest rows, 100 or more, of which the noise of the count is at most a quarter; the formula
    /// is that of the module in the middle of the bounds.
    fn error_dependence(&self) -> ErrorDependence {
        ErrorDependence::Rows
    }

    /// To first order, near an end of the range: there the noise of one distance is all of it.
    fn worst_rmse(&self, variance: f64, rows: f64) -> f64 {
        libm::sqrt(variance) / rows * self.grid().spacing()
    }

    fn expected(&self, level: &Granularity, variance: f64) -> Vec<ExpectedError> {
        let noise = libm::sqrt(variance);
        let count = std::f64::consts::SQRT_2 * noise / self.width();
        let rows = libm::pow(10.0, libm::ceil(libm::log10(4.0 * count)).max(2.0));
        let mean = noise * std::f64::consts::FRAC_1_SQRT_2 / rows * self.grid().spacing();
        let expected = |case: String, rmse: f64| ExpectedError { case, bias: 0.0, rmse, half_width: None };
        vec![
            expected(format!("{level}, mean of {rows} rows in the middle, to first order"), mean),
            expected(format!("{level}, count far from 0, in rows"), count),
        ]
    }
}
