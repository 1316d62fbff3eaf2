//! The sum of a column over a private number of rows. With `N'` the noisy number of rows, `S'` the noisy sum of `x - c`
//! and `c` the middle of the bounds,
//!
//! ```text
//! estimate = clamp( S' + c N' ; range ).
//! ```
//!
//! Both numbers are those of a mean of the column, so that a sum beside a mean costs nothing. Their noise is never
//! wider than that of the sum itself, which a row moves by up to `|c| + (u - l) / 2`.

use inbounds_core::{Answer, Epsilon, IntervalMethod, StepRange, Tally};
use inbounds_mechanisms::{law::Noise, mechanism::Measurements};

use super::RowsAndSum;
use crate::{
    Ask, Case, Column, Component, ErrorDependence, Estimate, ExpectedError, Output, OutputRange, PossibleEstimate,
    RowsMeasured, Scenario, Setting, SharedVector, Simulated, Simulation, Statistic, StatisticError, WorstError,
    errors_of_cells, redrawn, second_moments::OnGrid, sensitivity::range_of_sum, simulate,
};

/// A noisy sum and a noisy number of rows for each cell, and the sum over the column that they make.
///
/// # Guarantee
/// Raw values are unbiased. Bias and RMSE are simulated around the estimates ([`simulate`]); intervals are quantiles of
/// the noise.
#[derive(Debug, Clone)]
pub(crate) struct SharedSum {
    numbers: RowsAndSum,
    range: StepRange,
    epsilon: Epsilon,
}

impl SharedSum {
    /// Calibrates sum and number of rows as numbers of the setting.
    pub(crate) fn prepare(setting: &Setting, column: &Column, range: &OutputRange) -> Result<Self, StatisticError> {
        let column = OnGrid::new("sum", column, None)?;
        let ends = range_of_sum(column.clip.ends(), None, setting.design.rows);
        let range = range.in_steps((column.gridded.grid, 1), ends)?;
        let numbers = RowsAndSum::prepare("sum", setting, column)?;
        Ok(Self { numbers, range, epsilon: setting.epsilon.clone() })
    }

    /// The range in the column's unit.
    fn ends(&self) -> (f64, f64) {
        let end = |steps: Option<i128>, open: f64| {
            steps.map_or(open, |steps| self.numbers.column().gridded.grid.value(steps))
        };
        (end(self.range.lower(), f64::NEG_INFINITY), end(self.range.upper(), f64::INFINITY))
    }

    fn clamp(&self, sum: f64) -> f64 {
        let (lower, upper) = self.ends();
        sum.clamp(lower, upper)
    }

    /// Raw sums of the cells.
    fn values<'a>(&'a self, measured: &'a [&[i128]]) -> impl Iterator<Item = f64> + 'a {
        let middle = self.numbers.middle();
        self.numbers.pairs(measured).map(move |(sum, rows)| sum + middle * rows)
    }

    /// Half the width of an interval at a level.
    fn radius(&self, level: f64) -> f64 {
        let ((of_sum, of_rows), middle) = (self.numbers.spread(), self.numbers.middle().abs());
        let quantile = self.numbers.radii(level).quantile(of_sum.scale, middle * of_rows.scale);
        quantile + of_sum.rounding + middle * of_rows.rounding
    }

    /// The standard deviation of a raw value. The numbers of one vector are uncorrelated.
    fn deviation(&self) -> f64 {
        let component_deviation =
            |component: &Component| component.mechanism.noise().variance().sqrt() * component.step();
        component_deviation(self.numbers.sum()).hypot(self.numbers.middle() * component_deviation(self.numbers.rows()))
    }

    /// The numbers of a cell with this sum over this many rows.
    fn answer_of(&self, sum: f64, rows: i128) -> [i128; 2] {
        let deviations = sum - self.numbers.middle() * rows as f64;
        [rows, (deviations / self.numbers.sum().step()).round() as i128]
    }
}

impl Statistic for SharedSum {
    fn ask(&self) -> Ask {
        self.numbers.ask()
    }

    fn components(&self) -> Vec<&Component> {
        self.numbers.sums.components()
    }

    fn rows_measured(&self) -> Vec<RowsMeasured> {
        vec![RowsMeasured::COUNTS]
    }

    fn outputs(&self) -> Vec<Output> {
        RowsAndSum::outputs()
    }

    fn cells(&self) -> usize {
        self.numbers.sums.cells
    }

    fn answers(&self, tally: Tally) -> Vec<Answer> {
        self.numbers.sums.answers(tally)
    }

    fn estimate(&self, measured: &[Measurements], level: f64, seed: u64) -> Vec<Estimate> {
        let (radius, (lower, upper)) = (self.radius(level), self.ends());
        let simulated = simulate(self, measured, &Simulation { level, seed, ..Simulation::default() });
        let with_interval = |estimate: Estimate| {
            let centre = estimate.value;
            Estimate { lower: (centre - radius).max(lower), upper: (centre + radius).min(upper), ..estimate }
        };
        simulated.into_iter().map(with_interval).collect()
    }

    fn ranges(&self) -> Vec<(f64, f64)> {
        vec![self.ends()]
    }

    fn centre_of(&self, component: &Component) -> Option<f64> {
        self.numbers.centre_of(component)
    }

    fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    fn possible_estimates(&self, truth: f64, rows: u64, draws: usize, level: f64) -> Option<Vec<PossibleEstimate>> {
        let (radius, (lower, upper)) = (self.radius(level), self.ends());
        let answer = self.answer_of(truth, i128::from(rows));
        let case = Case { answers: answer.map(|answer| vec![answer]).to_vec(), truth: vec![truth] };
        let one = |noisy: &[&[i128]]| {
            let value = self.point(noisy)[0];
            PossibleEstimate { value, interval: Some(((value - radius).max(lower), (value + radius).min(upper))) }
        };
        Some(redrawn(self, &case, draws, one))
    }

    /// Error at an end of the range and far from both.
    fn expected_errors(&self, scenario: &Scenario) -> Vec<ExpectedError> {
        let far = 40.0 * self.deviation();
        let cases = match self.ends() {
            (f64::NEG_INFINITY, f64::INFINITY) => vec![("everywhere", 0.0)],
            (f64::NEG_INFINITY, upper) => vec![("at the upper end", upper), ("far from the end", upper - far)],
            (lower, f64::INFINITY) => vec![("at the lower end", lower), ("far from the end", lower + far)],
            (lower, upper) => vec![("at the lower end", lower), ("in the middle", 0.5 * (lower + upper))],
        };
        let (radius, (lower, upper)) = (scenario.level.map(|level| self.radius(level)), self.ends());
        let errors = errors_of_cells(self, cases.iter().map(|(_, sum)| (self.answer_of(*sum, 0).to_vec(), *sum)));
        let expected = |((case, sum), (bias, rmse)): ((&str, f64), (f64, f64))| {
            let half_width = radius.map(|radius| 0.5 * ((sum + radius).min(upper) - (sum - radius).max(lower)));
            ExpectedError { case: case.to_owned(), bias, rmse, half_width }
        };
        cases.into_iter().zip(errors).map(expected).collect()
    }

    fn error_dependence(&self) -> ErrorDependence {
        ErrorDependence::Noise
    }

    /// That of the raw value: what is clamped errs no more.
    fn worst_error(&self, scenario: &Scenario) -> WorstError {
        WorstError { rmse: self.deviation(), half_width: scenario.level.map(|level| self.radius(level)) }
    }

    fn interval_method(&self) -> IntervalMethod {
        match self.range {
            StepRange::UNBOUNDED => IntervalMethod::NoiseQuantile,
            _ => IntervalMethod::NoiseQuantileCutToRange,
        }
    }
}

impl Simulated for SharedSum {
    fn vector(&self) -> Option<&SharedVector> {
        self.numbers.sums.vector.as_ref()
    }

    fn raw(&self, measured: &[&[i128]]) -> Vec<Option<f64>> {
        self.values(measured).map(Some).collect()
    }

    fn point(&self, measured: &[&[i128]]) -> Vec<f64> {
        self.values(measured).map(|sum| self.clamp(sum)).collect()
    }

    /// Of as many rows as were measured: the errors do not depend on them.
    fn answers_at(&self, estimates: &[f64], measured: &[&[i128]]) -> Vec<Vec<i128>> {
        let cells = estimates.iter().zip(measured[0]).map(|(sum, rows)| self.answer_of(*sum, *rows));
        let (counts, sums) = cells.map(|[rows, sum]| (rows, sum)).unzip();
        vec![counts, sums]
    }
}
