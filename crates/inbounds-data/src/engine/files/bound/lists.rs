//! For one question, the rows of each unit that may be kept.

use std::cmp::Ordering;

use super::super::program::CompiledQuery;
use super::super::units::scramble;
use super::CellNames;
use super::limits::{Limits, size};

/// The end of a list.
const END: u32 = u32::MAX;

/// Up to this limit a list is cut as soon as it has one row too many, by a search for the last row; longer ones grow to
/// twice their limit, so that the work for a row does not grow with the limit.
const SHORT: u64 = 16;

/// For one question, a list of rows for each unit.
pub(super) struct Lists {
    names: CellNames,
    rows: usize,
    limit: usize,
    /// Most rows of a unit in one cell and in one group; none where `rows` says as much.
    per_cell: Option<usize>,
    per_group: Option<usize>,
    /// Most groups of a unit, if that is limited, and cells of a group.
    groups: Option<usize>,
    bins: u32,
    /// With one of these limits, the length at which each list is cut next: rows of one cell would otherwise wait in
    /// numbers that have nothing to do with those kept.
    next_cuts: Vec<usize>,
    /// With a limit on groups, what the hash of each unit's rows begins with.
    mixed: Vec<u64>,
    units: Vec<List>,
    entries: Vec<Entry>,
    /// `width` for each entry.
    steps: Vec<i64>,
    width: usize,
    /// Rows that were cut, linked like a list.
    free: u32,
    /// Rows of a unit, those that are kept and those that go; memory used again.
    ordered: Vec<usize>,
    dropped: Vec<usize>,
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
    pub(super) fn new(query: &CompiledQuery, limits: &Limits) -> Self {
        let limit = if limits.rows <= SHORT { limits.rows } else { limits.rows.saturating_mul(2) };
        Self {
            names: query.names.clone(),
            rows: size(limits.rows),
            limit: size(limit),
            per_cell: limits.in_cell(query.bins),
            per_group: limits.in_group(query.bins),
            groups: limits.has_groups().then(|| size(limits.groups)),
            bins: query.bins,
            next_cuts: Vec::new(),
            mixed: Vec::new(),
            units: Vec::new(),
            entries: Vec::new(),
            steps: Vec::new(),
            width: query.steps.len(),
            free: END,
            ordered: Vec::new(),
            dropped: Vec::new(),
        }
    }

    /// `true` if a limit on cells or groups applies, so that the kept rows of a unit may not be its first ones.
    fn is_capped(&self) -> bool {
        self.per_cell.is_some() || self.per_group.is_some() || self.groups.is_some()
    }

    pub(super) fn push_unit(&mut self) {
        self.units.push(List { head: END, length: 0 });
        if self.is_capped() {
            self.next_cuts.push(SHORT as usize);
        }
        if self.groups.is_some() {
            self.mixed.push(0);
        }
    }

    /// Keeps nothing, of no unit.
    pub(super) fn forget(&mut self) {
        self.next_cuts.clear();
        self.mixed.clear();
        self.units.clear();
        self.entries.clear();
        self.steps.clear();
        self.free = END;
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        let words = self.next_cuts.capacity() + self.mixed.capacity() + self.steps.capacity();
        8 * words + size_of::<List>() * self.units.capacity() + size_of::<Entry>() * self.entries.capacity()
    }

    /// Prefetches the rows of a unit: returns the head of its list.
    pub(super) fn prefetch(&self, unit: usize) -> i64 {
        self.units[unit].head.into()
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
            Entry { rank: rank(mixed, self.names.word(cell), steps), next: self.units[unit].head, cell },
            steps,
        );
        if let Some(known) = self.mixed.get_mut(unit) {
            *known = mixed;
        }
        let length = self.units[unit].length as usize;
        if length > self.next_cuts.get(unit).copied().unwrap_or(self.limit) {
            if !self.is_capped() && length == self.rows + 1 { self.drop_last(unit) } else { self.cut(unit) }
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
        let tie_break = || a.cell.cmp(&b.cell).then_with(|| self.steps_of(one).cmp(self.steps_of(other)));
        a.rank.cmp(&b.rank).then_with(tie_break)
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
    pub(super) fn rows_of(&self, unit: usize) -> impl Iterator<Item = usize> {
        let place = |place: u32| (place != END).then_some(place as usize);
        std::iter::successors(place(self.units[unit].head), move |&row| place(self.entries[row].next))
    }

    pub(super) fn cell_of(&self, row: usize) -> u32 {
        self.entries[row].cell
    }

    pub(super) fn steps_of(&self, row: usize) -> &[i64] {
        &self.steps[row * self.width..][..self.width]
    }

    /// Cuts the list of a unit by all limits, once all of its rows are there.
    pub(super) fn keep(&mut self, unit: usize) {
        self.cut_to(unit, self.rows);
    }

    /// Cuts the list of a unit by the limits that hold for fewer rows as well.
    ///
    /// What goes now would not be kept later either. A row has at least as many rows before it that are in reach of the
    /// limits, in its cell, in its group and in all, once there are more rows, and a group as many groups. But a group
    /// that goes takes its rows with it, and others then have fewer before them: with a limit on groups, that on all
    /// rows waits for [`Lists::keep`].
    fn cut(&mut self, unit: usize) {
        self.cut_to(unit, if self.groups.is_some() { usize::MAX } else { self.rows });
    }

    fn cut_to(&mut self, unit: usize, rows: usize) {
        let length = self.units[unit].length as usize;
        if length <= rows && (!self.is_capped() || length == 0) {
            return;
        }
        let (mut ordered, mut dropped) = (std::mem::take(&mut self.ordered), std::mem::take(&mut self.dropped));
        ordered.clear();
        ordered.extend(self.rows_of(unit));
        if let Some(most) = self.per_cell {
            self.cut_each(&mut ordered, &mut dropped, most, |entry| entry.cell);
        }
        if let Some(most) = self.per_group {
            self.cut_each(&mut ordered, &mut dropped, most, |entry| entry.cell / self.bins);
        }
        if let Some(most) = self.groups {
            self.cut_groups(&mut ordered, &mut dropped, most, self.mixed[unit]);
        }
        if ordered.len() > rows {
            ordered.select_nth_unstable_by(rows, |&a, &b| self.compare(a, b));
            dropped.extend(ordered.drain(rows..));
        }
        let mut head = END;
        ordered.iter().for_each(|&row| self.entries[row].next = std::mem::replace(&mut head, row as u32));
        dropped.drain(..).for_each(|row| self.entries[row].next = std::mem::replace(&mut self.free, row as u32));
        self.units[unit] = List { head, length: ordered.len() as u32 };
        if let Some(next) = self.next_cuts.get_mut(unit) {
            *next = 2 * ordered.len() + SHORT as usize;
        }
        (self.ordered, self.dropped) = (ordered, dropped);
    }

    /// Leaves `most` rows of each part, the first ones.
    fn cut_each(&self, rows: &mut Vec<usize>, dropped: &mut Vec<usize>, most: usize, part: impl Fn(&Entry) -> u32) {
        let part = |row: usize| part(&self.entries[row]);
        rows.sort_unstable_by(|&a, &b| part(a).cmp(&part(b)).then_with(|| self.compare(a, b)));
        let (mut last_part, mut place) = (None, 0);
        rows.retain(|&row| {
            place = if last_part == Some(part(row)) { place + 1 } else { 0 };
            last_part = Some(part(row));
            let is_kept = place < most;
            dropped.extend((!is_kept).then_some(row));
            is_kept
        });
    }

    /// Leaves the rows of `most` groups, the first ones in the order of their hash.
    fn cut_groups(&self, rows: &mut Vec<usize>, dropped: &mut Vec<usize>, most: usize, mixed: u64) {
        let group = |row: usize| self.entries[row].cell / self.bins;
        let place = |group: u32| (rank(mixed, self.names.word(group), &[]), group);
        let mut groups: Vec<u32> = rows.iter().map(|&row| group(row)).collect();
        groups.sort_unstable();
        groups.dedup();
        if groups.len() <= most {
            return;
        }
        groups.sort_by_cached_key(|&group| place(group));
        groups.truncate(most);
        groups.sort_unstable();
        rows.retain(|&row| {
            let is_kept = groups.binary_search(&group(row)).is_ok();
            dropped.extend((!is_kept).then_some(row));
            is_kept
        });
    }
}

/// The fixed public hash of (unit, cell, steps), from that of the unit; the cell is the word of [`CellNames`].
///
/// `mix(u, c, v_1, ..., v_n)` folds `h -> s(h + x)` over `c, v_1, ..., v_n` from `hash(u)`, a query without values
/// having one that is 0, in 64-bit wrapping arithmetic, where `s` is the output function of SplitMix64 and `hash` folds
/// a text eight bytes at a time (little-endian, the last chunk padded with zeros, then the length) by `h -> s(h +
/// chunk)` from 0, or an integer in one step. The hash of (unit, group) is `mix(u,
/// g)`. It is not meant to resist anyone: it only has to be the same in every run, on every platform and for every layout of a text.
pub(super) fn rank(mixed: u64, cell: u64, steps: &[i64]) -> u64 {
    let fold = |hash: u64, word: u64| scramble(hash.wrapping_add(word));
    let hash = fold(mixed, cell);
    match steps {
        [] => fold(hash, 0),
        _ => steps.iter().fold(hash, |hash, &steps| fold(hash, steps as u64)),
    }
}
