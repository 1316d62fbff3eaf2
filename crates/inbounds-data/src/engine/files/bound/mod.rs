//! Contribution bounding: keep at most `max_rows` rows a unit, chosen from that unit's rows only.
//!
//! **The rule.** Within a unit, rows are ordered by a fixed hash of (unit, cell, steps of all values), then by cell and
//! steps, and the first ones are kept: in each cell, in each group, and in all. Groups are ordered by a hash of (unit,
//! group). Rows that tie in all of them are interchangeable: the tally is the same whichever is kept. So the kept
//! multiset of (cell, steps) is a function of the unit's rows, and adding or removing a unit leaves the others' rows
//! where they are. The hash spreads the choice over cells and values instead of favouring the first keys of the list.
//!
//! **How.** Each unit has rows for each question, in slots where few are kept and in a list otherwise. A row that comes
//! to full slots takes the place of the last one or goes; a list that is longer than its limit is cut to the rows that
//! are kept. What goes has as many rows before it as are kept, so it would not be kept in the end. Memory is that of
//! the units and of at most twice the rows kept (and 16 a unit, where rows in a cell are limited), whatever the number
//! of rows. Units that come in order are not remembered (`sorted.rs`).

mod cell_names;
mod limits;
mod lists;
mod slots;
mod sorted;

use std::sync::atomic::AtomicUsize;

use arrow::array::{Array, Int64Array};
use arrow::error::Result;

pub(super) use self::cell_names::CellNames;
pub(super) use self::limits::Limits;
use self::lists::Lists;
use self::slots::Slots;
use self::sorted::Spans;
use super::cells::Cells;
use super::failure::Failure;
use super::program::{Bound, CompiledQuery, NodeId, Values};
use super::units::{self, Kept, Rows, Stream, UnitNames, Units, Words};
use crate::UnitMemory;

/// The cell of a row that does not count for a question.
const NONE: u64 = u64::MAX;

/// All queries with the same unit, and the rows that they keep.
pub(super) struct Bounded<'a> {
    unit: NodeId,
    /// Queries by their place in the pass.
    pub(super) queries: Vec<(usize, &'a CompiledQuery)>,
    units: Units<Vec<RowStore>>,
    /// Unless all units are kept by name.
    spans: Option<Spans>,
}

impl<'a> Bounded<'a> {
    /// The bounded queries of a pass, those of one unit together. Units may be taken to come in order where
    /// `may_be_sorted` says so, by the place of the unit among all.
    pub(super) fn from_queries(
        queries: &'a [CompiledQuery],
        memory: &UnitMemory,
        may_be_sorted: impl Fn(usize) -> bool,
    ) -> Vec<Self> {
        let mut all: Vec<(NodeId, Vec<(usize, &'a CompiledQuery)>)> = Vec::new();
        for (place, query) in queries.iter().enumerate() {
            let Some(Bound { unit, .. }) = query.bound else { continue };
            match all.iter_mut().find(|(known, _)| *known == unit) {
                Some((_, queries)) => queries.push((place, query)),
                None => all.push((unit, vec![(place, query)])),
            }
        }
        let spans = (0..all.len()).map(|place| may_be_sorted(place).then(Spans::default));
        let bounded = all.into_iter().zip(spans).map(|((unit, queries), spans)| {
            let units = Units::new(memory, || row_stores(&queries));
            Self { unit, queries, units, spans }
        });
        bounded.collect()
    }

    /// Collector for the rows of one thread.
    pub(super) fn collector(&self) -> Collector<'_> {
        Collector { bounded: self, rows: self.units.collector(), one: row_stores(&self.queries), stream: Stream::new() }
    }

    /// `true` if no more rows are needed: units turned out to be out of order, or there will be no answer.
    pub(super) fn is_over(&self) -> bool {
        self.spans.as_ref().is_some_and(Spans::is_broken) || self.units.has_failed()
    }

    /// `true`, once all rows are read, if units turned out to be out of order, so that there is no answer until all are
    /// kept by name.
    pub(super) fn was_unsorted(&self) -> bool {
        self.spans.as_ref().is_some_and(|spans| !spans.hold())
    }

    /// Fails if units took too much memory, or the disk did not take their rows.
    pub(super) fn check(&self) -> std::result::Result<(), Failure> {
        self.units.check()
    }

    /// Adds the rows that are kept of a shard to the cells of the queries, and forgets them.
    pub(super) fn finish(&self, shard: usize, tallies: &mut [Cells]) {
        self.units.with_shard(shard, |kept| {
            kept.iter_mut().zip(tallies).for_each(|(store, tally)| store.finish(tally));
            *kept = row_stores(&self.queries);
        });
    }

    /// The next shard to finish; see [`Units::next_shard`].
    pub(super) fn next_shard(&self, next: &AtomicUsize) -> Option<usize> {
        self.units.next_shard(next)
    }
}

/// Stores for the rows that each of these queries keeps.
fn row_stores(queries: &[(usize, &CompiledQuery)]) -> Vec<RowStore> {
    queries.iter().map(|(_, query)| RowStore::new(query)).collect()
}

/// The rows that one thread has read.
pub(super) struct Collector<'b> {
    bounded: &'b Bounded<'b>,
    rows: units::Collector<'b, Vec<RowStore>>,
    /// Kept rows of one unit, whose rows lie together, and the words of these.
    one: Vec<RowStore>,
    stream: Stream,
}

impl Collector<'_> {
    /// Takes the rows of a batch; units that are done with it go to their cells among `tallies`.
    pub(super) fn add(&mut self, values: &Values, tallies: &mut [Cells]) -> Result<()> {
        let Self { bounded, rows, one, stream } = self;
        let counted = CountedRows(bounded.queries.iter().map(|(_, query)| Counted::new(query, values)).collect());
        let names = UnitNames::new(values.array(bounded.unit))?;
        let Some(spans) = &bounded.spans else {
            rows.add(&names, &counted);
            return Ok(());
        };
        let Some(ordered) = spans.add(&names, &counted) else { return Ok(()) };
        let outer = |row, name| rows.add_row(name, &counted, row);
        ordered.each(outer, |name, of_unit| {
            let mixed = name.mixed();
            one.add_unit();
            for mut words in stream.write_only(of_unit.iter().map(|&(row, _)| row), &counted) {
                one.take(0, || mixed, &mut words);
            }
            for (store, &(place, _)) in one.iter_mut().zip(&bounded.queries) {
                store.finish(&mut tallies[place]);
                store.forget();
            }
        });
        Ok(())
    }

    /// Takes what still waits.
    pub(super) fn finish(&mut self) {
        self.rows.finish();
    }
}

/// The rows of a batch that count for a query, with cell and steps.
struct Counted<'v> {
    unlisted: u32,
    cells: &'v [u32],
    steps: Vec<&'v Int64Array>,
}

/// The same for all queries.
struct CountedRows<'v>(Vec<Counted<'v>>);

impl<'v> Counted<'v> {
    fn new(query: &CompiledQuery, values: &'v Values) -> Self {
        let unlisted = u32::try_from(query.shape.cells).expect("fewer than 2^31 cells");
        let steps = query.steps.iter().map(|&id| values.steps(id)).collect();
        Self { unlisted, cells: values.numbers(query.cell), steps }
    }

    fn counts(&self, row: usize) -> bool {
        self.cells[row] < self.unlisted && self.steps.iter().all(|steps| steps.is_valid(row))
    }
}

impl Rows for CountedRows<'_> {
    fn counts(&self, row: usize) -> bool {
        self.0.iter().any(|counted| counted.counts(row))
    }

    /// For each query its cell and, if the row counts for it, its steps.
    fn write(&self, row: usize, stream: &mut Stream) {
        for counted in &self.0 {
            if counted.counts(row) {
                stream.push(counted.cells[row].into());
                counted.steps.iter().for_each(|steps| stream.push(steps.value(row) as u64));
            } else {
                stream.push(NONE);
            }
        }
    }
}

/// Store of a shard for one query.
struct RowStore {
    /// Words of a row: its cell and its steps.
    size: usize,
    rows: KeptRows,
}

enum KeptRows {
    Slots(Slots),
    Lists(Box<Lists>),
}

impl RowStore {
    fn new(query: &CompiledQuery) -> Self {
        let size = 1 + query.steps.len();
        let limits = &query.bound.as_ref().expect("the question is bounded").limits;
        let few = limits.is_plain().then(|| limits::size(limits.rows));
        let rows = match few.filter(|&rows| rows.saturating_mul(size) <= Slots::MOST) {
            Some(rows) => KeptRows::Slots(Slots::new(rows, query.steps.len(), query.names.clone())),
            None => KeptRows::Lists(Box::new(Lists::new(query, limits))),
        };
        Self { size, rows }
    }

    /// Keeps nothing, of no unit.
    fn forget(&mut self) {
        match &mut self.rows {
            KeptRows::Slots(slots) => slots.forget(),
            KeptRows::Lists(lists) => lists.forget(),
        }
    }

    fn finish(&mut self, tally: &mut Cells) {
        match &mut self.rows {
            KeptRows::Slots(slots) => slots.kept().for_each(|row| tally.add_row(row[0] as u32, &row[1..])),
            KeptRows::Lists(lists) => {
                for unit in 0..lists.units() {
                    lists.keep(unit);
                    lists.rows_of(unit).for_each(|row| tally.add_row(lists.cell_of(row), lists.steps_of(row)));
                }
            }
        }
    }
}

impl Kept for Vec<RowStore> {
    fn add_unit(&mut self) {
        for store in self {
            match &mut store.rows {
                KeptRows::Slots(slots) => slots.push_unit(),
                KeptRows::Lists(lists) => lists.push_unit(),
            }
        }
    }

    fn take(&mut self, unit: usize, mixed: impl FnOnce() -> u64, words: &mut Words<'_>) {
        let mixed = mixed();
        for store in self {
            if words.peek() == NONE {
                words.word();
                continue;
            }
            let row: &[i64] = bytemuck::cast_slice(words.many(store.size));
            match &mut store.rows {
                KeptRows::Slots(slots) => slots.add(unit, row, mixed),
                KeptRows::Lists(lists) => lists.add(unit, row, mixed),
            }
        }
    }

    fn prefetch(&self, unit: usize) -> i64 {
        let word = |store: &RowStore| match &store.rows {
            KeptRows::Slots(slots) => slots.prefetch(unit),
            KeptRows::Lists(lists) => lists.prefetch(unit),
        };
        self.iter().fold(0, |sum, store| word(store) ^ sum)
    }

    fn bytes(&self) -> usize {
        let bytes = |store: &RowStore| match &store.rows {
            KeptRows::Slots(slots) => slots.bytes(),
            KeptRows::Lists(lists) => lists.bytes(),
        };
        self.iter().map(bytes).sum()
    }
}
