//! Means and variances of a private number of rows, from conditioned sums in place of clamped ones.

use inbounds_mechanisms::{
    bounding::{Conditioned, Range},
    calibrate::continuous_conditioned_scale,
    law::{Laplace, Noise},
};
use inbounds_plot::{At, Axis, Figure, Reference, Series};

use crate::{
    Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    draws::Draws,
    monte_carlo::{Mean, simulate},
    picture::panel,
};

pub(super) const STUDY: Study = Study {
    id: "holohan-noisy-sums",
    paper: Paper::Holohan,
    place: "Section 6, beyond a public number of rows",
    claim: "The paper conditions variances whose number of rows is exact. Where it is private, mean and variance are made of \
            noisy sums; what conditioned sums would do to them is not asked.",
    statements: &[],
    replicates: 100_000,
    compute,
};

/// Epsilon and rows: 1, 3, 10, 30 and 100 rows times epsilon.
const GROUPS: [(f64, f64); 10] = [
    (0.1, 10.0),
    (0.1, 30.0),
    (0.1, 100.0),
    (0.1, 300.0),
    (0.1, 1000.0),
    (1.0, 1.0),
    (1.0, 3.0),
    (1.0, 10.0),
    (1.0, 30.0),
    (1.0, 100.0),
];

/// Rows times epsilon from which conditioning is claimed to err more.
const MANY: f64 = 10.0;

/// A column within 0 and 1.
struct Column {
    name: &'static str,
    mean: f64,
    deviation: f64,
}

const COLUMNS: [Column; 5] = [
    Column { name: "all rows at the lower bound", mean: 0.0, deviation: 0.0 },
    Column { name: "mean 0.1, deviation 0.1", mean: 0.1, deviation: 0.1 },
    Column { name: "all rows in the middle", mean: 0.5, deviation: 0.0 },
    Column { name: "mean 0.5, deviation 0.25", mean: 0.5, deviation: 0.25 },
    Column { name: "half of the rows at either bound", mean: 0.5, deviation: 0.5 },
];

/// What the sums make, and what it is of the whole column.
struct Estimator<const K: usize> {
    name: &'static str,
    /// What a row adds to each sum, on average; together 1 for each row.
    parts: fn(&Column) -> [f64; K],
    estimate: fn(&[f64; K]) -> f64,
    truth: fn(&Column) -> f64,
    /// An RMSE above which an estimate says little: a fifth of the bounds for a mean, a quarter of the largest
    /// variance.
    useless: f64,
}

/// Distances to both bounds.
const MEAN: Estimator<2> = Estimator {
    name: "mean",
    parts: |column| [column.mean, 1.0 - column.mean],
    estimate: |[above, below]| (0.5 + (above - below) / 2.0 / (above + below).max(1.0)).clamp(0.0, 1.0),
    truth: |column| column.mean,
    useless: 0.2,
};

/// `(1 - x)^2`, `2 x (1 - x)` and `x^2`.
const VARIANCE: Estimator<3> = Estimator {
    name: "variance",
    parts: |column| {
        let second = column.mean * column.mean + column.deviation * column.deviation;
        [1.0 - 2.0 * column.mean + second, 2.0 * (column.mean - second), second]
    },
    estimate: |[below, between, above]| {
        let rows = (below + between + above).max(1.0);
        let mean = (above + 0.5 * between) / rows;
        (above / rows - mean * mean).clamp(0.0, 0.25)
    },
    truth: |column| column.deviation * column.deviation,
    useless: 0.0625,
};

/// Squared errors with clamped and with conditioned sums.
type Squares = [Mean; 2];

impl<const K: usize> Estimator<K> {
    /// Squared errors from the same uniforms. Clamped sums are plain Laplace noise of scale `1 / epsilon`, clamped
    /// where they are estimated from. A row that moves all conditioned sums alike costs most, since the loss of each is
    /// concave in its change, so that each has an even part of epsilon and of the change.
    fn squares(&self, context: &Context<'_>, group: (f64, f64), column: &Column) -> Result<Squares, StudyError> {
        let (epsilon, rows) = group;
        let (half_line, part) = (Range::new(0.0, f64::INFINITY)?, 1.0 / K as f64);
        let plain = Laplace::with_scale(1.0 / epsilon)?;
        let scale = continuous_conditioned_scale(epsilon * part, part, f64::INFINITY);
        let conditioned = Conditioned::new(Laplace::with_scale(scale)?, half_line);
        let (sums, truth) = ((self.parts)(column).map(|part| rows * part), (self.truth)(column));
        let square = |sums: &[f64; K]| ((self.estimate)(sums) - truth).powi(2);
        let name = format!("{} {rows} {epsilon} {}", self.name, column.name);
        Ok(simulate(context, &name, Squares::default, |draws: &mut Draws, squares| {
            let uniforms = sums.map(|_| draws.uniform());
            let drawn = |sum: &dyn Fn(f64, f64) -> f64| std::array::from_fn(|at| sum(uniforms[at], sums[at]));
            squares[0].add(square(&drawn(&|uniform, sum| sum + plain.quantile(uniform))));
            squares[1].add(square(&drawn(&|uniform, sum| conditioned.quantile(uniform, sum))));
        }))
    }

    /// Ratios of the RMSE with conditioned sums to that with clamped ones, for each column and group.
    fn compare(
        &self,
        context: &Context<'_>,
        table: &mut Table,
        checks: &mut Vec<Check>,
    ) -> Result<Vec<Series>, StudyError> {
        let mut series = Vec::new();
        for column in &COLUMNS {
            let mut points = Vec::new();
            for group in GROUPS {
                let (epsilon, rows) = group;
                let [(clamped, its), (conditioned, own)] =
                    self.squares(context, group, column)?.map(|squares| squares.root());
                let ratio = conditioned / clamped;
                let error = ratio * libm::hypot(its / clamped, own / conditioned);
                table.push([
                    self.name.into(),
                    column.name.into(),
                    epsilon.into(),
                    rows.into(),
                    clamped.into(),
                    conditioned.into(),
                ]);
                if epsilon == 1.0 {
                    points.push((rows, ratio));
                }
                let case = format!("{}, {rows} rows, epsilon {epsilon}", column.name);
                checks.push(if rows * epsilon >= MANY {
                    let quantity =
                        format!("RMSE of a {} with conditioned sums over that with clamped ones: {case}", self.name);
                    Check::ours(quantity, Claim::Above(1.0), ratio, error)
                } else {
                    let quantity = format!("RMSE of a {} with conditioned sums: {case}", self.name);
                    Check::ours(quantity, Claim::Above(self.useless), conditioned, own)
                });
            }
            series.push(Series::line(column.name, points));
        }
        Ok(series)
    }
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let columns = ["statistic", "column", "epsilon", "rows", "rmse_clamped", "rmse_conditioned"];
    let (mut table, mut checks) = (Table::new("errors", columns), Vec::new());
    let lines = [MEAN.compare(context, &mut table, &mut checks)?, VARIANCE.compare(context, &mut table, &mut checks)?];
    let panels = lines.into_iter().zip(["mean", "variance"]).map(|(series, name)| {
        let mut panel =
            panel(name, Axis::log("rows, at epsilon 1"), Axis::linear("RMSE conditioned / clamped"), series);
        panel.references.push(Reference { at: At::Y(1.0), label: "as much".to_owned() });
        panel
    });
    let figure = Figure::row("Conditioned sums beside clamped ones", panels.collect());
    let ratios = checks.iter().filter(|check| check.claimed == Claim::Above(1.0)).map(|check| check.computed);
    let (least, most) =
        ratios.fold((f64::INFINITY, 0.0_f64), |(least, most), ratio| (least.min(ratio), most.max(ratio)));
    let prose = format!(
        "From {MANY} rows times epsilon on, a mean or variance errs {least:.1} to {most:.1} times as much when it is made of \
         conditioned sums, also where the variance is zero: their scale is nearly twice as large, and each sum is biased. With \
         fewer rows they err less in the middle of the bounds, where a clamp at either end is wrong, but there the RMSE of a mean \
         is more than a fifth of the width of the bounds, and that of a variance more than a quarter of the largest. So plans have no \
         conditioned noise for means and variances of a private number of rows, nor for naive Bayes, whose released variances are \
         positive posterior means."
    );
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: None })
}
