//! Feasibility of a tree's bounds and invariants, and the nodes that conflict.
//!
//! **Idea.** The sums that a subtree can have form an interval: the sum of the intervals of its children, cut to the
//! node's own. So one pass from the leaves up decides, and the tree is infeasible exactly where a cut leaves nothing.
//!
//! **Invariant.** When a node is visited, the intervals of its children are exact up to rounding and not empty. A first
//! empty cut therefore has its cause in the node itself and, on one side, in those below it whose own bound is what
//! limits the sum: these make up the conflict, and none of them could be left out.

use super::{forest::PerTree, grid::Grid};
use crate::{
    certificate::Certificate,
    constraint::tree::{NodeBounds, TreeSystem},
};

/// Sums that a subtree can have, and how large the terms were that they come from.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reach {
    pub(super) low: f64,
    pub(super) high: f64,
    scale: f64,
}

/// Interval of a position: from `reach` in the head, otherwise its own.
pub(super) fn ends(reach: &[Reach], position: usize, own: impl FnOnce() -> (f64, f64)) -> (f64, f64) {
    reach.get(position).map_or_else(own, |reach| (reach.low, reach.high))
}

/// Reachable interval of each position of the head; empty, without a search, if nothing can conflict.
///
/// `interval` says where a position must lie on its own account.
///
/// # Errors
/// Input indices of a minimal set of nodes whose own intervals cannot hold together. Sums that miss an interval by
/// no more than rounding, [`Certificate::TOLERANCE`] of their terms, do not conflict.
pub(super) fn reach(system: &TreeSystem, interval: impl Fn(usize) -> (f64, f64)) -> Result<Vec<Reach>, Vec<usize>> {
    let tree = system.tree();
    if always(system) {
        return Ok(Vec::new());
    }
    let mut reach = vec![Reach::default(); tree.head()];
    let empty = |&position: &usize| {
        let (lower, upper) = interval(position);
        lower > upper
    };
    if let Some(position) = (0..tree.nodes()).find(empty) {
        return Err(vec![tree.node(position)]);
    }
    for position in (0..tree.head()).rev() {
        let own = alone(interval(position));
        if tree.is_leaf(position) {
            reach[position] = own;
            continue;
        }
        // The interval of the sum of the children, and the node's own. If they are disjoint, the bounds conflict.
        let sum = tree.children(position).map(|child| reach_at(child, &reach, &interval)).fold(Reach::default(), plus);
        let slack = Certificate::TOLERANCE * (sum.scale + own.scale);
        if own.low > sum.high + slack {
            return Err(conflict(system, position, &reach, &interval, |reach| reach.high, |interval| interval.1));
        }
        if own.high < sum.low - slack {
            return Err(conflict(system, position, &reach, &interval, |reach| reach.low, |interval| interval.0));
        }
        // Otherwise the subtree reaches their intersection.
        reach[position] =
            Reach { low: own.low.max(sum.low), high: own.high.min(sum.high), scale: sum.scale.max(own.scale) };
    }
    Ok(reach)
}

/// Reachable interval of each position of the head in multiples of its tree's grid, given intervals that can hold
/// together; empty, without a search, if nothing can conflict.
///
/// Each end of an interval is moved outward to the grid, by less than a step. Numbers inside the intervals that add up
/// then have multiples of the grid inside the wider ones that add up too, because sums along a tree with whole ends
/// have whole solutions wherever they have any: so a division that stays inside from the root down always has a next
/// step.
pub(super) fn reach_on_grid(
    system: &TreeSystem,
    interval: impl Fn(usize) -> (f64, f64),
    grids: &PerTree<Grid>,
) -> Vec<Reach> {
    let tree = system.tree();
    if always(system) {
        return Vec::new();
    }
    let mut reach = vec![Reach::default(); tree.head()];
    for position in (0..tree.head()).rev() {
        let grid = grids.at(position);
        let outward = |position: usize| grid.outward(interval(position));
        let own = alone(outward(position));
        reach[position] = if tree.is_leaf(position) {
            own
        } else {
            let sum =
                tree.children(position).map(|child| reach_at(child, &reach, &outward)).fold(Reach::default(), plus);
            // Where intervals miss each other by rounding, the sum of the children decides.
            let inside = |end: f64| end.max(sum.low).min(sum.high);
            Reach { low: inside(own.low), high: inside(own.high), scale: sum.scale.max(own.scale) }
        };
    }
    reach
}

/// `true` if nothing can conflict.
fn always(system: &TreeSystem) -> bool {
    !system.invariants && !matches!(*system.bounds, NodeBounds::Boxes { .. })
}

fn alone((low, high): (f64, f64)) -> Reach {
    let finite = |bound: f64| if bound.is_finite() { bound.abs() } else { 0.0 };
    Reach { low, high, scale: finite(low).max(finite(high)) }
}

fn reach_at(position: usize, reach: &[Reach], interval: &impl Fn(usize) -> (f64, f64)) -> Reach {
    reach.get(position).copied().unwrap_or_else(|| alone(interval(position)))
}

fn plus(one: Reach, other: Reach) -> Reach {
    Reach { low: one.low + other.low, high: one.high + other.high, scale: one.scale + other.scale }
}

/// The node and, below it, the nodes whose own bounds make the sum of its children end where it ends.
fn conflict(
    system: &TreeSystem,
    position: usize,
    reach: &[Reach],
    interval: &impl Fn(usize) -> (f64, f64),
    end: impl Fn(Reach) -> f64,
    own_end: impl Fn((f64, f64)) -> f64,
) -> Vec<usize> {
    let tree = system.tree();
    let mut nodes = vec![tree.node(position)];
    let mut open: Vec<usize> = tree.children(position).collect();
    while let Some(node) = open.pop() {
        if tree.is_leaf(node) || end(reach_at(node, reach, interval)) == own_end(interval(node)) {
            nodes.push(tree.node(node));
        } else {
            open.extend(tree.children(node));
        }
    }
    nodes.sort_unstable();
    nodes
}
