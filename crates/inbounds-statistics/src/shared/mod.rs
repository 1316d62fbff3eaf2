//! Means and sums of a private number of rows, made of a noisy sum and a noisy number of rows that are measured once
//! for all statistics that need them.

mod mean;
mod radii;
mod sum;

use inbounds_core::Quantity;

use self::radii::{Radii, Spread};
pub(crate) use self::{mean::SharedMean, radii::Table, sum::SharedSum};
use crate::{
    Ask, Component, Output, Setting, StatisticError, Unit,
    second_moments::{NoisySums, OnGrid},
};

/// The number of rows of each cell, and the sum of the distances of a column from the middle of its bounds.
#[derive(Debug, Clone)]
struct RowsAndSum {
    sums: NoisySums,
}

impl RowsAndSum {
    /// Calibrates both as numbers of the setting.
    fn prepare(kind: &'static str, setting: &Setting, column: OnGrid) -> Result<Self, StatisticError> {
        let sums = NoisySums::prepare(kind, setting, vec![column], Vec::new(), 1)?;
        Ok(Self { sums })
    }

    fn ask(&self) -> Ask {
        Ask { clips: vec![self.column().clip], ..Ask::default() }
    }

    /// One number a cell, in the unit of the column.
    fn outputs() -> Vec<Output> {
        vec![Output { quantity: Quantity::Statistic, unit: Unit::Columns(vec![0]) }]
    }

    fn column(&self) -> &OnGrid {
        &self.sums.columns[0]
    }

    fn middle(&self) -> f64 {
        self.column().middle()
    }

    fn rows(&self) -> &Component {
        &self.sums.count
    }

    fn sum(&self) -> &Component {
        &self.sums.sums[0]
    }

    /// The middle, if a component is the sum of distances from it.
    fn centre_of(&self, component: &Component) -> Option<f64> {
        (component.role == self.sum().role).then(|| self.middle())
    }

    /// Noisy sum and number of rows of each cell.
    fn pairs<'a>(&'a self, measured: &'a [&[i128]]) -> impl Iterator<Item = (f64, f64)> + 'a {
        let pair = |(rows, sum): (&i128, &i128)| (self.sum().value(*sum), *rows as f64);
        measured[0].iter().zip(measured[1]).map(pair)
    }

    /// The quantiles for a level.
    fn radii(&self, level: f64) -> Radii {
        match &self.sums.vector {
            Some(vector) => Radii::of_vector(vector.table(level)),
            None => Radii::of_gaussian(level),
        }
    }

    /// The noise of sum and number of rows.
    fn spread(&self) -> (Spread, Spread) {
        (Spread::from_component(self.sum()), Spread::from_component(self.rows()))
    }
}
