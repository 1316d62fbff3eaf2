//! Labels of each number of a table, as values to filter by, beside the words.

use std::{borrow::Cow, sync::Arc};

use arrow::array::{ArrayRef, BooleanArray, Float64Array};
use inbounds_bundle::ColumnSink;
use inbounds_core::Named;
use inbounds_statistics::Estimate;

use super::{
    estimated::Estimated,
    rows::{Block, OWN_UNIT, Row},
    texts::{words, words_of},
};
use crate::levels::Granularity;

/// Adds the columns that both tables have.
pub(super) fn push<'r, T>(columns: &mut dyn ColumnSink, rows: &Block<'r, T>) {
    let kinds = words(rows.vectors().map(|vector| Some(vector.kind.name())));
    columns.push("kind", "", "kind of the statistic", kinds, false);
    let levels = words(rows.granularities().map(|granularity| granularity?.level()));
    columns.push("level", "", "level of a statistic with levels; else empty", levels, true);
    let description = "margin of a statistic with margins, by its columns, or total; else empty";
    columns.push("margin", "", description, words_of(rows.granularities().map(of_margin), margin), true);
    let mut of_entry = |name: &str, description: &str, word: fn((&'r str, &'r str)) -> &'r str| {
        let array = words(rows.rows().map(|row| entry(&row).map(word)));
        columns.push(name, "", description, array, true);
    };
    of_entry("row", "row of an entry of a matrix; else empty", |(row, _)| row);
    of_entry("column", "column of an entry of a matrix; else empty", |(_, column)| column);
    let mut edge = |name: &str, which: usize, description: &str| {
        let edge = |row: Row<T>| row.vector.labels.bin(row.place).map(|bin| bin[which]);
        let array: ArrayRef = Arc::new(rows.rows().map(edge).collect::<Float64Array>());
        columns.push(name, "unit of the column", description, array, true);
    };
    edge("bin_lower", 0, "lower edge of a bin; else empty");
    edge("bin_upper", 1, "upper edge of a bin; else empty");
}

fn of_margin(granularity: Option<&Granularity>) -> Option<&Granularity> {
    granularity.filter(|granularity| granularity.margin().is_some())
}

/// A margin by its columns.
fn margin(granularity: &Granularity) -> Cow<'_, str> {
    match granularity.margin().unwrap_or_default() {
        [] => "total".into(),
        [column] => column.into(),
        several => several.join(", ").into(),
    }
}

/// The columns of an entry of a matrix.
fn entry<'r, T>(row: &Row<'r, T>) -> Option<(&'r str, &'r str)> {
    row.vector.labels.quantity(row.place).entry().filter(|_| row.vector.kind.traits().drawing.matrix().is_some())
}

/// Adds the columns of estimates alone: probabilities, the errors that hold wherever the interval does, and which
/// intervals tell nothing.
pub(super) fn push_of_estimates(columns: &mut dyn ColumnSink, rows: &Block<Estimated>) {
    let probabilities: ArrayRef =
        Arc::new(rows.rows().map(|row| row.vector.labels.quantity(row.place).probability()).collect::<Float64Array>());
    columns.push("probability", "", "probability of a quantile; else empty", probabilities, true);
    let levels: ArrayRef = Arc::new(rows.rows().map(|row| Some(row.interval().0)).collect::<Float64Array>());
    columns.push("interval_level", "", "probability with which an interval covers", levels, false);
    let joint = BooleanArray::from(rows.rows().map(|row| row.interval().1).collect::<Vec<bool>>());
    let description = "whether that is the probability with which all intervals of the statistic cover at once";
    columns.push("interval_joint", "", description, Arc::new(joint), false);
    let mut over = |name: &str, quantity: &str, value: fn(&Estimate) -> Option<f64>| {
        let description = format!("{quantity} over the truths in the interval; empty where it is not known");
        let array: ArrayRef = Arc::new(rows.rows().map(|row| value(row.estimate())).collect::<Float64Array>());
        columns.push(name, OWN_UNIT, &description, array, true);
    };
    over("bias_over_interval", "largest absolute bias, with its sign,", |estimate| estimate.bias_over_interval);
    over("rmse_over_interval", "largest root mean square error", |estimate| estimate.rmse_over_interval);
    let nothing = BooleanArray::from(rows.rows().map(|row| row.tells_nothing()).collect::<Vec<bool>>());
    let description =
        "whether the interval takes up nine tenths of the range or more, so that the estimate tells nothing";
    columns.push("tells_nothing", "", description, Arc::new(nothing), false);
    if rows.rows().next().is_some_and(|row| row.quality().is_some()) {
        let classes = words(rows.rows().map(|row| row.quality()));
        columns.push("quality", "", "class of the relative error, by `quality` of the plan", classes, false);
    }
    if rows.rows().next().is_some_and(|row| row.rounds()) {
        let multiples: ArrayRef = Arc::new(rows.rows().map(|row| row.rounded()).collect::<Float64Array>());
        let description = "estimate as page and workbook show it, a multiple of `round` of the plan; empty of other numbers than counts";
        columns.push("rounded", OWN_UNIT, description, multiples, true);
    }
}
