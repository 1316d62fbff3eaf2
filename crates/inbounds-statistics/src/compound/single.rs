//! Statistics of one measured number a cell, bounded by its mechanism, that ask the engine for more than one sum of a column.

use inbounds_core::{Answer, Epsilon, IntervalMethod};
use inbounds_mechanisms::{
    mechanism::{BiasFormula, Measurements, StepValue},
    sampler::{Entropy, SeededEntropy},
};

use super::{Ask, Compound, Moments, Output};
use crate::{Component, Direct, Estimate, ExpectedError, RowsMeasured, Supposed, second_moments::Entry};

/// One number a cell, with the errors and intervals of its mechanism's own formulas.
#[derive(Debug, Clone)]
pub struct Single {
    pub(crate) ask: Ask,
    pub(crate) reading: Reading,
    pub(crate) output: Output,
    pub(crate) cells: usize,
    pub(crate) direct: Direct,
    pub(crate) epsilon: Epsilon,
}

/// Which number is measured.
#[derive(Debug, Clone)]
pub(crate) enum Reading {
    /// The number of rows.
    Count,
    /// The sums, each multiplied by a whole number.
    Combination(Vec<i128>),
    /// The variance of the one column over all rows.
    Variance(Entry),
}

impl Single {
    fn answer(&self, moments: &Moments) -> Answer {
        match &self.reading {
            Reading::Count => Answer::new(moments.counts.private_steps().to_vec()),
            Reading::Combination(factors) => {
                let nothing = moments.sums[0].combine(0, &moments.sums[0], 0);
                factors.iter().zip(&moments.sums).fold(nothing, |all, (factor, sum)| all.combine(1, sum, *factor))
            }
            Reading::Variance(entry) => entry.answer(moments, (0, 0), 0),
        }
    }
}

impl Compound for Single {
    fn ask(&self) -> Ask {
        self.ask.clone()
    }

    fn components(&self) -> Vec<&Component> {
        vec![&self.direct.component]
    }

    fn rows_measured(&self) -> Vec<RowsMeasured> {
        if matches!(self.reading, Reading::Count) { vec![RowsMeasured::COUNTS] } else { Vec::new() }
    }

    fn outputs(&self) -> Vec<Output> {
        vec![self.output.clone()]
    }

    fn cells(&self) -> usize {
        self.cells
    }

    fn measure(&self, moments: Moments, entropy: &mut dyn Entropy) -> Vec<Measurements> {
        vec![Measurements::take(self.direct.component.mechanism.clone(), self.answer(&moments), entropy)]
    }

    fn raw(&self, measured: &[&[i128]]) -> Vec<Option<f64>> {
        measured[0].iter().map(|steps| Some(self.direct.component.value(*steps))).collect()
    }

    /// The mechanism's estimates, which some mechanisms place between grid points.
    fn point(&self, measured: &[&[i128]]) -> Vec<f64> {
        let component = &self.direct.component;
        let value = |StepValue { whole, fraction }| component.value(whole) + fraction * component.step();
        measured[0].iter().map(|steps| value(component.mechanism.estimate(*steps))).collect()
    }

    fn answers_at(&self, estimates: &[f64], _measured: &[&[i128]]) -> Vec<Vec<i128>> {
        let step = self.direct.component.step();
        vec![estimates.iter().map(|value| (value / step).round() as i128).collect()]
    }

    fn ranges(&self) -> Vec<(f64, f64)> {
        let component = &self.direct.component;
        let end = |steps: Option<i128>, open: f64| steps.map_or(open, |steps| component.value(steps));
        let range = component.mechanism.range();
        vec![(end(range.lower(), f64::NEG_INFINITY), end(range.upper(), f64::INFINITY))]
    }

    /// By formula. Estimates between grid points are rounded at random, by the seed.
    fn estimate(&self, measured: &[Measurements], level: f64, seed: u64) -> Vec<Estimate> {
        self.direct.estimate(&measured[0], level, &mut SeededEntropy::from_seed(seed))
    }

    fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    fn expected_errors(&self, supposed: &Supposed) -> Vec<ExpectedError> {
        self.direct.expected_errors(supposed)
    }

    fn worst_bias(&self) -> Option<f64> {
        Some(self.direct.worst_bias())
    }

    fn bias_formula(&self) -> BiasFormula {
        self.direct.component.mechanism.bias_formula()
    }

    fn interval_method(&self) -> IntervalMethod {
        self.direct.component.mechanism.interval_method()
    }
}
