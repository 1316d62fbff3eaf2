//! The variance of a public number of rows: one integer, one mechanism.

use inbounds_core::{Epsilon, Rational};
use inbounds_mechanisms::{
    mechanism::Measurements,
    sampler::{Entropy, SeededEntropy},
};

use crate::{
    Component, Direct, Estimate, ExpectedError, StatisticError,
    compound::{Ask, Compound, Moments, Output, Setting, Unit},
    second_moments::{Entry, OnGrid},
};

/// `sum (x - mean)^2 / (n - 1)` over a public number `n` of rows, measured by any mechanism of the registry.
///
/// # Law
/// Sensitivity `R^2 / n` for bounds `R` apart, range `[0, n R^2 / (4 (n - 1))]` for even `n`, `[0, (n + 1) R^2 / (4 n)]` for odd
/// `n`; the integer that is measured and its step are those of the crate's second moments. Claim: `covariance-substitute`.
///
/// # Guarantee
/// That of the mechanism. Bias, error and interval are the mechanism's own.
#[derive(Debug, Clone)]
pub struct PublicRows {
    column: OnGrid,
    entry: Entry,
    direct: Direct,
    epsilon: Epsilon,
}

impl PublicRows {
    pub(super) fn prepare(setting: &Setting, column: OnGrid, rows: u64) -> Result<Self, StatisticError> {
        let role = format!("variance of {}", column.name);
        let entry = Entry::prepare(setting, (role, &Rational::ONE), (&column, &column), rows, true)?;
        let direct = Direct { component: entry.component.clone() };
        Ok(Self { column, entry, direct, epsilon: setting.epsilon.clone() })
    }
}

impl Compound for PublicRows {
    fn ask(&self) -> Ask {
        Ask { clips: vec![self.column.clip], products: vec![(0, 0)], edges: None }
    }

    fn components(&self) -> Vec<&Component> {
        vec![&self.direct.component]
    }

    fn outputs(&self) -> Vec<Output> {
        vec![Output { name: String::new(), unit: Unit::Columns(vec![0, 0]) }]
    }

    fn cells(&self) -> usize {
        1
    }

    fn measure(&self, moments: Moments, entropy: &mut dyn Entropy) -> Vec<Measurements> {
        let answer = self.entry.answer(&moments, (0, 0), 0);
        vec![Measurements::take(self.direct.component.mechanism.clone(), answer, entropy)]
    }

    fn raw(&self, measured: &[&[i128]]) -> Vec<Option<f64>> {
        vec![Some(self.direct.component.value(measured[0][0]))]
    }

    fn point(&self, measured: &[&[i128]]) -> Vec<f64> {
        let steps = self.direct.component.mechanism.estimate(measured[0][0]);
        vec![self.direct.component.value(steps.whole) + steps.fraction * self.direct.component.step()]
    }

    fn answers_at(&self, estimates: &[f64], _: &[&[i128]]) -> Vec<Vec<i128>> {
        vec![vec![self.entry.steps_of(estimates[0])]]
    }

    fn ranges(&self) -> Vec<(f64, f64)> {
        let end = |steps: Option<i128>, open: f64| steps.map_or(open, |steps| self.direct.component.value(steps));
        let range = self.direct.component.mechanism.range();
        vec![(end(range.lower(), f64::NEG_INFINITY), end(range.upper(), f64::INFINITY))]
    }

    fn estimate(&self, measured: &[Measurements], level: f64, seed: u64) -> Vec<Estimate> {
        self.direct.estimate(&measured[0], level, &mut SeededEntropy::from_seed(seed))
    }

    fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    fn expected_errors(&self) -> Vec<ExpectedError> {
        self.direct.expected_errors()
    }

    fn worst_bias(&self) -> Option<f64> {
        Some(self.direct.worst_bias())
    }

    fn bias_formula(&self) -> &'static str {
        self.direct.component.mechanism.bias_formula()
    }

    fn interval_method(&self) -> &'static str {
        self.direct.component.mechanism.interval_method()
    }
}
