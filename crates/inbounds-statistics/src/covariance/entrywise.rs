//! Variances first, then covariances between the roots of their products.

use inbounds_core::{Answer, Epsilon, IntervalMethod, Rational, Tally};
use inbounds_mechanisms::mechanism::Measurements;

use super::{
    carries::carries,
    expected::{self, Expected},
    layout::{Layout, place},
};
use crate::{
    Ask, Component, Estimate, ExpectedError, Output, Scenario, Setting, Simulated, Simulation, Statistic,
    StatisticError,
    population::{self, Interval, Measured, NoInterval},
    second_moments::Entry,
    simulate,
};

/// The covariance matrix of a public number of rows, each entry measured for an equal part of epsilon by any mechanism.
///
/// # Law
/// Each variance is estimated inside its range by the mechanism, as `S_jj*`. A covariance has sensitivity `Rj Rk / n`;
/// what the mechanism makes of it is moved between `-sqrt(S_jj* S_kk*)` and `sqrt(S_jj* S_kk*)`, which the true
/// covariance may lie outside of. The matrix is then moved to the nearest positive semidefinite one with the diagonal
/// `S_jj*` ([`inbounds_project::psd`]). Claim: `covariance-substitute`.
///
/// # Guarantee
/// That of the entries together; everything after them is post-processing. Intervals are those of the mechanism for
/// each entry. Bias and error are simulated.
#[derive(Debug, Clone)]
pub(super) struct Entrywise {
    layout: Layout,
    entries: Vec<Entry>,
    rows: u64,
    epsilon: Epsilon,
}

impl Entrywise {
    pub(super) fn prepare(setting: &Setting, layout: Layout, rows: u64) -> Result<Self, StatisticError> {
        let part = Rational::ratio(1, layout.pairs.len() as u128);
        let entry = |&(j, k): &(usize, usize)| {
            let columns = (&layout.columns[j], &layout.columns[k]);
            Entry::prepare(setting, (layout.quantity((j, k)), &part), columns, rows, j == k)
        };
        let entries: Vec<Entry> = layout.pairs.iter().map(entry).collect::<Result<_, _>>()?;
        let matrix = Self { layout, entries, rows, epsilon: setting.epsilon.clone() };
        carries(&matrix.entries[0].component, matrix.ranges()[0].1, matrix.entries.len(), &setting.epsilon)?;
        Ok(matrix)
    }

    /// The mechanism's estimate of each entry.
    fn estimates(&self, measured: &[&[i128]]) -> Vec<f64> {
        let estimate = |(entry, measured): (&Entry, &&[i128])| {
            let steps = entry.component.mechanism.estimate(measured[0]);
            entry.component.value(steps.whole) + steps.fraction * entry.component.step()
        };
        self.entries.iter().zip(measured).map(estimate).collect()
    }
}

impl Statistic for Entrywise {
    fn ask(&self) -> Ask {
        self.layout.ask()
    }

    fn components(&self) -> Vec<&Component> {
        self.entries.iter().map(|entry| &entry.component).collect()
    }

    fn outputs(&self) -> Vec<Output> {
        self.layout.outputs()
    }

    fn cells(&self) -> usize {
        1
    }

    fn answers(&self, tally: Tally) -> Vec<Answer> {
        let answer =
            |(product, (entry, pair)): (usize, (&Entry, &(usize, usize)))| entry.answer(&tally, *pair, product);
        self.entries.iter().zip(&self.layout.pairs).enumerate().map(answer).collect()
    }

    fn ranges(&self) -> Vec<(f64, f64)> {
        let range = |(entry, &(j, k)): (&Entry, &(usize, usize))| {
            let largest = entry.component.end(entry.component.mechanism.range().upper(), f64::INFINITY);
            (if j == k { 0.0 } else { -largest }, largest)
        };
        self.entries.iter().zip(&self.layout.pairs).map(range).collect()
    }

    fn estimate(&self, measured: &[Measurements], level: f64, seed: u64) -> Vec<Estimate> {
        let simulated = simulate(self, measured, &Simulation { level, seed, ..Simulation::default() });
        let with_interval = |((estimate, entry), measured): ((Estimate, &Entry), &Measurements)| {
            let interval = entry.component.mechanism.interval(measured.steps()[0], level);
            let lower = entry.component.end(interval.lower, f64::NEG_INFINITY);
            let upper = entry.component.end(interval.upper, f64::INFINITY);
            Estimate { lower: lower.min(estimate.value), upper: upper.max(estimate.value), ..estimate }
        };
        simulated.into_iter().zip(&self.entries).zip(measured).map(with_interval).collect()
    }

    fn has_population_interval(&self) -> Result<(), NoInterval> {
        NoInterval::judge_rows(Some(self.rows))
    }

    fn population_intervals(
        &self,
        measured: &[Measurements],
        level: f64,
        _seed: u64,
    ) -> Result<Vec<Option<Interval>>, StatisticError> {
        let of_entry = |j: usize, k: usize| {
            let entry = place(self.layout.size(), j, k);
            Measured { component: &self.entries[entry].component, steps: measured[entry].steps()[0] }
        };
        let bounds = |j: usize| self.layout.columns[j].bounds;
        let interval = |&(j, k): &(usize, usize)| {
            let estimate = if j == k {
                population::variance(&of_entry(j, j), self.rows, bounds(j), level)?
            } else {
                let three = [of_entry(j, j), of_entry(j, k), of_entry(k, k)];
                population::covariance(three.each_ref(), self.rows, [bounds(j), bounds(k)], level)?
            };
            Ok(Some(estimate))
        };
        self.layout.pairs.iter().map(interval).collect()
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

    fn interval_method(&self) -> IntervalMethod {
        self.entries[0].component.mechanism.interval_method()
    }
}

impl Simulated for Entrywise {
    fn raw(&self, measured: &[&[i128]]) -> Vec<Option<f64>> {
        self.entries.iter().zip(measured).map(|(entry, measured)| Some(entry.component.value(measured[0]))).collect()
    }

    fn point(&self, measured: &[&[i128]]) -> Vec<f64> {
        let mut entries = self.estimates(measured);
        let variances: Vec<f64> = (0..self.layout.size()).map(|j| entries[place(self.layout.size(), j, j)]).collect();
        for (entry, &(j, k)) in entries.iter_mut().zip(&self.layout.pairs) {
            if j != k {
                let largest = (variances[j] * variances[k]).sqrt();
                *entry = entry.clamp(-largest, largest);
            }
        }
        self.layout.semidefinite(&entries, true)
    }

    fn answers_at(&self, estimates: &[f64], _: &[&[i128]]) -> Vec<Vec<i128>> {
        self.entries.iter().zip(estimates).map(|(entry, value)| vec![entry.steps_of(*value)]).collect()
    }
}

impl Expected for Entrywise {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn groups(&self, _: &Scenario) -> Vec<(String, Vec<f64>)> {
        vec![(String::new(), Vec::new())]
    }
}
