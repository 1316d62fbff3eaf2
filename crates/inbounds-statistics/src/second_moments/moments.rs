//! Number of rows, means and mean squares of columns of the same rows, from noisy sums in one of two shapes.
//!
//! # Which shape
//! Of one column the Bernstein sums have the narrower noise for the mean (by 1.3) and nearly so for the variance. Of
//! `d > 1` columns each triple of them has a part of epsilon, and the `2 d + 1` sums themselves do better with one
//! vector of noise. In units of a row's largest contribution, at the middle of the bounds and to first order, with
//! `c = (D + 1)(D + 2) / 3` for `D = 2 d + 1`,
//!
//! ```text
//!                                 n^2 eps^2 var(mean)     n^2 eps^2 var(variance), evenly spread     eps^2 var(n)
//! triples, epsilon / d each       d^2                     d^2 / 3                                    6 d
//! one vector                      c / 4                   0.0174 c                                   c
//! d = 4                           16 and 9.2              5.3 and 0.64                               24 and 37
//! ```

use inbounds_core::{Answer, Rational, Tally};
use inbounds_mechanisms::{law::Noise, noise::DiscreteCube, registry};

use super::{Bernstein, BernsteinCell, CellSums, Cloud, Fineness, NoisySums, OnGrid, Truth};
use crate::{CellEntry, Component, RowsMeasured, Setting, SharedVector, StatisticError};

/// The noise of a vector is at least a thousandth of a row wide. For more, columns have triples.
const LARGEST_EPSILON: u128 = 1000;

/// Number of rows, sums and sums of squares of each cell.
#[derive(Debug, Clone)]
pub(crate) enum Moments {
    /// Squared distances to both bounds and twice their product, a column each.
    Distances(Bernstein),
    /// The numbers themselves: with one vector of noise, or measured for other statistics too.
    Numbers(Box<NoisySums>),
}

impl Moments {
    /// Calibrates the sums of all columns.
    ///
    /// # Errors
    /// [`StatisticError::SumsMechanism`] for a mechanism that does not publish plain noise, or those of the
    /// calibration.
    pub(crate) fn prepare(kind: &'static str, setting: &Setting, columns: Vec<OnGrid>) -> Result<Self, StatisticError> {
        let numbers = 2 * columns.len() + 1;
        let has_own = columns.len() > 1
            && setting.mechanism.entry() == registry::default()
            && numbers <= DiscreteCube::MOST_DIMENSIONS
            && *setting.epsilon.value() <= Rational::from(LARGEST_EPSILON);
        let setting = match &setting.together {
            Some(_) => setting.clone(),
            None if has_own => setting.clone().with_numbers(numbers),
            None => return Ok(Self::Distances(Bernstein::prepare(kind, setting, columns)?)),
        };
        let squares = (0..columns.len()).map(|j| (j, j)).collect();
        Ok(Self::Numbers(Box::new(NoisySums::prepare(kind, &setting, columns, squares, 1)?)))
    }

    pub(crate) fn cells(&self) -> usize {
        match self {
            Self::Distances(sums) => sums.cells,
            Self::Numbers(sums) => sums.cells,
        }
    }

    /// The columns, in order.
    pub(crate) fn columns(&self) -> impl ExactSizeIterator<Item = &OnGrid> {
        let columns = match self {
            Self::Distances(sums) => sums.columns(),
            Self::Numbers(sums) => sums.columns.len(),
        };
        (0..columns).map(|place| match self {
            Self::Distances(sums) => sums.column(place),
            Self::Numbers(sums) => &sums.columns[place],
        })
    }

    /// The vector whose numbers they are, if they are some.
    pub(crate) fn vector(&self) -> Option<&SharedVector> {
        match self {
            Self::Distances(_) => None,
            Self::Numbers(sums) => sums.vector.as_ref(),
        }
    }

    pub(crate) fn components(&self) -> Vec<&Component> {
        match self {
            Self::Distances(sums) => sums.components(),
            Self::Numbers(sums) => sums.components(),
        }
    }

    pub(crate) fn rows_measured(&self) -> RowsMeasured {
        match self {
            Self::Distances(sums) => sums.rows_measured(),
            Self::Numbers(_) => RowsMeasured::COUNTS,
        }
    }

    pub(crate) fn entries(&self) -> Vec<CellEntry> {
        match self {
            Self::Distances(_) => Bernstein::entries(),
            Self::Numbers(_) => vec![CellEntry::Only],
        }
    }

    /// Exact answers, of which the products are the squares of each column.
    pub(crate) fn answers(&self, tally: Tally) -> Vec<Answer> {
        match self {
            Self::Distances(sums) => sums.answers(&tally),
            Self::Numbers(sums) => sums.answers(tally),
        }
    }

    /// Estimates from the measurements of a cell.
    pub(crate) fn cell(&self, measured: &[&[i128]], index: usize) -> BernsteinCell {
        match self {
            Self::Distances(sums) => sums.cell(measured, index),
            Self::Numbers(sums) => {
                let CellSums { rows, products, .. } = sums.cell(measured, index);
                let of_column = |(j, sum): (usize, &Component)| sum.value(measured[1 + j][index]) / rows;
                let deviations = sums.sums.iter().enumerate().map(of_column).collect();
                BernsteinCell { count: measured[0][index] as f64, rows, deviations, squares: products }
            }
        }
    }

    /// Standard deviations of the noise in a cell's mean and variance of a column, in its units, to first order.
    pub(crate) fn noise(&self, column: usize, rows: f64, deviation: f64, variance: f64) -> (f64, f64) {
        match self {
            Self::Distances(sums) => sums.noise(column, rows, deviation, variance),
            Self::Numbers(sums) => {
                let components = sums.components();
                let noise_at =
                    |place: usize| components[place].mechanism.noise().variance().sqrt() * components[place].step();
                let (count, sum, square) = (noise_at(0), noise_at(1 + column), noise_at(1 + sums.sums.len() + column));
                // By the number of rows the variance moves as by a row at the middle, less what its mean square is
                // summed above.
                let slope = sums.offset(column) + deviation * deviation - variance;
                let of_mean = sum.hypot(deviation * count);
                let of_variance = square.hypot(2.0 * deviation * sum).hypot(slope * count);
                (of_mean / rows, of_variance / rows)
            }
        }
    }

    /// The noise of the only column, at few points.
    pub(crate) fn cloud(&self, fineness: Fineness) -> Cloud {
        match self {
            Self::Distances(sums) => sums.cloud(fineness),
            Self::Numbers(sums) => sums.cloud(fineness),
        }
    }

    /// The answers of cells, one vector a component.
    pub(crate) fn answers_at(&self, cells: &[Truth]) -> Vec<Vec<i128>> {
        match self {
            Self::Distances(sums) => sums.answers_at(cells),
            Self::Numbers(sums) => {
                let cell = |truth: &Truth| CellSums {
                    rows: truth.rows,
                    counted: true,
                    products: truth.variances.iter().zip(&truth.deviations).map(|(v, d)| v + d * d).collect(),
                    deviations: truth.deviations.clone(),
                };
                sums.answers_at(&cells.iter().map(cell).collect::<Vec<_>>())
            }
        }
    }
}
