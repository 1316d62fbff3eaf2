//! At most so many rows of each unit, chosen by the unit's own rows alone.
//!
//! **The rule.** Within a unit, rows are ordered by a fixed hash of (unit, cell, steps of all values), then by cell and
//! steps, and the first ones are kept. Rows that tie in all of them are interchangeable: the tally is the same whichever is
//! kept. So the kept multiset of (cell, steps) is a function of the unit's rows, and adding or removing a unit leaves the
//! others' rows where they are. The hash spreads the choice over cells and values instead of favouring the first keys of the
//! list.
//!
//! **How.** Units are divided over shards by a hash; in a shard each unit, found by its name and not by its hash alone, has
//! a list of rows for each question. Once a list is longer than its limit it is cut to the rows that are kept: what is cut
//! has that many rows before it already, so it would not be kept in the end. Memory is that of the units and of the rows
//! kept, whatever the number of rows.

mod lists;
mod names;

use std::sync::{Mutex, PoisonError};

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, StringViewArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use arrow::error::Result;
use hashbrown::{DefaultHashBuilder, HashTable};

use self::lists::Lists;
use self::names::{Name, Names};
use super::cells::Cells;
use super::program::{Job, NodeId, Values};

/// At most `rows` rows for each value of `unit`.
pub(super) struct Bound {
    pub(super) unit: NodeId,
    pub(super) rows: u64,
}

/// Parts of the units that threads can work on at once.
const SHARDS: usize = 64;

/// The rows of units, for all questions with the same unit.
pub(super) struct Units<'a> {
    unit: NodeId,
    /// Questions by their place in the pass.
    pub(super) jobs: Vec<(usize, &'a Job)>,
    shards: Vec<Mutex<Shard>>,
    hasher: DefaultHashBuilder,
}

struct Shard {
    numbers: HashTable<u32>,
    names: Names,
    /// One for each question.
    lists: Vec<Lists>,
}

/// The units of a batch.
enum Batch<'a> {
    Integers(&'a Int64Array),
    Texts(StringViewArray),
}

impl<'a> Units<'a> {
    /// The bounded questions of a pass, those of one unit together.
    pub(super) fn of(jobs: &'a [Job]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for (place, job) in jobs.iter().enumerate() {
            let Some(Bound { unit, .. }) = job.bound else { continue };
            match all.iter_mut().find(|units| units.unit == unit) {
                Some(units) => units.jobs.push((place, job)),
                None => {
                    let hasher = DefaultHashBuilder::default();
                    all.push(Self { unit, jobs: vec![(place, job)], shards: Vec::new(), hasher });
                }
            }
        }
        for units in &mut all {
            let lists = || units.jobs.iter().map(|(_, job)| Lists::new(job)).collect();
            let shard = || Mutex::new(Shard { numbers: HashTable::new(), names: Names::None, lists: lists() });
            units.shards = (0..SHARDS).map(|_| shard()).collect();
        }
        all
    }

    /// Takes the rows of a batch.
    pub(super) fn add(&self, values: &Values) -> Result<()> {
        let batch = match values.integers(self.unit) {
            Some(integers) => Batch::Integers(integers),
            None => Batch::Texts(texts(values.array(self.unit))?),
        };
        let counted: Vec<Counted<'_>> = self.jobs.iter().map(|(_, job)| Counted::new(job, values)).collect();
        let mut by_shard: Vec<Vec<(u32, u64)>> = vec![Vec::new(); SHARDS];
        for row in 0..batch.rows() {
            let Some(name) = batch.name(row) else { continue };
            if counted.iter().any(|counted| counted.counts(row)) {
                let hash = name.hash(&self.hasher);
                let row = u32::try_from(row).expect("a batch is short");
                by_shard[(hash >> 32) as usize % SHARDS].push((row, hash));
            }
        }
        for (shard, rows) in self.shards.iter().zip(&by_shard).filter(|(_, rows)| !rows.is_empty()) {
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            for &(row, hash) in rows {
                let name = batch.name(row as usize).expect("a row with a unit");
                shard.add(name, hash, row as usize, &counted, &self.hasher);
            }
        }
        Ok(())
    }

    /// Adds the rows that are kept of a shard to the cells of the questions.
    pub(super) fn finish(&self, shard: usize, tallies: &mut [Cells]) {
        let mut shard = self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner);
        let Shard { names, lists, .. } = &mut *shard;
        for (lists, tally) in lists.iter_mut().zip(tallies) {
            for unit in 0..lists.heads.len() {
                lists.cut(unit, || names.mixed(unit));
                lists.of(unit).for_each(|row| tally.add_row(lists.cells[row], lists.steps_of(row)));
            }
        }
    }

    /// Number of shards.
    pub(super) fn shards(&self) -> usize {
        self.shards.len()
    }
}

/// The rows of a batch that count for a question.
struct Counted<'a> {
    unlisted: u32,
    cells: &'a [u32],
    steps: Vec<&'a Int64Array>,
}

impl<'a> Counted<'a> {
    fn new(job: &Job, values: &'a Values) -> Self {
        let unlisted = u32::try_from(job.shape.cells).expect("fewer than 2^31 cells");
        let steps = job.steps.iter().map(|&id| values.steps(id)).collect();
        Self { unlisted, cells: values.numbers(job.cell), steps }
    }

    fn counts(&self, row: usize) -> bool {
        self.cells[row] < self.unlisted && self.steps.iter().all(|steps| steps.is_valid(row))
    }
}

impl Batch<'_> {
    fn rows(&self) -> usize {
        match self {
            Self::Integers(integers) => integers.len(),
            Self::Texts(texts) => texts.len(),
        }
    }

    fn name(&self, row: usize) -> Option<Name<'_>> {
        match self {
            Self::Integers(integers) => integers.is_valid(row).then(|| Name::Integer(integers.value(row))),
            Self::Texts(texts) => texts.is_valid(row).then(|| Name::Text(texts.value(row))),
        }
    }
}

/// Texts in one layout.
fn texts(array: &ArrayRef) -> Result<StringViewArray> {
    Ok(cast(array, &DataType::Utf8View)?.as_string_view().clone())
}

impl Shard {
    fn add(&mut self, name: Name<'_>, hash: u64, row: usize, counted: &[Counted<'_>], hasher: &DefaultHashBuilder) {
        let Self { numbers, names, lists } = self;
        let known = numbers.find(hash, |&number| names.get(number as usize) == name).copied();
        let unit = known.unwrap_or_else(|| {
            let number = u32::try_from(lists[0].heads.len()).expect("fewer than 2^32 units in a shard");
            names.push(name);
            numbers.insert_unique(hash, number, |&number| names.get(number as usize).hash(hasher));
            lists.iter_mut().for_each(Lists::push_unit);
            number
        }) as usize;
        for (lists, counted) in lists.iter_mut().zip(counted) {
            if counted.counts(row) {
                lists.add(unit, counted, row, || name.mixed());
            }
        }
    }
}
