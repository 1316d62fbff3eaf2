//! True value of each statistic of the raw rows, by plain code that shares nothing with the engine.

use inbounds_core::Rational;
use inbounds_release::plan::{Column, Combination, Histogram, Missing, Plan, Quantile, Statistic, StatisticKind};
use inbounds_statistics::CombinedMeasure;

use crate::thousand::Row;

/// The outputs of a statistic in the order of its estimates; none for kinds of which no truth is known here.
pub(super) fn truth(plan: &Plan, statistic: &Statistic, rows: &[Row]) -> Option<Vec<f64>> {
    // Proportions with groups are of all of them.
    let by = statistic.by.first().filter(|_| !matches!(statistic.kind, StatisticKind::Proportion(_)));
    let Some(by) = by else { return of_rows(plan, statistic, rows) };
    let values = plan.column(&by.value).and_then(|column| column.values.as_ref()).expect("listed values");
    let of_group = |value: String| {
        let rows: Vec<Row> = rows.iter().filter(|row| row[&by.value] == value).cloned().collect();
        of_rows(plan, statistic, &rows)
    };
    let groups = values.iter().map(|value| of_group(value.value.to_string())).collect::<Option<Vec<_>>>()?;
    Some(groups.concat())
}

/// The outputs of one group, or of all rows.
fn of_rows(plan: &Plan, statistic: &Statistic, rows: &[Row]) -> Option<Vec<f64>> {
    let public = plan.privacy.rows.is_some() && statistic.filter.is_none() && statistic.by.is_empty();
    let columns: Vec<&Column> =
        statistic.columns().iter().map(|column| plan.column(&column.value).expect("a declared column")).collect();
    let every_row = public && columns.iter().all(|column| column.missing != Some(Missing::Drop));
    let complete: Vec<Vec<f64>> = rows
        .iter()
        .filter_map(|row| columns.iter().map(|column| clipped(row, column)).collect::<Option<_>>())
        .collect();
    let moments = Moments::from_rows(&complete, columns.len(), every_row);
    Some(match &statistic.kind {
        StatisticKind::Sum(_) => vec![moments.rows * moments.means[0]],
        StatisticKind::Mean(_) => vec![moments.means[0]],
        StatisticKind::Variance(_) => moments.with_means(vec![moments.product(0, 0)]),
        StatisticKind::StandardDeviation(_) => moments.with_means(vec![moments.product(0, 0).sqrt()]),
        StatisticKind::Covariance(_) => moments.with_means(moments.triangle(|j, k| moments.product(j, k))),
        StatisticKind::Correlation(_) => moments.with_means(moments.triangle(|j, k| {
            let scale = moments.product(j, j) * moments.product(k, k);
            if j == k { moments.product(j, j) } else { moments.product(j, k) / scale.sqrt() }
        })),
        StatisticKind::Proportion(_) => shares(plan, statistic, rows),
        StatisticKind::Histogram(Histogram { edges, .. }) => {
            let edges = doubles(&edges.value);
            counts(&binned(rows, columns[0]), &edges)
        }
        StatisticKind::Quantile(Quantile { edges, probabilities, .. }) => {
            let edges = doubles(&edges.as_ref().expect("a plan with edges").value);
            let values = binned(rows, columns[0]);
            probabilities.iter().map(|p| quantile(&edges, values.clone(), p.to_f64())).collect()
        }
        StatisticKind::Combination(Combination { weights, measure }) => {
            let sums = (0..columns.len()).map(|j| complete.iter().map(|row| row[j]).sum::<f64>());
            let total: f64 = sums.zip(weights).map(|(sum, (_, weight))| sum * weight.to_f64()).sum();
            vec![match measure {
                CombinedMeasure::Means => total / complete.len() as f64,
                CombinedMeasure::Sums => total,
            }]
        }
        _ => return None,
    })
}

/// The value of a cell inside its bounds, or what a missing one stands for.
fn clipped(row: &Row, column: &Column) -> Option<f64> {
    let bounds = column.bounds.as_ref().expect("a column with bounds");
    let (lower, upper) = (bounds.lower.value.to_f64(), bounds.upper.value.to_f64());
    let cell = &row[&column.name.value];
    let truth = || cell.parse::<bool>().ok().map(|truth| f64::from(u8::from(truth)));
    let value = cell.parse::<f64>().ok().or_else(truth).map(|value| value.clamp(lower, upper));
    value.or(match &column.missing {
        Some(Missing::Impute(value)) => Some(value.to_f64()),
        _ => None,
    })
}

/// The values that bins hold: as they are, and what a missing one stands for.
fn binned(rows: &[Row], column: &Column) -> Vec<f64> {
    let stands_for = match &column.missing {
        Some(Missing::Impute(value)) => Some(value.to_f64()),
        _ => None,
    };
    rows.iter().filter_map(|row| row[&column.name.value].parse().ok().or(stands_for)).collect()
}

fn doubles(edges: &[Rational]) -> Vec<f64> {
    edges.iter().map(Rational::to_f64).collect()
}

/// Numbers of values between edges; those beyond the outer ones count in the first and last bin.
fn counts(values: &[f64], edges: &[f64]) -> Vec<f64> {
    let inner = &edges[1..edges.len() - 1];
    let mut counts = vec![0.0; edges.len() - 1];
    for value in values {
        counts[inner.iter().filter(|edge| **edge <= *value).count()] += 1.0;
    }
    counts
}

/// The smallest value with at least the part `p` of the values at or below it; those beyond the outer edges count as
/// these.
fn quantile(edges: &[f64], mut values: Vec<f64>, p: f64) -> f64 {
    values.iter_mut().for_each(|value| *value = value.clamp(edges[0], edges[edges.len() - 1]));
    values.sort_by(f64::total_cmp);
    values[(p * values.len() as f64 - 1e-9).ceil() as usize - 1]
}

/// The parts of the rows that are in the listed cells of one grouping column, or that meet the condition.
fn shares(plan: &Plan, statistic: &Statistic, rows: &[Row]) -> Vec<f64> {
    let Some(by) = statistic.by.first() else { return vec![share_where(statistic, rows)] };
    let values = plan.column(&by.value).and_then(|column| column.values.as_ref()).expect("listed values");
    let count = |value: &String| rows.iter().filter(|row| row[&by.value] == *value).count() as f64;
    let counts: Vec<f64> = values.iter().map(|value| count(&value.value.to_string())).collect();
    let total: f64 = counts.iter().sum();
    counts.into_iter().map(|count| count / total).collect()
}

/// The part of the rows that meets a condition of the form `column = 'value'`.
fn share_where(statistic: &Statistic, rows: &[Row]) -> f64 {
    let condition = &statistic.filter.as_ref().expect("cells or a condition").value;
    let (column, value) = condition.split_once(" = ").expect("an equality");
    rows.iter().filter(|row| row[column] == value.trim_matches('\'')).count() as f64 / rows.len() as f64
}

/// Means and centred products of complete rows.
struct Moments {
    rows: f64,
    means: Vec<f64>,
    products: Vec<Vec<f64>>,
    public: bool,
}

impl Moments {
    fn from_rows(rows: &[Vec<f64>], columns: usize, public: bool) -> Self {
        let n = rows.len() as f64;
        let means: Vec<f64> = (0..columns).map(|j| rows.iter().map(|row| row[j]).sum::<f64>() / n).collect();
        let product = |j: usize, k: usize| rows.iter().map(|row| (row[j] - means[j]) * (row[k] - means[k])).sum();
        let products = (0..columns).map(|j| (0..columns).map(|k| product(j, k)).collect()).collect();
        Self { rows: n, means, products, public }
    }

    /// Over `n - 1` where the number of rows is public, over `n` else.
    fn product(&self, j: usize, k: usize) -> f64 {
        self.products[j][k] / if self.public { self.rows - 1.0 } else { self.rows }
    }

    fn triangle(&self, entry: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let columns = self.means.len();
        (0..columns).flat_map(|j| (j..columns).map(move |k| (j, k))).map(|(j, k)| entry(j, k)).collect()
    }

    /// A private number of rows and the means are published beside what is asked for.
    fn with_means(&self, mut outputs: Vec<f64>) -> Vec<f64> {
        if !self.public {
            outputs.extend(&self.means);
            outputs.push(self.rows);
        }
        outputs
    }
}
