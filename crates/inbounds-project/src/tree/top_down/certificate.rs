//! The certificate of a top-down solution, family by family, from the estimates and the values that the linear fit sends up.
//!
//! Among siblings every child that may move both ways has the marginal cost `(s - m) / V` of the others; one at its lower
//! bound has no lower, one at its upper bound no higher. For whole numbers the costs of one unit less and one unit more
//! take its place, as in [`super::super::kkt`]. Roots have the marginal cost zero. What is missing is the stationarity
//! residual. Every family is a convex problem, so this is sufficient for its optimum.

use super::{Down, Family, Grid, PerTree};
use crate::certificate::Certificate;

/// Distance to a bound, relative to scale, that attains it.
const ATTAINED: f64 = 1.0 / (1_u64 << 48) as f64;

/// Marginal costs that members of a family agree on.
struct Agreed {
    low: f64,
    high: f64,
    weight: f64,
}

impl<F: Fn(usize) -> (f64, f64)> Down<'_, F> {
    /// The worst of all families. Each is judged by the largest of its numbers or, if that is more, by the size of the tree
    /// whose grid it was rounded to.
    pub(super) fn certify(&self, estimates: &[f64], whole: bool, grids: &PerTree<Grid>) -> Certificate {
        let tree = self.system.tree();
        let rounded = |position: usize| if whole { 0.0 } else { grids.of(position).scale() };
        let mut certificate = Certificate::default();
        let mut family = Family::default();
        for root in tree.roots() {
            family.clear();
            family.push(self.part(root), self.bounds(root));
            family.estimates.push(estimates[root]);
            let scale = family.scale().max(rounded(root));
            let Agreed { low, high, weight } = family.agreed(whole, scale, &mut certificate);
            certificate.stationary(low.max(-high).max(0.0), scale * weight);
        }
        for position in tree.inner() {
            self.gather(position, estimates[position], &mut family);
            family.estimates.extend_from_slice(&estimates[tree.children(position)]);
            let scale = family.scale().max(estimates[position].abs()).max(rounded(position));
            let sum: f64 = family.estimates.iter().sum();
            certificate.feasible(sum - estimates[position], scale);
            let Agreed { low, high, weight } = family.agreed(whole, scale, &mut certificate);
            if low > high {
                certificate.stationary(low - high, scale * weight);
            }
        }
        certificate
    }
}

impl Family {
    /// Largest number among values and estimates.
    fn scale(&self) -> f64 {
        let largest = |numbers: &[f64]| numbers.iter().fold(0.0_f64, |most, number| most.max(number.abs()));
        largest(&self.value).max(largest(&self.estimates))
    }

    /// Prices that all members accept; checks bounds on the way.
    fn agreed(&self, whole: bool, scale: f64, certificate: &mut Certificate) -> Agreed {
        let slack = if whole { 0.0 } else { ATTAINED * scale };
        let mut all = Agreed { low: f64::NEG_INFINITY, high: f64::INFINITY, weight: 0.0 };
        for (child, &estimate) in self.estimates.iter().enumerate() {
            let (lower, upper) = self.bounds(child);
            let outside = (lower - estimate).max(estimate - upper);
            if outside > 0.0 {
                certificate.feasible(outside, scale);
            }
            if whole {
                certificate.feasible(estimate - estimate.round(), scale);
            }
            for distance in [estimate - lower, upper - estimate] {
                if distance > 0.0 && distance <= slack {
                    certificate.complementary(distance, scale);
                }
            }
            let variance = self.variance[child];
            if variance == 0.0 || self.free(child) > 0.0 {
                continue;
            }
            let margin = (estimate - self.value[child]) / variance;
            let half = if whole { 0.5 / variance } else { 0.0 };
            if estimate > lower + slack {
                all.low = all.low.max(margin - half);
            }
            if estimate < upper - slack {
                all.high = all.high.min(margin + half);
            }
            all.weight = all.weight.max(1.0 / variance);
        }
        all
    }
}
