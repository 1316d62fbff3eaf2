//! The covariance matrix of a private number of rows, from noisy sums.

use inbounds_core::{Answer, Epsilon, Quantity, Tally};
use inbounds_mechanisms::{mechanism::Measurements, noise::DiscreteCube, registry};

use super::{
    expected::{self, Expected},
    layout::{Layout, place},
};
use crate::{
    Ask, Component, Estimate, ExpectedError, Output, RowsMeasured, Scenario, Setting, SharedVector, Simulated,
    Simulation, Statistic, StatisticError, Unit,
    population::NoInterval,
    second_moments::{CellSums, NoisySums},
    simulate,
};

/// `sum (x - mean x)(y - mean y) / n` for a private number `n` of rows in each cell, with the means and `n` beside the
/// matrix.
///
/// # Law
/// The number of rows, the sum of each column and the sum of each product get one vector of cube noise with all of
/// epsilon ([`Together`](inbounds_mechanisms::mechanism::Together)); with another mechanism than the default, or more
/// numbers than a vector has, equal parts of epsilon. Means and raw entries are made of them as in
/// [`crate::variance::PrivateRows`], variances are clamped to `[0, R^2/4]`, covariances between the roots of their
/// products, and the matrix is moved to the nearest positive semidefinite one with these variances.
///
/// # Guarantee
/// Bias, error and interval are simulated around the estimates ([`crate::simulate`]).
#[derive(Debug, Clone)]
pub(super) struct PrivateRows {
    layout: Layout,
    sums: NoisySums,
    most_rows: Option<u64>,
    epsilon: Epsilon,
}

impl PrivateRows {
    pub(super) fn prepare(kind: &'static str, setting: &Setting, layout: Layout) -> Result<Self, StatisticError> {
        let numbers = 1 + layout.size() + layout.pairs.len();
        // Noise of another kind is asked for, or a vector of more numbers than one has: parts of epsilon.
        let as_one = setting.mechanism.entry() == registry::default() && numbers <= DiscreteCube::MOST_DIMENSIONS;
        let (setting, parts) = match &setting.together {
            Some(_) => (setting.clone(), 1),
            None if as_one => (setting.clone().with_numbers(numbers), 1),
            None => (setting.clone(), numbers as u128),
        };
        let sums = NoisySums::prepare(kind, &setting, layout.columns.clone(), layout.pairs.clone(), parts)?;
        Ok(Self { layout, sums, most_rows: setting.design.rows, epsilon: setting.epsilon.clone() })
    }

    fn each_cell<T>(&self, outputs: impl Fn(usize) -> Vec<T>) -> Vec<T> {
        (0..self.sums.cells).flat_map(outputs).collect()
    }

    fn rows_range(&self) -> (f64, f64) {
        (0.0, self.most_rows.map_or(f64::INFINITY, |rows| rows as f64))
    }

    /// Outputs of a cell: entries, means, rows.
    fn stride(&self) -> usize {
        self.layout.pairs.len() + self.layout.size() + 1
    }
}

impl Statistic for PrivateRows {
    fn ask(&self) -> Ask {
        self.layout.ask()
    }

    fn components(&self) -> Vec<&Component> {
        self.sums.components()
    }

    fn rows_measured(&self) -> Vec<RowsMeasured> {
        vec![RowsMeasured::COUNTS]
    }

    fn outputs(&self) -> Vec<Output> {
        let mean = |(j, column): (usize, &crate::second_moments::OnGrid)| Output {
            quantity: Quantity::Mean { column: Some(column.name.clone()) },
            unit: Unit::Columns(vec![j]),
        };
        let means = self.layout.columns.iter().enumerate().map(mean);
        let rows = Output { quantity: Quantity::Rows, unit: Unit::Rows };
        self.layout.outputs().into_iter().chain(means).chain([rows]).collect()
    }

    fn cells(&self) -> usize {
        self.sums.cells
    }

    fn answers(&self, tally: Tally) -> Vec<Answer> {
        self.sums.answers(tally)
    }

    fn ranges(&self) -> Vec<(f64, f64)> {
        let means = self.layout.columns.iter().map(crate::second_moments::OnGrid::range);
        self.layout.ranges(0.25).into_iter().chain(means).chain([self.rows_range()]).collect()
    }

    fn estimate(&self, measured: &[Measurements], level: f64, seed: u64) -> Vec<Estimate> {
        simulate(self, measured, &Simulation::at(level, seed))
    }

    fn has_population_interval(&self) -> Result<(), NoInterval> {
        Err(NoInterval::CovariancesOfPrivateRows)
    }

    fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    fn expects_half_widths(&self) -> bool {
        false
    }

    fn expected_errors(&self, scenario: &Scenario) -> Vec<ExpectedError> {
        expected::of_covariances(self, scenario)
    }
}

impl Simulated for PrivateRows {
    fn vector(&self) -> Option<&SharedVector> {
        self.sums.vector.as_ref()
    }

    fn raw(&self, measured: &[&[i128]]) -> Vec<Option<f64>> {
        self.each_cell(|index| {
            let cell = self.sums.cell(measured, index);
            let counted = |value: f64| cell.counted.then_some(value);
            let deviation = |j: usize| self.sums.sums[j].value(measured[1 + j][index]) / cell.rows;
            let entry = |(product, &(j, k)): (&f64, &(usize, usize))| counted(product - deviation(j) * deviation(k));
            let mean = |j: usize| counted(self.layout.columns[j].middle() + deviation(j));
            let entries = cell.products.iter().zip(&self.layout.pairs).map(entry);
            entries.chain((0..self.layout.size()).map(mean)).chain([Some(measured[0][index] as f64)]).collect()
        })
    }

    fn point(&self, measured: &[&[i128]]) -> Vec<f64> {
        let (lowest, most) = self.rows_range();
        let size = self.layout.size();
        self.each_cell(|index| {
            let cell = self.sums.cell(measured, index);
            let variance = |j: usize| {
                let variance = cell.products[place(size, j, j)] - cell.deviations[j].powi(2);
                variance.clamp(0.0, self.layout.area((j, j)) / 4.0)
            };
            let variances: Vec<f64> = (0..size).map(variance).collect();
            let entry = |(product, &(j, k)): (&f64, &(usize, usize))| {
                let largest = (variances[j] * variances[k]).sqrt();
                let covariance = (product - cell.deviations[j] * cell.deviations[k]).clamp(-largest, largest);
                if j == k { variances[j] } else { covariance }
            };
            let entries: Vec<f64> = cell.products.iter().zip(&self.layout.pairs).map(entry).collect();
            let means = (0..size).map(|j| self.layout.columns[j].middle() + cell.deviations[j]);
            let rows = (measured[0][index] as f64).clamp(lowest, most);
            self.layout.semidefinite(&entries, true).into_iter().chain(means).chain([rows]).collect()
        })
    }

    fn answers_at(&self, estimates: &[f64], _: &[&[i128]]) -> Vec<Vec<i128>> {
        let entries = self.layout.pairs.len();
        let cell = |outputs: &[f64]| {
            let deviations: Vec<f64> = self
                .layout
                .columns
                .iter()
                .zip(&outputs[entries..])
                .map(|(column, mean)| mean - column.middle())
                .collect();
            let product = |(&(j, k), entry): (&(usize, usize), &f64)| entry + deviations[j] * deviations[k];
            CellSums {
                rows: outputs[self.stride() - 1],
                counted: true,
                products: self.layout.pairs.iter().zip(outputs).map(product).collect(),
                deviations,
            }
        };
        self.sums.answers_at(&estimates.chunks(self.stride()).map(cell).collect::<Vec<_>>())
    }
}

impl Expected for PrivateRows {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn groups(&self, scenario: &Scenario) -> Vec<(String, Vec<f64>)> {
        let of_size = |rows: f64| {
            let middles = self.layout.columns.iter().map(crate::second_moments::OnGrid::middle);
            (format!(", groups of {rows} rows"), middles.chain([rows]).collect())
        };
        scenario.sizes_up_to(self.rows_range().1).into_iter().map(of_size).collect()
    }
}
