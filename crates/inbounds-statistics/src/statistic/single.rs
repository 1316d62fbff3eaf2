//! Statistics of one measured number a cell, bounded by its mechanism.

use std::collections::HashMap;

use inbounds_core::{Answer, Epsilon, IntervalMethod, Quantity, Tally};
use inbounds_mechanisms::{
    interval::{StepInterval, noise_radius},
    mechanism::{BiasFormula, ErrorAt, Measurements, StepValue},
    sampler::{Entropy, SeededEntropy},
};

use super::{Ask, Component, Output, Setting, Simulated, Statistic, Unit};
use crate::{
    ErrorDependence, Estimate, ExpectedError, RowsMeasured, Scenario, StatisticError, WorstError,
    population::{Interval, NoInterval, Parameter},
    second_moments::Entry,
};

/// One number a cell, with the errors and intervals of its mechanism's own formulas.
#[derive(Debug, Clone)]
pub struct Single {
    pub(crate) ask: Ask,
    pub(crate) reading: Reading,
    pub(crate) unit: Unit,
    pub(crate) cells: usize,
    pub(crate) component: Component,
    pub(crate) epsilon: Epsilon,
    /// Parameter of the population of which the rows are a sample.
    pub(crate) parameter: Option<Parameter>,
}

/// Which number is measured.
#[derive(Debug, Clone)]
pub(crate) enum Reading {
    /// The number of rows.
    Count,
    /// The number of units, each of which has one row in a cell.
    Units,
    /// The sum of the one column.
    Sum,
    /// The sums, each multiplied by a whole number.
    Combination(Vec<i128>),
    /// The variance of the one column over all rows.
    Variance(Entry),
}

impl Single {
    /// One number for each cell of the setting.
    pub(crate) fn new(setting: &Setting, reading: Reading, unit: Unit, ask: Ask, component: Component) -> Self {
        let (cells, epsilon) = (setting.cell_count(), setting.epsilon.clone());
        Self { ask, reading, unit, cells, component, epsilon, parameter: None }
    }

    /// The same with a parameter of a population.
    pub(crate) fn of_population(self, parameter: Parameter) -> Self {
        Self { parameter: Some(parameter), ..self }
    }

    fn answer(&self, tally: Tally) -> Answer {
        match &self.reading {
            Reading::Count | Reading::Units => tally.counts,
            Reading::Sum => tally.sums.into_iter().next().expect("a question with a column sums it"),
            Reading::Combination(factors) => Answer::weighted(&tally.sums, factors),
            Reading::Variance(entry) => entry.answer(&tally, (0, 0), 0),
        }
    }

    fn estimate_one(
        &self,
        measurement: i128,
        level: f64,
        rounding: &mut dyn Entropy,
        over: &mut dyn FnMut(StepInterval) -> ErrorAt,
    ) -> Estimate {
        let Component { mechanism, .. } = &self.component;
        let steps = mechanism.estimate(measurement).round(rounding);
        let interval = mechanism.interval(measurement, level);
        let (here, over) = (mechanism.error_at(steps), over(interval));
        let step = self.component.step();
        Estimate {
            measurement: Some(self.component.value(measurement)),
            value: self.component.value(steps),
            lower: self.component.end(interval.lower, f64::NEG_INFINITY),
            upper: self.component.end(interval.upper, f64::INFINITY),
            bias_at_estimate: here.bias * step,
            bias_error: 0.0,
            bias_over_interval: Some(over.bias * step),
            worst_bias: None,
            rmse_at_estimate: here.rmse * step,
            rmse_over_interval: Some(over.rmse * step),
            rmse_error: 0.0,
        }
    }
}

impl Statistic for Single {
    fn ask(&self) -> Ask {
        self.ask.clone()
    }

    fn components(&self) -> Vec<&Component> {
        vec![&self.component]
    }

    fn rows_measured(&self) -> Vec<RowsMeasured> {
        if matches!(self.reading, Reading::Count) { vec![RowsMeasured::COUNTS] } else { Vec::new() }
    }

    fn outputs(&self) -> Vec<Output> {
        vec![Output { quantity: Quantity::Statistic, unit: self.unit.clone() }]
    }

    fn cells(&self) -> usize {
        self.cells
    }

    fn published_as_estimated(&self) -> Option<&Component> {
        Some(&self.component)
    }

    fn answers(&self, tally: Tally) -> Vec<Answer> {
        vec![self.answer(tally)]
    }

    /// By formula. Estimates between grid points are rounded at random, by the seed.
    fn estimate(&self, measured: &[Measurements], level: f64, seed: u64) -> Vec<Estimate> {
        let mut rounding = SeededEntropy::from_seed(seed);
        // Small counts often share an interval.
        let mut known = HashMap::new();
        let mut over = |interval: StepInterval| {
            let entry = known.entry((interval.lower, interval.upper));
            *entry.or_insert_with(|| self.component.mechanism.error_over(interval))
        };
        let worst_bias = self.worst_bias();
        let mut estimate = |steps: &i128| {
            let estimate = self.estimate_one(*steps, level, &mut rounding, &mut over);
            Estimate { worst_bias, ..estimate }
        };
        measured[0].steps().iter().map(&mut estimate).collect()
    }

    fn ranges(&self) -> Vec<(f64, f64)> {
        let range = self.component.mechanism.range();
        let (lower, upper) = (range.lower(), range.upper());
        vec![(self.component.end(lower, f64::NEG_INFINITY), self.component.end(upper, f64::INFINITY))]
    }

    fn has_population_interval(&self) -> Result<(), NoInterval> {
        self.parameter.as_ref().ok_or(NoInterval::NoParameter)?.judge()
    }

    fn population_intervals(
        &self,
        measured: &[Measurements],
        level: f64,
        _seed: u64,
    ) -> Result<Vec<Option<Interval>>, StatisticError> {
        let parameter = self.parameter.as_ref().ok_or(NoInterval::NoParameter)?;
        let cell = |steps: &i128| Ok(Some(parameter.interval(&self.component, *steps, level)?));
        measured[0].steps().iter().map(cell).collect()
    }

    fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// Error at the ends of the range and far from them.
    fn expected_errors(&self, scenario: &Scenario) -> Vec<ExpectedError> {
        let mechanism = &self.component.mechanism;
        let (end, inside) = mechanism.landmarks();
        let is_multiplied = mechanism.relative_error().is_some();
        let (at_end, at_inside) = match (mechanism.range().lower(), mechanism.range().upper()) {
            (Some(_), Some(_)) => ("at the lower end", "in the middle"),
            (Some(_), None) if is_multiplied => ("at the lower end", "at ten times the lower end"),
            (Some(_), None) => ("at the lower end", "far from the end"),
            (None, Some(_)) => ("at the upper end", "far from the end"),
            (None, None) => ("", "everywhere"),
        };
        let expected = |(case, candidate): (&str, i128)| {
            let error = mechanism.error_at(candidate);
            let step = self.component.step();
            let width = |level: f64| {
                let interval = mechanism.interval(candidate, level);
                interval.upper.zip(interval.lower).map(|(upper, lower)| (upper - lower) as f64 * step)
            };
            ExpectedError {
                case: case.to_owned(),
                bias: error.bias * step,
                rmse: error.rmse * step,
                half_width: scenario.level.and_then(width).map(|width| 0.5 * width),
            }
        };
        end.map(|end| (at_end, end)).into_iter().chain([(at_inside, inside)]).map(expected).collect()
    }

    fn error_dependence(&self) -> ErrorDependence {
        ErrorDependence::Noise
    }

    /// The error of the raw measurement where there is one, or that of the estimate where its processing makes it
    /// larger.
    fn worst_error(&self, scenario: &Scenario) -> WorstError {
        let mechanism = &self.component.mechanism;
        let (end, inside) = mechanism.landmarks();
        let ends = [end.unwrap_or(inside), inside];
        let between = StepInterval { lower: ends.into_iter().min(), upper: ends.into_iter().max() };
        let published = mechanism.error_over(between).rmse;
        let (rmse, half_width) = if mechanism.adds_noise() {
            let raw = mechanism.noise().law().variance().sqrt();
            (raw.max(published), scenario.level.map(|level| noise_radius(mechanism.noise(), level) as f64))
        } else {
            let width = |answer: i128| {
                let interval = mechanism.interval(answer, scenario.level?);
                interval.upper.zip(interval.lower).map(|(upper, lower)| 0.5 * (upper - lower) as f64)
            };
            (published, width(ends[0]).zip(width(ends[1])).map(|(one, other)| one.max(other)))
        };
        let step = self.component.step();
        WorstError { rmse: rmse * step, half_width: half_width.map(|steps| steps * step) }
    }

    fn worst_bias(&self) -> Option<f64> {
        let bias = self.component.mechanism.worst_bias() * self.component.step();
        bias.is_finite().then_some(bias)
    }

    fn bias_formula(&self) -> BiasFormula {
        self.component.mechanism.bias_formula()
    }

    fn interval_method(&self) -> IntervalMethod {
        self.component.mechanism.interval_method()
    }
}

impl Simulated for Single {
    fn raw(&self, measured: &[&[i128]]) -> Vec<Option<f64>> {
        measured[0].iter().map(|steps| Some(self.component.value(*steps))).collect()
    }

    /// The mechanism's estimates, which some mechanisms place between grid points.
    fn point(&self, measured: &[&[i128]]) -> Vec<f64> {
        let Component { mechanism, .. } = &self.component;
        let value = |StepValue { whole, fraction }| self.component.value(whole) + fraction * self.component.step();
        measured[0].iter().map(|steps| value(mechanism.estimate(*steps))).collect()
    }

    fn answers_at(&self, estimates: &[f64], _measured: &[&[i128]]) -> Vec<Vec<i128>> {
        let step = self.component.step();
        vec![estimates.iter().map(|value| (value / step).round() as i128).collect()]
    }
}
