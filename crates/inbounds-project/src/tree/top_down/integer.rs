//! One parent's whole estimate divided among its children in whole numbers.
//!
//! The cost of a child is convex, so its units can be dealt one by one, the cheapest first, and no exchange of a unit
//! between two children gains once none does. Rounding every child to the whole number nearest to its share of the
//! continuous solution is such a state for its own total: at the continuous multiplier each child wants neither a unit
//! more nor one less. From there the few units missing are taken, or those left over given back, in the order of their
//! cost.

use std::{cmp::Ordering, collections::BinaryHeap};

use super::{
    super::scan::wide,
    family::Family,
    plain::{self, Deal},
};

/// So many units are dealt without a heap, which costs as much as looking through all children three or four times.
const FEW: f64 = 3.0;
/// The same of plain families, which are looked through in lanes.
const FEW_IN_LANES: f64 = 16.0;

/// A unit that a child can take or give back. The greatest goes first.
#[derive(Clone, Copy, PartialEq)]
struct Unit {
    /// Saving: the cost of the unit, negated where one is to be taken.
    gain: f64,
    /// Divides among children with unmeasured leaves, which cost nothing and share evenly.
    even: f64,
    child: usize,
    /// True where a unit is taken, false where it is given back.
    up: bool,
}

impl Eq for Unit {}

impl Ord for Unit {
    /// Among equals the first child takes first, and the last one gives first.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_child = self.child.cmp(&other.child);
        let by_child = if self.up { by_child.reverse() } else { by_child };
        self.gain.total_cmp(&other.gain).then(self.even.total_cmp(&other.even)).then(by_child)
    }
}

impl PartialOrd for Unit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Family {
    /// Makes the children whole so that they add up to the total, given their multiplier before.
    pub(super) fn make_integer(&mut self, total: f64, multiplier: f64) {
        let written = self.round_to_integers();
        let (mut rest, up) = ((total - written).abs(), total > written);
        if rest == 0.0 {
            return;
        }
        if self.is_plain() && rest <= FEW_IN_LANES {
            let Self { value, variance, estimates, bends: gains, .. } = self;
            gains.resize(value.len(), 0.0);
            return wide(Deal { estimates, value, variance, units: rest, up, gains });
        }
        if rest <= FEW {
            return self.deal_few(rest, multiplier, up);
        }
        let units = (0..self.estimates.len()).filter_map(|child| self.unit(child, multiplier, up));
        let mut heap: BinaryHeap<Unit> = units.collect();
        while rest > 0.0
            && let Some(Unit { child, .. }) = heap.pop()
        {
            self.estimates[child] += if up { 1.0 } else { -1.0 };
            rest -= 1.0;
            heap.extend(self.unit(child, multiplier, up));
        }
    }

    /// Rounds every child to the nearest whole number that it can be, and returns the sum.
    fn round_to_integers(&mut self) -> f64 {
        if self.is_plain() {
            return plain::to_integers(&mut self.estimates);
        }
        for child in 0..self.estimates.len() {
            let (lower, upper) = self.bounds(child);
            self.estimates[child] = self.estimates[child].round_ties_even().max(lower).min(upper);
        }
        self.estimates.iter().sum()
    }

    /// Deals a few units, looking through all children for each.
    fn deal_few(&mut self, mut rest: f64, multiplier: f64, up: bool) {
        while rest > 0.0
            && let Some(Unit { child, .. }) =
                (0..self.estimates.len()).filter_map(|child| self.unit(child, multiplier, up)).max()
        {
            self.estimates[child] += if up { 1.0 } else { -1.0 };
            rest -= 1.0;
        }
    }

    /// The next unit of a child; none if it has no room.
    fn unit(&self, child: usize, multiplier: f64, up: bool) -> Option<Unit> {
        let (lower, upper) = self.bounds(child);
        let at = self.estimates[child];
        if (up && at >= upper) || (!up && at <= lower) {
            return None;
        }
        let sign = if up { -1.0 } else { 1.0 };
        let cost = |variance: f64| sign * (at - sign * 0.5 - self.value[child]) / variance;
        let free = self.free(child);
        let (gain, even) = if free > 0.0 { (sign * multiplier, cost(free)) } else { (cost(self.variance[child]), 0.0) };
        Some(Unit { gain, even, child, up })
    }
}
