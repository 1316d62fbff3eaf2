//! The tables of a release.

use std::sync::Arc;

use arrow::{
    array::{ArrayRef, BooleanArray, Decimal128Array, Float64Array, Int32Array, Int64Array, StringArray, UInt64Array},
    datatypes::DataType,
};
use inbounds_bundle::{BundleError, TidyColumns, TidyTable};
use inbounds_data::KeyValue;
use inbounds_statistics::population::Interval;

use super::{
    rows::{OWN_UNIT, Row, rows_of},
    tidy, words,
};
use crate::{Released, plan::Plan};

/// Statistic names, key columns and names within a cell, shared by both tables.
fn labels(name: &'static str, statistics: &[Released], rows: &[Row]) -> TidyColumns {
    let mut columns = TidyColumns::new(name);
    let text = |values: Vec<Option<String>>| Arc::new(StringArray::from(values)) as ArrayRef;
    let names = StringArray::from_iter_values(rows.iter().map(|row| row.statistic));
    columns.push("statistic", "", "name of the statistic in the plan", Arc::new(names), false);
    let mut by: Vec<&String> = statistics.iter().flat_map(|released| released.task.key_columns()).collect();
    by.sort_unstable();
    by.dedup();
    for column in by {
        let place = |row: &Row| row.columns.iter().position(|name| name == column);
        let keys = rows.iter().map(|row| place(row).and_then(|place| row.label.key.get(place))).collect();
        let description = format!(
            "value of the grouping column `{column}`; empty for statistics, levels and margins not grouped by it"
        );
        columns.push(&format!("by_{column}"), "", &description, typed(keys), true);
    }
    let within = |row: &Row| (!row.label.name.is_empty()).then(|| row.label.name.clone());
    let description = "which number of the cell, such as an entry of a matrix; empty where a cell has one";
    columns.push("output", "", description, text(rows.iter().map(within).collect()), true);
    columns
}

/// Keys as what they are: whole numbers, booleans, or text.
fn typed(keys: Vec<Option<&KeyValue>>) -> ArrayRef {
    let known = || keys.iter().flatten();
    if known().next().is_some() && known().all(|key| matches!(key, KeyValue::Integer(_))) {
        let whole = |key: &Option<&KeyValue>| {
            key.and_then(|key| if let KeyValue::Integer(key) = key { Some(*key) } else { None })
        };
        Arc::new(keys.iter().map(whole).collect::<Int64Array>())
    } else if known().next().is_some() && known().all(|key| matches!(key, KeyValue::Boolean(_))) {
        let truth = |key: &Option<&KeyValue>| {
            key.and_then(|key| if let KeyValue::Boolean(key) = key { Some(*key) } else { None })
        };
        Arc::new(keys.iter().map(truth).collect::<BooleanArray>())
    } else {
        Arc::new(keys.iter().map(|key| key.map(ToString::to_string)).collect::<StringArray>())
    }
}

/// One row a cell: the constrained value with its error.
pub(crate) fn estimates(plan: &Plan, statistics: &[Released]) -> Result<TidyTable, BundleError> {
    let mut rows = Vec::new();
    let mut units = Vec::new();
    for released in statistics {
        let described = &plan.statistics[released.task.index];
        let labels = released.task.labels();
        let outputs = released.task.prepared.outputs();
        let of_cell = outputs.iter().map(|output| words::unit(plan, described, &output.unit).to_string());
        units.extend(of_cell.collect::<Vec<_>>().into_iter().cycle().take(labels.len()));
        rows.extend(rows_of(plan, released, labels));
    }
    let mut columns = labels("estimates", statistics, &rows);
    columns.push("unit", "", "unit of the numbers of this row", Arc::new(StringArray::from(units)), false);
    let all = || statistics.iter().flat_map(|released| &released.estimates);
    let mut number = |name: &str, description: &str, values: Vec<f64>| {
        columns.push(name, OWN_UNIT, description, Arc::new(Float64Array::from(values)), false);
    };
    number("estimate", "value inside the range of the statistic", all().map(|e| e.value).collect());
    number(
        "interval_lower",
        "lower end of the 95 % interval, valid after the constraint",
        all().map(|e| e.lower).collect(),
    );
    number(
        "interval_upper",
        "upper end of the 95 % interval, valid after the constraint",
        all().map(|e| e.upper).collect(),
    );
    number(
        "bias_at_estimate",
        "expected estimate minus truth, were the truth the estimate; not to be subtracted, see bias_over_interval",
        all().map(|e| e.bias_at_estimate).collect(),
    );
    number(
        "bias_error",
        "Monte Carlo standard error of the bias; 0 where it is a formula",
        all().map(|e| e.bias_error).collect(),
    );
    number(
        "rmse_at_estimate",
        "root mean square error, were the truth the estimate",
        all().map(|e| e.rmse_at_estimate).collect(),
    );
    number(
        "rmse_error",
        "Monte Carlo standard error of the RMSE; 0 where it is a formula",
        all().map(|e| e.rmse_error).collect(),
    );
    let worst = Float64Array::from_iter(all().map(|estimate| estimate.worst_bias));
    let description = "largest absolute bias over the range; empty where none is known";
    columns.push("worst_bias", OWN_UNIT, description, Arc::new(worst), true);
    let raw = Float64Array::from_iter(all().map(|estimate| estimate.measurement));
    let description = "raw noisy value before the constraint; empty where the measurements give none, such as a mean whose noisy count is not \
         positive";
    columns.push("measurement", OWN_UNIT, description, Arc::new(raw), true);
    let population: Vec<_> = statistics
        .iter()
        .flat_map(|released| match released.population.is_empty() {
            true => vec![None; released.estimates.len()],
            false => released.population.clone(),
        })
        .collect();
    let mut end = |name: &str, description: &str, end: fn(Interval) -> f64| {
        let values = Float64Array::from_iter(population.iter().map(|interval| interval.map(end)));
        columns.push(name, OWN_UNIT, description, Arc::new(values), true);
    };
    let of = "of the 95 % interval for the population that the rows are a sample of; empty where none was asked for, or is known";
    end("population_lower", &format!("lower end {of}"), |interval| interval.lower);
    end("population_upper", &format!("upper end {of}"), |interval| interval.upper);
    tidy::push(&mut columns, &rows);
    tidy::push_of_estimates(&mut columns, &rows, statistics);
    columns.finish()
}

/// One row a measured number: the raw value, exact in steps, with the law of its noise.
pub(crate) fn measurements(plan: &Plan, statistics: &[Released]) -> Result<TidyTable, BundleError> {
    let (mut labelled, mut rows) = (Vec::new(), Vec::new());
    for released in statistics {
        let components = released.task.prepared.components().into_iter().zip(&released.measured).enumerate();
        for (index, (component, measured)) in components {
            labelled.extend(rows_of(plan, released, released.task.measured_labels(index)));
            rows.extend(measured.steps().iter().map(|steps| (component, *steps)));
        }
    }
    let mut columns = labels("measurements", statistics, &labelled);
    let text = |values: Vec<&str>| Arc::new(StringArray::from(values)) as ArrayRef;
    let roles = rows.iter().map(|(component, _)| component.role.to_string());
    let roles = Arc::new(StringArray::from_iter_values(roles)) as ArrayRef;
    columns.push("component", "", "what was measured", roles, false);
    let values = Float64Array::from_iter_values(rows.iter().map(|(c, steps)| c.value(*steps)));
    columns.push(
        "measurement",
        OWN_UNIT,
        "raw noisy value: steps * 2^grid_exponent / divisor",
        Arc::new(values),
        false,
    );
    let steps = Decimal128Array::from_iter_values(rows.iter().map(|(_, steps)| *steps))
        .with_data_type(DataType::Decimal128(38, 0));
    columns.push("steps", "grid steps", "the same value, exact", Arc::new(steps), false);
    let exponents = Int32Array::from_iter_values(rows.iter().map(|(c, _)| c.grid.exponent()));
    columns.push("grid_exponent", "", "power of two of the grid spacing", Arc::new(exponents), false);
    let divisors = UInt64Array::from_iter_values(rows.iter().map(|(c, _)| c.divisor));
    columns.push(
        "divisor",
        "",
        "what the steps are divided by: the public number of rows where the statistic has it as a factor, else 1",
        Arc::new(divisors),
        false,
    );
    columns.push(
        "mechanism",
        "",
        "registered name of the mechanism",
        text(rows.iter().map(|(c, _)| c.mechanism.name()).collect()),
        false,
    );
    let laws = text(rows.iter().map(|(c, _)| c.mechanism.noise().kind().about().law).collect());
    columns.push("law", "", "law of the noise", laws, false);
    let scales = Float64Array::from_iter_values(rows.iter().map(|(c, _)| c.scale()));
    columns.push(
        "scale",
        OWN_UNIT,
        "Laplace b, or standard deviation of other noise; the exact parameter is in release.json",
        Arc::new(scales),
        false,
    );
    tidy::push(&mut columns, &labelled);
    columns.finish()
}
