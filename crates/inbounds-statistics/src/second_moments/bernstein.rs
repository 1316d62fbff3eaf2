//! Number of rows, mean and variance of a column from three noisy sums that are one measured vector.
//!
//! # Idea
//! A row at `x` between the bounds `l` and `u`, `R = u - l` apart, adds three numbers that are never negative and
//! always add up to `R^2` (Bernstein polynomials of degree two):
//!
//! ```text
//! (u - x)^2   to P,      2 (x - l)(u - x)   to Q,      (x - l)^2   to T
//! ```
//!
//! One row therefore moves the vector `(P, Q, T)` by `R^2` in l1, wherever it lies ([`of_bernstein`]), which is what it
//! moves `T` alone by. Number of rows, sum and sum of squares are linear in them, and so none of the three needs a part
//! of epsilon of its own:
//!
//! ```text
//! n = (P + Q + T) / R^2,      sum of v = (T - P) / (2 R^2),      sum of v^2 = (P - Q + T) / (4 R^2),      v = (x - middle) / R
//! ```
//!
//! # Several columns of the same rows
//! Each has an equal part of epsilon and tells the number of rows once more. The least-squares estimate of that number
//! is their mean, and each column's triple moves by a third of its difference, the same for all three.
//!
//! # Noise
//! With `b^2` the variance of the noise of one entry over `R^4`, `d` columns, the mean `m` and second moment `q` of
//! `v`, to first order
//!
//! ```text
//! n^2 var(mean)     = b^2 (1/2 + 3 m^2 / d)
//! n^2 var(variance) = b^2 (1/6 + 2 m^2 + 3 (1/12 - q + 2 m^2)^2 / d)
//! ```

use inbounds_core::{Answer, Grid, Quantity, Rational, StepRange, Tally};
use inbounds_mechanisms::law::Noise;

use super::{Cloud, Fineness, OnGrid, cloud::magnitudes, coarsening, power_of_two};
use crate::{CellEntry, Component, RowsMeasured, Setting, StatisticError, sensitivity::of_bernstein};

/// Entries of a cell, in order.
const ENTRIES: usize = 3;

/// Names of the entries of a cell, in order.
const NAMES: [&str; ENTRIES] = [
    "squared distance to the upper bound",
    "twice the product of both distances",
    "squared distance to the lower bound",
];

/// The Bernstein sums of some columns of the same rows, each with an equal part of epsilon.
#[derive(Debug, Clone)]
pub(crate) struct Bernstein {
    pub(crate) cells: usize,
    parts: Vec<Part>,
}

/// One column.
#[derive(Debug, Clone)]
struct Part {
    column: OnGrid,
    component: Component,
    /// Measured steps in one squared step of the column.
    factor: Rational,
}

/// Estimates from the sums of one cell, in the columns' units.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    /// The noisy number of rows.
    pub(crate) count: f64,
    /// The same, at least 1: the divisor.
    pub(crate) rows: f64,
    /// Noisy mean less the middle of the bounds, a column each.
    pub(crate) deviations: Vec<f64>,
    /// Noisy mean of squared distances from the middle, a column each.
    pub(crate) squares: Vec<f64>,
}

/// A cell whose exact answers are asked for: its number of rows, and deviation and variance of each column.
#[derive(Debug, Clone)]
pub(crate) struct Truth {
    pub(crate) rows: f64,
    pub(crate) deviations: Vec<f64>,
    pub(crate) variances: Vec<f64>,
}

impl Bernstein {
    /// Calibrates the sums of all columns.
    ///
    /// # Errors
    /// [`StatisticError::SumsMechanism`] for a mechanism that does not publish plain noise, or those of the
    /// calibration.
    pub(crate) fn prepare(kind: &'static str, setting: &Setting, columns: Vec<OnGrid>) -> Result<Self, StatisticError> {
        if !setting.mechanism.entry().is_clamped() {
            return Err(StatisticError::SumsMechanism { kind });
        }
        let part = Rational::ratio(1, columns.len() as u128);
        let epsilon = (setting.epsilon.value() * &part).to_f64();
        let prepare = |column: OnGrid| {
            let area = column.width() * column.width();
            let exponent = coarsening(area as f64, epsilon).max(0);
            let factor = power_of_two(-exponent);
            let sensitivity = of_bernstein(&setting.design, column.width().unsigned_abs(), setting.cells);
            let grid = Grid::power_of_two(2 * column.gridded.grid.exponent() + exponent)?;
            let role = Quantity::SquaredDistances { column: column.name.clone() };
            let component =
                setting.component((role, &part), (grid, 1), &sensitivity.scaled(&factor), StepRange::UNBOUNDED)?;
            Ok(Part { column, component, factor })
        };
        let parts = columns.into_iter().map(prepare).collect::<Result<_, StatisticError>>()?;
        Ok(Self { cells: usize::try_from(setting.cells).expect("cells are held in memory"), parts })
    }

    /// The number of columns.
    pub(crate) fn columns(&self) -> usize {
        self.parts.len()
    }

    /// One of the columns, by its place.
    pub(crate) fn column(&self, place: usize) -> &OnGrid {
        &self.parts[place].column
    }

    /// The measured vectors, a column each.
    pub(crate) fn components(&self) -> Vec<&Component> {
        self.parts.iter().map(|part| &part.component).collect()
    }

    /// The number of rows, as the entries of the first column measure it.
    pub(crate) fn rows_measured(&self) -> RowsMeasured {
        let first = &self.parts[0];
        RowsMeasured::squares(0, first.column.span().powi(2) / first.component.step())
    }

    /// Names of the three entries of a cell.
    pub(crate) fn entries() -> Vec<CellEntry> {
        NAMES.map(CellEntry::Named).into()
    }

    /// Exact answers, one a column, of which the products are the squares of each column.
    pub(crate) fn answers(&self, tally: &Tally) -> Vec<Answer> {
        let answer = |(j, part): (usize, &Part)| part.answer(&tally.counts, &tally.sums[j], &tally.products[j]);
        self.parts.iter().enumerate().map(answer).collect()
    }

    /// Estimates from the measurements of a cell.
    pub(crate) fn cell(&self, measured: &[&[i128]], cell: usize) -> Cell {
        let triple = |(part, measured): (&Part, &&[i128])| -> [f64; ENTRIES] {
            let area = part.column.span().powi(2);
            std::array::from_fn(|entry| part.component.value(measured[ENTRIES * cell + entry]) / area)
        };
        let triples: Vec<[f64; ENTRIES]> = self.parts.iter().zip(measured).map(triple).collect();
        let counts = triples.iter().map(|triple| triple.iter().sum::<f64>());
        let count = counts.sum::<f64>() / self.parts.len() as f64;
        let rows = count.max(1.0);
        let moments = |(part, triple): (&Part, &[f64; ENTRIES])| {
            let third = (count - triple.iter().sum::<f64>()) / 3.0;
            let [p, q, t] = triple.map(|entry| entry + third);
            let span = part.column.span();
            (0.5 * (t - p) / rows * span, 0.25 * (p - q + t) / rows * span * span)
        };
        let (deviations, squares) = self.parts.iter().zip(&triples).map(moments).unzip();
        Cell { count, rows, deviations, squares }
    }

    /// Standard deviations of the noise in a cell's mean and variance of a column, in its units, to first order.
    pub(crate) fn noise(&self, column: usize, rows: f64, deviation: f64, variance: f64) -> (f64, f64) {
        let part = &self.parts[column];
        let span = part.column.span();
        let entry = part.component.mechanism.noise().variance().sqrt() * part.component.step() / (span * span);
        let (m, v) = (deviation / span, variance / (span * span));
        let shared = 3.0 / self.parts.len() as f64;
        let slope = 1.0 / 12.0 - v + m * m;
        let mean = (0.5 + shared * m * m).sqrt();
        let squares = (1.0 / 6.0 + 2.0 * m * m + shared * slope * slope).sqrt();
        (entry / rows * mean * span, entry / rows * squares * span * span)
    }

    /// The noise of the first column, which is the only one, at few points.
    pub(super) fn cloud(&self, fineness: Fineness) -> Cloud {
        let part = &self.parts[0];
        let area = part.column.span().powi(2);
        Cloud::new(&magnitudes(&[&part.component], fineness), 0.0, |noise| {
            let [p, q, t] = noise.map(|entry| entry / area);
            [p + q + t, 0.5 * (t - p), 0.25 * (p - q + t)]
        })
    }

    /// The answers of cells, one vector a column.
    pub(crate) fn answers_at(&self, cells: &[Truth]) -> Vec<Vec<i128>> {
        let of_column = |(j, part): (usize, &Part)| {
            let span = part.column.span();
            let cell = |truth: &Truth| {
                let v = truth.deviations[j] / span;
                let square = truth.variances[j] / (span * span) + v * v;
                let shares = [0.25 - v + square, 0.5 - 2.0 * square, 0.25 + v + square];
                let unit = truth.rows * span * span / part.component.step();
                shares.map(|share| libm::round(unit * share) as i128)
            };
            cells.iter().flat_map(cell).collect()
        };
        self.parts.iter().enumerate().map(of_column).collect()
    }
}

impl Part {
    /// `(P, Q, T)` of each cell, in measured steps.
    fn answer(&self, counts: &Answer, sums: &Answer, squares: &Answer) -> Answer {
        let (l, u) = (i128::from(self.column.gridded.lower), i128::from(self.column.gridded.upper));
        let to_upper = squares.combine(1, sums, -2 * u).combine(1, counts, u * u);
        let to_lower = squares.combine(1, sums, -2 * l).combine(1, counts, l * l);
        let between = squares.combine(-2, sums, 2 * (l + u)).combine(1, counts, -2 * l * u);
        Answer::side_by_side(&[to_upper, between, to_lower].map(|entry| entry.scaled(&self.factor)))
    }
}
