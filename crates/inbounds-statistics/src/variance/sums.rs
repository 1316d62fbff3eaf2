//! The noisy sums of which a variance over a private number of rows is made.

use inbounds_core::{Answer, Tally};

use crate::{
    CellEntry, Component, RowsMeasured, Setting, StatisticError,
    second_moments::{Bernstein, BernsteinCell, CellSums, NoisySums, OnGrid, Truth},
};

/// Number of rows, sum and sum of squares of each cell, in one of two shapes.
#[derive(Debug, Clone)]
pub(super) enum Sums {
    /// Squared distances to both bounds and twice their product, with all of epsilon: the best for noise of their own.
    Distances(Bernstein),
    /// The three numbers themselves, which share a vector of noise with those of other statistics.
    Shared(NoisySums),
}

impl Sums {
    pub(super) fn prepare(kind: &'static str, setting: &Setting, column: OnGrid) -> Result<Self, StatisticError> {
        Ok(match setting.together {
            None => Self::Distances(Bernstein::prepare(kind, setting, vec![column])?),
            Some(_) => Self::Shared(NoisySums::prepare(kind, setting, vec![column], vec![(0, 0)], 1)?),
        })
    }

    pub(super) fn cells(&self) -> usize {
        match self {
            Self::Distances(sums) => sums.cells,
            Self::Shared(sums) => sums.cells,
        }
    }

    pub(super) fn components(&self) -> Vec<&Component> {
        match self {
            Self::Distances(sums) => sums.components(),
            Self::Shared(sums) => sums.components(),
        }
    }

    pub(super) fn rows_measured(&self) -> RowsMeasured {
        match self {
            Self::Distances(sums) => sums.rows_measured(),
            Self::Shared(_) => RowsMeasured::COUNTS,
        }
    }

    pub(super) fn entries(&self) -> Vec<CellEntry> {
        match self {
            Self::Distances(_) => Bernstein::entries(),
            Self::Shared(_) => vec![CellEntry::Only],
        }
    }

    pub(super) fn answers(&self, tally: Tally) -> Vec<Answer> {
        match self {
            Self::Distances(sums) => sums.answers(&tally),
            Self::Shared(sums) => sums.answers(tally),
        }
    }

    /// What the measurements of a cell say.
    pub(super) fn cell(&self, measured: &[&[i128]], index: usize) -> BernsteinCell {
        match self {
            Self::Distances(sums) => sums.cell(measured, index),
            Self::Shared(sums) => {
                let cell = sums.cell(measured, index);
                let deviation = sums.sums[0].value(measured[1][index]) / cell.rows;
                let count = measured[0][index] as f64;
                BernsteinCell { count, rows: cell.rows, deviations: vec![deviation], squares: cell.products }
            }
        }
    }

    /// The answers of cells, one vector a component.
    pub(super) fn answers_at(&self, cells: &[Truth]) -> Vec<Vec<i128>> {
        match self {
            Self::Distances(sums) => sums.answers_at(cells),
            Self::Shared(sums) => {
                let cell = |truth: &Truth| CellSums {
                    rows: truth.rows,
                    counted: true,
                    products: vec![truth.variances[0] + truth.deviations[0] * truth.deviations[0]],
                    deviations: truth.deviations.clone(),
                };
                sums.answers_at(&cells.iter().map(cell).collect::<Vec<_>>())
            }
        }
    }
}
