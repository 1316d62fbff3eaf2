//! All entries as one vector with one sensitivity.

use inbounds_core::{Answer, Epsilon, Grid, IntervalMethod, Quantity, Rational, StepRange, Tally};
use inbounds_mechanisms::mechanism::Measurements;

use super::{
    carries::carries,
    expected::{self, Expected},
    layout::{Layout, place},
};
use crate::{
    Ask, CellEntry, Component, Estimate, ExpectedError, Output, Scenario, Setting, Simulated, Simulation, Statistic,
    StatisticError,
    population::NoInterval,
    second_moments::{centred_product, coarsening, power_of_two},
    sensitivity::of_covariance_matrix,
    simulate,
};

/// The covariance matrix of a public number of rows, measured as one vector of its entries with every column divided by
/// the width of its bounds.
///
/// # Law
/// The answer of an entry is `floor(2^t V / ((n - 1) Rj Rk))`, with `V` as in [`crate::of_centred_product`], so that
/// one row moves each by at most `2^t` steps, all `m = d (d + 1)/2` of them by `m 2^t` in l1 and `sqrt(m) 2^t` in l2.
/// Noise is added, the matrix is moved to the nearest positive semidefinite one, and rows and columns whose variance
/// then passes its range are scaled down to it. Claim: `covariance-matrix-substitute`.
///
/// # Guarantee
/// That of the noise. With Laplace noise the scale of each entry is what [`super::Entrywise`] has; with Gaussian noise
/// it grows with `sqrt(m)` and not with `m`.
#[derive(Debug, Clone)]
pub(super) struct Whole {
    layout: Layout,
    component: Component,
    factors: Vec<Rational>,
    rows: u64,
    epsilon: Epsilon,
}

impl Whole {
    pub(super) fn prepare(
        kind: &'static str,
        setting: &Setting,
        layout: Layout,
        rows: u64,
    ) -> Result<Self, StatisticError> {
        if !setting.mechanism.entry().is_clamped() {
            return Err(StatisticError::SumsMechanism { kind });
        }
        let entries = layout.pairs.len();
        let bits = (-coarsening(entries as f64, setting.epsilon.value().to_f64())).max(0);
        let sensitivity = of_covariance_matrix(layout.size(), 1 << bits);
        let named = (Quantity::NormalisedCovariances, &Rational::ONE);
        let unit = (Grid::power_of_two(-bits)?, rows);
        let component = setting.component(named, unit, &sensitivity, StepRange::UNBOUNDED)?;
        let factor = |&(j, k): &(usize, usize)| {
            let area = &Rational::from(layout.columns[j].width()) * &Rational::from(layout.columns[k].width());
            &power_of_two(bits) / &(&area * &Rational::from(u128::from(rows - 1)))
        };
        let factors = layout.pairs.iter().map(factor).collect();
        let matrix = Self { layout, component, factors, rows, epsilon: setting.epsilon.clone() };
        carries(&matrix.component, matrix.largest(), entries, &setting.epsilon)?;
        Ok(matrix)
    }

    /// The largest variance in squared widths.
    fn largest(&self) -> f64 {
        let (n, half) = (self.rows as f64, (self.rows / 2) as f64);
        half * (n - half) / (n * (n - 1.0))
    }
}

impl Statistic for Whole {
    fn ask(&self) -> Ask {
        self.layout.ask()
    }

    fn components(&self) -> Vec<&Component> {
        vec![&self.component]
    }

    fn entries(&self, _component: usize) -> Vec<CellEntry> {
        self.layout.pairs.iter().map(|pair| CellEntry::Of(self.layout.quantity(*pair))).collect()
    }

    fn outputs(&self) -> Vec<Output> {
        self.layout.outputs()
    }

    fn cells(&self) -> usize {
        1
    }

    fn answers(&self, tally: Tally) -> Vec<Answer> {
        let answer = |(product, (pair, factor)): (usize, (&(usize, usize), &Rational))| {
            centred_product(&tally, self.rows, *pair, product).scaled(factor)
        };
        let answers: Vec<Answer> = self.layout.pairs.iter().zip(&self.factors).enumerate().map(answer).collect();
        vec![Answer::side_by_side(&answers)]
    }

    fn ranges(&self) -> Vec<(f64, f64)> {
        self.layout.ranges(self.largest())
    }

    fn estimate(&self, measured: &[Measurements], level: f64, seed: u64) -> Vec<Estimate> {
        let simulated = simulate(self, measured, &Simulation { level, seed, ..Simulation::default() });
        let ranges = self.ranges();
        let with_interval = |(place, estimate): (usize, Estimate)| {
            let interval = self.component.mechanism.interval(measured[0].steps()[place], level);
            let (lowest, highest) = ranges[place];
            let end = |steps: Option<i128>, open: f64| {
                let value = steps.map_or(open, |steps| self.component.value(steps));
                (value * self.layout.area(self.layout.pairs[place])).clamp(lowest, highest)
            };
            let (lower, upper) = (end(interval.lower, f64::NEG_INFINITY), end(interval.upper, f64::INFINITY));
            Estimate { lower: lower.min(estimate.value), upper: upper.max(estimate.value), ..estimate }
        };
        simulated.into_iter().enumerate().map(with_interval).collect()
    }

    fn has_population_interval(&self) -> Result<(), NoInterval> {
        Err(NoInterval::WholeMatrix)
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
        IntervalMethod::NoiseQuantileCutToRange
    }
}

impl Simulated for Whole {
    fn raw(&self, measured: &[&[i128]]) -> Vec<Option<f64>> {
        let value =
            |(pair, steps): (&(usize, usize), &i128)| Some(self.component.value(*steps) * self.layout.area(*pair));
        self.layout.pairs.iter().zip(measured[0]).map(value).collect()
    }

    fn point(&self, measured: &[&[i128]]) -> Vec<f64> {
        let raw: Vec<f64> = self.raw(measured).into_iter().flatten().collect();
        let nearest = self.layout.semidefinite(&raw, false);
        let size = self.layout.size();
        let scale: Vec<f64> = (0..size)
            .map(|j| {
                let (largest, variance) = (self.largest() * self.layout.area((j, j)), nearest[place(size, j, j)]);
                if variance > largest { (largest / variance).sqrt() } else { 1.0 }
            })
            .collect();
        let bounded = |(&(j, k), entry): (&(usize, usize), f64)| {
            let scaled = entry * scale[j] * scale[k];
            // Rounding leaves a variance of zero a hair below it, or one at its largest a hair above.
            if j == k { scaled.clamp(0.0, self.largest() * self.layout.area((j, j))) } else { scaled }
        };
        self.layout.pairs.iter().zip(nearest).map(bounded).collect()
    }

    fn answers_at(&self, estimates: &[f64], _: &[&[i128]]) -> Vec<Vec<i128>> {
        let steps = |(pair, value): (&(usize, usize), &f64)| {
            libm::round(value / self.layout.area(*pair) / self.component.step()) as i128
        };
        vec![self.layout.pairs.iter().zip(estimates).map(steps).collect()]
    }
}

impl Expected for Whole {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn groups(&self, _: &Scenario) -> Vec<(String, Vec<f64>)> {
        vec![(String::new(), Vec::new())]
    }
}
