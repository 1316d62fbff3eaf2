//! From the bounds attained to the values: solve under equalities, check, correct.
//!
//! **Idea.** Once it is known which nodes lie at which bound, those count as known exactly, and the rest is least
//! squares under equalities, which two passes solve. The nodes at bounds are read off estimates near the optimum. If
//! rounding put one on the wrong side, it shows as a node outside its bounds or as a multiplier of the wrong sign; it
//! changes sides and the passes run again (a primal-dual active set step).
//!
//! **Invariant.** Before each round the estimates are the exact optimum of the system in which the present set of nodes
//! is held. The certificate of the original system alone decides whether that is the optimum; the loop only proposes.

use std::ops::Range;

use super::{
    forest::PerTree,
    kkt::{Claim, certify},
    part::Part,
    passes::{Leaves, Multiplier, Node, Passes, multiplier_and_split},
    round::Within,
};
use crate::{certificate::Status, constraint::tree::TreeSystem};

/// Corrections that move all nodes on the wrong side at once: none is the rule.
const TOGETHER: usize = 12;

/// Corrections after these, which move one such node each, taking turns so as not to run in circles.
const ONE_BY_ONE: usize = 300;

/// Relative distance to a bound that rounding may have made.
const NEAR: f64 = 1e-12;

/// Relative rounding error of sums that add up.
const NOISE: f64 = 1e-13;

/// Estimates by position under bounds, and their grid step, from estimates near them.
pub(super) fn solve(within: Within<'_>, near: &[f64]) -> (Vec<f64>, f64) {
    let system = within.system;
    let mut pinned = system.clone();
    let tree = system.tree();
    let largest =
        |positions: Range<usize>| near[positions].iter().fold(0.0, |most: f64, estimate| most.max(estimate.abs()));
    let scales =
        PerTree::gathered(tree, |root| largest(root..root + 1), |position| largest(tree.children(position)), f64::max);
    // Hold each node that is at a bound, up to rounding relative to the largest estimate of its tree.
    let mut pin = |position: usize, scale: f64| {
        let (estimate, (lower, upper)) = (near[position], system.interval(position));
        if estimate <= lower + NEAR * scale {
            pinned.hold(position, lower);
        } else if estimate >= upper - NEAR * scale {
            pinned.hold(position, upper);
        }
    };
    tree.roots().for_each(|root| pin(root, scales.at(root)));
    for position in tree.inner() {
        tree.children(position).for_each(|child| pin(child, scales.at(position)));
    }
    // Solve under equalities, and correct the active set until the certificate is optimal or nothing is left to
    // correct.
    let mut solution = super::under_equalities(&pinned, Some(within));
    for round in 0..TOGETHER + ONE_BY_ONE {
        let one = round.checked_sub(TOGETHER);
        if certify(system, &solution.0, Claim::Bounded).status() == Status::Optimal
            || !correct(system, &mut pinned, one)
        {
            break;
        }
        solution = super::under_equalities(&pinned, Some(within));
    }
    solution
}

/// Excess of a position whose children cannot move, if it is more than rounding.
fn rest(sum: Part, estimate: f64) -> Option<f64> {
    let rest = estimate - sum.mean;
    (rest.abs() > NOISE * (estimate.abs() + sum.mean.abs())).then_some(rest)
}

/// The multiplier of a parent's sum constraint, and the share of each free leaf where the multiplier is zero.
#[derive(Debug, Clone, Copy)]
struct SumMultiplier {
    multiplier: Multiplier,
    split: Option<f64>,
}

/// A multiplier larger than that of any bound, upwards or downwards.
fn pressure(side: f64) -> Multiplier {
    Multiplier { value: f64::MAX.copysign(side), error: 0.0 }
}

/// Moves the nodes on the wrong side to the right one, or one of them, in turn; returns whether there was any.
fn correct(system: &TreeSystem, pinned: &mut TreeSystem, one: Option<usize>) -> bool {
    // The optimum under equalities, with the present set of nodes held at their bounds.
    let mut passes = Passes::new(pinned, Leaves::All);
    passes.up();
    passes.down();
    let tree = system.tree();
    let review = Review { system, passes: &passes };
    let at_root = SumMultiplier { multiplier: Multiplier::default(), split: None };
    let mut multipliers: Vec<Option<SumMultiplier>> = vec![None; tree.head()];
    let mut moves = Vec::new();
    // Top-down: judge each node by the multiplier of its parent, and note its own; a root's is zero.
    for root in tree.roots() {
        let estimate = match passes.nodes.get(root) {
            Some(_) if !tree.is_leaf(root) => passes.nodes[root].estimate,
            _ => passes.system.value[root],
        };
        moves.extend(review.judge(root, estimate, Some(at_root)));
        review.pass_on(root, Some(at_root), &mut multipliers);
    }
    for position in tree.inner() {
        let Node { sum, estimate, .. } = passes.nodes[position];
        let (multiplier, split) = multiplier_and_split(sum, estimate);
        for child in tree.children(position) {
            let sent = match passes.nodes.get(child) {
                Some(node) => node.sent,
                None => Part::measured(passes.system.value[child], passes.system.variance[child]),
            };
            let estimate = sent.at(multiplier, split);
            moves.extend(review.judge(child, estimate, multipliers[position]));
            review.pass_on(child, multipliers[position], &mut multipliers);
        }
    }
    // After several rounds one node moves at a time, so that the active set does not cycle.
    if let Some(one) = one.filter(|_| !moves.is_empty()) {
        moves = vec![moves[one % moves.len()]];
    }
    // Hold a node at the bound it crossed, or release one whose multiplier has the wrong sign.
    for &(position, side) in &moves {
        match side {
            Some(bound) => pinned.hold(position, bound),
            None => pinned.measure(position, system.value[position], system.variance[position]),
        }
    }
    !moves.is_empty()
}

struct Review<'a> {
    /// The system with its bounds.
    system: &'a TreeSystem,
    /// The solution with some bounds held.
    passes: &'a Passes<'a>,
}

impl Review<'_> {
    /// Notes the multiplier of the sum constraint of an inner position, given that of its parent.
    fn pass_on(&self, position: usize, from_parent: Option<SumMultiplier>, multipliers: &mut [Option<SumMultiplier>]) {
        if self.system.tree().is_leaf(position) {
            return;
        }
        let Node { sum, estimate, .. } = self.passes.nodes[position];
        let stuck = sum.variance == 0.0 && sum.free == 0.0;
        let variance = if stuck { self.system.variance[position] } else { self.passes.system.variance[position] };
        let above = from_parent.map_or(Multiplier::default(), |parent| parent.multiplier);
        let multiplier = Multiplier::below(above, estimate, sum, (self.system.value[position], variance));
        multipliers[position] = if sum.free > 0.0 {
            Some(SumMultiplier { multiplier, split: Some(multiplier_and_split(sum, estimate).1) })
        } else if !stuck {
            Some(SumMultiplier { multiplier, split: None })
        } else if let Some(rest) = rest(sum, estimate) {
            // All children are held though they do not add up: some must be released.
            Some(SumMultiplier { multiplier: pressure(rest), split: None })
        } else {
            // No child can move, so neither can the node, held or not: the parent's multiplier passes through it.
            from_parent.filter(|_| variance > 0.0).map(|parent| SumMultiplier { multiplier, ..parent })
        };
    }

    /// The side a position must change to, if it is on the wrong one: the bound to hold it at, or none to let it go.
    fn judge(
        &self,
        position: usize,
        estimate: f64,
        from_parent: Option<SumMultiplier>,
    ) -> Option<(usize, Option<f64>)> {
        let (lower, upper) = self.system.interval(position);
        if lower == upper {
            return None;
        }
        if self.passes.system.variance[position] > 0.0 {
            let bound = if estimate < lower { lower } else { upper };
            return (estimate < lower || estimate > upper).then_some((position, Some(bound)));
        }
        let wish = self.wish(position, estimate, from_parent)?;
        let wrong = if estimate <= lower { wish > 0.0 } else { wish < 0.0 };
        wrong.then_some((position, None))
    }

    /// Where a held position would go, by sign: up or down; zero if nowhere. None if that is not decided yet.
    fn wish(&self, position: usize, estimate: f64, from_parent: Option<SumMultiplier>) -> Option<f64> {
        let (value, variance) = (self.system.value[position], self.system.variance[position]);
        let (below, split_below) = if self.system.tree().is_leaf(position) {
            (Multiplier::default(), Some(estimate))
        } else {
            let Node { sum, .. } = self.passes.nodes[position];
            if sum.variance == 0.0 && sum.free == 0.0 {
                return rest(sum, estimate).map(|rest| -rest);
            }
            let below = Multiplier::below(Multiplier::default(), estimate, sum, (value, 0.0));
            (below, (sum.free > 0.0).then(|| multiplier_and_split(sum, estimate).1))
        };
        let from_parent = from_parent?;
        let wish = from_parent.multiplier.value - (estimate - value) / variance - below.value;
        let noise = f64::EPSILON * (estimate.abs() + value.abs()) / variance;
        if wish.abs() > 4.0 * (from_parent.multiplier.error + below.error + noise) {
            return Some(wish);
        }
        // Unmeasured: nothing but the even split decides.
        let (share, share_below) = (from_parent.split?, split_below?);
        let uneven = share - share_below;
        let decides = variance == f64::INFINITY && uneven.abs() > NOISE * (share.abs() + share_below.abs());
        Some(if decides { uneven } else { 0.0 })
    }
}
