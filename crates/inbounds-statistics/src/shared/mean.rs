//! The mean of a private number of rows. With `N'` the noisy number of rows, `S'` the noisy sum of `x - c` and `c` the
//! middle of the bounds,
//!
//! ```text
//! estimate = clamp( c + S' / max(N', 1) ; range ).
//! ```
//!
//! The interval is the set of all `mu` in the range that a test of `S' - (mu - c) N'` does not reject ([`Radii`]), and
//! so covers for every number of rows.

use inbounds_core::{Answer, Epsilon, IntervalMethod, Tally};
use inbounds_mechanisms::{law::Noise, mechanism::Measurements};

use super::{
    RowsAndSum,
    radii::{Radii, Spread},
};
use crate::{
    Ask, Case, Column, Component, Estimate, ExpectedError, MomentRegion, Output, OutputRange, PossibleEstimate,
    RowsMeasured, Scenario, Setting, SharedVector, Simulated, Simulation, Statistic, StatisticError, errors_of_cells,
    means,
    population::NoInterval,
    redrawn,
    second_moments::{CellSums, Cloud, Clouds, Fineness, OnGrid, Rows},
    simulate,
    worst::{self, Known},
};

/// A noisy sum and a noisy number of rows for each cell, and the mean that they make.
///
/// # Guarantee
/// Bias and RMSE are simulated around the estimates ([`simulate`]), and the largest over the interval are found with
/// few points of noise ([`Cloud`]); the interval inverts a test that needs no number of rows.
#[derive(Debug, Clone)]
pub(crate) struct SharedMean {
    numbers: RowsAndSum,
    range: (f64, f64),
    epsilon: Epsilon,
}

impl SharedMean {
    /// Calibrates sum and number of rows as numbers of the setting.
    pub(crate) fn prepare(setting: &Setting, column: &Column, range: &OutputRange) -> Result<Self, StatisticError> {
        let column = OnGrid::new("mean", column, None)?;
        let range = range.of_ratio(column.range())?;
        let numbers = RowsAndSum::prepare("mean", setting, column)?;
        Ok(Self { numbers, range, epsilon: setting.epsilon.clone() })
    }

    /// The largest absolute bias, with its sign, and the largest RMSE over the means of an interval and all numbers of
    /// rows that the noisy one leaves likely. Both fall with the number of rows, but for biases that are small beside
    /// the RMSE, so the smallest likely number decides.
    fn errors_over(&self, cloud: &Cloud, interval: (f64, f64, f64), count: f64) -> (f64, f64) {
        let (span, middle) = (self.numbers.column().span(), self.numbers.middle());
        let range = ((self.range.0 - middle) / span, (self.range.1 - middle) / span);
        let noise = self.numbers.rows().mechanism.noise().variance().sqrt();
        let rows = means::fewest_rows(count, noise);
        let (bias, rmse) = means::largest_errors(interval, |mean| {
            cloud.of_mean(&Rows { rows, deviation: (mean - middle) / span, variance: 0.0 }, range)
        });
        (span * bias, span * rmse)
    }

    fn test<'a>(&self, radii: &'a Radii) -> Test<'a> {
        Test { radii, spread: self.numbers.spread(), middle: self.numbers.middle(), range: self.range }
    }

    /// The exact answers of cells with these means and numbers of rows, one vector a component.
    fn answers_of(&self, cells: impl IntoIterator<Item = (f64, f64)>) -> Vec<Vec<i128>> {
        let middle = self.numbers.middle();
        let cell = |(mean, rows): (f64, f64)| CellSums {
            rows: rows.round(),
            counted: true,
            deviations: vec![mean - middle],
            products: Vec::new(),
        };
        self.numbers.sums.answers_at(&cells.into_iter().map(cell).collect::<Vec<_>>())
    }
}

impl Statistic for SharedMean {
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
        let radii = self.numbers.radii(level);
        let test = self.test(&radii);
        let steps: Vec<&[i128]> = measured.iter().map(Measurements::steps).collect();
        let simulated = simulate(self, measured, &Simulation { level, seed, ..Simulation::default() });
        let cloud = self.numbers.sums.cloud(Fineness::COARSE);
        let with_interval = |(estimate, (_, count)): (Estimate, (f64, f64))| {
            let (lower, upper) = estimate.measurement.map_or(self.range, |mean| test.interval(mean, count));
            let (lower, upper) = (lower.min(estimate.value), upper.max(estimate.value));
            let over = self.errors_over(&cloud, (lower, estimate.value, upper), count);
            Estimate { lower, upper, ..estimate }.with_errors_over_interval(over)
        };
        simulated.into_iter().zip(self.numbers.pairs(&steps)).map(with_interval).collect()
    }

    fn ranges(&self) -> Vec<(f64, f64)> {
        vec![self.range]
    }

    fn centre_of(&self, component: &Component) -> Option<f64> {
        self.numbers.centre_of(component)
    }

    fn has_population_interval(&self) -> Result<(), NoInterval> {
        Err(NoInterval::MeanOfPrivateRows)
    }

    fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// Error at the lower end and in the middle of the range, for groups of the assumed sizes.
    fn expected_errors(&self, scenario: &Scenario) -> Vec<ExpectedError> {
        let errors = |cases: &[(f64, f64)]| {
            errors_of_cells(self, cases.iter().map(|case| (self.answers_of([*case]).concat(), case.0)))
        };
        let radii = scenario.level.map(|level| self.numbers.radii(level));
        let interval = |mean, rows| Some(self.test(radii.as_ref()?).interval(mean, rows));
        means::expected_errors(self.range, scenario, errors, interval)
    }

    fn possible_estimates(&self, truth: f64, rows: u64, draws: usize, level: f64) -> Option<Vec<PossibleEstimate>> {
        let radii = self.numbers.radii(level);
        let test = self.test(&radii);
        let case = Case { answers: self.answers_of([(truth, rows as f64)]), truth: vec![truth] };
        let one = |noisy: &[&[i128]]| {
            let value = self.point(noisy)[0];
            let (sum, count) = self.numbers.pairs(noisy).next().expect("one cell");
            let interval = match count > 0.0 {
                true => test.interval(self.numbers.middle() + sum / count, count),
                false => self.range,
            };
            PossibleEstimate { value, interval: Some((interval.0.min(value), interval.1.max(value))) }
        };
        Some(redrawn(self, &case, draws, one))
    }

    fn worst_cases(&self, scenario: &Scenario) -> Vec<ExpectedError> {
        let (span, middle) = (self.numbers.column().span(), self.numbers.middle());
        let clouds = Clouds::new(|fineness| self.numbers.sums.cloud(fineness));
        let radii = scenario.level.map(|level| self.numbers.radii(level));
        let range = ((self.range.0 - middle) / span, (self.range.1 - middle) / span);
        let known = Known::new(&scenario.moments, (middle, span));
        let (of_sum, _) = self.numbers.spread();
        let of_group = |rows: f64| {
            let worst_case = worst::of_mean(&clouds, (rows, of_sum.scale / (rows * span)), range, known);
            let half = |mean: f64| {
                let (lower, upper) = self.test(radii.as_ref()?).interval(mean, rows);
                Some(0.5 * (upper - lower))
            };
            let ends = [self.range.0, self.range.1].into_iter().filter(|_| known.deviation.is_none());
            let means = ends.chain([middle + span * worst_case.rows.deviation]);
            let half_width = means.filter_map(half).reduce(f64::max);
            ExpectedError::worst(
                (&scenario.moments, rows),
                (span * worst_case.bias, span * worst_case.rmse),
                half_width,
            )
        };
        scenario.sizes_up_to(f64::INFINITY).into_iter().map(of_group).collect()
    }

    fn moment_region(&self) -> Option<MomentRegion> {
        let (lower, upper) = self.range;
        Some(MomentRegion { lower, upper, has_deviation: false })
    }

    fn interval_method(&self) -> IntervalMethod {
        IntervalMethod::SharedNoiseTestInverted
    }
}

impl Simulated for SharedMean {
    fn vector(&self) -> Option<&SharedVector> {
        self.numbers.sums.vector.as_ref()
    }

    fn raw(&self, measured: &[&[i128]]) -> Vec<Option<f64>> {
        let middle = self.numbers.middle();
        self.numbers.pairs(measured).map(|(sum, count)| (count > 0.0).then(|| middle + sum / count)).collect()
    }

    fn point(&self, measured: &[&[i128]]) -> Vec<f64> {
        let middle = self.numbers.middle();
        let mean = |(sum, count): (f64, f64)| (middle + sum / count.max(1.0)).clamp(self.range.0, self.range.1);
        self.numbers.pairs(measured).map(mean).collect()
    }

    /// Of as many rows as were measured, at least one.
    fn answers_at(&self, estimates: &[f64], measured: &[&[i128]]) -> Vec<Vec<i128>> {
        self.answers_of(estimates.iter().zip(measured[0]).map(|(mean, count)| (*mean, *count.max(&1) as f64)))
    }
}

/// Data for a test of the mean, besides the measured numbers.
#[derive(Debug, Clone, Copy)]
struct Test<'a> {
    radii: &'a Radii,
    /// The noise of sum and number of rows.
    spread: (Spread, Spread),
    middle: f64,
    range: (f64, f64),
}

impl Test<'_> {
    /// All means in the range that the test does not reject, given `mean = c + S' / N'` and a positive `count = N'`.
    fn interval(&self, mean: f64, count: f64) -> (f64, f64) {
        let (lower, upper) = self.range;
        let (of_sum, of_count) = self.spread;
        // The radius grows with the distance from the middle by no more than this.
        if count <= of_count.scale * self.radii.steepest() + of_count.rounding {
            // The rows are lost in their noise: no mean can be told from another with certainty.
            return (lower, upper);
        }
        // A mean beyond the range is moved to the end: that only brings every mean of the range nearer, so the set
        // grows, and an impossible sum does not feign precision. The discrepancy `S' - t N' = (root - mu) N'` moves
        // faster than the radius, so the accepted means form one interval around the root.
        let root = mean.clamp(lower, upper);
        let accepts = |mean: f64| {
            let distance = (mean - self.middle).abs();
            let radius = self.radii.quantile(of_sum.scale, distance * of_count.scale);
            (root - mean).abs() * count <= radius + of_sum.rounding + distance * of_count.rounding
        };
        means::accepted(root, self.range, accepts)
    }
}

#[cfg(test)]
mod tests {
    use inbounds_core::{Delta, Neighbours};
    use inbounds_mechanisms::registry;

    use super::*;
    use crate::{ColumnBounds, Design, Missing, PrivacyUnit};

    /// No mean in the range errs more than what is stated as the worst, nor has it a wider interval, to within three
    /// standard errors of 2,000 draws, 6 %; the middle and the lower end, which were all that was stated once, do not
    /// tell it.
    #[test]
    fn no_mean_errs_more_than_the_worst() {
        let number = |text: &str| text.parse().expect("a number");
        let mut understated = 1.0_f64;
        for (mechanism, delta) in [("clamped", "0"), ("clamped-gaussian", "1e-6")] {
            for (epsilon, rows) in [("0.5", 20), ("0.1", 400), ("1", 5000)] {
                for (lower, upper) in [("-3", "5"), ("-3", "0"), ("2", "4.5")] {
                    let setting = Setting {
                        design: Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None },
                        cells: 1,
                        grouped: false,
                        filtered: false,
                        mechanism: registry::find(mechanism).expect("registered").into(),
                        epsilon: Epsilon::new(number(epsilon)).expect("positive"),
                        delta: Delta::new(number(delta)).expect("small"),
                        rho_rate: None,
                        together: None,
                    };
                    let bounds = ColumnBounds {
                        lower: number("-3"),
                        upper: number("5"),
                        integer: false,
                        missing: Missing::Drop,
                    };
                    let column = Column { name: "x".into(), bounds };
                    let range = OutputRange::Declared { lower: Some(number(lower)), upper: Some(number(upper)) };
                    let mean = SharedMean::prepare(&setting.with_numbers(2), &column, &range).expect("valid");
                    let scenario = Scenario { group_sizes: vec![rows], ..Scenario::default() };
                    let worst = &mean.worst_cases(&scenario)[0];
                    let (low, high) = mean.range;
                    let means = (0..=100).map(|part| low + (high - low) * f64::from(part) / 100.0);
                    let cells = means.map(|truth| (mean.answers_of([(truth, rows as f64)]).concat(), truth));
                    let most = errors_of_cells(&mean, cells).into_iter().map(|error| error.1).fold(0.0, f64::max);
                    let case = format!("{mechanism} {epsilon} {rows} {lower} {upper}: {most} {worst:?}");
                    assert!(most <= 1.06 * worst.rmse && 1.08 * most > worst.rmse, "{case}");
                    let cases = mean.expected_errors(&scenario);
                    let widest = cases.iter().filter_map(|case| case.half_width).fold(0.0, f64::max);
                    assert!(widest <= worst.half_width.expect("an interval"), "{case}");
                    understated = understated.max(worst.rmse / cases.iter().map(|case| case.rmse).fold(0.0, f64::max));
                }
            }
        }
        assert!(understated > 1.2, "{understated}");
    }
}
