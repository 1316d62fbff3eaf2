//! Tests of `inbounds-data` through its public doors, on files written for the purpose.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod arrow_damage;
mod bins;
mod bound;
mod canary;
mod dates;
mod declared;
mod derived;
mod encodings;
mod errors;
mod filter;
#[cfg(unix)]
mod folders;
mod formats;
mod frequency;
mod joint;
mod key_files;
mod learn;
mod lines;
mod longer;
mod memory;
mod messy;
mod missing_key;
mod per_unit;
mod programs;
mod random;
mod reference;
mod shared;
mod sorted;
mod survey;
mod tally;
mod types;
mod write;

use std::num::NonZero;
use std::path::Path;

use inbounds_core::Grid;
use inbounds_data::{
    Answers, Clip, DataError, Engine, FileEngine, KeyValue, Keys, Kind, Missing, Query, Questions, Source, Tally,
};

/// The column kinds that CSV files of [`write::Row`]s need.
fn source(path: &Path) -> Source {
    let source = Source::new(path.to_str().unwrap()).with_public_types();
    if path.extension().is_some_and(|extension| extension == "parquet") || path.to_str().unwrap().contains("parquet") {
        return source;
    }
    source.declare("age", Kind::Integer).declare("income", Kind::Number).declare("member", Kind::Boolean)
}

fn open(path: &Path) -> FileEngine {
    FileEngine::open(&source(path)).unwrap()
}

fn partitions(engine: FileEngine, partitions: usize) -> FileEngine {
    engine.with_threads(NonZero::new(partitions).unwrap())
}

/// The answer to a query; from shares of the rows it is the same.
fn tally(engine: &FileEngine, query: &Query) -> Tally {
    let questions = Questions { queries: vec![query], ..Questions::default() };
    answer(engine, &questions).tallies.into_iter().next().unwrap()
}

/// The answers to questions; from shares of the rows they are the same.
fn answer(engine: &FileEngine, questions: &Questions<'_>) -> Answers {
    let answers = engine.answer(questions).unwrap_or_else(|error| panic!("{error}"));
    shared::agree(engine, questions, &answers);
    answers
}

/// Counts, then each sum, then each product.
fn all_answers(engine: &FileEngine, query: &Query) -> Vec<Vec<i128>> {
    numbers(&tally(engine, query))
}

/// Counts, then each sum, then each product.
fn numbers(tally: &Tally) -> Vec<Vec<i128>> {
    let answers = std::iter::once(&tally.counts).chain(&tally.sums).chain(&tally.products);
    answers.map(|answer| answer.private_steps().to_vec()).collect()
}

/// Counts, and sums of the one value; empty without a value.
fn answers(engine: &FileEngine, query: &Query) -> (Vec<i128>, Vec<i128>) {
    let tally = tally(engine, query);
    let sums = tally.sums.first().map(|sums| sums.private_steps().to_vec()).unwrap_or_default();
    (tally.counts.private_steps().to_vec(), sums)
}

fn refused(path: &Path, query: &Query) -> DataError {
    open(path).check(query).expect_err("the query is refused")
}

fn text(value: &str) -> KeyValue {
    KeyValue::Text(value.to_owned())
}

fn keys<const N: usize>(columns: [&str; N], rows: impl IntoIterator<Item = [KeyValue; N]>) -> Keys {
    Keys::new(columns.map(str::to_owned).to_vec(), rows.into_iter().map(Vec::from).collect()).unwrap()
}

fn filtered(filter: &str) -> Query {
    Query { filter: Some(filter.to_owned()), ..Query::default() }
}

/// Income in quarters between 0 and 200,000.
fn income() -> Clip {
    let grid = Grid::power_of_two(-2).unwrap();
    Clip { column: "income".to_owned(), lower: 0, upper: 800_000, grid, missing: Missing::Drop }
}
