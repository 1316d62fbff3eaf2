//! From the bounds attained to the values: solve under equalities, check, correct.
//!
//! A node at a bound counts as known exactly. If rounding put one on the wrong side, it shows as a node outside its bounds or
//! as a multiplier of the wrong sign; it changes sides and the passes run again (a primal-dual active set step).

use super::passes::{Leaves, Node, Part, Passes, charge};
use crate::constraint::tree::TreeSystem;

/// Corrections before giving up: none is the rule.
const CORRECTIONS: usize = 60;

/// Relative size below which a multiplier has no sign.
const NOISE: f64 = 1e-13;

/// A system whose attained bounds are invariants: its solution under equalities is that of `system` under bounds.
pub(super) fn pin(system: &TreeSystem, near: &[f64]) -> TreeSystem {
    let mut pinned = system.clone();
    for (position, &estimate) in near.iter().enumerate() {
        let (lower, upper) = system.interval(position);
        if estimate <= lower {
            hold(&mut pinned, position, lower);
        } else if estimate >= upper {
            hold(&mut pinned, position, upper);
        }
    }
    for _ in 0..CORRECTIONS {
        if !correct(system, &mut pinned) {
            break;
        }
    }
    pinned
}

fn hold(pinned: &mut TreeSystem, position: usize, bound: f64) {
    (pinned.value[position], pinned.variance[position]) = (bound, 0.0);
}

/// Moves each node on the wrong side to the right one; returns whether there was any.
fn correct(system: &TreeSystem, pinned: &mut TreeSystem) -> bool {
    let mut passes = Passes::new(pinned, Leaves::All);
    passes.up();
    passes.down();
    let tree = system.tree();
    let mut moves = Vec::new();
    for root in tree.roots() {
        moves.extend(judge(system, &passes, root, 0.0, estimate_of(&passes, root, 0.0, 0.0)));
    }
    for position in tree.inner() {
        let Node { sum, estimate, .. } = passes.nodes[position];
        let (price, split) = charge(sum, estimate);
        let decided = sum.free > 0.0 || sum.variance > 0.0;
        for child in tree.children(position) {
            let estimate = estimate_of(&passes, child, price, split);
            moves.extend(judge(system, &passes, child, price, estimate).filter(|_| decided));
        }
    }
    for &(position, side) in &moves {
        match side {
            Some(bound) => hold(pinned, position, bound),
            None => {
                (pinned.value[position], pinned.variance[position]) =
                    (system.value[position], system.variance[position]);
            }
        }
    }
    !moves.is_empty()
}

fn estimate_of(passes: &Passes<'_>, position: usize, price: f64, split: f64) -> f64 {
    let system = passes.system;
    match passes.nodes.get(position) {
        Some(node) => node.sent.at(price, split),
        None => Part::measured(system.value[position], system.variance[position]).at(price, split),
    }
}

/// The side a position must change to, if it is on the wrong one: the bound to hold it at, or none to let it go.
fn judge(
    system: &TreeSystem,
    passes: &Passes<'_>,
    position: usize,
    price: f64,
    estimate: f64,
) -> Option<(usize, Option<f64>)> {
    let (lower, upper) = system.interval(position);
    if lower == upper {
        return None;
    }
    if passes.system.variance[position] > 0.0 {
        let bound = if estimate < lower { lower } else { upper };
        return (estimate < lower || estimate > upper).then_some((position, Some(bound)));
    }
    let below = passes.nodes.get(position).filter(|_| !system.tree().is_leaf(position));
    if below.is_some_and(|node| node.sum.variance == 0.0 && node.sum.free == 0.0) {
        return None;
    }
    let below = below.map_or(0.0, |node| node.price);
    let own = (estimate - system.value[position]) / system.variance[position];
    let wish = price - own - below;
    let noise = NOISE
        * (price.abs() + below.abs() + (estimate.abs() + system.value[position].abs()) / system.variance[position]);
    let wrong = if estimate <= lower { wish > noise } else { wish < -noise };
    wrong.then_some((position, None))
}
