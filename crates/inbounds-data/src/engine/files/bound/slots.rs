//! For one question, the few rows of each unit that are kept, side by side.

use std::cmp::Ordering;

use super::CellNames;
use super::lists::rank;

/// The cell of a slot in which there is no row.
const EMPTY: i64 = -1;

/// For one question, a fixed number of rows for each unit: one memory access for each row, which dominates its cost.
pub(super) struct Slots {
    names: CellNames,
    rows: usize,
    /// Words of a row: its cell and its steps.
    size: usize,
    /// `rows` times `size` for each unit.
    words: Vec<i64>,
}

impl Slots {
    /// Most words of a unit: beyond them most would be empty.
    pub(super) const MOST: usize = 16;

    /// Slots for `rows` rows of `width` values a unit.
    pub(super) fn new(rows: usize, width: usize, names: CellNames) -> Self {
        Self { names, rows, size: 1 + width, words: Vec::new() }
    }

    pub(super) fn push_unit(&mut self) {
        self.words.resize(self.words.len() + self.rows * self.size, EMPTY);
    }

    /// Adds a row, its cell first, to those of a unit, or lets go of the one that comes last; `mixed` is what the hash
    /// of its rows begins with.
    pub(super) fn add(&mut self, unit: usize, row: &[i64], mixed: u64) {
        let of_unit = &mut self.words[unit * self.rows * self.size..][..self.rows * self.size];
        if let Some(slot) = of_unit.chunks_exact_mut(self.size).find(|slot| slot[0] == EMPTY) {
            slot.copy_from_slice(row);
            return;
        }
        let rank = |row: &[i64]| rank(mixed, self.names.word(row[0] as u32), &row[1..]);
        let order = |a: &(u64, &mut [i64]), b: &(u64, &mut [i64])| a.0.cmp(&b.0).then_with(|| a.1.cmp(&b.1));
        let kept = of_unit.chunks_exact_mut(self.size).map(|slot| (rank(slot), slot));
        let (last_rank, last) = kept.max_by(order).expect("at least one row of a unit is kept");
        if rank(row).cmp(&last_rank).then_with(|| row.cmp(last)) == Ordering::Less {
            last.copy_from_slice(row);
        }
    }

    /// Keeps nothing, of no unit.
    pub(super) fn forget(&mut self) {
        self.words.clear();
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        size_of::<i64>() * self.words.capacity()
    }

    /// Prefetches the slots of a unit: returns a word of them.
    pub(super) fn prefetch(&self, unit: usize) -> i64 {
        self.words[unit * self.rows * self.size]
    }

    /// The rows that are kept of all units, each with its cell first.
    pub(super) fn kept(&self) -> impl Iterator<Item = &[i64]> {
        self.words.chunks_exact(self.size).filter(|slot| slot[0] != EMPTY)
    }
}
