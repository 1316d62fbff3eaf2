//! For one question, the rows of each unit that may be kept.

use super::super::program::Job;
use super::names::scramble;

/// The end of a list.
const END: u32 = u32::MAX;

/// Up to so many rows a list is cut as soon as it has one too many, and then the worst one is looked for; longer ones grow
/// to twice their limit, so that the work for a row does not grow with the limit.
const SHORT: u64 = 16;

/// For one question, a list of rows for each unit: parallel columns, linked by `next`.
pub(super) struct Lists {
    limit: usize,
    /// With a limit in a cell, the length at which each list is cut next: rows of one cell would otherwise wait in numbers that
    /// have nothing to do with those kept.
    next_cuts: Vec<usize>,
    rows: usize,
    /// Most rows of a unit in one cell; below `rows`, or no limit.
    per_cell: Option<usize>,
    pub(super) heads: Vec<u32>,
    lengths: Vec<u32>,
    next: Vec<u32>,
    pub(super) cells: Vec<u32>,
    /// `width` for each row.
    steps: Vec<i64>,
    width: usize,
    /// Rows that were cut, linked like a list.
    free: u32,
    /// Rows of a unit with their ranks; memory used again.
    ranked: Vec<(u64, usize)>,
}

impl Lists {
    pub(super) fn new(job: &Job) -> Self {
        let (rows, per_cell) =
            job.bound.as_ref().map_or((u64::MAX, u64::MAX), |bound| (bound.rows, bound.rows_per_cell));
        let is_capped = per_cell < rows;
        let limit = if rows <= SHORT { rows } else { rows.saturating_mul(2) };
        let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        Self {
            limit: size(limit),
            next_cuts: Vec::new(),
            rows: size(rows),
            per_cell: is_capped.then(|| size(per_cell)),
            heads: Vec::new(),
            lengths: Vec::new(),
            next: Vec::new(),
            cells: Vec::new(),
            steps: Vec::new(),
            width: job.steps.len(),
            free: END,
            ranked: Vec::new(),
        }
    }

    pub(super) fn push_unit(&mut self) {
        self.heads.push(END);
        self.lengths.push(0);
        if self.per_cell.is_some() {
            self.next_cuts.push(SHORT as usize);
        }
    }

    /// Adds a row to those of a unit; `mixed` is what the hash of its rows begins with.
    pub(super) fn add(&mut self, unit: usize, row: (u32, &[i64]), mixed: impl Fn() -> u64) {
        self.push(unit, row);
        let length = self.lengths[unit] as usize;
        if length > self.next_cuts.get(unit).copied().unwrap_or(self.limit) {
            if self.per_cell.is_none() && length == self.rows + 1 {
                self.drop_last(unit, mixed())
            } else {
                self.cut(unit, mixed)
            }
        }
    }

    /// Drops the one row of a unit that comes last.
    fn drop_last(&mut self, unit: usize, mixed: u64) {
        let first = self.heads[unit] as usize;
        // The last row so far with its rank and the row before it in the list.
        let (mut last, mut rank, mut before) = (first, self.rank(mixed, first), None);
        let mut previous = first;
        for row in self.of(unit).skip(1) {
            let own = self.rank(mixed, row);
            if (own, self.whole(row)) > (rank, self.whole(last)) {
                (last, rank, before) = (row, own, Some(previous));
            }
            previous = row;
        }
        let rest = std::mem::replace(&mut self.next[last], self.free);
        self.free = last as u32;
        match before {
            None => self.heads[unit] = rest,
            Some(before) => self.next[before] = rest,
        }
        self.lengths[unit] -= 1;
    }

    /// All of a row that its rank is made of besides the unit.
    fn whole(&self, row: usize) -> (u32, &[i64]) {
        (self.cells[row], self.steps_of(row))
    }

    fn push(&mut self, unit: usize, (cell, steps): (u32, &[i64])) {
        let place = match self.free {
            END => {
                let place = u32::try_from(self.next.len()).ok().filter(|&place| place < END);
                self.next.push(self.heads[unit]);
                self.cells.push(cell);
                self.steps.extend_from_slice(steps);
                place.expect("fewer than 2^32 rows in a shard")
            }
            free => {
                let place = free as usize;
                self.free = std::mem::replace(&mut self.next[place], self.heads[unit]);
                self.cells[place] = cell;
                self.steps[place * self.width..][..self.width].copy_from_slice(steps);
                free
            }
        };
        self.heads[unit] = place;
        self.lengths[unit] += 1;
    }

    /// The rows of a unit.
    pub(super) fn of(&self, unit: usize) -> impl Iterator<Item = usize> {
        let place = |place: u32| (place != END).then_some(place as usize);
        std::iter::successors(place(self.heads[unit]), move |&row| place(self.next[row]))
    }

    pub(super) fn steps_of(&self, row: usize) -> &[i64] {
        &self.steps[row * self.width..][..self.width]
    }

    /// Cuts the list of a unit to the rows that are kept.
    ///
    /// What is cut now would not be kept later either: a row has at least as many rows before it that are in reach of the
    /// limits, in its cell and in all, once there are more rows.
    pub(super) fn cut(&mut self, unit: usize, mixed: impl Fn() -> u64) {
        let is_whole = self.lengths[unit] as usize <= self.rows;
        if is_whole && (self.per_cell.is_none() || self.lengths[unit] < 2) {
            return;
        }
        let mixed = mixed();
        let mut ranked = std::mem::take(&mut self.ranked);
        ranked.clear();
        ranked.extend(self.of(unit).map(|row| (self.rank(mixed, row), row)));
        let order = |&(one, a): &(u64, usize), &(other, b): &(u64, usize)| {
            one.cmp(&other).then_with(|| self.whole(a).cmp(&self.whole(b)))
        };
        let mut dropped = Vec::new();
        if let Some(most) = self.per_cell {
            let cell = |ranked: &(u64, usize)| self.cells[ranked.1];
            ranked.sort_unstable_by(|one, other| cell(one).cmp(&cell(other)).then_with(|| order(one, other)));
            let (mut of, mut place) = (None, 0);
            ranked.retain(|row| {
                place = if of == Some(cell(row)) { place + 1 } else { 0 };
                of = Some(cell(row));
                let is_kept = place < most;
                dropped.extend((!is_kept).then_some(row.1));
                is_kept
            });
        }
        if ranked.len() > self.rows {
            ranked.select_nth_unstable_by(self.rows, order);
            dropped.extend(ranked.drain(self.rows..).map(|(_, row)| row));
        }
        let mut head = END;
        ranked.iter().for_each(|&(_, row)| self.next[row] = std::mem::replace(&mut head, row as u32));
        dropped.into_iter().for_each(|row| self.next[row] = std::mem::replace(&mut self.free, row as u32));
        self.heads[unit] = head;
        self.lengths[unit] = ranked.len() as u32;
        if let Some(next) = self.next_cuts.get_mut(unit) {
            *next = 2 * ranked.len() + SHORT as usize;
        }
        self.ranked = ranked;
    }

    /// The fixed public hash of (unit, cell, steps), from that of the unit.
    ///
    /// `mix(u, c, v_1, ..., v_n)` folds `h -> s(h + x)` over `c, v_1, ..., v_n` from `hash(u)`, a query without values
    /// having one that is 0, in 64-bit wrapping arithmetic, where `s` is the output function of SplitMix64 and `hash` folds
    /// a text eight bytes at a time (little-endian, the last chunk padded with zeros, then the length) by `h -> s(h +
    /// chunk)` from 0, or an integer in one step. It is not meant to resist anyone: it only has to be the same in every
    /// run, on every platform and for every layout of a text.
    pub(super) fn rank(&self, mixed: u64, row: usize) -> u64 {
        let fold = |hash: u64, word: u64| scramble(hash.wrapping_add(word));
        let hash = fold(mixed, self.cells[row].into());
        if self.width == 0 {
            return fold(hash, 0);
        }
        self.steps_of(row).iter().fold(hash, |hash, &steps| fold(hash, steps as u64))
    }
}
