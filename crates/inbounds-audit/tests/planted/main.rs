//! Defects that others have shipped, planted in this program one at a time: the audit finds each, and nothing where
//! there is none.
//!
//! By name, because the crates below are built again with the hooks of the defects:
//!
//! ```text
//! cargo test -p inbounds-audit --features planted-defects --test planted
//! ```

mod ledger;

use std::path::Path;

use inbounds_audit::{Audit, Finding, Options, Progress, audit};
use inbounds_core::planted::{Defect, plant};
use inbounds_data::{
    MemoryRows,
    arrow::datatypes::{DataType, Field, Schema},
};
use inbounds_release::plan::Plan;

/// Rows are the units, and their number is private.
const ROWS: &str = r#"
    data.path = "rows.csv"
    privacy = { unit = "row", neighbours = "add-remove", epsilon = 1 }
    columns.x = { type = "number", lower = 2, upper = 10, missing = "drop" }
    columns.n = { type = "integer", lower = 0, upper = 2_000_000_000, missing = "drop" }
    columns.g = { type = "text", values = ["a", "b", "c"] }
    statistic = [
        { name = "groups", kind = "count", by = ["g"] },
        { name = "sum", kind = "sum", column = "x" },
        { name = "whole-sum", kind = "sum", column = "n" },
        { name = "large", kind = "count", where = "x > 5" },
    ]
"#;

/// Rows are the units, their number is public, and they are in memory.
const PUBLIC_ROWS: &str = r#"
    data = { path = "rows", format = "memory", types = "public" }
    privacy = { unit = "row", neighbours = "substitute", rows = 20, epsilon = 1 }
    columns.x = { lower = 2, upper = 10, missing = 6 }
    columns.g = { values = ["a", "b", "c"] }
    statistic = [
        { name = "groups", kind = "sum", column = "x", by = ["g"] },
        { name = "sum", kind = "sum", column = "x" },
    ]
"#;

/// Rows are in a table in memory, whose types a program inferred from the cells.
const INFERRED: &str = r#"
    data = { path = "rows", format = "memory" }
    privacy = { unit = "row", neighbours = "add-remove", epsilon = 1 }
    columns.x = { type = "number", lower = 2, upper = 10, missing = "drop" }
    columns.g = { type = "text", values = ["a", "b", "c"] }
    statistic = [
        { name = "groups", kind = "count", by = ["g"] },
        { name = "sum", kind = "sum", column = "x" },
    ]
"#;

/// Units have several rows, of which two count, and how rows are read is measured too.
const UNITS: &str = r#"
    data.path = "rows.csv"
    privacy = { unit = { column = "id", max_rows = 2 }, neighbours = "add-remove", epsilon = 1, diagnostics = 0.25 }
    columns.id = { type = "text" }
    columns.x = { type = "number", lower = 0, upper = 10, missing = "drop" }
    columns.g = { type = "text", values = ["a", "b", "c"] }
    statistic = [
        { name = "groups", kind = "count", by = ["g"] },
        { name = "mean", kind = "mean", column = "x" },
    ]
"#;

/// Rows are the units, and two conditions meet in one number: a row with it counts in both.
const TOUCHING: &str = r#"
    data.path = "rows.csv"
    privacy = { unit = "row", neighbours = "add-remove", epsilon = 1 }
    columns.x = { type = "integer" }
    statistic = [
        { name = "low", kind = "count", where = "x <= 5" },
        { name = "high", kind = "count", where = "x >= 5" },
        { name = "higher", kind = "count", where = "x > 5" },
    ]
"#;

/// Learned keys, of persons with several rows.
const LEARNED: &str = r#"
    data.path = "rows.csv"
    privacy = { unit = { column = "id", max_rows = 3 }, neighbours = "add-remove", epsilon = 1, delta = 0.01 }
    columns.id = { type = "text" }
    columns.h = { type = "text" }
    statistic = [
        { name = "rows", kind = "count", by = ["h"], learn_keys = true },
        { name = "persons", kind = "units", by = ["h"], learn_keys = "optimal" },
    ]
"#;

/// Keys of a public space, every one with noise.
const SPACE: &str = r#"
    data.path = "rows.csv"
    privacy = { unit = "row", neighbours = "add-remove", epsilon = 1 }
    columns.g = { type = "text", values = ["a", "b"] }
    columns.h = { type = "integer", lower = 0, upper = 2, missing = "drop" }
    statistic = [{ name = "rows", kind = "count", by = ["g", "h"], learn_keys = true, spurious = 2 }]
"#;

struct Silent;

impl Progress for Silent {
    fn at(&self, _: &str) {}
}

fn audited(text: &str) -> Audit {
    let plan = Plan::parse(text, Path::new("nowhere")).expect("a plan");
    let plan = if text.contains("memory") { plan.with_rows(no_rows()) } else { plan };
    // Worst pairs of tables of 20 rows are found by many steps, and are cheap.
    let pairs = if text.contains("substitute") { 1500 } else { 300 };
    let options = Options { runs: 2000, pairs, rows: 300_000, seed: 1 };
    audit(&plan, &options, &Silent).expect("an audit")
}

fn no_rows() -> MemoryRows {
    let fields = vec![Field::new("x", DataType::Float64, true), Field::new("g", DataType::Utf8, true)];
    MemoryRows::new("rows", Schema::new(fields).into(), &[]).expect("a schema")
}

/// A word for what a finding is.
fn word(finding: &Finding) -> &'static str {
    match finding {
        Finding::Sensitivity { .. } => "sensitivity",
        Finding::Loss { .. } => "loss",
        Finding::Delta { .. } => "delta",
        Finding::Refused { .. } => "refused",
        Finding::Condition { .. } => "condition",
        Finding::Bound { .. } => "bound",
        Finding::NoiseLaw { .. } => "noise-law",
        Finding::NoiseShared { .. } => "noise-shared",
        Finding::NoiseOfRows { .. } => "noise-of-rows",
        Finding::Seed => "seed",
        Finding::Published { .. } => "published",
        _ => "another",
    }
}

/// Each defect, a plan in which it matters, and what must find it.
const PLANTED: [(Defect, &str, &str); 24] = [
    (Defect::NanPasses, PUBLIC_ROWS, "sensitivity"),
    (Defect::EmptyCellExact, ROWS, "noise-of-rows"),
    (Defect::UnitMissing, UNITS, "sensitivity"),
    (Defect::WrongClip, ROWS, "sensitivity"),
    (Defect::RoundedPastBound, ROWS, "sensitivity"),
    (Defect::RangeFromData, ROWS, "sensitivity"),
    (Defect::FilterDropped, ROWS, "condition"),
    (Defect::CountWraps, ROWS, "sensitivity"),
    (Defect::SumWraps, ROWS, "sensitivity"),
    (Defect::BoundOffByOne, UNITS, "sensitivity"),
    (Defect::BoundPerGroup, UNITS, "sensitivity"),
    (Defect::UnitSplit, UNITS, "sensitivity"),
    (Defect::EmptyRefused, ROWS, "refused"),
    (Defect::SensitivityHalved, PUBLIC_ROWS, "sensitivity"),
    (Defect::NoiseTooSmall, ROWS, "loss"),
    (Defect::NoiseHalved, ROWS, "noise-law"),
    (Defect::NoiseReused, ROWS, "noise-shared"),
    (Defect::SeedPublished, ROWS, "seed"),
    (Defect::DiagnosticsFree, UNITS, "loss"),
    (Defect::RowsPublished, ROWS, "published"),
    (Defect::TouchingApart, TOUCHING, "loss"),
    (Defect::ThresholdTooLow, LEARNED, "delta"),
    (Defect::EmptyKeysWithoutNoise, SPACE, "bound"),
    (Defect::TypesFromCells, INFERRED, "published"),
];

/// The defects of a ledger, and what tries each: it returns what it found.
const PLANTED_IN_LEDGERS: [(Defect, fn() -> Option<String>); 2] =
    [(Defect::UnitReadTwice, ledger::another_unit_is_paid), (Defect::PartialKept, ledger::numbers_outlive_their_price)];

/// One test, because what is planted is planted in the whole process.
#[test]
fn every_planted_defect_is_found_and_the_program_has_none() {
    for text in [ROWS, PUBLIC_ROWS, INFERRED, UNITS, TOUCHING, LEARNED, SPACE] {
        let findings = audited(text).findings;
        assert!(findings.is_empty(), "nothing is planted: {findings:?}");
    }
    let mut missed = Vec::new();
    for (defect, text, expected) in PLANTED {
        let planted = plant(defect);
        let findings = audited(text).findings;
        drop(planted);
        let words: Vec<&str> = findings.iter().map(word).collect();
        println!("{defect:?}: {}", words.join(", "));
        if let Some(first) = findings.iter().find(|finding| word(finding) == expected) {
            println!("    {first}");
        } else {
            missed.push((defect, words));
        }
    }
    for (defect, tried) in PLANTED_IN_LEDGERS {
        assert_eq!(tried(), None, "nothing is planted");
        let planted = plant(defect);
        let finding = tried();
        drop(planted);
        println!("{defect:?}: {}", finding.as_deref().unwrap_or("nothing"));
        if finding.is_none() {
            missed.push((defect, Vec::new()));
        }
    }
    assert!(missed.is_empty(), "not found: {missed:?}");
}
