//! Quantities that add up along a hierarchy: the measured numbers of a cell, and its published ones.

use std::fmt;

use inbounds_core::{Answer, Grid, Quantity, Tally};
use inbounds_statistics::{CellEntry, Clip, Entries, ErrorDependence, Estimate, ExpectedError, Output, RowTerms};

use super::{level::Level, solving::Solving};
use crate::plan::Granularity;
use crate::{
    progress::Progress,
    projection::{Drift, Measured, Model},
};

/// Statistics whose measured numbers of a cell are the sums of those of the cells in it.
pub(super) trait Additive: fmt::Debug + Send + Sync {
    /// The measured quantity.
    fn role(&self) -> Quantity;

    /// Name of the unit that errors speak of.
    fn unit(&self) -> &'static str;

    /// Grid of the answers.
    fn grid(&self) -> Grid;

    /// The engine's clipping of each value; `None` for a count.
    fn clip(&self) -> Option<Clip>;

    /// True if the sums can be solved for in whole steps.
    fn is_solved_in_whole_steps(&self) -> bool;

    /// True if the sums may be below zero as well as above.
    fn has_either_sign(&self) -> bool;

    /// The numbers that are measured of each cell.
    fn entries(&self) -> &'static [CellEntry];

    /// The measured numbers of a cell that give its rows; `None` if none does.
    fn rows(&self) -> Option<Entries>;

    /// Terms that a row adds to the measured numbers of its cell, in steps.
    fn terms(&self) -> RowTerms;

    /// The exact answers of a level, cell by cell, entries changing fastest. Private in, private out.
    fn answer(&self, level: &Level, tally: &Tally) -> Answer;

    /// Published outputs of each cell.
    fn outputs(&self) -> Vec<Output>;

    /// Range of each output, infinite at an open end.
    fn ranges(&self) -> Vec<(f64, f64)>;

    /// The system in steps. The first nodes are those of `parents`, once for each entry; more may follow, unmeasured.
    /// `measured` stands by node.
    fn model(&self, parents: &[Option<u32>], measured: &[Measured]) -> Model;

    /// The estimates of each output, cell by cell; `drift` sees every replicate.
    fn describe(&self, solving: &Solving, drift: &mut Drift, progress: &dyn Progress) -> Vec<Estimate>;

    /// True numbers by node in steps, all entries of the cells, where rows are in `full` cells alone: as many as are
    /// assumed, or about `plenty` steps of them.
    fn concentrated(&self, full: &[bool], rows: Option<u64>, plenty: f64) -> Vec<f64>;

    /// Error of a cell, given its index and the number of cells, from errors by node in steps; in the unit of
    /// [`Additive::sparse_case`].
    fn error_of_cell(&self, errors: &[f64], cell: (usize, usize)) -> f64;

    /// The mean square of [`Additive::error_of_cell`] for the linear fit, from the variance of its entries; none if
    /// that is not all that it depends on.
    fn linear_mean_square(&self, variance: f64) -> Option<f64>;

    /// Which number the error is of, where one finest cell has all rows.
    fn sparse_case(&self) -> &'static str;

    /// Error to expect of a cell of a level whose measured numbers have this variance, in steps, after all levels are
    /// solved for, where every cell of every level is far from every bound.
    fn expected(&self, level: &Granularity, variance: f64) -> Vec<ExpectedError>;

    /// Quantities that decide the error of its outputs besides the noise.
    fn error_dependence(&self) -> ErrorDependence;

    /// The largest RMSE of the first output of a cell whose measured numbers have this variance, in steps, for a cell
    /// of this many `rows`, wherever in its range the output is.
    fn worst_rmse(&self, variance: f64, rows: f64) -> f64;
}
