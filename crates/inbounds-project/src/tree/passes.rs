//! Weighted least squares on a tree in two passes.
//!
//! With `V` the variance and `x` the value of a measurement, a leaf sends `(m, V) = (x, V)` upwards. An inner node adds
//! up what its children send, `(M, S) = (sum m, sum V)`, and pools it with its own measurement: `k = S / (S + V)`, `m =
//! M + k (x - M)`, variance sent `k V`. Downwards, with `s` the estimate of a node, `p = (s - M) / S` is the multiplier
//! of its sum constraint, and child `c` gets `s_c = m_c + p V_c`. The multiplier is the marginal cost of one more unit
//! below the node.
//!
//! **Unmeasured leaves.** A sum with unmeasured parts has infinite variance. It is carried as the number of free leaves
//! in it, the limit of giving each of them the value zero with one large variance: measured children keep `m_c`, and
//! the rest of the parent is split evenly over the free leaves. So where the optimum is not unique, the estimate is
//! the one with the least sum of squares over unmeasured leaves.
//!
//! **Nonnegative leaves.** With [`Leaves::Nonnegative`] a leaf counts only while `x + p V >= 0` at the current
//! multiplier of its parent; see [`super::newton`].

use std::ops::Range;

use super::{
    part::{Kept, Part},
    scan,
};
use crate::constraint::tree::TreeSystem;

/// Which leaves take part in a sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Leaves {
    /// All of them.
    All,
    /// Those that are not negative at their parent's multiplier; the others are exactly zero.
    Nonnegative,
}

/// State of one position of the head of the tree in the passes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Node {
    /// Sum of the children, own measurement left out.
    pub(super) sum: Part,
    /// The sum pooled with the own measurement; for a leaf its measurement.
    pub(super) sent: Part,
    /// Estimate.
    pub(super) estimate: f64,
    /// Multiplier of the parent's sum constraint.
    pub(super) from_parent: Multiplier,
    /// Multiplier of the node's own sum constraint, by [`Multiplier::below`]. A multiplier of zero over unmeasured
    /// leaves carries the sign of their share: the smallest positive or negative number, whose product with an infinite
    /// variance has that sign.
    pub(super) multiplier: f64,
    /// Bounds of value and variance over the leaves of the tail that are kept, to tell without a scan that all stay.
    pub(super) kept: Kept,
    /// Sum of the absolute values that the children send; not kept up for nonnegative leaves.
    pub(super) magnitude: f64,
}

/// A multiplier, and how far rounding may have moved it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Multiplier {
    pub(super) value: f64,
    pub(super) error: f64,
}

impl Multiplier {
    /// The multiplier of the sum constraint of a node, given that of its parent.
    ///
    /// It can be had from below, `(s - M) / S`, and from above, the parent's multiplier less the node's own marginal
    /// cost `(s - x) / V`. Both are the same but for rounding, which weights of many magnitudes blow up; the better one
    /// is taken.
    pub(super) fn below(from_parent: Self, estimate: f64, sum: Part, (value, variance): (f64, f64)) -> Self {
        let (multiplier, _) = multiplier_and_split(sum, estimate);
        if sum.free > 0.0 {
            return Self { value: 0.0, error: 0.0 };
        }
        let from_below = f64::EPSILON * (estimate.abs() + sum.mean.abs()) / sum.variance;
        let from_above = from_parent.error + f64::EPSILON * (estimate.abs() + value.abs()) / variance;
        if variance == 0.0 || (sum.variance > 0.0 && from_below <= from_above) {
            return Self { value: multiplier, error: from_below };
        }
        Self { value: from_parent.value - (estimate - value) / variance, error: from_above }
    }
}

/// The two passes and their state: positions of the head only, never the leaves of the tail.
pub(super) struct Passes<'a> {
    pub(super) system: &'a TreeSystem,
    pub(super) leaves: Leaves,
    pub(super) nodes: Vec<Node>,
}

impl<'a> Passes<'a> {
    pub(super) fn new(system: &'a TreeSystem, leaves: Leaves) -> Self {
        let start = Node { multiplier: f64::MAX, ..Node::default() };
        Self { system, leaves, nodes: vec![start; system.tree().head()] }
    }

    /// Bottom-up: every sum. Returns whether any changed.
    pub(super) fn up(&mut self) -> bool {
        let tree = self.system.tree();
        let mut changed = false;
        for position in (0..tree.head()).rev() {
            let (value, variance) = (self.system.value[position], self.system.variance[position]);
            if tree.is_leaf(position) {
                self.nodes[position].sent = Part::measured(value, variance);
            } else if let Some(sum) = self.gather(position) {
                changed |= sum != self.nodes[position].sum;
                self.nodes[position].sum = sum;
                self.nodes[position].sent = sum.pooled(value, variance);
            }
        }
        changed
    }

    /// Sum of the children of an inner position; none if it is known to be what it was.
    fn gather(&mut self, position: usize) -> Option<Part> {
        let (head, tail) = self.split(position);
        let multiplier = self.nodes[position].multiplier;
        if head.is_empty() && self.leaves == Leaves::Nonnegative && self.nodes[position].kept.all_stay(multiplier) {
            return None;
        }
        let (value, variance) = (&self.system.value[tail.clone()], &self.system.variance[tail]);
        let (mut sum, mut magnitude, kept) = match (self.leaves, self.system.shared(position)) {
            (Leaves::All, Some(alike)) => scan::all_alike(value, alike),
            (Leaves::All, None) => scan::all(value, variance),
            (Leaves::Nonnegative, Some(alike)) => scan::nonnegative_alike(value, alike, multiplier),
            (Leaves::Nonnegative, None) => scan::nonnegative(value, variance, multiplier),
        };
        for child in head {
            if self.keeps(child, multiplier) {
                sum.add(self.nodes[child].sent);
                magnitude += self.nodes[child].sent.mean.abs();
            }
        }
        (self.nodes[position].kept, self.nodes[position].magnitude) = (kept, magnitude);
        Some(sum)
    }

    /// Children of a position in the head of the tree, and those in its tail, which are all leaves.
    pub(super) fn split(&self, position: usize) -> (Range<usize>, Range<usize>) {
        let children = self.system.tree().children(position);
        let cut = self.nodes.len().clamp(children.start, children.end);
        (children.start..cut, cut..children.end)
    }

    /// `true` if a child in the head takes part in its parent's sum.
    pub(super) fn keeps(&self, child: usize, multiplier: f64) -> bool {
        self.leaves == Leaves::All
            || !self.system.tree().is_leaf(child)
            || self.system.value[child] + multiplier * self.system.variance[child] >= 0.0
    }

    /// Top-down: every estimate and multiplier of the head.
    pub(super) fn down(&mut self) {
        let tree = self.system.tree();
        for root in tree.roots().take_while(|&root| root < tree.head()) {
            self.nodes[root].estimate = self.nodes[root].sent.mean;
        }
        for position in tree.inner() {
            let Node { sum, estimate, multiplier: before, from_parent, .. } = self.nodes[position];
            let (multiplier, split) = multiplier_and_split(sum, estimate);
            let own = (self.system.value[position], self.system.variance[position]);
            let below = Multiplier::below(from_parent, estimate, sum, own);
            self.nodes[position].multiplier = match self.leaves {
                Leaves::All => below.value,
                // Multipliers only fall; a rise is rounding, and is not taken.
                Leaves::Nonnegative if sum.free > 0.0 => before.min(f64::MIN_POSITIVE.copysign(split)),
                Leaves::Nonnegative if sum.variance == 0.0 => before,
                Leaves::Nonnegative => before.min(below.value),
            };
            for child in self.split(position).0 {
                self.nodes[child].estimate = self.nodes[child].sent.at(multiplier, split);
                self.nodes[child].from_parent = below;
            }
        }
    }
}

/// Multiplier of the sum constraint of a node with this estimate, and the share of each free leaf below it.
pub(super) fn multiplier_and_split(sum: Part, estimate: f64) -> (f64, f64) {
    let rest = estimate - sum.mean;
    if sum.free > 0.0 {
        (0.0, rest / sum.free)
    } else if sum.variance > 0.0 {
        (rest / sum.variance, 0.0)
    } else {
        (0.0, 0.0)
    }
}
