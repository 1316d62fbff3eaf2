//! The standard deviation by back-transformation.

use inbounds_core::{Answer, Epsilon, IntervalMethod, Quantity, Tally};
use inbounds_mechanisms::mechanism::Measurements;

use crate::{
    Ask, Case, CellEntry, Component, ErrorDependence, Estimate, ExpectedError, MomentRegion, Output, PossibleEstimate,
    RowsMeasured, Scenario, SharedVector, Simulated, Simulation, Statistic, StatisticError, Unit, expected,
    population::{Interval, NoInterval},
    redrawn_points, simulate,
};

/// Place of the number of rows among the outputs of a cell, where it is one.
const ROWS: usize = 2;

/// Quantity of which the error is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// The variance itself.
    Variance,
    /// Its root.
    Root,
}

/// A variance whose largest errors over all rows within the bounds are known.
pub(super) trait Spread: Simulated {
    /// One for each assumed number of rows.
    fn worst(&self, scenario: &Scenario, quantity: Of) -> Vec<ExpectedError>;
}

/// The root of the first output of each cell of a variance; its other outputs stay as they are.
///
/// # Law
/// Estimate and both ends of the interval are the roots of those of the variance, so the interval covers where that of
/// the variance does. Bias and error are simulated, as a root has none in closed form. The raw value is the root of the
/// raw variance, and missing where that is negative.
#[derive(Debug, Clone)]
pub(super) struct Root<C> {
    variance: C,
    /// Quantity of the root.
    quantity: Quantity,
}

impl<C: Spread> Root<C> {
    /// The root of a variance, as this quantity.
    pub(super) fn new(quantity: Quantity, variance: C) -> Self {
        Self { variance, quantity }
    }

    /// `true` if an output, counted through all cells, is the one that is transformed.
    fn is_root(&self, index: usize) -> bool {
        index.is_multiple_of(self.variance.outputs().len())
    }

    fn roots(&self, values: Vec<f64>) -> Vec<f64> {
        values.into_iter().enumerate().map(|(i, value)| if self.is_root(i) { value.sqrt() } else { value }).collect()
    }
}

impl<C: Spread> Statistic for Root<C> {
    fn ask(&self) -> Ask {
        self.variance.ask()
    }

    fn components(&self) -> Vec<&Component> {
        self.variance.components()
    }

    fn entries(&self, component: usize) -> Vec<CellEntry> {
        self.variance.entries(component)
    }

    fn rows_measured(&self) -> Vec<RowsMeasured> {
        self.variance.rows_measured()
    }

    fn outputs(&self) -> Vec<Output> {
        let mut outputs = self.variance.outputs();
        outputs[0].quantity = self.quantity.clone();
        outputs[0].unit = Unit::Columns(vec![0]);
        outputs
    }

    fn cells(&self) -> usize {
        self.variance.cells()
    }

    fn answers(&self, tally: Tally) -> Vec<Answer> {
        self.variance.answers(tally)
    }

    fn ranges(&self) -> Vec<(f64, f64)> {
        let mut ranges = self.variance.ranges();
        ranges[0] = (ranges[0].0.sqrt(), ranges[0].1.sqrt());
        ranges
    }

    fn estimate(&self, measured: &[Measurements], level: f64, seed: u64) -> Vec<Estimate> {
        let simulated = simulate(self, measured, &Simulation::at(level, seed));
        let intervals = self.variance.estimate(measured, level, seed);
        let joined = |(i, (estimate, of_variance)): (usize, (Estimate, Estimate))| {
            if self.is_root(i) {
                let (lower, upper) = (of_variance.lower.sqrt(), of_variance.upper.sqrt());
                Estimate { lower: lower.min(estimate.value), upper: upper.max(estimate.value), ..estimate }
            } else {
                estimate
            }
        };
        simulated.into_iter().zip(intervals).enumerate().map(joined).collect()
    }

    fn has_population_interval(&self) -> Result<(), NoInterval> {
        self.variance.has_population_interval()
    }

    fn population_intervals(
        &self,
        measured: &[Measurements],
        level: f64,
        seed: u64,
    ) -> Result<Vec<Option<Interval>>, StatisticError> {
        let root = |Interval { lower, upper }| Interval { lower: f64::sqrt(lower), upper: f64::sqrt(upper) };
        let intervals = self.variance.population_intervals(measured, level, seed)?.into_iter().enumerate();
        Ok(intervals.map(|(i, interval)| if self.is_root(i) { interval.map(root) } else { interval }).collect())
    }

    fn epsilon(&self) -> &Epsilon {
        self.variance.epsilon()
    }

    fn error_dependence(&self) -> ErrorDependence {
        self.variance.error_dependence()
    }

    fn expects_half_widths(&self) -> bool {
        false
    }

    fn expected_errors(&self, scenario: &Scenario) -> Vec<ExpectedError> {
        let ranges = self.variance.ranges();
        let truth = |part: f64, rows: Option<f64>| -> Vec<f64> {
            let output = |(i, (lower, upper)): (usize, &(f64, f64))| match i {
                0 => (part * upper).sqrt(),
                ROWS => rows.unwrap_or(0.0),
                _ => 0.5 * (lower + upper),
            };
            ranges.iter().enumerate().map(output).collect()
        };
        let spreads = [("one value", 0.0), ("a third of the largest variance", 1.0 / 3.0)];
        let groups: Vec<Option<f64>> = match ranges.get(ROWS) {
            Some((_, most)) => scenario.sizes_up_to(*most).into_iter().map(Some).collect(),
            None => vec![None],
        };
        let cases: Vec<_> = groups.into_iter().flat_map(|rows| spreads.map(|spread| (rows, spread))).collect();
        let truths: Vec<_> = cases.iter().map(|(rows, (_, part))| truth(*part, *rows)).collect();
        let errors = expected(self, &truths).into_iter().map(|errors| errors[0]);
        let cases = cases.into_iter().zip(errors);
        cases
            .map(|((rows, (name, _)), (bias, rmse))| {
                let case = rows.map_or(name.to_owned(), |rows| format!("{name}, group of {rows} rows"));
                ExpectedError { case, bias, rmse, half_width: None }
            })
            .collect()
    }

    fn possible_estimates(&self, truth: f64, rows: u64, draws: usize, _: f64) -> Option<Vec<PossibleEstimate>> {
        let ranges = self.variance.ranges();
        let output = |(i, (lower, upper)): (usize, &(f64, f64))| match i {
            0 => truth,
            ROWS => rows as f64,
            _ => 0.5 * (lower + upper),
        };
        let one: Vec<f64> = ranges.iter().enumerate().map(output).collect();
        let case = Case::at_truth(self, one.repeat(self.cells()));
        Some(redrawn_points(self, &case, draws))
    }

    fn worst_cases(&self, scenario: &Scenario) -> Vec<ExpectedError> {
        self.variance.worst(scenario, Of::Root)
    }

    fn moment_region(&self) -> Option<MomentRegion> {
        self.variance.moment_region()
    }

    fn interval_method(&self) -> IntervalMethod {
        self.variance.interval_method()
    }
}

impl<C: Spread> Simulated for Root<C> {
    fn vector(&self) -> Option<&SharedVector> {
        self.variance.vector()
    }

    fn raw(&self, measured: &[&[i128]]) -> Vec<Option<f64>> {
        let raw = self.variance.raw(measured).into_iter().enumerate();
        raw.map(|(i, raw)| if self.is_root(i) { raw.filter(|raw| *raw >= 0.0).map(f64::sqrt) } else { raw }).collect()
    }

    fn point(&self, measured: &[&[i128]]) -> Vec<f64> {
        self.roots(self.variance.point(measured))
    }

    fn answers_at(&self, estimates: &[f64], measured: &[&[i128]]) -> Vec<Vec<i128>> {
        let square = |(i, value): (usize, &f64)| if self.is_root(i) { value * value } else { *value };
        self.variance.answers_at(&estimates.iter().enumerate().map(square).collect::<Vec<_>>(), measured)
    }
}
