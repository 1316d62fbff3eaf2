//! Labels of each number of a table, as values to filter by, beside the words.

use std::{borrow::Cow, sync::Arc};

use arrow::array::{ArrayRef, BooleanArray, Float64Array, StringArray};
use inbounds_bundle::ColumnSink;
use inbounds_core::Named;
use inbounds_statistics::Estimate;

use super::{
    estimated::Estimated,
    rows::{OWN_UNIT, Row},
};

/// Adds the columns that both tables have.
pub(super) fn push<'r, T>(columns: &mut dyn ColumnSink, rows: &'r [Row<T>]) {
    let mut words = |name: &str, description: &str, nullable: bool, word: fn(&'r Row<T>) -> Option<Cow<'r, str>>| {
        let array: ArrayRef = Arc::new(rows.iter().map(word).collect::<StringArray>());
        columns.push(name, "", description, array, nullable);
    };
    words("kind", "kind of the statistic", false, |row| Some(row.vector.kind.name().into()));
    words("level", "level of a statistic with levels; else empty", true, |row| {
        row.vector.labels.granularity(row.place)?.level().map(Cow::from)
    });
    words("margin", "margin of a statistic with margins, by its columns, or total; else empty", true, |row| {
        let columns = row.vector.labels.granularity(row.place)?.margin()?;
        Some(match columns {
            [] => "total".into(),
            [column] => column.into(),
            several => several.join(", ").into(),
        })
    });
    words("row", "row of an entry of a matrix; else empty", true, |row| Some(entry(row)?.0.into()));
    words("column", "column of an entry of a matrix; else empty", true, |row| Some(entry(row)?.1.into()));
    let mut edge = |name: &str, which: usize, description: &str| {
        let edge = |row: &Row<T>| row.vector.labels.bin(row.place).map(|bin| bin[which]);
        let array: ArrayRef = Arc::new(rows.iter().map(edge).collect::<Float64Array>());
        columns.push(name, "unit of the column", description, array, true);
    };
    edge("bin_lower", 0, "lower edge of a bin; else empty");
    edge("bin_upper", 1, "upper edge of a bin; else empty");
}

/// The columns of an entry of a matrix.
fn entry<'r, T>(row: &'r Row<T>) -> Option<(&'r str, &'r str)> {
    row.vector.labels.quantity(row.place).entry().filter(|_| row.vector.kind.traits().drawing.matrix().is_some())
}

/// Adds the columns of estimates alone: probabilities, the errors that hold wherever the interval does, and which
/// intervals tell nothing.
pub(super) fn push_of_estimates(columns: &mut dyn ColumnSink, rows: &[Row<Estimated>]) {
    let probabilities: ArrayRef =
        Arc::new(rows.iter().map(|row| row.vector.labels.quantity(row.place).probability()).collect::<Float64Array>());
    columns.push("probability", "", "probability of a quantile; else empty", probabilities, true);
    let levels: ArrayRef = Arc::new(rows.iter().map(|row| Some(row.interval().0)).collect::<Float64Array>());
    columns.push("interval_level", "", "probability with which an interval covers", levels, false);
    let joint = BooleanArray::from(rows.iter().map(|row| row.interval().1).collect::<Vec<bool>>());
    let description = "whether that is the probability with which all intervals of the statistic cover at once";
    columns.push("interval_joint", "", description, Arc::new(joint), false);
    let mut over = |name: &str, what: &str, value: fn(&Estimate) -> Option<f64>| {
        let description = format!("{what} over the truths in the interval; empty where it is not known");
        let array: ArrayRef = Arc::new(rows.iter().map(|row| value(row.estimate())).collect::<Float64Array>());
        columns.push(name, OWN_UNIT, &description, array, true);
    };
    over("bias_over_interval", "largest absolute bias, with its sign,", |estimate| estimate.bias_over_interval);
    over("rmse_over_interval", "largest root mean square error", |estimate| estimate.rmse_over_interval);
    let nothing = BooleanArray::from(rows.iter().map(Row::tells_nothing).collect::<Vec<bool>>());
    let description =
        "whether the interval takes up nine tenths of the range or more, so that the estimate tells nothing";
    columns.push("tells_nothing", "", description, Arc::new(nothing), false);
}
