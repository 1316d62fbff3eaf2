//! The keys that rows have: one pass that finds them, and one that counts.
//!
//! **Idea.** Threads number the values that they meet in each column, and keep each combination of numbers once. Their
//! keys are merged, sorted, and counted as listed keys are.
//!
//! **Invariant.** Under a bound the hash of a row takes the values of its key where it takes the number of a listed one
//! ([`super::bound::CellNames`]), because the number of a learned key depends on the keys of others.
//!
//! Memory and time grow with the number of distinct keys among the rows that pass the filter.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::Int64Type;
use arrow::error::Result as ReaderResult;
use hashbrown::{HashMap, HashSet};
use inbounds_core::Answer;

use super::FileEngine;
use super::cells::Cells;
use super::failure::{self, Failure};
use super::program::{KeyColumns, Program, Values};
use super::read::views;
use super::threads::{is_set, on_batches};
use crate::learn::{LearnKeys, LearnedCells, LearnedKeys};
use crate::{DataError, KeyDomain, KeyValue, Keys, Kind, Query};

/// Code of a row without a value in a column.
const MISSING: u32 = u32::MAX;

impl FileEngine {
    /// The keys that rows have, with their numbers of rows; `units` if those have been read.
    pub(super) fn learned(
        &self,
        asked: &LearnKeys,
        stop: Option<&AtomicBool>,
        units: Option<&[RecordBatch]>,
    ) -> Result<LearnedCells, DataError> {
        let (keys, cells) = self.learned_counts(asked, stop, units)?;
        let counts = cells.map_or_else(|| Answer::new(Vec::new()), |cells| cells.into_tally().counts);
        Ok(LearnedCells { keys: LearnedKeys::new(asked.columns.clone(), keys), counts })
    }

    /// The keys, sorted, and their numbers of rows; none of no keys.
    pub(super) fn learned_counts(
        &self,
        asked: &LearnKeys,
        stop: Option<&AtomicBool>,
        units: Option<&[RecordBatch]>,
    ) -> Result<(Vec<Vec<KeyValue>>, Option<Cells>), DataError> {
        let explain = |failure: Failure| failure::explain(failure, &self.rows);
        self.check_learned(asked)?;
        let mut program = Program::new(self.table());
        let columns = program.keys_of(asked)?;
        let keys = self.distinct(&program, &columns, stop, units).map_err(explain)?;
        let is_known = known(asked);
        let rows: Vec<_> = keys.into_iter().filter(|key| is_known(key)).collect();
        if rows.is_empty() {
            return Ok((rows, None));
        }
        let query = Query {
            filter: asked.filter.clone(),
            keys: Some(Keys::new(asked.columns.clone(), rows.clone())?),
            bound: asked.bound.clone(),
            rows_per_cell: asked.rows_per_cell,
            ..Query::default()
        };
        let mut program = Program::new(self.table());
        program.ask_learned(&query)?;
        let cells = self.run(&program, stop, units).map_err(explain)?.into_iter().next();
        Ok((rows, Some(cells.expect("one question"))))
    }

    /// Refuses a question for keys that cannot be answered.
    pub(super) fn check_learned(&self, asked: &LearnKeys) -> Result<(), DataError> {
        Program::new(self.table()).check_learned(asked)?;
        if self.rows.is_read_once() { Err(DataError::LearnedOfStream) } else { Ok(()) }
    }

    /// The distinct keys of the rows that pass, sorted.
    fn distinct(
        &self,
        program: &Program<'_>,
        columns: &KeyColumns,
        stop: Option<&AtomicBool>,
        units: Option<&[RecordBatch]>,
    ) -> Result<BTreeSet<Vec<KeyValue>>, Failure> {
        let stopped = || is_set(stop);
        let threads = self.threads.get();
        let scan = self.scan(program, units, &stopped)?;
        let parts = on_batches(
            &scan,
            (threads, &stopped),
            || DistinctKeys::new(columns),
            |distinct: &mut DistinctKeys, batch: &RecordBatch| {
                let values = program.values(batch, &scan.columns)?;
                distinct.add(columns, &values, batch.num_rows())
            },
            DistinctKeys::into_keys,
        )?;
        if stopped() {
            return Err(Failure::Stopped);
        }
        Ok(parts.into_iter().flatten().collect())
    }
}

/// Tests that a key has a known value in each column with known values.
fn known(asked: &LearnKeys) -> impl Fn(&[KeyValue]) -> bool + '_ {
    let place = |name: &String| asked.columns.iter().position(|column| column == name);
    let domains: Vec<(usize, &KeyDomain)> =
        asked.known.iter().filter_map(|(name, domain)| Some((place(name)?, domain))).collect();
    move |key| domains.iter().all(|(place, domain)| domain.contains(&key[*place]))
}

/// The keys that one thread has met.
pub(super) struct DistinctKeys {
    values: Vec<Numbered>,
    keys: HashSet<Box<[u32]>>,
}

/// The distinct values of a column, numbered as they were met.
#[derive(Default)]
struct Numbered {
    integers: HashMap<i64, u32>,
    texts: HashMap<String, u32>,
    values: Vec<KeyValue>,
}

impl DistinctKeys {
    pub(super) fn new(columns: &KeyColumns) -> Self {
        Self { values: columns.nodes.iter().map(|_| Numbered::default()).collect(), keys: HashSet::new() }
    }

    /// Adds the keys of a batch.
    pub(super) fn add(&mut self, columns: &KeyColumns, values: &Values, rows: usize) -> ReaderResult<()> {
        let numbered = self.values.iter_mut().zip(&columns.nodes);
        let codes: Vec<Vec<u32>> = numbered
            .map(|(known, (id, kind))| known.numbers(values.array(*id), *kind, columns.longest_text))
            .collect::<ReaderResult<_>>()?;
        let passes = columns.condition.map(|condition| values.truth(condition));
        let mut key = vec![MISSING; codes.len()];
        for row in 0..rows {
            let counts = passes.is_none_or(|passes| passes.is_valid(row) && passes.value(row));
            key.iter_mut().zip(&codes).for_each(|(code, codes)| *code = codes[row]);
            if counts && !key.contains(&MISSING) && !self.keys.contains(key.as_slice()) {
                self.keys.insert(key.clone().into());
            }
        }
        Ok(())
    }

    pub(super) fn into_keys(self) -> Vec<Vec<KeyValue>> {
        let Self { values, keys } = self;
        let value = |(numbered, code): (&Numbered, &u32)| numbered.values[*code as usize].clone();
        keys.iter().map(|key| values.iter().zip(key.iter()).map(value).collect()).collect()
    }
}

impl Numbered {
    /// The numbers of a column of rows, which is read as its kind.
    fn numbers(&mut self, array: &ArrayRef, kind: Kind, longest_text: usize) -> ReaderResult<Vec<u32>> {
        Ok(match kind {
            Kind::Integer => {
                let integers = array.as_primitive::<Int64Type>();
                integers.iter().map(|value| value.map_or(MISSING, |value| self.of_integer(value))).collect()
            }
            Kind::Boolean => {
                let truths = array.as_boolean();
                truths.iter().map(|value| value.map_or(MISSING, |value| self.of_truth(value))).collect()
            }
            _ => {
                let texts = views(array)?;
                let fits = |text: &&str| text.len() <= longest_text;
                let texts = texts.iter().map(|text| text.filter(fits));
                texts.map(|text| text.map_or(MISSING, |text| self.of_text(text))).collect()
            }
        })
    }

    fn of_integer(&mut self, value: i64) -> u32 {
        let Self { integers, values, .. } = self;
        *integers.entry(value).or_insert_with(|| next(values, KeyValue::Integer(value)))
    }

    fn of_truth(&mut self, value: bool) -> u32 {
        let Self { integers, values, .. } = self;
        *integers.entry(value.into()).or_insert_with(|| next(values, KeyValue::Boolean(value)))
    }

    fn of_text(&mut self, text: &str) -> u32 {
        let Self { texts, values, .. } = self;
        match texts.get(text) {
            Some(number) => *number,
            None => *texts.entry(text.to_owned()).or_insert(next(values, KeyValue::Text(text.to_owned()))),
        }
    }
}

/// The number of a value that was not there.
fn next(values: &mut Vec<KeyValue>, value: KeyValue) -> u32 {
    let number = u32::try_from(values.len()).ok().filter(|number| *number != MISSING);
    values.push(value);
    number.expect("fewer than 2^32 - 1 values")
}
