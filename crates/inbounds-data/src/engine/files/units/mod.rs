//! Rows brought together by their unit.
//!
//! **Idea.** Units are divided over shards by a hash. The rows of a batch are written as words to the stream of their shard, and
//! wait there until there are many, so that the memory of a shard stays in the cache while they are taken. In a shard a unit is found
//! by its name and not by its hash alone: two units on one number would double the sensitivity.
//!
//! **Invariant.** What is [`Kept`] of a unit is told that unit's rows and no others, each once, in an order that depends on threads and
//! files. So it must not depend on the order.

mod names;
mod stream;

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use hashbrown::DefaultHashBuilder;

use self::names::Names;
pub(super) use self::names::{Name, UnitNames, name_of, scramble};
pub(super) use self::stream::{Stream, Words};

/// Parts of the units, each small enough for the cache of a core.
const SHARDS: usize = 1024;

/// What a shard keeps of the rows of its units.
pub(super) trait Kept: Send {
    /// Begins with one unit more; units are numbered from 0.
    fn add_unit(&mut self);

    /// Takes a row of a unit: the words that [`Rows::write`] wrote of it. `mixed` is a fixed public hash of the unit's name.
    fn take(&mut self, unit: usize, mixed: impl FnOnce() -> u64, words: &mut Words<'_>);

    /// Looks at what is kept of a unit, so that memory sends it while others are looked at: returns something of it.
    fn look(&self, unit: usize) -> i64;
}

/// The rows of a batch.
pub(super) trait Rows {
    /// Whether anything is to be taken of a row.
    fn counts(&self, row: usize) -> bool;

    /// Writes what is to be taken of a row.
    fn write(&self, row: usize, stream: &mut Stream);
}

/// Units in shards.
pub(super) struct Units<K> {
    shards: Vec<Mutex<Shard<K>>>,
    hasher: DefaultHashBuilder,
}

/// The units of one shard.
struct Shard<K> {
    names: Names,
    kept: K,
}

impl<K: Kept> Units<K> {
    /// No units; each shard begins with what `kept` returns.
    pub(super) fn new(kept: impl Fn() -> K) -> Self {
        let shard = || Mutex::new(Shard { names: Names::default(), kept: kept() });
        Self { shards: (0..SHARDS).map(|_| shard()).collect(), hasher: DefaultHashBuilder::default() }
    }

    /// What one thread collects rows in.
    pub(super) fn collector(&self) -> Collector<'_, K> {
        Collector { units: self, waiting: (0..SHARDS).map(|_| Stream::new()).collect(), found: Vec::new() }
    }

    /// The next shard for whoever asks: each goes to one of the threads that share `next`, which begins at 0.
    pub(super) fn next_shard(&self, next: &AtomicUsize) -> Option<usize> {
        Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&shard| shard < self.shards.len())
    }

    /// Hands over what a shard kept, once all rows are taken.
    pub(super) fn with_shard<T>(&self, shard: usize, work: impl FnOnce(&mut K) -> T) -> T {
        work(&mut self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner).kept)
    }

    /// Takes the rows that wait for a shard.
    ///
    /// First it finds the units of all, then it looks at what is kept of each, then it takes them: the time goes to waiting for memory,
    /// and so many rows wait at once.
    fn take(&self, shard: usize, waiting: &mut Stream, found: &mut Vec<usize>) {
        let mut shard = self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner);
        let Shard { names, kept } = &mut *shard;
        // First where the units are, then all of what is kept of them, then the rows: the time goes to waiting for memory, and so
        // many rows wait at once.
        found.clear();
        found.extend(waiting.rows().map(|mut words| {
            let (hash, name) = words.begin();
            names.number(name, hash, &self.hasher, || kept.add_unit())
        }));
        black_box(found.iter().fold(0, |sum, &unit| kept.look(unit) ^ sum));
        for (&unit, mut words) in found.iter().zip(waiting.rows()) {
            let (_, name) = words.begin();
            kept.take(unit, || name.mixed(), &mut words);
        }
        waiting.clear();
    }
}

/// The rows that one thread has read and that wait for their shards.
pub(super) struct Collector<'u, K> {
    units: &'u Units<K>,
    waiting: Vec<Stream>,
    /// The units of rows that are being taken; memory used again.
    found: Vec<usize>,
}

impl<K: Kept> Collector<'_, K> {
    /// Takes the rows of a batch, whose units are these.
    pub(super) fn add(&mut self, names: &UnitNames<'_>, rows: &impl Rows) {
        for row in 0..names.len() {
            if let Some(name) = names.of(row).filter(|_| rows.counts(row)) {
                self.add_row(name, rows, row);
            }
        }
    }

    /// Takes a row that counts, of this unit.
    pub(super) fn add_row(&mut self, name: Name<'_>, rows: &impl Rows, row: usize) {
        let Self { units, waiting, found } = self;
        let hash = name.hash(&units.hasher);
        let shard = (hash >> 32) as usize % SHARDS;
        let stream = &mut waiting[shard];
        stream.begin_row(hash, name);
        rows.write(row, stream);
        if stream.is_long() {
            units.take(shard, stream, found);
        }
    }

    /// Takes what still waits.
    pub(super) fn finish(&mut self) {
        let Self { units, waiting, found } = self;
        waiting.iter_mut().enumerate().for_each(|(shard, waiting)| units.take(shard, waiting, found));
    }
}
