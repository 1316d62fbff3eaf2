//! What each published number is, as values to filter by, beside the words.

use std::sync::Arc;

use inbounds_core::Rational;
use inbounds_data::arrow::array::{ArrayRef, BooleanArray, Float64Array, StringArray};
use inbounds_statistics::Estimate;

use super::tables::{Columns, OWN_UNIT};
use crate::{
    LEVEL, Released,
    plan::{Plan, Statistic, StatisticKind},
    task::Prepared,
};

/// What a number is.
struct Place<'a> {
    kind: &'static str,
    level: Option<&'a str>,
    bin: Option<(f64, f64)>,
    probability: Option<f64>,
    /// Row and column of an entry of a matrix, by the columns that they are of.
    entry: Option<(&'a str, &'a str)>,
}

/// Adds the columns to a table of estimates.
pub(super) fn push(columns: &mut Columns, plan: &Plan, statistics: &[Released]) {
    let places: Vec<Place> = statistics
        .iter()
        .flat_map(|released| {
            places(&plan.statistics[released.task.index], &released.task.prepared, released.task.cells())
        })
        .collect();
    let mut words = |name: &str, description: &str, nullable: bool, word: fn(&Place) -> Option<String>| {
        let array: ArrayRef = Arc::new(places.iter().map(word).collect::<StringArray>());
        columns.push(name, "", description, array, nullable);
    };
    words("kind", "kind of the statistic", false, |place| Some(place.kind.to_owned()));
    words("level", "level of a statistic with levels; else empty", true, |place| place.level.map(str::to_owned));
    words("row", "row of an entry of a matrix; else empty", true, |place| place.entry.map(|entry| entry.0.to_owned()));
    words("column", "column of an entry of a matrix; else empty", true, |place| {
        place.entry.map(|entry| entry.1.to_owned())
    });
    let mut numbers = |name: &str, unit: &str, description: &str, number: fn(&Place) -> Option<f64>| {
        let array: ArrayRef = Arc::new(places.iter().map(number).collect::<Float64Array>());
        columns.push(name, unit, description, array, true);
    };
    let of_column = "unit of the column";
    numbers("bin_lower", of_column, "lower edge of a bin of a histogram; else empty", |place| Some(place.bin?.0));
    numbers("bin_upper", of_column, "upper edge of a bin of a histogram; else empty", |place| Some(place.bin?.1));
    numbers("probability", "", "probability of a quantile; else empty", |place| place.probability);
    let levels: ArrayRef = Arc::new(Float64Array::from(vec![LEVEL; places.len()]));
    columns.push("interval_level", "", "probability with which an interval covers", levels, false);
    over_interval(columns, statistics);
}

/// Adds the errors that hold wherever the interval does, and which intervals tell nothing.
fn over_interval(columns: &mut Columns, statistics: &[Released]) {
    let estimates = || statistics.iter().flat_map(|released| &released.estimates);
    let mut over = |name: &str, what: &str, value: fn(&Estimate) -> Option<f64>| {
        let description = format!("{what} over the truths in the interval; empty where it is not known");
        let array: ArrayRef = Arc::new(estimates().map(value).collect::<Float64Array>());
        columns.push(name, OWN_UNIT, &description, array, true);
    };
    over("bias_over_interval", "largest absolute bias, with its sign,", |estimate| estimate.bias_over_interval);
    over("rmse_over_interval", "largest root mean square error", |estimate| estimate.rmse_over_interval);
    let nothing = BooleanArray::from(statistics.iter().flat_map(Released::tells_nothing).collect::<Vec<bool>>());
    let description =
        "whether the interval takes up nine tenths of the range or more, so that the estimate tells nothing";
    columns.push("tells_nothing", "", description, Arc::new(nothing), false);
}

/// What the numbers of a statistic are, in their order: cell by cell, outputs changing fastest.
fn places<'a>(described: &'a Statistic, prepared: &'a Prepared, cells: usize) -> Vec<Place<'a>> {
    let outputs = prepared.outputs().len();
    let levels: Vec<&str> =
        prepared.levels().into_iter().flatten().flat_map(|(name, cells)| std::iter::repeat_n(name, cells)).collect();
    let names: Vec<&str> = described.columns().into_iter().map(|column| column.value.as_str()).collect();
    let edges = match &described.kind {
        StatisticKind::Histogram { edges, .. } => edges.value.iter().map(Rational::to_f64).collect(),
        _ => Vec::new(),
    };
    let probabilities: Vec<f64> = match &described.kind {
        StatisticKind::Quantile { probabilities, .. } => probabilities.iter().map(Rational::to_f64).collect(),
        _ => Vec::new(),
    };
    let entries: Vec<(&str, &str)> = match &described.kind {
        StatisticKind::Covariance { .. } | StatisticKind::Correlation { .. } => (0..names.len())
            .flat_map(|j| (j..names.len()).map(move |k| (j, k)))
            .map(|(j, k)| (names[j], names[k]))
            .collect(),
        _ => Vec::new(),
    };
    let bins = edges.len().saturating_sub(1);
    let bin = |cell: usize| (bins > 0).then(|| (edges[cell % bins], edges[cell % bins + 1]));
    let place = |cell: usize, output: usize| Place {
        kind: described.kind.name(),
        level: levels.get(cell).copied(),
        bin: bin(cell),
        probability: probabilities.get(output).copied(),
        entry: entries.get(output).copied(),
    };
    (0..cells)
        .flat_map(|cell| (0..outputs).map(move |output| (cell, output)))
        .map(|(cell, output)| place(cell, output))
        .collect()
}
