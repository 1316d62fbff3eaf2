//! One margin under smaller ones: the nearest cells that are not negative and add up.
//!
//! **Idea.** Give each cell of a smaller margin a price. At prices `p` every cell has its own best number, `max(0, y +
//! sum of its prices)`; what is left to find are prices at which the sums are right. They minimise a convex function
//! whose gradient is how far the sums are off, and whose curvature counts the cells above zero that two prices share.
//! If the margin of all attributes but the last must be met, its prices follow from the others, each by itself
//! (`runs.rs`). For those others Newton's method needs a handful of steps, each solved by conjugate gradients over the
//! cells above zero alone: many such cells make the curvature well conditioned, few make a product cheap.
//!
//! **Soft targets.** Three margins of two attributes can be such that no table without negative cells has all of them.
//! A soft target counts as a sum of squares with a weight instead of as a requirement. So margins move only as far as
//! they must, and some cells always solve the problem.
//!
//! **Weights of cells.** Each cell may have its own weight `w`: at prices `p` it is `max(0, y + (sum of its prices) /
//! w)`.
//!
//! **Invariant.** The function never rises, and each point tried is the best one at its prices: only the sums are left
//! to be right.
//!
//! References: Qi and Sun 2006 (Newton's method on prices, for another cone); Dembo, Eisenstat and Steihaug 1982
//! (inexact steps).

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

/// Target of the sums of cells.
pub(super) struct Target<'a> {
    pub(super) axes: Axes,
    pub(super) values: &'a [f64],
    /// The weight of the square of what is missed, in those of a cell; infinite for sums that must be met.
    pub(super) weight: f64,
    /// The reciprocals of weights of its own for each value of the last attribute, which the target then has; none
    /// where all have `weight`.
    pub(super) gives: &'a [f64],
}

impl<'a> Target<'a> {
    /// Sums of one weight.
    pub(super) fn weighted(axes: Axes, values: &'a [f64], weight: f64) -> Self {
        Self { axes, values, weight, gives: &[] }
    }

    /// Sums that must be met.
    pub(super) fn met(axes: Axes, values: &'a [f64]) -> Self {
        Self::weighted(axes, values, f64::INFINITY)
    }
}

/// A target with what all steps need.
struct Side<'a> {
    layout: Layout,
    values: &'a [f64],
    /// Where its prices begin among all.
    begin: usize,
    /// Move of the target by a price: the reciprocal of its weight.
    give: f64,
    /// The same by value of the last attribute, if these differ.
    gives: &'a [f64],
    /// Cells that a price moves.
    each: f64,
}

impl Side<'_> {
    /// `true` if its cell is kept at zero, and with it all cells that are a part of it.
    fn is_dead(&self, target: f64) -> bool {
        self.give == 0.0 && target == 0.0
    }

    /// Move of the target of a cell by its price.
    fn give(&self, cell: usize) -> f64 {
        if self.gives.is_empty() { self.give } else { self.gives[cell % self.gives.len()] }
    }

    fn slice<'p>(&self, all: &'p [f64]) -> &'p [f64] {
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

/// Where a solution is looked for first, and where it was found.
#[derive(Default)]
pub(super) struct Place {
    prices: Vec<f64>,
    shifts: Vec<f64>,
}

/// State at given prices, the dual variables.
struct State {
    /// Those that do not follow from others; minus infinity where a target is dead.
    prices: Vec<f64>,
    /// Shift of every cell of each run by all prices.
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
    pub(super) place: Place,
}

impl<'a> Prices<'a> {
    /// `wanted` are the cells of a margin, the targets sums of it.
    pub(super) fn new(sizes: &[usize], axes: Axes, wanted: &'a [f64], targets: &[Target<'a>]) -> Self {
        let last = axes.iter().last().expect("a margin with smaller ones has attributes");
        let size = targets.iter().map(|target| largest(target.values)).fold(largest(wanted), f64::max);
        let mut runs = Runs { wanted, length: sizes[last], sums: None, give: 0.0, slopes: &[] };
        let (mut along, mut across, mut begin) = (Vec::new(), Vec::new(), 0);
        for &Target { axes: inner, values, weight, gives } in targets {
            if inner == axes.without(last) {
                (runs.sums, runs.give) = (Some(values), weight.recip());
                continue;
            }
            let layout = Layout::new(sizes, axes, inner);
            let each = (wanted.len() / layout.cells) as f64;
            begin += layout.cells;
            let side = Side { begin: begin - layout.cells, layout, values, give: weight.recip(), gives, each };
            if inner.contains(last) { along.push(side) } else { across.push(side) }
        }
        Self { runs, along, across, prices: begin, size }
    }

    /// The same with weights of cells, by their reciprocals.
    pub(super) fn weighing(mut self, slopes: &'a [f64]) -> Self {
        self.runs.slopes = slopes;
        self
    }

    fn sides(&self) -> impl Iterator<Item = &Side<'a>> {
        self.along.iter().chain(&self.across)
    }

    /// The nearest cells.
    pub(super) fn solve(&self) -> Nearest {
        self.solve_from(Place::default(), 0.0)
    }

    /// The nearest cells, looked for from a place where those of a similar problem were found; or cells whose sums are
    /// right to `near`. Targets of a similar problem are the same, in the same order, but for such without the last
    /// attribute at the end.
    pub(super) fn solve_from(&self, place: Place, near: f64) -> Nearest {
        let enough = near.max(EXACT * self.size);
        let Place { prices, mut shifts } = place;
        shifts.resize(self.runs.wanted.len() / self.runs.length, 0.0);
        let is_near = !prices.is_empty();
        let mut here = self.at(self.start(prices), shifts);
        // Near the solution, damping would only slow the method down.
        let start = if is_near { self.size } else { here.worst }.max(f64::MIN_POSITIVE);
        for _ in 0..STEPS {
            if here.worst <= enough {
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
        let cells = here.above.dense(self.runs.length);
        Nearest { cells, certificate, place: Place { prices: here.prices, shifts: here.shifts } }
    }

    /// The prices that are known, zero for others, and those of dead targets.
    fn start(&self, mut prices: Vec<f64>) -> Vec<f64> {
        prices.resize(self.prices, 0.0);
        for side in self.sides() {
            for (price, target) in prices[side.begin..].iter_mut().zip(side.values) {
                if side.is_dead(*target) {
                    *price = f64::NEG_INFINITY;
                }
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
            let of_side = gaps[side.begin..].iter_mut().zip(side.slice(&prices));
            for (cell, ((gap, price), target)) in of_side.zip(side.values).enumerate() {
                if side.is_dead(*target) {
                    // Its price moves nothing.
                    *gap = 0.0;
                    continue;
                }
                let give = side.give(cell);
                *gap = target - give * price - *gap;
                worst = if gap.is_nan() { f64::NAN } else { worst.max(gap.abs()) };
                let (own, met) = (0.5 * give * price * price, price * target);
                value.add(own - met);
                terms += own + met.abs();
            }
        }
        State { prices, shifts, above, gaps, worst, rounding, value: value.value(), terms }
    }

    /// The sums of cells, where the prices of their targets stand.
    fn sums(&self, above: &Above) -> Vec<f64> {
        let mut sums = vec![0.0; self.prices];
        for filled in above.filled() {
            for begin in self.begins(&self.along, filled.run) {
                let sums = &mut sums[begin..];
                filled.places.iter().zip(filled.cells).for_each(|(place, cell)| sums[*place as usize] += cell);
            }
            let sum: f64 = if self.across.is_empty() { 0.0 } else { filled.cells.iter().sum() };
            self.begins(&self.across, filled.run).for_each(|begin| sums[begin] += sum);
        }
        sums
    }

    /// The Newton step with this share of the greatest damping. A run whose sum has a target takes back from its
    /// cells, by their slopes, what prices add to it, all of it if the sum must be met.
    fn direction(&self, state: &State, share: f64) -> Vec<f64> {
        let damping = (DAMPING.0 * share).max(DAMPING.1);
        let mut own = vec![0.0; self.prices];
        for side in self.sides() {
            // A target that gives way needs no more, and a soft run leaves to others what it does not take back.
            for (cell, own) in own[side.begin..side.begin + side.layout.cells].iter_mut().enumerate() {
                let give = side.give(cell);
                let each = if give > 0.0 {
                    side.each.min(give)
                } else if self.runs.give > 0.0 {
                    side.each * (1.0 - self.runs.length as f64 * self.back(self.runs.length as f64))
                } else {
                    side.each
                };
                *own = give + damping * each;
            }
        }
        let mut diagonal = own.clone();
        // By which part of what is added to a run its price falls.
        let back: Vec<f64> = state.above.filled().map(|filled| self.back(filled.slope())).collect();
        for (filled, back) in state.above.filled().zip(&back) {
            for begin in self.begins(&self.along, filled.run) {
                filled.each().for_each(|(place, slope)| diagonal[begin + place] += slope - slope * slope * back);
            }
            let slope = filled.slope();
            self.begins(&self.across, filled.run).for_each(|begin| diagonal[begin] += slope - slope * slope * back);
        }
        let mut moves = Vec::new();
        let times = |vector: &[f64], product: &mut Vec<f64>| {
            product.clear();
            product.extend(vector.iter().zip(&own).map(|(x, own)| x * own));
            for (filled, back) in state.above.filled().zip(&back) {
                let base: f64 = self.begins(&self.across, filled.run).map(|begin| vector[begin]).sum();
                moves.clear();
                moves.resize(filled.places.len(), base);
                for begin in self.begins(&self.along, filled.run) {
                    let vector = &vector[begin..];
                    moves.iter_mut().zip(filled.places).for_each(|(step, place)| *step += vector[*place as usize]);
                }
                filled.weigh(&mut moves);
                let sum: f64 = moves.iter().sum();
                if *back > 0.0 {
                    filled.shift(&mut moves, -sum * back);
                }
                for begin in self.begins(&self.along, filled.run) {
                    let product = &mut product[begin..];
                    moves.iter().zip(filled.places).for_each(|(step, place)| product[*place as usize] += step);
                }
                let left = sum * (1.0 - filled.slope() * back);
                self.begins(&self.across, filled.run).for_each(|begin| product[begin] += left);
            }
        };
        let goal = (state.worst * INEXACT.min(share)).max(1e-2 * ROUNDING * self.size);
        conjugate_gradients(times, &diagonal, &state.gaps, goal)
    }

    /// By which part of what others add to the sum of a run, with this slope, its own price falls.
    fn back(&self, slope: f64) -> f64 {
        if self.runs.sums.is_some() { (slope + self.runs.give).recip() } else { 0.0 }
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
    sides.iter().map(|side| Priced { layout: &side.layout, prices: side.slice(prices) }).collect()
}

/// The solution of `times(x) = right`, with this diagonal, to a largest residual of `goal` or as near as rounding lets
/// it.
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
