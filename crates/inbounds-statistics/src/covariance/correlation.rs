//! Correlations from covariances.

use inbounds_core::{Answer, Epsilon, IntervalMethod, Quantity, Tally};
use inbounds_mechanisms::mechanism::Measurements;

use super::{
    expected::{Case, Expected, cases},
    layout::{place, upper_triangle},
};
use crate::{
    Ask, CellEntry, Component, Estimate, ExpectedError, Output, RowsMeasured, Scenario, SharedVector, Simulated,
    Simulation, Statistic, Unit, expected, simulate,
};

/// The part of its estimate that the lower end of a variance's interval must reach for the variance to be called known.
const KNOWN: f64 = 0.5;

/// Correlations `S_jk / sqrt(S_jj S_kk)` of a semidefinite covariance matrix, with the variances beside them.
///
/// # Law
/// The estimates are the entries of a matrix with unit diagonal and no negative eigenvalue. Where an estimated variance
/// is exactly zero the correlation is **undefined**: its raw value is missing, its estimate is 0 and its interval
/// reaches from -1 to 1 unless the covariance alone tells its sign. With zeros in their places, and 1 on the diagonal,
/// the matrix stays semidefinite.
///
/// # Interval
/// Where both variances are known to within a half (the lower ends `u`, `v` of their intervals, each at a third of the
/// error probability, are at least half of their estimates): to both sides of the raw correlation by the simulated
/// error of raw correlations ([`simulate`]), which says how the errors of covariance and variances go together.
/// Elsewhere the quotient is far from linear and the simulation not to be trusted: every `s / sqrt(x y)` with `s`, `x`,
/// `y` in the three intervals, cut to `[-1, 1]`. By the union bound that covers at the level where they do, but it is
/// some twice as wide.
#[derive(Debug, Clone)]
pub(super) struct Correlation<C> {
    covariances: C,
    columns: usize,
}

impl<C: Simulated> Correlation<C> {
    pub(super) fn new(covariances: C, columns: usize) -> Self {
        Self { covariances, columns }
    }

    /// Applies `function` to each entry beside a diagonal with the two variances of its columns, cell by cell.
    fn map<T: Clone>(&self, values: &[T], function: impl Fn(&T, &T, &T) -> T) -> Vec<T> {
        let pairs = upper_triangle(self.columns);
        let cell = |cell: &[T]| {
            let mut mapped = cell.to_vec();
            for (entry, &(j, k)) in pairs.iter().enumerate().filter(|(_, (j, k))| j != k) {
                let variance = |j: usize| &cell[place(self.columns, j, j)];
                mapped[entry] = function(&cell[entry], variance(j), variance(k));
            }
            mapped
        };
        values.chunks(self.covariances.outputs().len()).flat_map(cell).collect()
    }
}

/// `covariance / sqrt(x y)` for an entry of a semidefinite matrix.
fn correlation(covariance: &f64, x: &f64, y: &f64) -> f64 {
    if *x > 0.0 && *y > 0.0 { (covariance / (x.sqrt() * y.sqrt())).clamp(-1.0, 1.0) } else { 0.0 }
}

/// The largest `s / sqrt(x y)`, and the least, over three intervals.
fn interval(covariance: &Estimate, x: &Estimate, y: &Estimate) -> (f64, f64) {
    let (least, most) = (x.lower.max(0.0) * y.lower.max(0.0), x.upper * y.upper);
    let ratio = |s: f64, away: bool| {
        let product = if away { least } else { most };
        if s == 0.0 { 0.0 } else { (s / product.sqrt()).clamp(-1.0, 1.0) }
    };
    (ratio(covariance.lower, covariance.lower < 0.0), ratio(covariance.upper, covariance.upper > 0.0))
}

impl<C: Expected> Statistic for Correlation<C> {
    fn ask(&self) -> Ask {
        self.covariances.ask()
    }

    fn components(&self) -> Vec<&Component> {
        self.covariances.components()
    }

    fn entries(&self, component: usize) -> Vec<CellEntry> {
        self.covariances.entries(component)
    }

    fn rows_measured(&self) -> Vec<RowsMeasured> {
        self.covariances.rows_measured()
    }

    fn outputs(&self) -> Vec<Output> {
        let mut outputs = self.covariances.outputs();
        for output in &mut outputs {
            if let Quantity::Covariance { row, column } = output.quantity.clone() {
                *output = Output { quantity: Quantity::Correlation { row, column }, unit: Unit::None };
            }
        }
        outputs
    }

    fn cells(&self) -> usize {
        self.covariances.cells()
    }

    fn answers(&self, tally: Tally) -> Vec<Answer> {
        self.covariances.answers(tally)
    }

    fn ranges(&self) -> Vec<(f64, f64)> {
        self.map(&self.covariances.ranges(), |_, _, _| (-1.0, 1.0))
    }

    fn estimate(&self, measured: &[Measurements], level: f64, seed: u64) -> Vec<Estimate> {
        let simulated = simulate(self, measured, &Simulation::at(level, seed));
        let thirds = self.covariances.estimate(measured, 1.0 - (1.0 - level) / 3.0, seed);
        let at_level = self.covariances.estimate(measured, level, seed);
        let intervals = self.map(&thirds, |covariance, x, y| {
            let (lower, upper) = interval(covariance, x, y);
            Estimate { lower, upper, ..*covariance }
        });
        let pairs = upper_triangle(self.columns);
        let outputs = self.covariances.outputs().len();
        let known = |variance: &Estimate| variance.value > 0.0 && variance.lower >= KNOWN * variance.value;
        let joined = |(index, estimate): (usize, Estimate)| {
            let cell = &thirds[index / outputs * outputs..];
            let columns = pairs.get(index % outputs).filter(|(j, k)| j != k);
            let Estimate { lower, upper, .. } = match columns {
                None => at_level[index],
                Some(&(j, k)) if [j, k].iter().all(|j| known(&cell[place(self.columns, *j, *j)])) => estimate,
                Some(_) => intervals[index],
            };
            Estimate { lower: lower.min(estimate.value), upper: upper.max(estimate.value), ..estimate }
        };
        simulated.into_iter().enumerate().map(joined).collect()
    }

    fn epsilon(&self) -> &Epsilon {
        self.covariances.epsilon()
    }

    fn expects_half_widths(&self) -> bool {
        false
    }

    /// The largest of a correlation. Columns that lie closer together than evenly spread ones have larger errors.
    fn expected_errors(&self, scenario: &Scenario) -> Vec<ExpectedError> {
        let pairs = upper_triangle(self.columns);
        let cases = cases(&self.covariances, scenario);
        let truths: Vec<_> = cases.iter().map(|case| self.map(&case.truth, correlation)).collect();
        let errors = expected(self, &truths);
        cases
            .into_iter()
            .zip(errors)
            .map(|(Case { words, .. }, errors)| {
                let of_pairs = pairs.iter().zip(&errors).filter(|((j, k), _)| j != k).map(|(_, error)| *error);
                let larger = |most: (f64, f64), error: (f64, f64)| {
                    (if error.0.abs() > most.0.abs() { error.0 } else { most.0 }, most.1.max(error.1))
                };
                let (bias, rmse) = of_pairs.fold((0.0, 0.0), larger);
                ExpectedError { case: format!("{words}: a correlation"), bias, rmse, half_width: None }
            })
            .collect()
    }

    fn interval_method(&self) -> IntervalMethod {
        IntervalMethod::RatioOfIntervals
    }
}

impl<C: Expected> Simulated for Correlation<C> {
    fn vector(&self) -> Option<&SharedVector> {
        self.covariances.vector()
    }

    fn raw(&self, measured: &[&[i128]]) -> Vec<Option<f64>> {
        let point = self.covariances.point(measured);
        let both: Vec<(Option<f64>, f64)> = self.covariances.raw(measured).into_iter().zip(point).collect();
        let ratio = |(raw, _): &(Option<f64>, f64), (_, x): &(Option<f64>, f64), (_, y): &(Option<f64>, f64)| {
            let defined = *x > 0.0 && *y > 0.0;
            (raw.filter(|_| defined).map(|raw| raw / (x * y).sqrt()), 0.0)
        };
        self.map(&both, ratio).into_iter().map(|(raw, _)| raw).collect()
    }

    fn point(&self, measured: &[&[i128]]) -> Vec<f64> {
        self.map(&self.covariances.point(measured), correlation)
    }

    fn answers_at(&self, estimates: &[f64], measured: &[&[i128]]) -> Vec<Vec<i128>> {
        self.covariances.answers_at(&self.map(estimates, |correlation, x, y| correlation * (x * y).sqrt()), measured)
    }
}
