//! One margin under smaller ones: the nearest cells that are not negative and add up.
//!
//! **Idea.** Give each cell of a smaller margin a price. At prices `p` every cell has its own best number, `max(0, y + sum of its
//! prices)`; what is left to find are prices at which the sums are right. They minimise a convex function whose gradient is how
//! far the sums are off, and whose curvature counts the cells above zero that two prices share. If the margin of all attributes but the
//! last must be met, its prices follow from the others, each by itself (`runs.rs`). For those others Newton's method needs a handful of
//! steps, each solved by conjugate gradients over the cells above zero alone: many such cells make the curvature well conditioned, few
//! make a product cheap.
//!
//! **Soft targets.** Three margins of two attributes can be such that no table without negative cells has all of them. A soft
//! target counts as a sum of squares with a weight instead of as a requirement. So margins move only as far as they must, and some cells
//! always solve the problem.
//!
//! **Invariant.** The function never rises, and each point tried is the best one at its prices: only the sums are left to be right.
//!
//! References: Qi and Sun 2006 (Newton's method on prices, for another cone); Dembo, Eisenstat and Steihaug 1982 (inexact steps).

use super::{
    axes::{Axes, Layout},
    runs::{Above, Clear, Cleared, Priced, Runs},
};
use crate::{
    certificate::Certificate,
    numeric::{dot, largest},
};

/// Newton steps before the method gives up; ten are many.
const STEPS: usize = 80;

/// Lengths tried before a step is given up.
const LENGTHS: usize = 40;

/// A whole step is taken if it gains this share of what the gradient promises.
const GAIN: f64 = 1e-4;

/// A shorter step ends where this share of the gradient along it is left, or less.
const LEFT: f64 = 0.1;

/// Largest and least share of the curvature of all cells that is added to that of the cells above zero.
const DAMPING: (f64, f64) = (1e-2, 1e-13);

/// Sums that are right to this, relative to the largest number, are right up to rounding.
const ROUNDING: f64 = 2e-14;

/// Sums that are right to this, on the same scale, are as right as sums of doubles are.
const EXACT: f64 = 8.0 * f64::EPSILON;

/// Conjugate gradients stop once the residual is this share of the first, or a smaller one as the sums become right.
const INEXACT: f64 = 1e-3;

/// What the sums of cells should be.
pub(super) struct Target<'a> {
    pub(super) axes: Axes,
    pub(super) values: &'a [f64],
    /// The weight of the square of what is missed, in those of a cell; infinite for sums that must be met.
    pub(super) weight: f64,
}

/// A target with what all steps need.
struct Side<'a> {
    layout: Layout,
    values: &'a [f64],
    /// Where its prices begin among all.
    begin: usize,
    /// How far a price moves the target: the reciprocal of its weight.
    give: f64,
    /// Cells that a price moves.
    each: f64,
}

impl Side<'_> {
    /// Whether its cell is kept at zero, and with it all cells that are a part of it.
    fn is_dead(&self, target: f64) -> bool {
        self.give == 0.0 && target == 0.0
    }

    fn of<'p>(&self, all: &'p [f64]) -> &'p [f64] {
        &all[self.begin..self.begin + self.layout.cells]
    }
}

/// The problem.
pub(super) struct Prices<'a> {
    runs: Runs<'a>,
    /// Targets that have the last attribute.
    along: Vec<Side<'a>>,
    /// Targets that have not.
    across: Vec<Side<'a>>,
    prices: usize,
    /// The largest number that takes part.
    size: f64,
}

/// What prices lead to.
struct State {
    /// Those that do not follow from others; minus infinity where a target is dead.
    prices: Vec<f64>,
    /// What all prices add to every cell of each run.
    shifts: Vec<f64>,
    above: Above,
    /// By price: what the sums are short of the target, as far as prices move it.
    gaps: Vec<f64>,
    /// The largest gap.
    worst: f64,
    /// The largest gap of a run, which is rounding.
    rounding: f64,
    value: f64,
    /// The sum of its terms without their signs, of which rounding is a share.
    terms: f64,
}

/// Cells that are not negative and add up.
pub(super) struct Nearest {
    pub(super) cells: Vec<f64>,
    pub(super) certificate: Certificate,
}

impl<'a> Prices<'a> {
    /// `wanted` are the cells of a margin, the targets sums of it.
    pub(super) fn new(sizes: &[usize], axes: Axes, wanted: &'a [f64], targets: &[Target<'a>]) -> Self {
        let last = axes.iter().last().expect("a margin with smaller ones has attributes");
        let size = targets.iter().map(|target| largest(target.values)).fold(largest(wanted), f64::max);
        let mut runs = Runs { wanted, length: sizes[last], sums: None };
        let (mut along, mut across, mut begin) = (Vec::new(), Vec::new(), 0);
        for &Target { axes: inner, values, weight } in targets {
            if inner == axes.without(last) && weight == f64::INFINITY {
                runs.sums = Some(values);
                continue;
            }
            let layout = Layout::new(sizes, axes, inner);
            let each = (wanted.len() / layout.cells) as f64;
            begin += layout.cells;
            let side = Side { begin: begin - layout.cells, layout, values, give: weight.recip(), each };
            if inner.contains(last) { along.push(side) } else { across.push(side) }
        }
        Self { runs, along, across, prices: begin, size }
    }

    fn sides(&self) -> impl Iterator<Item = &Side<'a>> {
        self.along.iter().chain(&self.across)
    }

    /// The nearest cells.
    pub(super) fn solve(&self) -> Nearest {
        let mut here = self.at(self.start(), vec![0.0; self.runs.wanted.len() / self.runs.length]);
        let start = here.worst.max(f64::MIN_POSITIVE);
        for _ in 0..STEPS {
            if here.worst <= EXACT * self.size {
                break;
            }
            let direction = self.direction(&here, (here.worst / start).min(1.0));
            let slope = dot(&direction, &here.gaps);
            if slope.is_nan() || slope <= 0.0 {
                break;
            }
            let Some(next) = self.search(&here, &direction, slope) else { break };
            let settled = here.worst <= ROUNDING * self.size && next.worst > 0.5 * here.worst;
            if settled {
                break;
            }
            here = next;
        }
        let mut certificate = Certificate::default();
        certificate.feasible(here.worst.max(here.rounding), self.size);
        Nearest { cells: here.above.dense(self.runs.length), certificate }
    }

    /// Prices of zero, except where a target is dead.
    fn start(&self) -> Vec<f64> {
        let mut prices = vec![0.0; self.prices];
        for side in self.sides() {
            for (price, target) in prices[side.begin..].iter_mut().zip(side.values) {
                *price = if side.is_dead(*target) { f64::NEG_INFINITY } else { 0.0 };
            }
        }
        prices
    }

    /// The best cells at some prices, and what they leave open. The search for the shifts begins at these.
    fn at(&self, prices: Vec<f64>, shifts: Vec<f64>) -> State {
        let (along, across) = (priced(&self.along, &prices), priced(&self.across, &prices));
        let clear = Clear { runs: &self.runs, along: &along, across: &across, shifts };
        let Cleared { shifts, above, rounding, mut value, mut terms } = pulp::Arch::new().dispatch(clear);
        let mut gaps = self.sums(&above);
        let mut worst = 0.0_f64;
        for side in self.sides() {
            let of_side = gaps[side.begin..].iter_mut().zip(side.of(&prices));
            for ((gap, price), target) in of_side.zip(side.values) {
                if side.is_dead(*target) {
                    // Its price moves nothing.
                    *gap = 0.0;
                    continue;
                }
                *gap = target - side.give * price - *gap;
                worst = if gap.is_nan() { f64::NAN } else { worst.max(gap.abs()) };
                let (own, met) = (0.5 * side.give * price * price, price * target);
                value.add(own - met);
                terms += own + met.abs();
            }
        }
        State { prices, shifts, above, gaps, worst, rounding, value: value.value(), terms }
    }

    /// The sums of cells, where the prices of their targets stand.
    fn sums(&self, above: &Above) -> Vec<f64> {
        let mut sums = vec![0.0; self.prices];
        for (run, places, cells) in above.filled() {
            for begin in self.begins(&self.along, run) {
                let sums = &mut sums[begin..];
                places.iter().zip(cells).for_each(|(place, cell)| sums[*place as usize] += cell);
            }
            let sum: f64 = if self.across.is_empty() { 0.0 } else { cells.iter().sum() };
            self.begins(&self.across, run).for_each(|begin| sums[begin] += sum);
        }
        sums
    }

    /// The Newton step with this share of the greatest damping. A run whose sum must be met takes back from its cells, evenly, what prices
    /// add to it.
    fn direction(&self, state: &State, share: f64) -> Vec<f64> {
        let damping = (DAMPING.0 * share).max(DAMPING.1);
        let mut own = vec![0.0; self.prices];
        for side in self.sides() {
            own[side.begin..side.begin + side.layout.cells].fill(side.give + damping * side.each);
        }
        let mut diagonal = own.clone();
        let is_met = self.runs.sums.is_some();
        for (run, places, _) in state.above.filled() {
            let count = places.len() as f64;
            let (of_cell, of_run) = if is_met { (1.0 - count.recip(), 0.0) } else { (1.0, count) };
            for begin in self.begins(&self.along, run) {
                places.iter().for_each(|place| diagonal[begin + *place as usize] += of_cell);
            }
            self.begins(&self.across, run).for_each(|begin| diagonal[begin] += of_run);
        }
        let mut moves = Vec::new();
        let times = |vector: &[f64], product: &mut Vec<f64>| {
            product.clear();
            product.extend(vector.iter().zip(&own).map(|(x, own)| x * own));
            for (run, places, _) in state.above.filled() {
                let base: f64 = self.begins(&self.across, run).map(|begin| vector[begin]).sum();
                moves.clear();
                moves.resize(places.len(), base);
                for begin in self.begins(&self.along, run) {
                    let vector = &vector[begin..];
                    moves.iter_mut().zip(places).for_each(|(step, place)| *step += vector[*place as usize]);
                }
                let mut sum: f64 = moves.iter().sum();
                if is_met {
                    let back = sum / places.len() as f64;
                    moves.iter_mut().for_each(|step| *step -= back);
                    sum = 0.0;
                }
                for begin in self.begins(&self.along, run) {
                    let product = &mut product[begin..];
                    moves.iter().zip(places).for_each(|(step, place)| product[*place as usize] += step);
                }
                self.begins(&self.across, run).for_each(|begin| product[begin] += sum);
            }
        };
        let goal = (state.worst * INEXACT.min(share)).max(1e-2 * ROUNDING * self.size);
        conjugate_gradients(times, &diagonal, &state.gaps, goal)
    }

    /// Where the prices of a run begin, side by side.
    fn begins(&self, sides: &[Side<'a>], run: usize) -> impl Iterator<Item = usize> {
        sides.iter().map(move |side| side.begin + side.layout.begins[run] as usize)
    }

    /// The whole step along a direction if it gains enough, else one to near where the function is least on the way.
    fn search(&self, from: &State, direction: &[f64], slope: f64) -> Option<State> {
        let at = |length: f64| {
            let prices = from.prices.iter().zip(direction).map(|(price, step)| price + length * step).collect();
            self.at(prices, from.shifts.clone())
        };
        let mut next = at(1.0);
        // Where rounding hides the function, its gradient still tells.
        let rounding = f64::EPSILON * (from.terms + next.terms);
        if next.value <= from.value - GAIN * slope || (slope <= rounding && next.worst < from.worst) {
            return Some(next);
        }
        // What the function still falls by falls itself, from `slope` to below zero.
        let (mut before, mut beyond) = ((0.0, slope), (1.0, dot(direction, &next.gaps)));
        for trial in 0..LENGTHS {
            let ((low, left), (high, over)) = (before, beyond);
            // Where it would be zero if it fell evenly; every other time the middle, so that what is left is halved.
            let part = if trial % 2 == 0 { left / (left - over) } else { 0.5 };
            let length = low + (high - low) * part;
            next = at(length);
            let left = dot(direction, &next.gaps);
            if (0.0..=LEFT * slope).contains(&left) {
                return (next.value < from.value || next.worst < from.worst).then_some(next);
            }
            *(if left > 0.0 { &mut before } else { &mut beyond }) = (length, left);
        }
        None
    }
}

fn priced<'p>(sides: &'p [Side<'_>], prices: &'p [f64]) -> Vec<Priced<'p>> {
    sides.iter().map(|side| Priced { layout: &side.layout, prices: side.of(prices) }).collect()
}

/// The solution of `times(x) = right`, with this diagonal, to a largest residual of `goal` or as near as rounding lets it.
fn conjugate_gradients(
    mut times: impl FnMut(&[f64], &mut Vec<f64>),
    diagonal: &[f64],
    right: &[f64],
    goal: f64,
) -> Vec<f64> {
    let mut solution = vec![0.0; right.len()];
    let mut residual = right.to_vec();
    let scaled = |residual: &[f64]| -> Vec<f64> { residual.iter().zip(diagonal).map(|(r, d)| r / d).collect() };
    let mut preconditioned = scaled(&residual);
    let mut direction = preconditioned.clone();
    let mut power = dot(&residual, &preconditioned);
    let least = 1e-30 * power;
    let mut image = Vec::new();
    for _ in 0..2 * right.len() + 50 {
        if power <= least || residual.iter().all(|residual| residual.abs() <= goal) {
            break;
        }
        times(&direction, &mut image);
        let length = power / dot(&direction, &image);
        if !length.is_finite() {
            break;
        }
        solution.iter_mut().zip(&direction).for_each(|(x, d)| *x += length * d);
        residual.iter_mut().zip(&image).for_each(|(r, i)| *r -= length * i);
        preconditioned = scaled(&residual);
        let next = dot(&residual, &preconditioned);
        let ratio = next / power;
        direction.iter_mut().zip(&preconditioned).for_each(|(d, p)| *d = p + ratio * *d);
        power = next;
    }
    solution
}
