//! The least cost of every total in a window, bottom-up, and then the optimum itself, top-down.
//!
//! **Idea.** Let `F(t)` be the least cost of a subtree in whole numbers whose root is `t`. `F` is convex, so it is
//! known by its increments `F(t + 1) - F(t)`, which never decrease. To make one unit more out of several children at
//! the least cost, raise the child whose next increment is the smallest: the increments of a sum of children are those
//! of all children, sorted. Adding the node's own measurement `x` with variance `V` adds `(t + 1/2 - x) / V` to the
//! increment from `t` to `t + 1`. So a greedy walk, unit by unit, finds `F` exactly, and no table of pairs of totals is
//! needed.
//!
//! **Window.** Totals far from the continuous optimum are not looked at. Each inner node keeps the increments of a
//! window of totals around it. Its children begin at whole numbers close to their values at the multiplier of the
//! continuous optimum, which make some total near the middle of the window at the least cost; from there
//! [`Windows::walk`] goes down to the lower end of the window and, starting anew, up to the upper end. A leaf needs no
//! window: its increments are a formula.
//!
//! **Invariants.**
//! - When a node's window is opened, those of all its inner children are final.
//! - The responses of the children ([`Windows::respond_all`]) pass the exchange test: no unit that one child gives back
//!   saves more than it costs another child to take it. A walk keeps this true at every step, so each total that it
//!   passes is made at the least cost, and the costs that it notes are sorted.
//! - On the way down the same walk from the same responses leads to the total that the parent was given. So the
//!   children found are those whose cost the increments promised, although only increments were kept.
//!
//! The optimum is that of the windows. Whether it is that of the whole problem is for the exchange test of
//! [`super::super::kkt`] to say; the caller widens the windows if not.

use std::{cmp::Ordering, collections::BinaryHeap};

use super::super::feasible::{self, Reach};
use crate::constraint::tree::TreeSystem;

/// The totals of one inner node that are looked at, `low` and one more for each increment, and where its increments
/// are.
#[derive(Debug, Clone, Copy, Default)]
struct Window {
    low: f64,
    begin: usize,
    end: usize,
}

/// A unit that a child can take, or give back. The greatest goes first.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Unit {
    /// Saving: the cost of the unit, negated where it is taken. Minus infinity if the child has no room.
    gain: f64,
    /// Among equals the greatest turn goes first. Two words and not three: the heap moves most of what this solver
    /// moves.
    turn: isize,
}

impl Unit {
    /// Among equals the first child takes first, and the last one gives first.
    fn new(gain: f64, child: usize, up: bool) -> Self {
        let turn = child as isize;
        Self { gain, turn: if up { !turn } else { turn } }
    }

    /// The child whose unit this is.
    fn child(self) -> usize {
        (if self.turn < 0 { !self.turn } else { self.turn }) as usize
    }
}

impl Eq for Unit {}

impl Ord for Unit {
    fn cmp(&self, other: &Self) -> Ordering {
        self.gain.total_cmp(&other.gain).then(self.turn.cmp(&other.turn))
    }
}

impl PartialOrd for Unit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The windows of all inner nodes, and the increments in them.
pub(super) struct Windows<'a> {
    system: &'a TreeSystem,
    reach: &'a [Reach],
    center: &'a [f64],
    multipliers: &'a [f64],
    windows: Vec<Window>,
    increments: Vec<f64>,
    /// True if the children of some node cannot make any total in its window within their own windows.
    apart: bool,
}

impl<'a> Windows<'a> {
    /// Bottom-up, `radius` totals to either side of `center`; children respond to `multipliers` first.
    pub(super) fn new(
        system: &'a TreeSystem,
        reach: &'a [Reach],
        center: &'a [f64],
        multipliers: &'a [f64],
        radius: f64,
    ) -> Self {
        let windows = vec![Window::default(); system.tree().head()];
        let mut all = Self { system, reach, center, multipliers, windows, increments: Vec::new(), apart: false };
        let mut buffers = Buffers::default();
        for position in system.tree().inner().rev() {
            all.open(position, radius, &mut buffers);
        }
        all
    }

    /// The optimum within the windows, by position; none if there is no total that all can make.
    pub(super) fn deal(&self) -> Option<Vec<f64>> {
        if self.apart {
            return None;
        }
        let tree = self.system.tree();
        let mut out = Vec::with_capacity(tree.nodes());
        for root in tree.roots() {
            out.push(self.respond(root, 0.0));
        }
        let mut buffers = Buffers::default();
        // Top-down: the children respond to the multiplier, then the cheapest units bring their sum to the parent's
        // total.
        for position in tree.inner() {
            let total = out[position];
            let begin = out.len();
            self.respond_all(position, &mut out);
            let children = &mut out[begin..];
            let rest = total - children.iter().sum::<f64>();
            if self.walk(position, rest, children, &mut buffers) < rest.abs() {
                return None;
            }
        }
        Some(out)
    }

    /// Opens the window of one inner position: walks down and up from its children's responses, and keeps the
    /// increments.
    fn open(&mut self, position: usize, radius: f64, buffers: &mut Buffers) {
        // The window of totals around the continuous optimum, within what the subtree can reach.
        let (least, most) = self.range(position);
        let low = (self.center[position].floor() - radius).max(least).min(most);
        let high = (self.center[position].ceil() + radius).min(most).max(least);
        // The children's responses to the multiplier: their total lies near the middle of the window.
        let mut responses = std::mem::take(&mut buffers.responses);
        responses.clear();
        self.respond_all(position, &mut responses);
        let total: f64 = responses.iter().sum();
        // Walk down to the lower end, then from the same responses up to the upper end: the costs are the increments.
        buffers.kept.clone_from(&responses);
        let down = self.walk(position, (low - total).min(0.0), &mut responses, buffers);
        let begin = self.increments.len();
        let reached = total - down;
        self.increments.extend(buffers.costs.iter().rev());
        responses.clone_from(&buffers.kept);
        let up = self.walk(position, (high - total).max(0.0), &mut responses, buffers);
        self.increments.extend(&buffers.costs);
        buffers.responses = responses;
        self.cut(position, begin, (reached, total + up), (low, high));
    }

    /// Of the increments from `begin` on, which are those of the totals `reached`, keeps the ones between the totals
    /// `wanted`, and adds the node's own cost to each.
    fn cut(&mut self, position: usize, begin: usize, reached: (f64, f64), wanted: (f64, f64)) {
        let (low, high) = (reached.0.max(wanted.0), reached.1.min(wanted.1));
        if low > high {
            self.apart = true;
            return;
        }
        let skip = (low - reached.0) as usize;
        let length = (high - low) as usize;
        self.increments.copy_within(begin + skip..begin + skip + length, begin);
        self.increments.truncate(begin + length);
        for (index, increment) in self.increments[begin..].iter_mut().enumerate() {
            *increment += marginal(self.system, position, low + index as f64 + 0.5);
        }
        self.windows[position] = Window { low, begin, end: begin + length };
    }

    /// Totals that a position can have at all.
    fn range(&self, position: usize) -> (f64, f64) {
        feasible::ends(self.reach, position, || self.system.whole_interval(position))
    }

    fn is_inner(&self, position: usize) -> bool {
        !self.system.tree().is_leaf(position)
    }

    /// A whole number for a position: of an inner one the best in its window at a multiplier; of a leaf the one nearest
    /// to the continuous optimum.
    fn respond(&self, position: usize, multiplier: f64) -> f64 {
        if self.is_inner(position) {
            let Window { low, begin, end } = self.windows[position];
            return low + self.increments[begin..end].partition_point(|&increment| increment <= multiplier) as f64;
        }
        let (lower, upper) = self.system.whole_interval(position);
        nearest(self.center[position]).max(lower).min(upper)
    }

    /// The children's responses to the multiplier of a position, appended to `out`: they make their total at the least
    /// cost.
    fn respond_all(&self, position: usize, out: &mut Vec<f64>) {
        let begin = out.len();
        let children = self.system.tree().children(position);
        let first = children.start;
        out.extend(children.map(|child| self.respond(child, self.multipliers[position])));
        let responses = &mut out[begin..];
        // Exchange a unit between two children while the saving of one exceeds the cost of the other.
        loop {
            let (mut cheapest, mut taker) = (f64::INFINITY, 0);
            let (mut dearest, mut giver) = (f64::NEG_INFINITY, 0);
            for (child, &at) in responses.iter().enumerate() {
                let (cost, saving) = (self.cost(first + child, at), self.saving(first + child, at));
                (cheapest, taker) = if cost < cheapest { (cost, child) } else { (cheapest, taker) };
                (dearest, giver) = if saving > dearest { (saving, child) } else { (dearest, giver) };
            }
            if dearest <= cheapest {
                return;
            }
            // Only multipliers that are off by rounding lead here. Each exchange lowers the cost.
            responses[taker] += 1.0;
            responses[giver] -= 1.0;
        }
    }

    /// Changes the total of the children by `rest` units, the cheapest to take first or the dearest to give back, as
    /// far as there is room. Returns by how many, and leaves the costs of these units in `buffers.costs`.
    fn walk(&self, position: usize, rest: f64, children: &mut [f64], buffers: &mut Buffers) -> f64 {
        buffers.costs.clear();
        if rest == 0.0 {
            return 0.0;
        }
        let up = rest > 0.0;
        let (units, step) = (rest.abs(), if up { 1.0 } else { -1.0 });
        let first = self.system.tree().children(position).start;
        let gain = |child: usize, at: f64| {
            if up { -self.cost(first + child, at) } else { self.saving(first + child, at) }
        };
        let mut open = std::mem::take(&mut buffers.open);
        open.clear();
        open.extend(children.iter().enumerate().map(|(child, &at)| Unit::new(gain(child, at), child, up)));
        let mut heap = BinaryHeap::from(open);
        let mut walked = 0.0;
        while walked < units
            && let Some(mut top) = heap.peek_mut()
            && top.gain > f64::NEG_INFINITY
        {
            let child = top.child();
            buffers.costs.push(-step * top.gain);
            children[child] += step;
            walked += 1.0;
            top.gain = gain(child, children[child]);
        }
        buffers.open = heap.into_vec();
        walked
    }

    /// Cost of one more unit; infinite if there is no room.
    fn cost(&self, position: usize, at: f64) -> f64 {
        if self.is_inner(position) {
            let Window { low, begin, end } = self.windows[position];
            return self.increments[begin..end].get((at - low) as usize).copied().unwrap_or(f64::INFINITY);
        }
        if at + 1.0 <= self.system.interval(position).1 {
            marginal(self.system, position, at + 0.5)
        } else {
            f64::INFINITY
        }
    }

    /// Cost saved by one unit less; minus infinity if there is none to give.
    fn saving(&self, position: usize, at: f64) -> f64 {
        if self.is_inner(position) {
            let Window { low, begin, .. } = self.windows[position];
            return if at > low { self.increments[begin + (at - low) as usize - 1] } else { f64::NEG_INFINITY };
        }
        if at - 1.0 >= self.system.interval(position).0 {
            marginal(self.system, position, at - 0.5)
        } else {
            f64::NEG_INFINITY
        }
    }
}

/// Derivative of a position's own cost.
fn marginal(system: &TreeSystem, position: usize, at: f64) -> f64 {
    let variance = system.variance[position];
    if variance == 0.0 { 0.0 } else { (at - system.value[position]) / variance }
}

/// Nearest whole number; ties go to the even one.
fn nearest(value: f64) -> f64 {
    const MAGIC: f64 = 1.5 * (1_u64 << 52) as f64;
    if value.abs() < (1_u64 << 51) as f64 { value + MAGIC - MAGIC } else { value.round() }
}

/// Memory used again from node to node.
#[derive(Default)]
struct Buffers {
    responses: Vec<f64>,
    kept: Vec<f64>,
    costs: Vec<f64>,
    open: Vec<Unit>,
}
