//! The variance of a private number of rows, from three noisy sums that are one vector.

use inbounds_core::{Answer, Epsilon, Quantity, Tally};
use inbounds_mechanisms::mechanism::Measurements;

use crate::{
    Ask, Case, CellEntry, Component, ErrorDependence, Estimate, ExpectedError, MomentRegion, Output, PossibleEstimate,
    RowsMeasured, Scenario, Setting, SharedVector, Simulated, Simulation, Statistic, StatisticError, Unit, expected,
    population::{Interval, NoInterval, private_rows},
    redrawn_points,
    second_moments::{Cloud, Clouds, Moments, OnGrid, Truth},
    simulate,
    variance::root::{Of, Spread},
    worst::{self, Errors, Known},
};

/// `sum (x - mean)^2 / n` for a private number `n` of rows in each cell, with the mean and `n` beside it.
///
/// # Law
/// The squared distances of rows to both bounds, and twice the products of these distances, are summed as one vector of
/// l1 sensitivity `R^2` with all of epsilon, where `R` is the distance of the bounds ([`crate::of_bernstein`]). They
/// are linear in the number `n` of rows, the sum `S` of `x - c` and the sum `T` of `(x - c)^2`, where `c` is the middle
/// of the bounds. With the noisy values and `m = max(n, 1)`
///
/// ```text
/// mean = c + clamp(S / m; -R/2, R/2),      variance = clamp(T/m - (mean - c)^2; 0, R^2/4)
/// ```
///
/// Where noise is shared with other statistics, `n`, `S` and `T` themselves are numbers of its vector.
///
/// Claims: `bernstein-add-remove`, `bernstein-substitute`, `floor-sensitivity`.
///
/// # Guarantee
/// Bias, error and interval are simulated around the estimates ([`crate::simulate`]). The largest error over all rows
/// within the bounds is searched for ([`crate::worst`]).
#[derive(Debug, Clone)]
pub(crate) struct PrivateRows {
    sums: Moments,
    column: OnGrid,
    most_rows: Option<u64>,
    epsilon: Epsilon,
}

impl PrivateRows {
    pub(super) fn prepare(kind: &'static str, setting: &Setting, column: OnGrid) -> Result<Self, StatisticError> {
        let sums = Moments::prepare(kind, setting, vec![column.clone()])?;
        Ok(Self { sums, column, most_rows: setting.design.rows, epsilon: setting.epsilon.clone() })
    }

    fn each_cell<T>(&self, outputs: impl Fn(usize) -> [T; 3]) -> Vec<T> {
        (0..self.sums.cells()).flat_map(outputs).collect()
    }

    fn rows_range(&self) -> (f64, f64) {
        (0.0, self.most_rows.map_or(f64::INFINITY, |rows| rows as f64))
    }
}

impl Statistic for PrivateRows {
    fn ask(&self) -> Ask {
        Ask { clips: vec![self.column.clip], products: vec![(0, 0)], ..Ask::default() }
    }

    fn components(&self) -> Vec<&Component> {
        self.sums.components()
    }

    fn rows_measured(&self) -> Vec<RowsMeasured> {
        vec![self.sums.rows_measured()]
    }

    fn entries(&self, _: usize) -> Vec<CellEntry> {
        self.sums.entries()
    }

    fn outputs(&self) -> Vec<Output> {
        let column = || self.column.name.clone();
        vec![
            Output { quantity: Quantity::Variance { column: column() }, unit: Unit::Columns(vec![0, 0]) },
            Output { quantity: Quantity::Mean { column: Some(column()) }, unit: Unit::Columns(vec![0]) },
            Output { quantity: Quantity::Rows, unit: Unit::Rows },
        ]
    }

    fn cells(&self) -> usize {
        self.sums.cells()
    }

    fn answers(&self, tally: Tally) -> Vec<Answer> {
        self.sums.answers(tally)
    }

    fn ranges(&self) -> Vec<(f64, f64)> {
        vec![(0.0, self.column.span().powi(2) / 4.0), self.column.range(), self.rows_range()]
    }

    fn estimate(&self, measured: &[Measurements], level: f64, seed: u64) -> Vec<Estimate> {
        simulate(self, measured, &Simulation::at(level, seed))
    }

    fn has_population_interval(&self) -> Result<(), NoInterval> {
        NoInterval::judge_rows(self.most_rows)
    }

    /// Of variance and mean; the number of rows is of no population.
    fn population_intervals(
        &self,
        measured: &[Measurements],
        level: f64,
        seed: u64,
    ) -> Result<Vec<Option<Interval>>, StatisticError> {
        let cells = private_rows(self, measured, level, seed)?;
        Ok(cells.into_iter().flat_map(|[variance, mean]| [Some(variance), Some(mean), None]).collect())
    }

    fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    fn error_dependence(&self) -> ErrorDependence {
        ErrorDependence::Rows
    }

    fn expects_half_widths(&self) -> bool {
        false
    }

    fn expected_errors(&self, scenario: &Scenario) -> Vec<ExpectedError> {
        let (span, middle) = (self.column.span(), self.column.middle());
        let spreads = [("one value", 0.0), ("evenly spread values", span * span / 12.0)];
        let sizes = scenario.sizes_up_to(self.rows_range().1).into_iter();
        let cases: Vec<_> = sizes.flat_map(|rows| spreads.map(|(name, spread)| (rows, name, spread))).collect();
        let truths: Vec<_> = cases.iter().map(|(rows, _, spread)| vec![*spread, middle, *rows]).collect();
        let errors = expected(self, &truths).into_iter().map(|errors| errors[0]);
        let cases = cases.into_iter().zip(errors);
        cases
            .map(|((rows, name, _), (bias, rmse))| {
                let case = format!("{name}, group of {rows} rows");
                ExpectedError { case, bias, rmse, half_width: None }
            })
            .collect()
    }

    fn possible_estimates(&self, truth: f64, rows: u64, draws: usize, _: f64) -> Option<Vec<PossibleEstimate>> {
        let case = Case::at_truth(self, [truth, self.column.middle(), rows as f64].repeat(self.cells()));
        Some(redrawn_points(self, &case, draws))
    }

    fn worst_cases(&self, scenario: &Scenario) -> Vec<ExpectedError> {
        self.worst(scenario, Of::Variance)
    }

    fn moment_region(&self) -> Option<MomentRegion> {
        let (lower, upper) = self.column.range();
        Some(MomentRegion { lower, upper, has_deviation: true })
    }
}

impl Spread for PrivateRows {
    fn worst(&self, scenario: &Scenario, spread: Of) -> Vec<ExpectedError> {
        let span = self.column.span();
        let (error, unit): (Errors, f64) = match spread {
            Of::Variance => (Cloud::of_variance, span * span),
            Of::Root => (Cloud::of_root, span),
        };
        let clouds = Clouds::new(|fineness| self.sums.cloud(fineness));
        let known = Known::new(&scenario.moments, (self.column.middle(), span));
        let sizes = scenario.sizes_up_to(self.rows_range().1).into_iter();
        let of_group = |rows: f64| {
            let (_, noise) = self.sums.noise(0, rows, 0.5 * span, 0.0);
            let worst = worst::of_known_spread(&clouds, (rows, noise / (span * span)), known, error);
            ExpectedError::worst((&scenario.moments, rows), (unit * worst.bias, unit * worst.rmse), None)
        };
        sizes.map(of_group).collect()
    }
}

impl Simulated for PrivateRows {
    fn vector(&self) -> Option<&SharedVector> {
        self.sums.vector()
    }

    fn raw(&self, measured: &[&[i128]]) -> Vec<Option<f64>> {
        self.each_cell(|index| {
            let cell = self.sums.cell(measured, index);
            let deviation = cell.deviations[0];
            let counted = |value: f64| (cell.count > 0.0).then_some(value);
            [
                counted(cell.squares[0] - deviation * deviation),
                counted(self.column.middle() + deviation),
                Some(cell.count),
            ]
        })
    }

    fn point(&self, measured: &[&[i128]]) -> Vec<f64> {
        let (lowest, most) = self.rows_range();
        let span = self.column.span();
        self.each_cell(|index| {
            let cell = self.sums.cell(measured, index);
            let deviation = cell.deviations[0].clamp(-0.5 * span, 0.5 * span);
            let variance = cell.squares[0] - deviation * deviation;
            [
                variance.clamp(0.0, span * span / 4.0),
                self.column.middle() + deviation,
                cell.count.round().clamp(lowest, most),
            ]
        })
    }

    fn answers_at(&self, estimates: &[f64], _: &[&[i128]]) -> Vec<Vec<i128>> {
        let truth = |outputs: &[f64]| Truth {
            rows: outputs[2],
            deviations: vec![outputs[1] - self.column.middle()],
            variances: vec![outputs[0]],
        };
        self.sums.answers_at(&estimates.chunks(3).map(truth).collect::<Vec<_>>())
    }
}
