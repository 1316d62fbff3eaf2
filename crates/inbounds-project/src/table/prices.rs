//! One margin under smaller ones: the nearest cells that are not negative and add up.
//!
//! **Idea.** Give each cell of a smaller margin a price. At prices `p` every cell has its own best number, `max(0, y + sum of its
//! prices)`; what is left to find are prices at which the sums are right. They minimise a convex function whose gradient is how
//! far the sums are off, and whose curvature counts the cells above zero that two prices share. Newton's method needs a handful of
//! steps, each solved by conjugate gradients over the cells above zero alone: many such cells make the curvature well conditioned, few
//! make a product cheap.
//!
//! **Soft targets.** Three margins of two attributes can be such that no table without negative cells has all of them. A soft
//! target counts as a sum of squares with a weight, [`STIFFNESS`] times that of a cell, instead of as a requirement. So margins move
//! only as far as they must, and some cells always solve the problem; with a stiff spring it is also as regular as one without.
//!
//! **Invariant.** The function never rises, and each point tried is the best one at its prices: only the sums are left to be right.
//!
//! References: Qi and Sun 2006 (Newton's method on prices, for another cone); Dembo, Eisenstat and Steihaug 1982 (inexact steps).

use super::axes::{Axes, Layout};
use crate::{certificate::Certificate, numeric::Sum};

/// Weight of the square of a soft target that is missed, in those of a cell.
pub(super) const STIFFNESS: f64 = 1e3;

/// Newton steps before the method gives up; ten are many.
const STEPS: usize = 80;

/// Halvings of a step.
const HALVINGS: usize = 40;

/// A step is long enough if it gains this share of what the gradient promises.
const GAIN: f64 = 1e-4;

/// Largest and least share of the curvature of all cells that is added to that of the cells above zero.
const DAMPING: (f64, f64) = (1e-2, 1e-13);

/// Sums that are right to this, relative to the largest number, are right up to rounding.
const ROUNDING: f64 = 2e-14;

/// Conjugate gradients stop once the residual is this share of the first, or a smaller one as the sums become right.
const INEXACT: f64 = 1e-3;

/// What the sums of cells should be.
pub(super) struct Target<'a> {
    pub(super) axes: Axes,
    pub(super) values: &'a [f64],
    /// Whether it may be missed at a price.
    pub(super) soft: bool,
}

/// A target with what all steps need.
struct Side<'a> {
    layout: Layout,
    values: &'a [f64],
    /// Where its prices begin among all.
    begin: usize,
    /// How far a price moves the target: the reciprocal of its weight, zero for a hard one.
    give: f64,
    /// Cells that a price moves.
    each: f64,
}

/// The problem.
pub(super) struct Prices<'a> {
    wanted: &'a [f64],
    sides: Vec<Side<'a>>,
    prices: usize,
    /// Cells that a hard target of zero keeps at zero.
    dead: Vec<bool>,
    /// The largest number that takes part.
    size: f64,
}

/// What prices lead to.
struct State {
    prices: Vec<f64>,
    cells: Vec<f64>,
    /// By price: what the sums are short of the target, as far as prices move it.
    gaps: Vec<f64>,
    worst: f64,
    value: f64,
    /// The sum of its terms without their signs, of which rounding is a share.
    terms: f64,
}

/// Cells that are not negative and add up.
pub(super) struct Priced {
    pub(super) cells: Vec<f64>,
    pub(super) certificate: Certificate,
}

impl<'a> Prices<'a> {
    /// `wanted` are the cells of a margin, the targets sums of it.
    pub(super) fn new(sizes: &[usize], axes: Axes, wanted: &'a [f64], targets: &[Target<'a>]) -> Self {
        let mut begin = 0;
        let mut sides = Vec::with_capacity(targets.len());
        let mut dead = vec![false; wanted.len()];
        for target in targets {
            let layout = Layout::new(sizes, axes, target.axes);
            if !target.soft && target.values.contains(&0.0) {
                (0..wanted.len()).for_each(|cell| dead[cell] |= target.values[layout.part_of(cell)] == 0.0);
            }
            let each = (wanted.len() / layout.cells) as f64;
            let give = if target.soft { STIFFNESS.recip() } else { 0.0 };
            begin += layout.cells;
            sides.push(Side { begin: begin - layout.cells, layout, values: target.values, give, each });
        }
        let largest = |numbers: &[f64]| numbers.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
        let size = targets.iter().map(|target| largest(target.values)).fold(largest(wanted), f64::max);
        Self { wanted, sides, prices: begin, dead, size }
    }

    /// The nearest cells.
    pub(super) fn solve(&self) -> Priced {
        let mut here = self.at(vec![0.0; self.prices]);
        let start = here.worst.max(f64::MIN_POSITIVE);
        for _ in 0..STEPS {
            if here.worst == 0.0 {
                break;
            }
            let direction = self.direction(&here, (here.worst / start).min(1.0));
            let slope: f64 = direction.iter().zip(&here.gaps).map(|(step, gap)| step * gap).sum();
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
        certificate.feasible(here.worst, self.size);
        Priced { cells: here.cells, certificate }
    }

    /// The best cells at some prices, and what they leave open.
    fn at(&self, prices: Vec<f64>) -> State {
        let mut cells = self.wanted.to_vec();
        for side in &self.sides {
            side.layout.spread(1.0, &prices[side.begin..side.begin + side.layout.cells], &mut cells);
        }
        let (mut value, mut terms) = (Sum::default(), 0.0);
        // A cell is rounded by a share of itself, and the function falls or rises with it as steeply as it is large.
        let mut add = |term: f64, cell: f64| {
            value.add(term);
            terms += term.abs() + cell * cell;
        };
        for ((cell, wanted), dead) in cells.iter_mut().zip(self.wanted).zip(&self.dead) {
            *cell = if *dead { 0.0 } else { cell.max(0.0) };
            let at_rest = if *dead { 0.0 } else { wanted.max(0.0) };
            add(0.5 * (*cell - at_rest) * (*cell + at_rest), *cell);
        }
        let mut gaps = vec![0.0; self.prices];
        for side in &self.sides {
            let range = side.begin..side.begin + side.layout.cells;
            let sums = side.layout.sums(&cells);
            for (((gap, sum), target), price) in
                gaps[range.clone()].iter_mut().zip(sums).zip(side.values).zip(&prices[range])
            {
                // Cells below a hard target of zero are not there, and its price moves nothing.
                *gap = if side.give == 0.0 && *target == 0.0 { 0.0 } else { target - side.give * price - sum };
                add(0.5 * side.give * price * price - price * target, 0.0);
            }
        }
        let worst = gaps.iter().fold(0.0, |worst: f64, gap| if gap.is_nan() { f64::NAN } else { worst.max(gap.abs()) });
        State { prices, cells, gaps, worst, value: value.value(), terms }
    }

    /// The Newton step with this share of the greatest damping.
    fn direction(&self, state: &State, share: f64) -> Vec<f64> {
        let damping = (DAMPING.0 * share).max(DAMPING.1);
        let mut diagonal = vec![0.0; self.prices];
        let mut parts: Vec<u32> = Vec::new();
        for cell in (0..state.cells.len()).filter(|&cell| state.cells[cell] > 0.0) {
            for side in &self.sides {
                let price = side.begin + side.layout.part_of(cell);
                diagonal[price] += 1.0;
                parts.push(price as u32);
            }
        }
        let mut own = vec![0.0; self.prices];
        for side in &self.sides {
            own[side.begin..side.begin + side.layout.cells].fill(side.give + damping * side.each);
        }
        diagonal.iter_mut().zip(&own).for_each(|(diagonal, own)| *diagonal += own);
        let times = |vector: &[f64]| {
            let mut product: Vec<f64> = vector.iter().zip(&own).map(|(x, own)| x * own).collect();
            for parts in parts.chunks_exact(self.sides.len()) {
                let sum: f64 = parts.iter().map(|&price| vector[price as usize]).sum();
                parts.iter().for_each(|&price| product[price as usize] += sum);
            }
            product
        };
        let goal = (state.worst * INEXACT.min(share)).max(1e-2 * ROUNDING * self.size);
        conjugate_gradients(times, &diagonal, &state.gaps, goal)
    }

    /// A step along a direction that gains enough.
    fn search(&self, from: &State, direction: &[f64], slope: f64) -> Option<State> {
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            let prices = from.prices.iter().zip(direction).map(|(price, step)| price + length * step).collect();
            let next = self.at(prices);
            // Where rounding hides the function, its gradient still tells.
            let rounding = f64::EPSILON * (from.terms + next.terms);
            let lower = next.value <= from.value - GAIN * length * slope;
            if lower || (slope <= rounding && next.worst < from.worst) {
                return Some(next);
            }
            length *= 0.5;
        }
        None
    }
}

/// The solution of `times(x) = right`, with this diagonal, to a largest residual of `goal` or as near as rounding lets it.
fn conjugate_gradients(times: impl Fn(&[f64]) -> Vec<f64>, diagonal: &[f64], right: &[f64], goal: f64) -> Vec<f64> {
    let mut solution = vec![0.0; right.len()];
    let mut residual = right.to_vec();
    let scaled = |residual: &[f64]| -> Vec<f64> { residual.iter().zip(diagonal).map(|(r, d)| r / d).collect() };
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let mut preconditioned = scaled(&residual);
    let mut direction = preconditioned.clone();
    let mut power = dot(&residual, &preconditioned);
    let least = 1e-30 * power;
    for _ in 0..2 * right.len() + 50 {
        if power <= least || residual.iter().all(|residual| residual.abs() <= goal) {
            break;
        }
        let image = times(&direction);
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
