//! At most so many rows of each unit, chosen by the unit's own rows alone.
//!
//! **The rule.** Within a unit, rows are ordered by a fixed hash of (unit, cell, steps of all values), then by cell and
//! steps, and the first ones are kept. Rows that tie in all of them are interchangeable: the tally is the same whichever is
//! kept. So the kept multiset of (cell, steps) is a function of the unit's rows, and adding or removing a unit leaves the
//! others' rows where they are. The hash spreads the choice over cells and values instead of favouring the first keys of the
//! list.
//!
//! **How.** Units are divided over shards by a hash. Rows wait until there are many of one shard, whose memory then stays in
//! the cache while they are taken. In a shard each unit, found by its name and not by its hash alone, has a list of rows
//! for each question. Once a list is longer than its limit it is cut to the rows that are kept: what is cut has that many
//! rows before it already, so it would not be kept in the end. Memory is that of the units and of at most twice the rows
//! kept (and 16 a unit, where rows in a cell are limited), whatever the number of rows.

mod counted;
mod lists;
mod names;
mod waiting;

use std::sync::{Mutex, PoisonError};

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, StringViewArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use arrow::error::Result;
use hashbrown::{DefaultHashBuilder, HashTable};

use self::counted::Counted;
use self::lists::Lists;
use self::names::{Name, Names};
use self::waiting::Waiting;
use super::cells::Cells;
use super::program::{Bound, Job, NodeId, Values};

/// Parts of the units, each small enough for the cache of a core.
const SHARDS: usize = 1024;

/// Rows that wait for a shard before they are taken together.
const TOGETHER: usize = 512;

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

    /// What one thread collects rows in.
    pub(super) fn collector(&self) -> Collector<'_> {
        let waiting = || Waiting::new(self.jobs.iter().map(|(_, job)| *job));
        Collector { units: self, waiting: (0..SHARDS).map(|_| waiting()).collect() }
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

/// The rows that one thread has read and that wait for their shards.
pub(super) struct Collector<'u> {
    units: &'u Units<'u>,
    waiting: Vec<Waiting>,
}

impl Collector<'_> {
    /// Takes the rows of a batch.
    pub(super) fn add(&mut self, values: &Values) -> Result<()> {
        let Self { units, waiting } = self;
        let batch = match values.integers(units.unit) {
            Some(integers) => Batch::Integers(integers),
            None => Batch::Texts(texts(values.array(units.unit))?),
        };
        let counted: Vec<Counted<'_>> = units.jobs.iter().map(|(_, job)| Counted::new(job, values)).collect();
        for row in 0..batch.rows() {
            let Some(name) = batch.name(row) else { continue };
            if counted.iter().any(|counted| counted.counts(row)) {
                let hash = name.hash(&units.hasher);
                let shard = (hash >> 32) as usize % SHARDS;
                waiting[shard].push(name, hash, row, &counted);
                if waiting[shard].len() == TOGETHER {
                    units.take(shard, &mut waiting[shard]);
                }
            }
        }
        Ok(())
    }

    /// Takes what still waits.
    pub(super) fn finish(&mut self) {
        self.waiting.iter_mut().enumerate().for_each(|(shard, waiting)| self.units.take(shard, waiting));
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

impl Units<'_> {
    /// Takes the rows that wait for a shard.
    fn take(&self, shard: usize, waiting: &mut Waiting) {
        let mut shard = self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner);
        for row in 0..waiting.len() {
            shard.add(waiting, row, &self.hasher);
        }
        waiting.clear();
    }
}

impl Shard {
    fn add(&mut self, waiting: &Waiting, row: usize, hasher: &DefaultHashBuilder) {
        let Self { numbers, names, lists } = self;
        let (name, hash) = waiting.name(row);
        let known = numbers.find(hash, |&number| names.get(number as usize) == name).copied();
        let unit = known.unwrap_or_else(|| {
            let number = u32::try_from(lists[0].heads.len()).expect("fewer than 2^32 units in a shard");
            names.push(name);
            numbers.insert_unique(hash, number, |&number| names.get(number as usize).hash(hasher));
            lists.iter_mut().for_each(Lists::push_unit);
            number
        }) as usize;
        for (job, lists) in lists.iter_mut().enumerate() {
            if let Some((cell, steps)) = waiting.row(job, row) {
                lists.add(unit, (cell, steps), || name.mixed());
            }
        }
    }
}
