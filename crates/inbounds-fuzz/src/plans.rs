//! Plans.

use std::{path::Path, sync::LazyLock};

use inbounds_core::{Rational, Region};
use inbounds_data::{
    MemoryRows,
    arrow::{
        array::{ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray},
        datatypes::SchemaRef,
    },
};
use inbounds_release::{
    AssumedRows, Grants, PlanText, check as checking, parse_plan,
    plan::{DocumentErrors, Kind, Plan},
};

/// No folder: what a plan names is never there.
const NOWHERE: &str = "/nonexistent/inbounds-fuzz";

/// Reads a plan, and holds it against a schema of few columns.
///
/// # Panics
/// If a mistake points outside the text or breaks its line.
pub fn plan(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match Plan::parse(&text, Path::new(NOWHERE)) {
        Ok(plan) => {
            let schema = [
                ("region", Kind::Text),
                ("age", Kind::Integer),
                ("income", Kind::Number),
                ("member", Kind::Boolean),
                ("day", Kind::Date),
                ("person", Kind::Text),
            ];
            let schema = schema.map(|(name, kind)| (name.to_owned(), kind));
            let mistakes = plan.resolve(&schema);
            if !mistakes.is_empty() {
                told(&plan.errors(mistakes), &text);
            }
            let everywhere = Region::default();
            let (grants, _) = Grants::for_rows(&plan, &vec![&everywhere; plan.statistics.len()]);
            for place in 0..plan.statistics.len() {
                assert!(*grants.epsilon(place).value() > Rational::ZERO);
            }
        }
        Err(errors) => told(&errors, &text),
    }
}

/// Checks a plan as `inbounds check` does, with rows in memory in place of those that it names.
///
/// # Panics
/// If a mistake points outside the text or breaks its line.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let source = PlanText { text: &text, name: "plan.toml", folder: Path::new(NOWHERE), rows: Some(ROWS.clone()) };
    match parse_plan(source) {
        Ok(plan) => {
            if let Ok(report) = checking::check(&plan, &AssumedRows::Rows(100)) {
                let _ = serde_json::to_string(&report).expect("a report is JSON");
            }
        }
        Err(errors) => told(&errors, &text),
    }
}

/// Every mistake is said in a line and has a place.
fn told(errors: &DocumentErrors, text: &str) {
    assert!(!errors.mistakes.is_empty(), "an error says what is wrong");
    for mistake in &errors.mistakes {
        assert!(text.get(mistake.span.clone()).is_some(), "{mistake:?} points outside the plan");
        assert!(!mistake.message.contains(char::is_control), "{mistake:?} breaks its line");
    }
    assert!(!errors.to_string().is_empty());
}

/// A few rows with a column of each kind.
pub(crate) static ROWS: LazyLock<MemoryRows> = LazyLock::new(|| {
    let columns: [(&str, ArrayRef); 6] = [
        ("region", std::sync::Arc::new(StringArray::from(vec![Some("CA"), Some("NV"), Some(""), None, Some("é")]))),
        ("age", std::sync::Arc::new(Int64Array::from(vec![Some(0), Some(41), Some(i64::MAX), None, Some(-1)]))),
        (
            "income",
            std::sync::Arc::new(Float64Array::from(vec![Some(0.5), Some(f64::NAN), Some(1e308), None, Some(-0.0)])),
        ),
        ("member", std::sync::Arc::new(BooleanArray::from(vec![Some(true), Some(false), None, Some(true), None]))),
        ("day", std::sync::Arc::new(Date32Array::from(vec![Some(0), Some(20_000), Some(i32::MAX), None, Some(-1)]))),
        ("person", std::sync::Arc::new(StringArray::from(vec![Some("a"), Some("a"), Some("b"), Some("c"), None]))),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(name, cells)| (name, cells, true)))
        .expect("columns of one length");
    let schema: SchemaRef = batch.schema();
    MemoryRows::new("rows", schema, &[batch]).expect("batches of one schema")
});
