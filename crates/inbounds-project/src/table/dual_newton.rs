//! One margin under smaller ones: the nearest cells that are not negative and add up.
//!
//! **Idea.** Give each cell of a smaller margin a multiplier, its "price". At multipliers `p` every cell has its own
//! best number, `max(0, y + sum of its multipliers)`; the unknowns are multipliers at which the sums are right.
//! They minimise a convex function, the negative of the dual function, whose gradient is how far the sums are off, and
//! whose curvature counts the cells above zero that two multipliers share. If the margin of all attributes but the last
//! must be met, its multipliers follow from the others, each by itself (`runs.rs`). For those others Newton's method
//! needs a handful of steps, each solved by conjugate gradients over the cells above zero alone: many such cells make
//! the curvature well conditioned, few make a product cheap.
//!
//! **Soft targets.** Three margins of two attributes can be such that no table without negative cells has all of them.
//! A soft target counts as a sum of squares with a weight instead of as a requirement. So margins move only as far as
//! they must, and some cells always solve the problem.
//!
//! **Weights of cells.** Each cell may have its own weight `w`: at multipliers `p` it is `max(0, y + (sum of its
//! multipliers) / w)`.
//!
//! **Invariant.** The function never rises, and each point tried is the best one at its multipliers: only the sums are
//! left to be right.
//!
//! References: Qi and Sun 2006 (Newton's method on multipliers, for another cone); Dembo, Eisenstat and Steihaug 1982
//! (inexact steps).

use super::{
    axes::{Axes, Layout},
    runs::{Above, Runs, SolveRuns, SolvedRuns, TargetMultipliers},
};
use crate::{
    certificate::Certificate,
    numeric::{dot, largest},
};

/// Newton steps before the method gives up; ten are many.
const STEPS: usize = 80;

/// Lengths tried before a step is given up.
const LENGTHS: usize = 40;

/// A full step is taken if it gains this share of what the gradient promises.
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
    /// The weight of the square of the gap, in units of that of a cell; infinite for sums that must be met.
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
    /// Where its multipliers begin among all.
    begin: usize,
    /// Move of the target by a multiplier: the reciprocal of its weight.
    give: f64,
    /// The same by value of the last attribute, if these differ.
    gives: &'a [f64],
    /// Cells that a multiplier moves.
    each: f64,
}

impl Side<'_> {
    /// `true` if its cell is kept at zero, and with it all cells that are a part of it.
    fn is_dead(&self, target: f64) -> bool {
        self.give == 0.0 && target == 0.0
    }

    /// Move of the target of a cell by its multiplier.
    fn give(&self, cell: usize) -> f64 {
        if self.gives.is_empty() { self.give } else { self.gives[cell % self.gives.len()] }
    }

    fn slice<'p>(&self, all: &'p [f64]) -> &'p [f64] {
        &all[self.begin..self.begin + self.layout.cells]
    }
}

/// The projection of the cells of a margin onto nonnegative cells with given smaller margins.
pub(super) struct MarginProjection<'a> {
    runs: Runs<'a>,
    /// Targets that have the last attribute.
    along: Vec<Side<'a>>,
    /// Targets that have not.
    across: Vec<Side<'a>>,
    multiplier_count: usize,
    /// The largest number that takes part.
    size: f64,
}

/// The dual variables and shifts at which a solution was found, and from which the next one is sought.
#[derive(Default)]
pub(super) struct WarmStart {
    multipliers: Vec<f64>,
    shifts: Vec<f64>,
}

/// State at given multipliers, the variables of the dual problem.
struct State {
    /// The multipliers that do not follow from others; minus infinity where a target is dead.
    multipliers: Vec<f64>,
    /// Shift of each run: the part of the multipliers that all of its cells share.
    shifts: Vec<f64>,
    above: Above,
    /// By multiplier: the shortfall of the sum from its target, less the move of a soft target.
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
    pub(super) warm_start: WarmStart,
}

impl<'a> MarginProjection<'a> {
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
        Self { runs, along, across, multiplier_count: begin, size }
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
        self.solve_from(WarmStart::default(), 0.0)
    }

    /// The nearest cells, warm-started with the dual variables of a similar problem; or cells whose sums are right to
    /// `near`. Targets of a similar problem are the same, in the same order, but for such without the last
    /// attribute at the end.
    pub(super) fn solve_from(&self, warm_start: WarmStart, near: f64) -> Nearest {
        let enough = near.max(EXACT * self.size);
        let WarmStart { multipliers, mut shifts } = warm_start;
        shifts.resize(self.runs.wanted.len() / self.runs.length, 0.0);
        let is_near = !multipliers.is_empty();
        let mut here = self.at(self.start(multipliers), shifts);
        // From a warm start, damping would only slow the method down.
        let start = if is_near { self.size } else { here.worst }.max(f64::MIN_POSITIVE);
        for _ in 0..STEPS {
            if here.worst <= enough {
                break;
            }
            // The Newton direction, damped less as the sums become right, and the gradient along it.
            let direction = self.direction(&here, (here.worst / start).min(1.0));
            let slope = dot(&direction, &here.gaps);
            if slope.is_nan() || slope <= 0.0 {
                break;
            }
            let Some(next) = self.search(&here, &direction, slope) else { break };
            // Below the rounding of the sums, a step that does not halve the largest gap is not taken.
            let settled = here.worst <= ROUNDING * self.size && next.worst > 0.5 * here.worst;
            if settled {
                break;
            }
            here = next;
        }
        let mut certificate = Certificate::default();
        certificate.feasible(here.worst.max(here.rounding), self.size);
        let cells = here.above.dense(self.runs.length);
        Nearest { cells, certificate, warm_start: WarmStart { multipliers: here.multipliers, shifts: here.shifts } }
    }

    /// The multipliers to start from: those given, zero for others, minus infinity for dead targets.
    fn start(&self, mut multipliers: Vec<f64>) -> Vec<f64> {
        multipliers.resize(self.multiplier_count, 0.0);
        for side in self.sides() {
            for (multiplier, target) in multipliers[side.begin..].iter_mut().zip(side.values) {
                if side.is_dead(*target) {
                    *multiplier = f64::NEG_INFINITY;
                }
            }
        }
        multipliers
    }

    /// The best cells at some multipliers, and the gaps of their sums. The search for the shifts begins at these.
    fn at(&self, multipliers: Vec<f64>, shifts: Vec<f64>) -> State {
        let (along, across) = (multipliers_of(&self.along, &multipliers), multipliers_of(&self.across, &multipliers));
        let problem = SolveRuns { runs: &self.runs, along: &along, across: &across, shifts };
        let SolvedRuns { shifts, above, rounding, mut value, mut terms } = pulp::Arch::new().dispatch(problem);
        let mut gaps = self.sums(&above);
        let mut worst = 0.0_f64;
        for side in self.sides() {
            let of_side = gaps[side.begin..].iter_mut().zip(side.slice(&multipliers));
            for (cell, ((gap, multiplier), target)) in of_side.zip(side.values).enumerate() {
                if side.is_dead(*target) {
                    // Its multiplier moves nothing.
                    *gap = 0.0;
                    continue;
                }
                let give = side.give(cell);
                *gap = target - give * multiplier - *gap;
                worst = if gap.is_nan() { f64::NAN } else { worst.max(gap.abs()) };
                let (own, met) = (0.5 * give * multiplier * multiplier, multiplier * target);
                value.add(own - met);
                terms += own + met.abs();
            }
        }
        State { multipliers, shifts, above, gaps, worst, rounding, value: value.value(), terms }
    }

    /// The sums of cells by target, in the order of the multipliers.
    fn sums(&self, above: &Above) -> Vec<f64> {
        let mut sums = vec![0.0; self.multiplier_count];
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

    /// The Newton step with this share of the greatest damping. The multiplier of a run whose sum has a target falls
    /// where other multipliers raise the sum, and takes the excess back from the cells by their slopes, all of it if
    /// the sum must be met.
    fn direction(&self, state: &State, share: f64) -> Vec<f64> {
        let damping = (DAMPING.0 * share).max(DAMPING.1);
        let mut own = vec![0.0; self.multiplier_count];
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
        // The diagonal of the curvature, which preconditions the conjugate gradients. `back` is the fall of a run's
        // multiplier for each unit that other multipliers add to its sum.
        let mut diagonal = own.clone();
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
            // The curvature times a vector, run by run: first the moves of the cells above zero by the multipliers.
            for (filled, back) in state.above.filled().zip(&back) {
                let base: f64 = self.begins(&self.across, filled.run).map(|begin| vector[begin]).sum();
                moves.clear();
                moves.resize(filled.places.len(), base);
                for begin in self.begins(&self.along, filled.run) {
                    let vector = &vector[begin..];
                    moves.iter_mut().zip(filled.places).for_each(|(step, place)| *step += vector[*place as usize]);
                }
                filled.weigh(&mut moves);
                // The run's own multiplier takes back its part, to keep its sum at the target.
                let sum: f64 = moves.iter().sum();
                if *back > 0.0 {
                    filled.shift(&mut moves, -sum * back);
                }
                // Each target gets the sum of the moves of its cells.
                for begin in self.begins(&self.along, filled.run) {
                    let product = &mut product[begin..];
                    moves.iter().zip(filled.places).for_each(|(step, place)| product[*place as usize] += step);
                }
                let left = sum * (1.0 - filled.slope() * back);
                self.begins(&self.across, filled.run).for_each(|begin| product[begin] += left);
            }
        };
        // An inexact solution is enough far from the optimum (Dembo, Eisenstat and Steihaug).
        let goal = (state.worst * INEXACT.min(share)).max(1e-2 * ROUNDING * self.size);
        conjugate_gradients(times, &diagonal, &state.gaps, goal)
    }

    /// Fall of the multiplier of a run with this slope for each unit that other multipliers add to its sum.
    fn back(&self, slope: f64) -> f64 {
        if self.runs.sums.is_some() { (slope + self.runs.give).recip() } else { 0.0 }
    }

    /// Where the multipliers of a run begin, side by side.
    fn begins(&self, sides: &[Side<'a>], run: usize) -> impl Iterator<Item = usize> {
        sides.iter().map(move |side| side.begin + side.layout.begins[run] as usize)
    }

    /// The full step along a direction if it gains enough, else one to near the minimum of the function along it.
    fn search(&self, from: &State, direction: &[f64], slope: f64) -> Option<State> {
        let at = |length: f64| {
            let multipliers =
                from.multipliers.iter().zip(direction).map(|(multiplier, step)| multiplier + length * step).collect();
            self.at(multipliers, from.shifts.clone())
        };
        let mut next = at(1.0);
        // Where rounding hides the value of the function, its gradient still decides.
        let rounding = f64::EPSILON * (from.terms + next.terms);
        if next.value <= from.value - GAIN * slope || (slope <= rounding && next.worst < from.worst) {
            return Some(next);
        }
        // The descent along the direction falls from `slope` to below zero: bracket its zero.
        let (mut before, mut beyond) = ((0.0, slope), (1.0, dot(direction, &next.gaps)));
        for trial in 0..LENGTHS {
            let ((low, left), (high, over)) = (before, beyond);
            // The secant's zero, and every other time the midpoint, so that the bracket is halved.
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

fn multipliers_of<'p>(sides: &'p [Side<'_>], multipliers: &'p [f64]) -> Vec<TargetMultipliers<'p>> {
    sides.iter().map(|side| TargetMultipliers { layout: &side.layout, multipliers: side.slice(multipliers) }).collect()
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
        // Converged, or the residual is as small as rounding lets it be.
        if power <= least || residual.iter().all(|residual| residual.abs() <= goal) {
            break;
        }
        times(&direction, &mut image);
        let length = power / dot(&direction, &image);
        if !length.is_finite() {
            break;
        }
        // Step to the minimum along the direction, and update the residual.
        solution.iter_mut().zip(&direction).for_each(|(x, d)| *x += length * d);
        residual.iter_mut().zip(&image).for_each(|(r, i)| *r -= length * i);
        // The next direction is conjugate to those before: the preconditioned residual plus a part of the last one.
        preconditioned = scaled(&residual);
        let next = dot(&residual, &preconditioned);
        let ratio = next / power;
        direction.iter_mut().zip(&preconditioned).for_each(|(d, p)| *d = p + ratio * *d);
        power = next;
    }
    solution
}
