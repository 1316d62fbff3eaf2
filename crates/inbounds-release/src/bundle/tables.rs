//! The tables of a release, of which a few columns, or a few rows, are in memory at a time.

use std::{borrow::Cow, sync::Arc};

use arrow::{
    array::{ArrayRef, BooleanArray, Decimal128Array, Float64Array, Int32Array, Int64Array, StringArray, UInt64Array},
    datatypes::DataType,
};
use inbounds_bundle::{BundleError, ColumnSink, FileEntry, PartialBundle, join, write_columns};
use inbounds_data::{KeyValue, Kind};
use inbounds_statistics::{Component, Estimate, population::Interval};

use super::{
    estimated::{Estimated, estimated},
    rows::{Block, OWN_UNIT, Row, Rows, Vector},
    texts::{words, words_of},
    tidy,
};
use crate::{Released, plan::Plan};

/// Writes both tables, one beside the other.
pub(super) fn write(
    partial: &PartialBundle,
    plan: &Plan,
    statistics: &[Released],
) -> Result<Vec<FileEntry>, BundleError> {
    let (measured, estimated) = (&measured(plan, statistics), &estimated(plan, statistics));
    let of_estimates = |range, columns: &mut dyn ColumnSink| estimates(estimated, &estimated.block(range), columns);
    let of_measured = |range, columns: &mut dyn ColumnSink| measurements(measured, &measured.block(range), columns);
    let (estimates, measurements) = join(
        || write_columns(partial, "estimates", estimated.len(), of_estimates),
        || write_columns(partial, "measurements", measured.len(), of_measured),
    );
    Ok([measurements?, estimates?].concat())
}

/// Statistic names, key columns and names within a cell, shared by both tables.
fn labels<T>(rows: &Rows<T>, block: &Block<T>, columns: &mut dyn ColumnSink) {
    let names = words(block.vectors().map(|vector| Some(vector.statistic)));
    columns.push("statistic", "", "name of the statistic in the plan", names, false);
    for by in &rows.by {
        let column = by.column;
        let description = format!(
            "value of the grouping column `{column}`, or missing; empty for statistics, levels and margins not grouped by it"
        );
        let keys = typed(by.kind, block.keys(column));
        columns.push(&format!("by_{column}"), "", &description, keys, true);
    }
    let names = block.rows().map(|row| Some(row.vector.labels.name(row.place)).filter(|name| !name.is_empty()));
    let within: ArrayRef = Arc::new(names.collect::<StringArray>());
    let description = "which number of the cell, such as an entry of a matrix; empty where a cell has one";
    columns.push("output", "", description, within, true);
}

/// Keys as what they are: whole numbers, booleans, or text.
fn typed<'k>(kind: Kind, keys: impl Iterator<Item = Option<&'k KeyValue>>) -> ArrayRef {
    match kind {
        Kind::Integer => {
            let integer = |key: &KeyValue| if let KeyValue::Integer(key) = key { *key } else { mixed(kind, key) };
            Arc::new(keys.map(|key| key.map(integer)).collect::<Int64Array>())
        }
        Kind::Boolean => {
            let truth = |key: &KeyValue| if let KeyValue::Boolean(key) = key { *key } else { mixed(kind, key) };
            Arc::new(keys.map(|key| key.map(truth)).collect::<BooleanArray>())
        }
        Kind::Text | Kind::Number | Kind::Date | Kind::Other => {
            let written = |key: &'k KeyValue| match key {
                KeyValue::Text(key) => Cow::Borrowed(key.as_str()),
                KeyValue::Integer(_) | KeyValue::Boolean(_) | KeyValue::Missing => Cow::Owned(key.to_string()),
            };
            words_of(keys, written)
        }
    }
}

fn mixed(kind: Kind, key: &KeyValue) -> ! {
    unreachable!("keys of a column are of one kind, {kind}, and not {key}")
}

/// One row a cell: the constrained value with its error.
fn estimates(rows: &Rows<Estimated>, block: &Block<Estimated>, columns: &mut dyn ColumnSink) {
    labels(rows, block, columns);
    let units = words(block.rows().map(|row| Some(row.unit())));
    columns.push("unit", "", "unit of the numbers of this row", units, false);
    let all = || block.rows().map(|row| row.estimate());
    let mut number = |name: &str, description: &str, value: fn(&Estimate) -> f64| {
        columns.push(name, OWN_UNIT, description, Arc::new(Float64Array::from_iter_values(all().map(value))), false);
    };
    number("estimate", "value inside the range of the statistic", |e| e.value);
    number("interval_lower", "lower end of the interval, valid after the constraint", |e| e.lower);
    number("interval_upper", "upper end of the interval, valid after the constraint", |e| e.upper);
    number(
        "bias_at_estimate",
        "expected estimate minus truth, were the truth the estimate; not to be subtracted, see bias_over_interval",
        |e| e.bias_at_estimate,
    );
    number("bias_error", "Monte Carlo standard error of the bias; 0 where it is a formula", |e| e.bias_error);
    number("rmse_at_estimate", "root mean square error, were the truth the estimate", |e| e.rmse_at_estimate);
    number("rmse_error", "Monte Carlo standard error of the RMSE; 0 where it is a formula", |e| e.rmse_error);
    let worst = Float64Array::from_iter(all().map(|estimate| estimate.worst_bias));
    let description = "largest absolute bias over the range; empty where none is known";
    columns.push("worst_bias", OWN_UNIT, description, Arc::new(worst), true);
    let raw = Float64Array::from_iter(all().map(|estimate| estimate.measurement));
    let description = "raw noisy value before the constraint; empty where the measurements give none, such as a mean whose noisy count is not \
         positive";
    columns.push("measurement", OWN_UNIT, description, Arc::new(raw), true);
    let mut end = |name: &str, description: &str, end: fn(Interval) -> f64| {
        let values = Float64Array::from_iter(block.rows().map(|row| row.population().map(end)));
        columns.push(name, OWN_UNIT, description, Arc::new(values), true);
    };
    let of_interval =
        "of the interval for the population that the rows are a sample of; empty where none was asked for, or is known";
    end("population_lower", &format!("lower end {of_interval}"), |interval| interval.lower);
    end("population_upper", &format!("upper end {of_interval}"), |interval| interval.upper);
    tidy::push(columns, block);
    tidy::push_of_estimates(columns, block);
}

/// A measured vector.
struct Measured<'a> {
    component: &'a Component,
    role: String,
    scale: f64,
    steps: &'a [i128],
}

impl Row<'_, Measured<'_>> {
    fn steps(&self) -> i128 {
        self.vector.known.steps[self.place]
    }
}

fn measured<'a>(plan: &'a Plan, statistics: &'a [Released]) -> Rows<'a, Measured<'a>> {
    let mut vectors = Vec::new();
    for released in statistics {
        let components = released.task.prepared.components().into_iter().zip(&released.measured).enumerate();
        vectors.extend(components.map(|(index, (component, measured))| {
            let (role, scale) = (component.role.to_string(), component.scale());
            let known = Measured { component, role, scale, steps: measured.steps() };
            let labels = released.task.measured_labels(index);
            assert_eq!(labels.len(), known.steps.len(), "one label a measured number");
            Vector::new(plan, released, labels, known)
        }));
    }
    Rows::new(statistics, vectors)
}

/// One row a measured number: the raw value, exact in steps, with the law of its noise.
fn measurements(rows: &Rows<Measured>, block: &Block<Measured>, columns: &mut dyn ColumnSink) {
    labels(rows, block, columns);
    let known = || block.known();
    let roles = words(known().map(|vector| Some(vector.role.as_str())));
    columns.push("component", "", "what was measured", roles, false);
    let values = block.rows().map(|row| row.vector.known.component.value(row.steps()));
    columns.push(
        "measurement",
        OWN_UNIT,
        "raw noisy value: steps * 2^grid_exponent / divisor",
        Arc::new(Float64Array::from_iter_values(values)),
        false,
    );
    let steps = Decimal128Array::from_iter_values(block.rows().map(|row| row.steps()));
    let steps = steps.with_data_type(DataType::Decimal128(38, 0));
    columns.push("steps", "grid steps", "the same value, exact", Arc::new(steps), false);
    let exponents = Int32Array::from_iter_values(known().map(|vector| vector.component.grid.exponent()));
    columns.push("grid_exponent", "", "power of two of the grid spacing", Arc::new(exponents), false);
    let divisors = UInt64Array::from_iter_values(known().map(|vector| vector.component.divisor));
    columns.push(
        "divisor",
        "",
        "what the steps are divided by: the public number of rows where the statistic has it as a factor, else 1",
        Arc::new(divisors),
        false,
    );
    let mechanisms = words(known().map(|vector| Some(vector.component.mechanism.name())));
    columns.push("mechanism", "", "registered name of the mechanism", mechanisms, false);
    let laws = words(known().map(|vector| Some(vector.component.mechanism.noise().kind().about().law)));
    columns.push("law", "", "law of the noise", laws, false);
    let scales = Float64Array::from_iter_values(known().map(|vector| vector.scale));
    columns.push(
        "scale",
        OWN_UNIT,
        "Laplace b, or standard deviation of other noise; the exact parameter is in release.json",
        Arc::new(scales),
        false,
    );
    tidy::push(columns, block);
}
