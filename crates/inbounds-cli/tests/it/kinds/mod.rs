//! Plans of every kind over the made-up people of `examples/people`: releases, checks, predictions, and bad input.

mod checked;
mod disjoint;
mod ends;
mod frequency;
mod groups;
mod margins;
mod memory;
mod mistakes;
mod people;
mod per_unit;
mod predict;
mod sets;
mod sharing;
mod tables;
mod units;

use std::{collections::BTreeMap, fs, path::PathBuf};

use serde_json::Value;

use crate::workbench::Workbench;

/// A line of a table, by column.
type Row = BTreeMap<String, String>;

/// A plan of the example with the public number of its rows, and one without.
const PLANS: [&str; 2] = ["plan.toml", "private-rows.toml"];

fn example(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/people").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A folder with a plan of the example and its rows.
fn people(plan: &str) -> Workbench {
    let bench = Workbench::new();
    bench.write("plan.toml", example(plan));
    bench.write("people.csv", example("people.csv"));
    bench
}

/// The same with other statistics under the same head.
fn people_asked(plan: &str, statistics: &str) -> Workbench {
    let bench = people(plan);
    let text = example(plan);
    let (head, _) = text.split_once("[[statistic]]").expect("a plan has statistics");
    bench.write("plan.toml", format!("{head}{statistics}"));
    bench
}

/// Releases into `bundle` with a seed, so that a test gives the same each time.
fn released(bench: &Workbench) -> Value {
    bench.seeded("plan.toml", "bundle", "7");
    let text = fs::read_to_string(bench.path("bundle/release.json")).expect("a manifest");
    serde_json::from_str(&text).expect("JSON")
}

/// A table of the bundle.
fn table(bench: &Workbench, file: &str) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(bench.path(file)).expect("a table");
    reader.deserialize().map(|row| row.expect("as many cells as columns")).collect()
}

fn rows_of<'r>(rows: &'r [Row], statistic: &str) -> Vec<&'r Row> {
    let matching: Vec<&Row> = rows.iter().filter(|row| row["statistic"] == statistic).collect();
    assert!(!matching.is_empty(), "the table has no {statistic}");
    matching
}

fn number(row: &Row, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("`{column}` is no number in {row:?}"))
}

fn estimates(rows: &[&Row]) -> Vec<f64> {
    rows.iter().map(|row| number(row, "estimate")).collect()
}
