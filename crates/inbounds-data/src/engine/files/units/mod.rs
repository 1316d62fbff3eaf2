//! Rows brought together by their unit.
//!
//! **Idea.** Units are divided over shards by a hash. The rows of a batch are written as words to the stream of their
//! shard, and wait there until there are many, so that the memory of a shard stays in the cache while they are taken.
//! In a shard a unit is found by its name and not by its hash alone: two units on one number would double the
//! sensitivity. Once the shards hold as much as they may, streams go to the disk, and come back shard by shard when all
//! rows are read.
//!
//! **Invariant.** What is [`Kept`] of a unit is told that unit's rows and no others, each once, in an order that
//! depends on threads and files. So it must not depend on the order.

mod names;
mod room;
mod spill;
mod stream;

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use hashbrown::DefaultHashBuilder;

use super::failure::Failure;
use crate::UnitMemory;

use self::names::Names;
pub(super) use self::names::{Name, UnitNames, name_of, scramble};
use self::room::Room;
pub(super) use self::stream::{Rows, Stream, Words};

/// Parts of the units, each small enough for the cache of a core.
const SHARDS: usize = 1024;

/// Store of a shard for the rows of its units.
pub(super) trait Kept: Send {
    /// Begins with one unit more; units are numbered from 0.
    fn add_unit(&mut self);

    /// Takes a row of a unit: the words that [`Rows::write`] wrote of it. `mixed` is a fixed public hash of the unit's
    /// name.
    fn take(&mut self, unit: usize, mixed: impl FnOnce() -> u64, words: &mut Words<'_>);

    /// Prefetches what is kept of a unit into the cache: reads a word of it and returns the word.
    fn prefetch(&self, unit: usize) -> i64;

    /// Bytes of memory.
    fn bytes(&self) -> usize;
}

/// Units in shards.
pub(super) struct Units<K> {
    shards: Vec<Mutex<Shard<K>>>,
    hasher: DefaultHashBuilder,
    room: Room,
}

/// The units of one shard.
struct Shard<K> {
    names: Names,
    kept: K,
    /// Bytes of both.
    bytes: u64,
}

impl<K: Kept> Units<K> {
    /// No units; each shard begins with what `kept` returns.
    pub(super) fn new(memory: &UnitMemory, kept: impl Fn() -> K) -> Self {
        let shard = || Mutex::new(Shard { names: Names::default(), kept: kept(), bytes: 0 });
        let shards = (0..SHARDS).map(|_| shard()).collect();
        Self { shards, hasher: DefaultHashBuilder::default(), room: Room::new(memory, SHARDS) }
    }

    /// Collector for the rows of one thread.
    pub(super) fn collector(&self) -> Collector<'_, K> {
        Collector { units: self, waiting: (0..SHARDS).map(|_| Stream::new()).collect(), indices: Vec::new() }
    }

    /// The next shard: each goes to one of the threads that share `next`, which begins at 0.
    pub(super) fn next_shard(&self, next: &AtomicUsize) -> Option<usize> {
        Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&shard| shard < self.shards.len())
    }

    /// Hands over what a shard kept, once all rows are read, and forgets the names of its units.
    pub(super) fn with_shard<T>(&self, shard: usize, work: impl FnOnce(&mut K) -> T) -> T {
        let place = shard;
        let mut shard = self.shards[place].lock().unwrap_or_else(PoisonError::into_inner);
        let mut indices = Vec::new();
        self.room.read(place, |waited| shard.take(waited, &self.hasher, &mut indices));
        shard.names = Names::default();
        work(&mut shard.kept)
    }

    /// `true` if there will be no answer.
    pub(super) fn has_failed(&self) -> bool {
        self.room.has_failed()
    }

    /// Fails if units took too much memory, or the disk did not take their rows.
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.room.check()
    }

    /// Takes the rows that wait for a shard, or lets them wait on disk.
    fn take(&self, place: usize, waiting: &mut Stream, indices: &mut Vec<usize>) {
        if !waiting.is_empty() && self.room.takes(place, waiting) {
            let mut shard = self.shards[place].lock().unwrap_or_else(PoisonError::into_inner);
            shard.take(waiting, &self.hasher, indices);
            let before = std::mem::replace(&mut shard.bytes, 0);
            shard.bytes = (shard.names.bytes() + shard.kept.bytes()) as u64;
            self.room.holds(shard.bytes, before);
        }
        waiting.clear();
    }
}

impl<K: Kept> Shard<K> {
    /// Takes rows.
    ///
    /// First it finds the units of all rows, then it prefetches what is kept of each, then it takes the rows: most of
    /// the time is spent waiting for memory, and the prefetches of all rows overlap.
    fn take(&mut self, rows: &Stream, hasher: &DefaultHashBuilder, indices: &mut Vec<usize>) {
        let Self { names, kept, .. } = self;
        indices.clear();
        indices.extend(rows.rows().map(|mut words| {
            let (hash, name) = words.begin();
            names.number(name, hash, hasher, || kept.add_unit())
        }));
        black_box(indices.iter().fold(0, |sum, &unit| kept.prefetch(unit) ^ sum));
        for (&unit, mut words) in indices.iter().zip(rows.rows()) {
            let (_, name) = words.begin();
            kept.take(unit, || name.mixed(), &mut words);
        }
    }
}

/// The rows that one thread has read and that wait for their shards.
pub(super) struct Collector<'u, K> {
    units: &'u Units<K>,
    waiting: Vec<Stream>,
    /// Indices of the units of the rows that are being taken; memory used again.
    indices: Vec<usize>,
}

impl<K: Kept> Collector<'_, K> {
    /// Takes the rows of a batch, whose units are these.
    pub(super) fn add(&mut self, names: &UnitNames<'_>, rows: &impl Rows) {
        for row in 0..names.len() {
            if let Some(name) = names.name_at(row).filter(|_| rows.counts(row)) {
                self.add_row(name, rows, row);
            }
        }
    }

    /// Takes a row that counts, of this unit.
    pub(super) fn add_row(&mut self, name: Name<'_>, rows: &impl Rows, row: usize) {
        let Self { units, waiting, indices } = self;
        let hash = name.hash(&units.hasher);
        let shard = (hash >> 32) as usize % SHARDS;
        let stream = &mut waiting[shard];
        stream.begin_row(hash, name);
        rows.write(row, stream);
        if stream.is_long() {
            units.take(shard, stream, indices);
        }
    }

    /// Takes what still waits.
    pub(super) fn finish(&mut self) {
        let Self { units, waiting, indices } = self;
        waiting.iter_mut().enumerate().for_each(|(shard, waiting)| units.take(shard, waiting, indices));
    }
}
