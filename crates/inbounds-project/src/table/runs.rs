//! Runs of cells, each with the multiplier at which its sum is right.
//!
//! **Idea.** Cells that differ in the last attribute alone stand side by side: a run. The sum of a run depends, all
//! other multipliers given, on its own multiplier alone, `sum_j max(0, w_j + r)`, which is convex, rises and is made of
//! straight pieces. Newton's method finds where it is right: after one step `r` only falls, each piece has fewer cells
//! above zero than the one before, and when they stay the same the piece is the right one. The cells above zero at the
//! end are listed; often they are one in a hundred.
//!
//! **Soft sums.** A sum that counts as a square with a weight gives way by its multiplier over the weight: one more
//! straight piece, which rises everywhere. **Weights of cells.** A cell of weight `w` moves by `1/w` of its
//! multipliers, its slope.
//!
//! **Order of additions.** Loops over cells keep [`LANES`] partial sums, which the compiler turns into the widest
//! vectors of the processor; results are the same on all.

use pulp::NullaryFnOnce;

use super::axes::Layout;
use crate::numeric::{Sum, in_lanes};

const LANES: usize = 8;

/// The cells above zero, run by run.
#[derive(Default)]
pub(super) struct Above {
    /// Where the cells of each run end.
    pub(super) ends: Vec<usize>,
    /// Where in its run each cell is.
    pub(super) places: Vec<u32>,
    pub(super) cells: Vec<f64>,
    /// The slope of each, if cells have weights.
    pub(super) slopes: Vec<f64>,
}

/// The cells above zero of a run.
#[derive(Clone, Copy)]
pub(super) struct Filled<'a> {
    pub(super) run: usize,
    pub(super) places: &'a [u32],
    pub(super) cells: &'a [f64],
    /// Of each cell, or none where all are one.
    slopes: &'a [f64],
}

impl Filled<'_> {
    /// The sum of the slopes.
    pub(super) fn slope(&self) -> f64 {
        if self.slopes.is_empty() { self.places.len() as f64 } else { self.slopes.iter().sum() }
    }

    /// Each place, with its slope.
    pub(super) fn each(&self) -> impl Iterator<Item = (usize, f64)> {
        let slope = |index: usize| if self.slopes.is_empty() { 1.0 } else { self.slopes[index] };
        self.places.iter().enumerate().map(move |(index, place)| (*place as usize, slope(index)))
    }

    /// Turns moves of multipliers into moves of cells.
    pub(super) fn weigh(&self, moves: &mut [f64]) {
        moves.iter_mut().zip(self.slopes).for_each(|(step, slope)| *step *= slope);
    }

    /// Adds the move of the run's own multiplier to those of its cells.
    pub(super) fn shift(&self, moves: &mut [f64], own: f64) {
        if self.slopes.is_empty() {
            moves.iter_mut().for_each(|step| *step += own);
        } else {
            moves.iter_mut().zip(self.slopes).for_each(|(step, slope)| *step += slope * own);
        }
    }
}

impl Above {
    fn runs(&self) -> impl Iterator<Item = Filled<'_>> {
        let begins = std::iter::once(&0).chain(&self.ends);
        begins.zip(&self.ends).enumerate().map(|(run, (&begin, &end))| Filled {
            run,
            places: &self.places[begin..end],
            cells: &self.cells[begin..end],
            slopes: if self.slopes.is_empty() { &[] } else { &self.slopes[begin..end] },
        })
    }

    /// Each run that has a cell above zero.
    pub(super) fn filled(&self) -> impl Iterator<Item = Filled<'_>> {
        self.runs().filter(|run| !run.places.is_empty())
    }

    /// All cells, most of which are zero, of runs of one length.
    pub(super) fn dense(&self, run: usize) -> Vec<f64> {
        let mut all = vec![0.0; run * self.ends.len()];
        for (line, of_run) in all.chunks_exact_mut(run).zip(self.runs()) {
            of_run.places.iter().zip(of_run.cells).for_each(|(place, cell)| line[*place as usize] = *cell);
        }
        all
    }
}

/// Cells in runs.
pub(super) struct Runs<'a> {
    /// Wanted value of each cell.
    pub(super) wanted: &'a [f64],
    /// Cells of a run.
    pub(super) length: usize,
    /// The sum that each run should have, if there is one.
    pub(super) sums: Option<&'a [f64]>,
    /// Move of that sum by the multiplier of a run, zero for one that must be met.
    pub(super) give: f64,
    /// The reciprocal of the weight of each cell, or none where all weigh alike.
    pub(super) slopes: &'a [f64],
}

/// Multipliers of a target.
pub(super) struct TargetMultipliers<'a> {
    pub(super) layout: &'a Layout,
    pub(super) multipliers: &'a [f64],
}

impl TargetMultipliers<'_> {
    /// Of the cells of a run, if the target has the last attribute.
    #[inline(always)]
    fn of_run(&self, run: usize, length: usize) -> &[f64] {
        let begin = self.layout.begins[run] as usize;
        &self.multipliers[begin..begin + length]
    }
}

/// All runs, at multipliers of other targets.
pub(super) struct SolveRuns<'a> {
    pub(super) runs: &'a Runs<'a>,
    /// Targets with the last attribute: a multiplier for each cell of a run.
    pub(super) along: &'a [TargetMultipliers<'a>],
    /// Targets without it: a multiplier for a whole run.
    pub(super) across: &'a [TargetMultipliers<'a>],
    /// By run: the shift at which its search begins.
    pub(super) shifts: Vec<f64>,
}

/// Runs at their multipliers.
pub(super) struct SolvedRuns {
    /// By run: the part of the multipliers that all of its cells share.
    pub(super) shifts: Vec<f64>,
    pub(super) above: Above,
    /// The largest gap of the sum of a run at its multiplier.
    pub(super) rounding: f64,
    /// `sum w x^2 / 2 + sum (g r^2 / 2 - r t)`, with `w` the weights of cells, `r` the multipliers of runs, `t` their
    /// sums and `g` what these give.
    pub(super) value: Sum,
    /// The same without signs.
    pub(super) terms: f64,
}

impl NullaryFnOnce for SolveRuns<'_> {
    type Output = SolvedRuns;

    #[inline(always)]
    fn call(self) -> SolvedRuns {
        if self.runs.slopes.is_empty() { self.solve(&Even) } else { self.solve(&Uneven) }
    }
}

impl SolveRuns<'_> {
    #[inline(always)]
    fn solve<S: Slopes>(self, kind: &S) -> SolvedRuns {
        let Self { runs, along, across, mut shifts } = self;
        let mut above = Above { ends: Vec::with_capacity(shifts.len()), ..Above::default() };
        let (mut value, mut terms, mut rounding) = (Sum::default(), 0.0, 0.0_f64);
        let mut wants = vec![0.0; runs.length];
        let mut room = Room::new(runs.length);
        for (run, wanted) in runs.wanted.chunks_exact(runs.length).enumerate() {
            // The multipliers of targets without the last attribute move all cells of the run alike.
            let base = across.iter().fold(0.0, |base, side| base + side.multipliers[side.layout.begins[run] as usize]);
            let goal = runs.sums.map(|sums| Goal { sum: sums[run], give: runs.give, base });
            let is_empty = base == f64::NEG_INFINITY || goal.is_some_and(|goal| goal.is_dead());
            if is_empty {
                above.ends.push(above.cells.len());
                continue;
            }
            // Each cell as wanted, moved by the multipliers of the targets that have the last attribute.
            let slopes = kind.in_run(runs.slopes, run, runs.length);
            match along.split_first() {
                None => wants.copy_from_slice(wanted),
                Some((first, others)) => {
                    let multipliers = first.of_run(run, runs.length);
                    for (place, want) in wants.iter_mut().enumerate() {
                        *want = wanted[place] + kind.at(slopes, place) * multipliers[place];
                    }
                    for side in others {
                        let multipliers = side.of_run(run, runs.length);
                        for (place, want) in wants.iter_mut().enumerate() {
                            *want += kind.at(slopes, place) * multipliers[place];
                        }
                    }
                }
            }
            // The run's own multiplier, by Newton's method. Not a closure, which the compiler may not inline and
            // vectorise.
            shifts[run] = match goal {
                Some(goal) => shift(kind, &wants, slopes, goal, shifts[run]),
                None => base,
            };
            // List the cells above zero, and add the terms of the run to the dual function.
            let (sum, squares) = list(kind, &wants, slopes, shifts[run], &mut room, &mut above);
            value.add(0.5 * squares);
            terms += squares;
            if let Some(goal) = goal {
                let own = shifts[run] - base;
                let (given, met) = (0.5 * goal.give * own * own, own * goal.sum);
                value.add(given - met);
                terms += given + met.abs();
                rounding = rounding.max(goal.gap(sum, shifts[run]).abs());
            }
        }
        SolvedRuns { shifts, above, rounding, value, terms }
    }
}

/// Slopes of cells: all one, or each its own. Two types, so that the loops over cells that weigh alike carry nothing.
trait Slopes {
    /// Those of a run.
    fn in_run<'a>(&self, all: &'a [f64], run: usize, length: usize) -> &'a [f64];

    fn at(&self, slopes: &[f64], place: usize) -> f64;
}

struct Even;
struct Uneven;

impl Slopes for Even {
    #[inline(always)]
    fn in_run<'a>(&self, _: &'a [f64], _: usize, _: usize) -> &'a [f64] {
        &[]
    }

    #[inline(always)]
    fn at(&self, _: &[f64], _: usize) -> f64 {
        1.0
    }
}

impl Slopes for Uneven {
    #[inline(always)]
    fn in_run<'a>(&self, all: &'a [f64], run: usize, length: usize) -> &'a [f64] {
        &all[run * length..][..length]
    }

    #[inline(always)]
    fn at(&self, slopes: &[f64], place: usize) -> f64 {
        slopes[place]
    }
}

/// Target of the sum of a run.
#[derive(Clone, Copy)]
struct Goal {
    sum: f64,
    give: f64,
    /// Shift of the run by other multipliers.
    base: f64,
}

impl Goal {
    /// `true` if it keeps all cells at zero.
    #[inline(always)]
    fn is_dead(&self) -> bool {
        self.give == 0.0 && self.sum == 0.0
    }

    /// Shortfall of the sum from the goal, at a shift.
    #[inline(always)]
    fn gap(&self, sum: f64, shift: f64) -> f64 {
        self.sum - self.give * (shift - self.base) - sum
    }
}

/// Shift to add to all `wants`, by their slopes, so that those above zero have the sum that is the goal.
#[inline(always)]
fn shift<S: Slopes>(kind: &S, wants: &[f64], slopes: &[f64], goal: Goal, from: f64) -> f64 {
    let mut piece = sum_above(kind, wants, slopes, from);
    let mut at = newton(kind, wants, slopes, goal, from, piece);
    loop {
        let (_, slope) = piece;
        piece = sum_above(kind, wants, slopes, at);
        let next = newton(kind, wants, slopes, goal, at, piece);
        // After the first step the shift falls; a rise is rounding.
        let is_lower = next < at && piece.1 != slope;
        if !is_lower {
            return at;
        }
        at = next;
    }
}

/// Where the sum would be right if those above zero stayed above zero, and only they.
#[inline(always)]
fn newton<S: Slopes>(kind: &S, wants: &[f64], slopes: &[f64], goal: Goal, at: f64, (sum, slope): (f64, f64)) -> f64 {
    if slope + goal.give > 0.0 {
        at + goal.gap(sum, at) / (slope + goal.give)
    } else {
        // The first cell alone above zero: a shift that is at least the right one.
        let alone = |(place, want): (usize, &f64)| (goal.sum - want) / kind.at(slopes, place);
        wants.iter().enumerate().map(alone).fold(f64::INFINITY, f64::min)
    }
}

/// The sum, and the slope, of those that are above zero.
#[inline(always)]
fn sum_above<S: Slopes>(kind: &S, wants: &[f64], slopes: &[f64], shift: f64) -> (f64, f64) {
    let (mut sums, mut steep) = ([0.0; LANES], [0.0; LANES]);
    let mut add = |lane: usize, want: f64, slope: f64| {
        let cell = want + slope * shift;
        sums[lane] += if cell > 0.0 { cell } else { 0.0 };
        steep[lane] += if cell > 0.0 { slope } else { 0.0 };
    };
    let (chunks, rest) = wants.as_chunks::<LANES>();
    for (begin, chunk) in (0..).step_by(LANES).zip(chunks) {
        (0..LANES).for_each(|lane| add(lane, chunk[lane], kind.at(slopes, begin + lane)));
    }
    let begin = LANES * chunks.len();
    rest.iter().enumerate().for_each(|(lane, want)| add(lane, *want, kind.at(slopes, begin + lane)));
    (sums.iter().sum(), steep.iter().sum())
}

/// Room for the cells above zero of a run.
struct Room {
    places: Vec<u32>,
    cells: Vec<f64>,
}

impl Room {
    fn new(length: usize) -> Self {
        Self { places: vec![0; length], cells: vec![0.0; length] }
    }
}

/// Lists a run; says its sum and the weighted sum of squares.
#[inline(always)]
fn list<S: Slopes>(
    kind: &S,
    wants: &[f64],
    slopes: &[f64],
    shift: f64,
    room: &mut Room,
    above: &mut Above,
) -> (f64, f64) {
    let mut count = 0;
    for (begin, wants) in (0..).step_by(4 * LANES).zip(wants.chunks(4 * LANES)) {
        // Without a way out of the loop it is one of vectors.
        let cell = |(place, want): (usize, &f64)| want + kind.at(slopes, begin + place) * shift;
        let any = wants.iter().enumerate().fold(false, |any, next| any | (cell(next) > 0.0));
        if !any {
            continue;
        }
        for next in wants.iter().enumerate() {
            let cell = cell(next);
            // Written over by the next one if it is not above zero: which is which cannot be guessed in time.
            room.places[count] = (begin + next.0) as u32;
            room.cells[count] = cell;
            count += usize::from(cell > 0.0);
        }
    }
    let (places, cells) = (&room.places[..count], &room.cells[..count]);
    above.places.extend_from_slice(places);
    above.cells.extend_from_slice(cells);
    above.ends.push(above.cells.len());
    let sum = in_lanes(cells, |cell| cell);
    if slopes.is_empty() {
        return (sum, in_lanes(cells, |cell| cell * cell));
    }
    let own = places.iter().map(|place| slopes[*place as usize]);
    let begin = above.slopes.len();
    above.slopes.extend(own);
    (sum, cells.iter().zip(&above.slopes[begin..]).map(|(cell, slope)| cell * cell / slope).sum())
}
