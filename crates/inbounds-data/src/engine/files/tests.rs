//! Tests of the engine's inner steps, which no answer shows.

use std::path::Path;

use super::*;
use crate::{ContributionBound, Query};

/// `true` if one pass over a file was enough, with units taken to come in order.
fn one_pass(path: &Path, rows: &[(i64, u8)]) -> bool {
    let lines: String = rows.iter().map(|(unit, age)| format!("{unit},{age}\n")).collect();
    std::fs::write(path, format!("unit,age\n{lines}")).expect("a folder to write to");
    let source = Source::new(path.display().to_string()).declare("unit", crate::Kind::Integer);
    let engine = FileEngine::open(&source).expect("a file");
    let query = Query { bound: Some(ContributionBound::of_rows("unit", 1)), ..Query::default() };
    let mut program = Program::new(engine.table());
    program.ask(&query).expect("a question");
    let bounded = Bounded::from_queries(&program.queries, &UnitMemory::default(), |_| true);
    matches!(engine.pass(&program, &bounded, (None, None)), Ok(Pass::Whole(_)))
}

#[test]
fn a_sorted_file_is_read_once_with_its_units_in_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rows.csv");
    let sorted: Vec<(i64, u8)> = (0..60_000).map(|row| (row / 3, (row % 90) as u8)).collect();
    assert!(one_pass(&path, &sorted));
    let mut late = sorted.clone();
    late.push((7, 1));
    assert!(!one_pass(&path, &late));
}
