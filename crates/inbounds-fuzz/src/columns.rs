//! Conditions and formulas.

use std::{num::NonZero, sync::LazyLock};

use inbounds_core::Rational;
use inbounds_data::{Derivation, Engine, Expression, FileEngine, Kind, NumberRange, Query, Source, region};

use crate::plans::ROWS;

static ENGINE: LazyLock<FileEngine> = LazyLock::new(|| open(&source()).expect("rows in memory"));

fn source() -> Source {
    Source::in_memory("rows", ROWS.clone()).with_public_types()
}

fn open(source: &Source) -> Option<FileEngine> {
    Some(FileEngine::open(source).ok()?.with_threads(NonZero::<usize>::MIN))
}

/// Checks a condition, finds the rows that it can be true of, and counts them.
///
/// # Panics
/// If a condition that was accepted cannot be answered.
pub fn condition(bytes: &[u8]) {
    let query = Query { filter: Some(String::from_utf8_lossy(bytes).into_owned()), ..Query::default() };
    if ENGINE.check(&query).is_err() {
        return;
    }
    let rows = region(&query, ENGINE.columns(), &|column| column.kind.to_string());
    let is_column = |name: &String| ENGINE.columns().iter().any(|column| column.name == *name);
    assert!(rows.limits().iter().all(|limit| is_column(&limit.column)), "what is limited is a column");
    ENGINE.tally(&query).expect("no cell decides whether there is an answer");
}

/// Reads a formula or condition, and makes a column by it.
///
/// # Panics
/// If a formula that was accepted cannot be computed.
pub fn formula(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let rule = match Expression::parse(&text) {
        Err(error) => return assert!(!error.to_string().is_empty()),
        Ok(Expression::Condition { text, .. }) => Derivation::Condition(text),
        Ok(Expression::Formula(formula)) => {
            let range = |column: &String| match column.as_str() {
                "member" => NumberRange { lower: Rational::ZERO, upper: Rational::ONE },
                "income" => NumberRange { lower: Rational::ratio(1, 3), upper: Rational::from(1_000_000_i128) },
                _ => NumberRange { lower: Rational::from(-9_i128), upper: Rational::from(120_i128) },
            };
            let ranges: Vec<NumberRange> = formula.columns().iter().map(range).collect();
            Derivation::Computed { formula, ranges }
        }
    };
    let Some(engine) = open(&source().derive("made", rule)) else { return };
    let is_number = engine.columns().iter().any(|column| column.name == "made" && column.kind != Kind::Boolean);
    let filter = if is_number { "made > 3 OR made IS NULL" } else { "made" };
    let query = Query { filter: Some(filter.to_owned()), ..Query::default() };
    if engine.check(&query).is_ok() {
        engine.tally(&query).expect("no cell decides whether there is an answer");
    }
}
