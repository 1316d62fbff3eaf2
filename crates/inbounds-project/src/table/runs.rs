//! Runs of cells, each with the price at which its sum is right.
//!
//! **Idea.** Cells that differ in the last attribute alone stand side by side: a run. The sum of a run depends, all other prices
//! given, on its own price alone, `sum_j max(0, w_j + r)`, which is convex, rises and is made of straight pieces. Newton's method
//! finds where it is right: after one step it only falls, each piece has fewer cells above zero than the one before, and when their number
//! stays the same the piece is the right one. What is above zero at the end is listed; often it is one cell in a hundred.
//!
//! **Order of additions.** Loops over cells keep [`LANES`] partial sums, which the compiler turns into the widest vectors of the processor;
//! results are the same on all.

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
}

impl Above {
    /// The places of each run, and its cells.
    fn runs(&self) -> impl Iterator<Item = (&[u32], &[f64])> {
        let begins = std::iter::once(&0).chain(&self.ends);
        begins.zip(&self.ends).map(|(&begin, &end)| (&self.places[begin..end], &self.cells[begin..end]))
    }

    /// Each run that has a cell above zero, with its number.
    pub(super) fn filled(&self) -> impl Iterator<Item = (usize, &[u32], &[f64])> {
        let runs = self.runs().enumerate().filter(|(_, (places, _))| !places.is_empty());
        runs.map(|(run, (places, cells))| (run, places, cells))
    }

    /// All cells, most of which are zero, of runs of one length.
    pub(super) fn dense(&self, run: usize) -> Vec<f64> {
        let mut all = vec![0.0; run * self.ends.len()];
        for (line, (places, cells)) in all.chunks_exact_mut(run).zip(self.runs()) {
            places.iter().zip(cells).for_each(|(place, cell)| line[*place as usize] = *cell);
        }
        all
    }
}

/// Cells in runs.
pub(super) struct Runs<'a> {
    /// What is wanted of each cell.
    pub(super) wanted: &'a [f64],
    /// Cells of a run.
    pub(super) length: usize,
    /// The sum that each run must have, if there is one.
    pub(super) sums: Option<&'a [f64]>,
}

/// Prices of a target.
pub(super) struct Priced<'a> {
    pub(super) layout: &'a Layout,
    pub(super) prices: &'a [f64],
}

impl Priced<'_> {
    /// Of the cells of a run, if the target has the last attribute.
    #[inline(always)]
    fn of_run(&self, run: usize, length: usize) -> &[f64] {
        let begin = self.layout.begins[run] as usize;
        &self.prices[begin..begin + length]
    }
}

/// All runs, at prices of other targets.
pub(super) struct Clear<'a> {
    pub(super) runs: &'a Runs<'a>,
    /// Targets with the last attribute: a price for each cell of a run.
    pub(super) along: &'a [Priced<'a>],
    /// Targets without it: a price for a whole run.
    pub(super) across: &'a [Priced<'a>],
    /// By run: where the search for what its prices add to all its cells begins.
    pub(super) shifts: Vec<f64>,
}

/// Runs at their prices.
pub(super) struct Cleared {
    /// By run: what prices add to all its cells.
    pub(super) shifts: Vec<f64>,
    pub(super) above: Above,
    /// The largest gap of a sum that must be met.
    pub(super) rounding: f64,
    /// `sum x^2 / 2 - sum r t`, with `r` the prices of runs and `t` their sums.
    pub(super) value: Sum,
    /// The same without signs.
    pub(super) terms: f64,
}

impl NullaryFnOnce for Clear<'_> {
    type Output = Cleared;

    #[inline(always)]
    fn call(self) -> Cleared {
        let Self { runs, along, across, mut shifts } = self;
        let mut above = Above { ends: Vec::with_capacity(shifts.len()), ..Above::default() };
        let (mut value, mut terms, mut rounding) = (Sum::default(), 0.0, 0.0_f64);
        let mut wants = vec![0.0; runs.length];
        let mut room = Room { places: vec![0; runs.length], cells: vec![0.0; runs.length] };
        for (run, wanted) in runs.wanted.chunks_exact(runs.length).enumerate() {
            let base = across.iter().fold(0.0, |base, side| base + side.prices[side.layout.begins[run] as usize]);
            let goal = runs.sums.map(|sums| sums[run]);
            let is_empty = base == f64::NEG_INFINITY || goal == Some(0.0);
            if is_empty {
                above.ends.push(above.cells.len());
                continue;
            }
            match along.split_first() {
                None => wants.copy_from_slice(wanted),
                Some((first, others)) => {
                    for ((want, wanted), price) in wants.iter_mut().zip(wanted).zip(first.of_run(run, runs.length)) {
                        *want = wanted + price;
                    }
                    for side in others {
                        let prices = side.of_run(run, runs.length);
                        wants.iter_mut().zip(prices).for_each(|(want, price)| *want += price);
                    }
                }
            }
            // Not a closure, which the compiler may leave out of line and narrow.
            shifts[run] = match goal {
                Some(goal) => shift(&wants, goal, shifts[run]),
                None => base,
            };
            let (sum, squares) = list(&wants, shifts[run], &mut room, &mut above);
            value.add(0.5 * squares);
            terms += squares;
            if let Some(goal) = goal {
                let met = (shifts[run] - base) * goal;
                value.add(-met);
                terms += met.abs();
                rounding = rounding.max((goal - sum).abs());
            }
        }
        Cleared { shifts, above, rounding, value, terms }
    }
}

/// What to add to all `wants` so that those above zero have the sum `goal`, which is above zero.
#[inline(always)]
fn shift(wants: &[f64], goal: f64, from: f64) -> f64 {
    let mut piece = sum_above(wants, from);
    let mut at = newton(wants, goal, from, piece);
    loop {
        let (_, count) = piece;
        piece = sum_above(wants, at);
        let next = newton(wants, goal, at, piece);
        // From here on only rounding makes it rise.
        let is_lower = next < at && piece.1 != count;
        if !is_lower {
            return at;
        }
        at = next;
    }
}

/// Where the sum would be right if those above zero stayed above zero, and only they.
#[inline(always)]
fn newton(wants: &[f64], goal: f64, at: f64, (sum, count): (f64, f64)) -> f64 {
    if count > 0.0 {
        at + (goal - sum) / count
    } else {
        // The largest alone, which is at least what is needed.
        goal - wants.iter().fold(f64::NEG_INFINITY, |most, want| most.max(*want))
    }
}

/// The sum, and the number, of those that are above zero.
#[inline(always)]
fn sum_above(wants: &[f64], shift: f64) -> (f64, f64) {
    let (mut sums, mut counts) = ([0.0; LANES], [0.0; LANES]);
    let mut add = |lane: usize, want: f64| {
        let cell = want + shift;
        sums[lane] += if cell > 0.0 { cell } else { 0.0 };
        counts[lane] += if cell > 0.0 { 1.0 } else { 0.0 };
    };
    let (chunks, rest) = wants.as_chunks::<LANES>();
    for chunk in chunks {
        (0..LANES).for_each(|lane| add(lane, chunk[lane]));
    }
    rest.iter().enumerate().for_each(|(lane, want)| add(lane, *want));
    (sums.iter().sum(), counts.iter().sum())
}

/// Room for what is above zero in a run.
struct Room {
    places: Vec<u32>,
    cells: Vec<f64>,
}

/// Lists a run; says its sum and the sum of squares.
#[inline(always)]
fn list(wants: &[f64], shift: f64, room: &mut Room, above: &mut Above) -> (f64, f64) {
    let mut count = 0;
    for (chunk, wants) in wants.chunks(4 * LANES).enumerate() {
        // Without a way out of the loop it is one of vectors.
        let any = wants.iter().fold(false, |any, want| any | (want + shift > 0.0));
        if !any {
            continue;
        }
        for (place, want) in (4 * LANES * chunk..).zip(wants) {
            let cell = want + shift;
            // Written over by the next one if it is not above zero: which is which cannot be guessed in time.
            room.places[count] = place as u32;
            room.cells[count] = cell;
            count += usize::from(cell > 0.0);
        }
    }
    let cells = &room.cells[..count];
    above.places.extend_from_slice(&room.places[..count]);
    above.cells.extend_from_slice(cells);
    above.ends.push(above.cells.len());
    (in_lanes(cells, |cell| cell), in_lanes(cells, |cell| cell * cell))
}
