//! Estimates whose printed sums are exact.
//!
//! **The rule.** All estimates of a tree are multiples of one public grid, the power of two that is `2^-50` of the
//! power of two above the largest sum of absolute values of siblings in it: then every sum of siblings is exact in
//! doubles, in any order. From the roots down, each child is rounded to the nearest multiple, at the multiplier that
//! makes the children add up to the *rounded* parent. The few units then missing from, or left over in, the parent's
//! total go to the children in their order, evenly, passing over those at a bound, known exactly or dropped to zero.
//! Whole numbers below `2^50` are multiples of the grid, so whole invariants and bounds hold to the last bit. Where
//! those off the grid leave no child that can move, they give way, by less than a step each.
//!
//! **Invariant.** When the children of a position are written, its estimate is a multiple of the grid that theirs can
//! add up to: it lies in [`feasible::reach_on_grid`].

use std::ops::Range;

use super::{
    feasible::{self, Reach},
    forest::PerTree,
    grid::Grid,
    part::Part,
    passes::{Leaves, Node, Passes, multiplier_and_split},
    scan,
};
use crate::constraint::tree::TreeSystem;

/// Bounds that estimates must respect: of each leaf by the system, of each position of the head by the sums that its
/// subtree can reach.
#[derive(Clone, Copy)]
pub(super) struct Within<'a> {
    pub(super) system: &'a TreeSystem,
    pub(super) reach: &'a [Reach],
}

/// Estimates of all positions, each tree on its grid, from passes that have settled; and the finest step.
pub(super) fn estimates(passes: &Passes<'_>, within: Option<Within<'_>>) -> (Vec<f64>, f64) {
    let system = passes.system;
    let tree = system.tree();
    let grids = largest_sums(passes, within).map(Grid::for_sums_to);
    let reach = match within {
        // Nothing to be kept but sums, and perhaps zero.
        None if !system.invariants => Vec::new(),
        _ => feasible::reach_on_grid(
            within.map_or(system, |within| within.system),
            |position| required(passes, within, position),
            &grids,
        ),
    };
    let writer = |position| Writer { passes, within, reach: &reach, grid: grids.at(position) };
    let mut out = Vec::with_capacity(tree.nodes());
    for root in tree.roots() {
        let writer = writer(root);
        out.push(writer.inside(root, writer.grid.nearest(alone(passes, root))));
    }
    for position in tree.inner() {
        writer(position).children(position, &mut out);
    }
    (out, grids.iter().map(|grid| grid.step).fold(f64::INFINITY, f64::min))
}

/// Bound on the sum of absolute estimates of any set of siblings in a tree, and on its root.
fn largest_sums(passes: &Passes<'_>, within: Option<Within<'_>>) -> PerTree<f64> {
    let of_inner = |position: usize| match passes.leaves {
        // Boxes may be far narrower than noise; a grid that the noise makes coarse would miss them.
        Leaves::All if within.is_some() => {
            Writer { passes, within, reach: &[], grid: Grid::for_sums_to(0.0) }.sum_before_rounding(position)
        }
        Leaves::All => {
            let Node { sum, magnitude, estimate, .. } = passes.nodes[position];
            magnitude + (estimate - sum.mean).abs()
        }
        // Nothing is negative, so no sum is above its root.
        Leaves::Nonnegative => 0.0,
    };
    PerTree::gathered(passes.system.tree(), |root| alone(passes, root).abs(), of_inner, f64::max)
}

/// Where a position must lie on its own account.
fn required(passes: &Passes<'_>, within: Option<Within<'_>>, position: usize) -> (f64, f64) {
    match (within, passes.leaves) {
        (Some(Within { system, .. }), _) => system.interval(position),
        (None, Leaves::Nonnegative) => passes.system.interval(position),
        (None, Leaves::All) => passes.system.exact_interval(position),
    }
}

/// Estimate of a root.
fn alone(passes: &Passes<'_>, root: usize) -> f64 {
    if root < passes.nodes.len() && !passes.system.tree().is_leaf(root) {
        return passes.nodes[root].estimate;
    }
    let value = passes.system.value[root];
    if passes.leaves == Leaves::Nonnegative { value.max(0.0) } else { value }
}

struct Writer<'a> {
    passes: &'a Passes<'a>,
    /// None if there are no bounds but at zero.
    within: Option<Within<'a>>,
    /// Reachable interval of each position of the head in multiples of the grid; empty if that is its own interval.
    reach: &'a [Reach],
    grid: Grid,
}

/// The children that absorb the units left by rounding, in this order.
#[derive(Clone, Copy, PartialEq)]
enum Taker {
    /// Children that can move, inside their bounds.
    Free,
    /// Also those held at a bound, as far as the bound.
    Held,
    /// Also those at a bound off the grid or known to be off it, by less than a step beyond.
    OffGrid,
}

impl Writer<'_> {
    /// Appends the children of a position, which add up to what `out` holds for it.
    fn children(&self, position: usize, out: &mut Vec<f64>) {
        let Node { sum, multiplier: keep_at, .. } = self.passes.nodes[position];
        let total = out[position];
        let (multiplier, split) = multiplier_and_split(sum, total);
        let (head, tail) = self.passes.split(position);
        let begin = out.len();
        let mut written = 0.0;
        for child in head.clone() {
            let kept = self.passes.keeps(child, keep_at);
            let estimate = if kept { self.passes.nodes[child].sent.at(multiplier, split) } else { 0.0 };
            let estimate = self.inside(child, self.grid.nearest(estimate));
            written += estimate;
            out.push(estimate);
        }
        written += match self.passes.system.shared(position) {
            Some(alike) if self.within.is_none() => self.leaves_alike(tail, alike, (multiplier, keep_at), out),
            _ => self.leaves(tail, sum, keep_at, total, out),
        };
        if written != total {
            self.settle(position, total - written, &mut out[begin..]);
        }
    }

    /// Bound on the sum of absolute estimates of the children of a position, from their values before rounding.
    fn sum_before_rounding(&self, position: usize) -> f64 {
        let system = self.passes.system;
        let Node { sum, estimate, .. } = self.passes.nodes[position];
        let (multiplier, split) = multiplier_and_split(sum, estimate);
        let (mut total, mut absolute) = (0.0, 0.0);
        for child in system.tree().children(position) {
            let sent = match self.passes.nodes.get(child) {
                Some(node) => node.sent,
                None => Part::measured(system.value[child], system.variance[child]),
            };
            let (lower, upper) = self.bounds(child);
            let inside = sent.at(multiplier, split).max(lower).min(upper);
            total += inside;
            absolute += inside.abs();
        }
        // What is missing is dealt to the children.
        absolute + (estimate - total).abs()
    }

    /// A multiple of the grid, put back inside the bounds that rounding took it across.
    fn inside(&self, position: usize, estimate: f64) -> f64 {
        let (least, most) = self.on_grid(position);
        self.grid.inside(estimate, self.bounds(position)).max(least).min(most)
    }

    /// Multiples of the grid between which a position leaves everything required satisfiable, to less than a step.
    fn on_grid(&self, position: usize) -> (f64, f64) {
        feasible::ends(self.reach, position, || self.grid.outward(required(self.passes, self.within, position)))
    }

    /// Bounds that the estimates must respect.
    fn bounds(&self, position: usize) -> (f64, f64) {
        match (self.passes.leaves, self.within) {
            (Leaves::Nonnegative, _) => (0.0, f64::INFINITY),
            (Leaves::All, None) => (f64::NEG_INFINITY, f64::INFINITY),
            (Leaves::All, Some(Within { system, reach })) => {
                feasible::ends(reach, position, || system.interval(position))
            }
        }
    }

    /// Appends leaves of the tail and returns their sum.
    fn leaves(&self, tail: Range<usize>, sum: Part, keep_at: f64, total: f64, out: &mut Vec<f64>) -> f64 {
        let (value, variance) = (&self.passes.system.value[tail.clone()], &self.passes.system.variance[tail.clone()]);
        let (multiplier, split) = multiplier_and_split(sum, total);
        let grid = self.grid;
        let begin = out.len();
        if sum.free > 0.0 || self.within.is_some() {
            out.extend(tail.zip(value.iter().zip(variance)).map(|(leaf, (&value, &variance))| {
                let kept = self.passes.leaves == Leaves::All || value + keep_at * variance >= 0.0;
                let estimate = if kept { Part::measured(value, variance).at(multiplier, split) } else { 0.0 };
                self.inside(leaf, grid.nearest(estimate))
            }));
        } else if self.passes.leaves == Leaves::All {
            out.extend(
                value.iter().zip(variance).map(|(&value, &variance)| grid.nearest(value + multiplier * variance)),
            );
        } else {
            out.extend(value.iter().zip(variance).map(|(&value, &variance)| {
                let estimate = value + multiplier * variance;
                let kept = value + keep_at * variance >= 0.0 && estimate > 0.0;
                grid.nearest(if kept { estimate } else { 0.0 })
            }));
        }
        scan::sum(&out[begin..])
    }

    /// [`Writer::leaves`] for leaves of one variance and no bounds but at zero, at a multiplier; those negative at
    /// `keep_at` are dropped.
    fn leaves_alike(
        &self,
        tail: Range<usize>,
        variance: f64,
        (multiplier, keep_at): (f64, f64),
        out: &mut Vec<f64>,
    ) -> f64 {
        let (grid, begin) = (self.grid, out.len());
        let (shift, least) = (multiplier * variance, -keep_at * variance);
        let value = &self.passes.system.value[tail];
        match self.passes.leaves {
            Leaves::All => out.extend(value.iter().map(|&value| grid.nearest(value + shift))),
            Leaves::Nonnegative => out.extend(value.iter().map(|&value| {
                let keep = if value >= least { 1.0 } else { 0.0 };
                let estimate = value + shift;
                grid.nearest(keep * if estimate > 0.0 { estimate } else { 0.0 })
            })),
        }
        scan::sum(&out[begin..])
    }

    /// Deals `rest`, a multiple of the grid, to the children of a position.
    #[cold]
    fn settle(&self, position: usize, rest: f64, children: &mut [f64]) {
        let step = self.grid.step.copysign(rest);
        let mut units = rest / step;
        for taker in [Taker::Free, Taker::Held, Taker::OffGrid] {
            units = self.deal(position, units, step, taker, children);
        }
        debug_assert!(units == 0.0, "{units} steps left over at position {position}");
    }

    /// Deals `units` steps evenly as far as there is room; returns how many are left.
    fn deal(&self, position: usize, mut units: f64, step: f64, taker: Taker, children: &mut [f64]) -> f64 {
        loop {
            let before = units;
            let many = children.len() as f64;
            let share = if units < many { 1.0 } else { (units / many).floor() };
            for (index, estimate) in children.iter_mut().enumerate() {
                if units == 0.0 {
                    return units;
                }
                let taken = self.room(position, index, *estimate, (step, share.min(units)), taker);
                *estimate += taken * step;
                units -= taken;
            }
            if units == before {
                return units;
            }
        }
    }

    /// Number of steps that a child can take, up to `most`.
    fn room(&self, position: usize, index: usize, estimate: f64, (step, most): (f64, f64), taker: Taker) -> f64 {
        let system = self.passes.system;
        let child = system.tree().children(position).start + index;
        let sent = match self.passes.nodes.get(child) {
            Some(node) => node.sent,
            None => Part::measured(system.value[child], system.variance[child]),
        };
        let stuck = sent.variance == 0.0 && sent.free == 0.0;
        let still = stuck && (taker == Taker::Free || self.within.is_none())
            || !self.passes.keeps(child, self.passes.nodes[position].multiplier);
        if still && taker != Taker::OffGrid {
            return 0.0;
        }
        let (lower, upper) = if taker == Taker::OffGrid { self.on_grid(child) } else { self.bounds(child) };
        let (after, bound) = (estimate + most * step, if step > 0.0 { upper } else { lower });
        if lower <= after && after <= upper {
            most
        } else if most > 1.0 {
            ((bound - estimate) / step).floor().max(0.0)
        } else {
            0.0
        }
    }
}
