//! For one question, the rows of each unit that may be kept.

use std::cmp::Ordering;

use super::super::program::Job;
use super::super::units::scramble;
use super::CellNames;

/// The end of a list.
const END: u32 = u32::MAX;

/// Up to so many rows a list is cut as soon as it has one too many, and then the worst one is looked for; longer ones grow
/// to twice their limit, so that the work for a row does not grow with the limit.
const SHORT: u64 = 16;

/// For one question, a list of rows for each unit.
pub(super) struct Lists {
    names: CellNames,
    limit: usize,
    /// With a limit in a cell, the length at which each list is cut next: rows of one cell would otherwise wait in numbers that
    /// have nothing to do with those kept.
    next_cuts: Vec<usize>,
    rows: usize,
    /// Most rows of a unit in one cell; below `rows`, or no limit.
    per_cell: Option<usize>,
    units: Vec<List>,
    entries: Vec<Entry>,
    /// `width` for each entry.
    steps: Vec<i64>,
    width: usize,
    /// Rows that were cut, linked like a list.
    free: u32,
    /// Rows of a unit; memory used again.
    ordered: Vec<usize>,
}

/// The rows of a unit.
#[derive(Clone, Copy)]
struct List {
    head: u32,
    length: u32,
}

/// A row, with its rank in the order of its unit.
#[derive(Clone, Copy)]
struct Entry {
    rank: u64,
    next: u32,
    cell: u32,
}

impl Lists {
    pub(super) fn new(job: &Job) -> Self {
        let (rows, per_cell) =
            job.bound.as_ref().map_or((u64::MAX, u64::MAX), |bound| (bound.rows, bound.rows_per_cell));
        let is_capped = per_cell < rows;
        let limit = if rows <= SHORT { rows } else { rows.saturating_mul(2) };
        let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        Self {
            names: job.names.clone(),
            limit: size(limit),
            next_cuts: Vec::new(),
            rows: size(rows),
            per_cell: is_capped.then(|| size(per_cell)),
            units: Vec::new(),
            entries: Vec::new(),
            steps: Vec::new(),
            width: job.steps.len(),
            free: END,
            ordered: Vec::new(),
        }
    }

    pub(super) fn push_unit(&mut self) {
        self.units.push(List { head: END, length: 0 });
        if self.per_cell.is_some() {
            self.next_cuts.push(SHORT as usize);
        }
    }

    /// Number of units.
    pub(super) fn units(&self) -> usize {
        self.units.len()
    }

    /// Adds a row, its cell first, to those of a unit; `mixed` is what the hash of its rows begins with.
    pub(super) fn add(&mut self, unit: usize, row: &[i64], mixed: u64) {
        let (cell, steps) = (row[0] as u32, &row[1..]);
        self.push(
            unit,
            Entry { rank: rank(mixed, self.names.of(cell), steps), next: self.units[unit].head, cell },
            steps,
        );
        let length = self.units[unit].length as usize;
        if length > self.next_cuts.get(unit).copied().unwrap_or(self.limit) {
            if self.per_cell.is_none() && length == self.rows + 1 { self.drop_last(unit) } else { self.cut(unit) }
        }
    }

    /// Drops the one row of a unit that comes last.
    fn drop_last(&mut self, unit: usize) {
        let head = self.units[unit].head as usize;
        // The last row so far, and the row before it in the list.
        let (mut last, mut before) = (head, None);
        let mut previous = head;
        while self.entries[previous].next != END {
            let row = self.entries[previous].next as usize;
            if self.compare(row, last).is_gt() {
                (last, before) = (row, Some(previous));
            }
            previous = row;
        }
        let rest = std::mem::replace(&mut self.entries[last].next, self.free);
        self.free = last as u32;
        match before {
            None => self.units[unit].head = rest,
            Some(before) => self.entries[before].next = rest,
        }
        self.units[unit].length -= 1;
    }

    /// The order of two rows of a unit: by rank, and then by all that it is made of besides the unit.
    fn compare(&self, one: usize, other: usize) -> Ordering {
        let (a, b) = (self.entries[one], self.entries[other]);
        let whole = || a.cell.cmp(&b.cell).then_with(|| self.steps_of(one).cmp(self.steps_of(other)));
        a.rank.cmp(&b.rank).then_with(whole)
    }

    fn push(&mut self, unit: usize, entry: Entry, steps: &[i64]) {
        let place = match self.free {
            END => {
                let place = u32::try_from(self.entries.len()).ok().filter(|&place| place < END);
                self.entries.push(entry);
                self.steps.extend_from_slice(steps);
                place.expect("fewer than 2^32 rows in a shard")
            }
            free => {
                let place = free as usize;
                self.free = std::mem::replace(&mut self.entries[place], entry).next;
                self.steps[place * self.width..][..self.width].copy_from_slice(steps);
                free
            }
        };
        let list = &mut self.units[unit];
        *list = List { head: place, length: list.length + 1 };
    }

    /// The rows of a unit.
    pub(super) fn of(&self, unit: usize) -> impl Iterator<Item = usize> {
        let place = |place: u32| (place != END).then_some(place as usize);
        std::iter::successors(place(self.units[unit].head), move |&row| place(self.entries[row].next))
    }

    pub(super) fn cell_of(&self, row: usize) -> u32 {
        self.entries[row].cell
    }

    pub(super) fn steps_of(&self, row: usize) -> &[i64] {
        &self.steps[row * self.width..][..self.width]
    }

    /// Cuts the list of a unit to the rows that are kept.
    ///
    /// What is cut now would not be kept later either: a row has at least as many rows before it that are in reach of the
    /// limits, in its cell and in all, once there are more rows.
    pub(super) fn cut(&mut self, unit: usize) {
        let length = self.units[unit].length;
        let is_whole = length as usize <= self.rows;
        if is_whole && (self.per_cell.is_none() || length < 2) {
            return;
        }
        let mut ordered = std::mem::take(&mut self.ordered);
        ordered.clear();
        ordered.extend(self.of(unit));
        let mut dropped = Vec::new();
        if let Some(most) = self.per_cell {
            let cell = |row: usize| self.entries[row].cell;
            ordered.sort_unstable_by(|&a, &b| cell(a).cmp(&cell(b)).then_with(|| self.compare(a, b)));
            let (mut of, mut place) = (None, 0);
            ordered.retain(|&row| {
                place = if of == Some(cell(row)) { place + 1 } else { 0 };
                of = Some(cell(row));
                let is_kept = place < most;
                dropped.extend((!is_kept).then_some(row));
                is_kept
            });
        }
        if ordered.len() > self.rows {
            ordered.select_nth_unstable_by(self.rows, |&a, &b| self.compare(a, b));
            dropped.extend(ordered.drain(self.rows..));
        }
        let mut head = END;
        ordered.iter().for_each(|&row| self.entries[row].next = std::mem::replace(&mut head, row as u32));
        dropped.into_iter().for_each(|row| self.entries[row].next = std::mem::replace(&mut self.free, row as u32));
        self.units[unit] = List { head, length: ordered.len() as u32 };
        if let Some(next) = self.next_cuts.get_mut(unit) {
            *next = 2 * ordered.len() + SHORT as usize;
        }
        self.ordered = ordered;
    }
}

/// The fixed public hash of (unit, cell, steps), from that of the unit; the cell is the word of [`CellNames`].
///
/// `mix(u, c, v_1, ..., v_n)` folds `h -> s(h + x)` over `c, v_1, ..., v_n` from `hash(u)`, a query without values
/// having one that is 0, in 64-bit wrapping arithmetic, where `s` is the output function of SplitMix64 and `hash` folds
/// a text eight bytes at a time (little-endian, the last chunk padded with zeros, then the length) by `h -> s(h +
/// chunk)` from 0, or an integer in one step. It is not meant to resist anyone: it only has to be the same in every
/// run, on every platform and for every layout of a text.
pub(super) fn rank(mixed: u64, cell: u64, steps: &[i64]) -> u64 {
    let fold = |hash: u64, word: u64| scramble(hash.wrapping_add(word));
    let hash = fold(mixed, cell);
    match steps {
        [] => fold(hash, 0),
        _ => steps.iter().fold(hash, |hash, &steps| fold(hash, steps as u64)),
    }
}
