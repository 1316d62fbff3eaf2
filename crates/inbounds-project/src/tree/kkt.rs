//! The certificate of estimates on a tree, in one pass, from the estimates alone.
//!
//! The marginal cost of node `v` is `(s - x) / V`. A node that may move either way accepts exactly one multiplier
//! of its parent's sum constraint: its own marginal cost plus the multiplier that its children agree on. A node at its
//! lower bound accepts any multiplier below, one at its upper bound any above, an exactly known one any at all.
//! Estimates are optimal if and only if at each node there is a multiplier that all children accept, and each root
//! accepts zero. The distance to that is the stationarity residual.
//!
//! For whole numbers the marginal costs of one unit less and of one unit more, `(s - x -+ 1/2) / V`, take the place of
//! the derivative. If no multiplier is accepted then, one child should give a unit to another: this is the exchange
//! test, and passing it everywhere is necessary and sufficient, because the cost is discretely convex along a tree.
//!
//! A bound counts as attained, and may have a multiplier, within a few steps of the grid that estimates lie on: bounds
//! need not. The distance is the complementarity residual.

use std::ops::Range;

use super::{forest::PerTree, scan};
use crate::{
    certificate::Certificate,
    constraint::tree::{NodeBounds, TreeSystem},
};

/// Distance to a bound, relative to scale, that attains it.
const ATTAINED: f64 = 1.0 / (1_u64 << 48) as f64;

/// Requirements on the estimates besides the sums.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Claim {
    /// Least squares under sums and invariants alone.
    Equalities,
    /// Bounds too.
    Bounded,
    /// Bounds, and whole numbers.
    Whole,
}

/// Multipliers that all children of a node accept, and the largest weight among the children.
#[derive(Debug, Clone, Copy)]
struct MultiplierRange {
    low: f64,
    high: f64,
    weight: f64,
}

impl MultiplierRange {
    const ANY: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY, weight: 0.0 };

    fn and(&mut self, other: Self) {
        self.low = if other.low > self.low { other.low } else { self.low };
        self.high = if other.high < self.high { other.high } else { self.high };
        self.weight = if other.weight > self.weight { other.weight } else { self.weight };
    }

    fn near(self, multiplier: f64) -> f64 {
        multiplier.max(self.low).min(self.high)
    }
}

/// The certificate of estimates by position.
pub(super) fn certify(system: &TreeSystem, estimates: &[f64], claim: Claim) -> Certificate {
    with_multipliers(system, estimates, claim, |_, _| ()).0
}

/// The certificate of estimates by position, and the multiplier of the sum of each position of the head.
pub(super) fn certify_with_multipliers(
    system: &TreeSystem,
    estimates: &[f64],
    claim: Claim,
) -> (Certificate, Vec<f64>) {
    with_multipliers(system, estimates, claim, |check, accepted| check.multipliers(accepted))
}

fn with_multipliers<T>(
    system: &TreeSystem,
    estimates: &[f64],
    claim: Claim,
    multipliers: impl FnOnce(&Check<'_>, &[MultiplierRange]) -> T,
) -> (Certificate, T) {
    let scales = scales(system, estimates);
    let check_at = |position: usize| Check { system, estimates, claim, scale: scales.at(position) };
    let mut certificate = Certificate::default();
    let tree = system.tree();
    let mut accepted = vec![MultiplierRange::ANY; tree.head()];
    for position in tree.inner().rev() {
        let check = check_at(position);
        let all = check.children(position, &accepted, &mut certificate);
        accepted[position] = check.agreed(all, &mut certificate);
    }
    for root in tree.roots() {
        let check = check_at(root);
        let range = check.accepted_by(root, &accepted);
        let miss = range.low.max(-range.high).max(0.0);
        certificate.stationary(miss, check.scale * range.weight);
        check.bounds(root, &mut certificate);
    }
    (certificate, multipliers(&check_at(0), &accepted))
}

/// The largest of some numbers, minus infinity if there were none: then it is as low as no sum of measurements can be.
fn unless_none(largest: f64) -> f64 {
    if largest > f64::MIN / 2.0 { largest } else { f64::NEG_INFINITY }
}

/// Largest number among estimates and measurements of each tree.
fn scales(system: &TreeSystem, estimates: &[f64]) -> PerTree<f64> {
    let tree = system.tree();
    if tree.roots().len() == 1 {
        return PerTree::one(scale(system, estimates, 0..tree.nodes()));
    }
    let of_root = |root: usize| scale(system, estimates, root..root + 1);
    PerTree::gathered(tree, of_root, |position| scale(system, estimates, tree.children(position)), f64::max)
}

/// Largest number among estimates and measurements of some positions.
fn scale(system: &TreeSystem, estimates: &[f64], positions: Range<usize>) -> f64 {
    let mut most = [0.0_f64; 4];
    scan::for_lanes(&estimates[positions.clone()], &system.value[positions], |lane, estimate, value| {
        let (estimate, value) = (estimate.abs(), value.abs());
        let larger = if estimate > value { estimate } else { value };
        most[lane] = if larger > most[lane] { larger } else { most[lane] };
    });
    most.into_iter().fold(0.0, f64::max)
}

struct Check<'a> {
    system: &'a TreeSystem,
    estimates: &'a [f64],
    claim: Claim,
    scale: f64,
}

impl Check<'_> {
    /// Multipliers that all children of a position accept; checks their sum and their bounds on the way.
    fn children(
        &self,
        position: usize,
        accepted: &[MultiplierRange],
        certificate: &mut Certificate,
    ) -> MultiplierRange {
        let children = self.system.tree().children(position);
        let cut = accepted.len().clamp(children.start, children.end);
        let mut all = MultiplierRange::ANY;
        let mut total = scan::sum(&self.estimates[children.clone()]);
        for child in children.start..cut {
            all.and(self.accepted_by(child, accepted));
            self.bounds(child, certificate);
        }
        let leaves = cut..children.end;
        if let Some(alike) = self.system.shared(position).filter(|_| self.floor().is_some()) {
            all.and(self.leaves_alike(leaves, alike, certificate));
        } else {
            for child in leaves {
                all.and(self.own(child));
                self.bounds(child, certificate);
            }
        }
        total -= self.estimates[position];
        certificate.feasible(total, self.scale);
        all
    }

    /// The lower bound that all leaves share, if the claim has no other requirement of them.
    fn floor(&self) -> Option<f64> {
        match (self.claim, &*self.system.bounds) {
            (Claim::Equalities, _) | (Claim::Bounded, NodeBounds::Free) => Some(f64::NEG_INFINITY),
            (Claim::Bounded, NodeBounds::Nonnegative) => Some(0.0),
            _ => None,
        }
    }

    /// Multipliers that leaves of one variance above [`Check::floor`] accept: the common case, in lanes.
    fn leaves_alike(&self, leaves: Range<usize>, variance: f64, certificate: &mut Certificate) -> MultiplierRange {
        let floor = self.floor().unwrap_or(f64::NEG_INFINITY);
        let attained = floor + self.slack();
        let mut low = [-f64::MAX; 4];
        let mut high = [f64::INFINITY; 4];
        let mut least = [f64::INFINITY; 4];
        scan::for_lanes(&self.estimates[leaves.clone()], &self.system.value[leaves], |lane, estimate, value| {
            let miss = estimate - value;
            // Free or not as a number, so that lanes need no branches.
            let held = if estimate > attained { 0.0 } else { f64::MAX };
            let free = miss - held;
            low[lane] = if free > low[lane] { free } else { low[lane] };
            high[lane] = if miss < high[lane] { miss } else { high[lane] };
            least[lane] = if estimate < least[lane] { estimate } else { least[lane] };
        });
        let least = least.into_iter().fold(f64::INFINITY, f64::min);
        certificate.feasible((floor - least).max(0.0), self.scale);
        let weight = 1.0 / variance;
        MultiplierRange {
            low: weight * unless_none(low.into_iter().fold(-f64::MAX, f64::max)),
            high: weight * high.into_iter().fold(f64::INFINITY, f64::min),
            weight,
        }
    }

    /// The multipliers that all children accept; the midpoint of the gap if there are none.
    fn agreed(&self, all: MultiplierRange, certificate: &mut Certificate) -> MultiplierRange {
        if all.low <= all.high {
            return all;
        }
        certificate.stationary(all.low - all.high, self.scale * all.weight);
        let middle = f64::midpoint(all.low, all.high);
        MultiplierRange { low: middle, high: middle, ..all }
    }

    /// Multipliers that a position of the head accepts from its parent.
    fn accepted_by(&self, position: usize, accepted: &[MultiplierRange]) -> MultiplierRange {
        let own = self.own(position);
        if position >= accepted.len() || self.system.tree().is_leaf(position) {
            return own;
        }
        let below = accepted[position];
        MultiplierRange { low: own.low + below.low, high: own.high + below.high, weight: own.weight.max(below.weight) }
    }

    /// Multipliers that a position would accept without children.
    fn own(&self, position: usize) -> MultiplierRange {
        let (estimate, variance) = (self.estimates[position], self.system.variance[position]);
        if variance == 0.0 {
            return MultiplierRange::ANY;
        }
        let weight = 1.0 / variance;
        let margin = (estimate - self.system.value[position]) * weight;
        let half = if self.claim == Claim::Whole { weight / 2.0 } else { 0.0 };
        let (lower, upper) = self.interval(position);
        let slack = self.slack();
        MultiplierRange {
            low: if estimate > lower + slack { margin - half } else { f64::NEG_INFINITY },
            high: if estimate < upper - slack { margin + half } else { f64::INFINITY },
            weight,
        }
    }

    /// Distance from a bound that counts as attaining it.
    fn slack(&self) -> f64 {
        if self.claim == Claim::Whole { 0.0 } else { ATTAINED * self.scale }
    }

    /// Where the claim says that a position lies.
    fn interval(&self, position: usize) -> (f64, f64) {
        match self.claim {
            Claim::Equalities => (f64::NEG_INFINITY, f64::INFINITY),
            Claim::Bounded => self.system.interval(position),
            Claim::Whole => self.system.whole_interval(position),
        }
    }

    fn bounds(&self, position: usize, certificate: &mut Certificate) {
        let estimate = self.estimates[position];
        if self.system.variance[position] == 0.0 {
            certificate.feasible(estimate - self.system.value[position], self.scale);
        }
        let (lower, upper) = self.interval(position);
        certificate.feasible((lower - estimate).max(estimate - upper).max(0.0), self.scale);
        for distance in [estimate - lower, upper - estimate] {
            if distance > 0.0 && distance <= self.slack() {
                certificate.complementary(distance, self.scale);
            }
        }
        if self.claim == Claim::Whole {
            certificate.feasible(estimate - estimate.round(), self.scale);
        }
    }

    /// Top-down: the accepted multiplier nearest to the parent's multiplier less the node's own marginal cost.
    fn multipliers(&self, accepted: &[MultiplierRange]) -> Vec<f64> {
        let tree = self.system.tree();
        let mut multipliers = vec![0.0; accepted.len()];
        let passed_on = |position: usize, multiplier: f64| {
            let variance = self.system.variance[position];
            let margin =
                if variance > 0.0 { (self.estimates[position] - self.system.value[position]) / variance } else { 0.0 };
            accepted[position].near(multiplier - margin)
        };
        for root in tree.roots().take_while(|&root| root < accepted.len()) {
            multipliers[root] = passed_on(root, 0.0);
        }
        for position in tree.inner() {
            let children = tree.children(position);
            for child in children.start..children.end.min(accepted.len()) {
                multipliers[child] = passed_on(child, multipliers[position]);
            }
        }
        multipliers
    }
}
