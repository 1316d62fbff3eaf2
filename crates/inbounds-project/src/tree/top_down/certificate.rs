//! The certificate of a top-down solution, family by family, from the estimates and the values that the linear fit
//! sends up.
//!
//! Among siblings every child that may move both ways has the marginal cost `(s - m) / V` of the others; one at its
//! lower bound has no lower, one at its upper bound no higher. For whole numbers the costs of one unit less and one
//! unit more take its place, as in [`super::super::kkt`]. Roots have the marginal cost zero. What is missing is the
//! stationarity residual. Every family is a convex problem, so this is sufficient for its optimum.

use pulp::NullaryFnOnce;

use super::{super::scan, Down, Family, Grid, PerTree, Rounding, agreed::Agreed, plain};
use crate::certificate::Certificate;

/// Distance to a bound, relative to scale, that attains it.
const ATTAINED: f64 = 1.0 / (1_u64 << 48) as f64;

impl<F: Fn(usize) -> (f64, f64)> Down<'_, F> {
    /// Estimates by position and their certificate, the worst of all families. Each is judged as soon as it is written,
    /// by the largest of its numbers or, if that is more, by the size of the tree whose grid it was rounded to.
    pub(super) fn certified(
        &self,
        rounding: Rounding,
        is_integer: bool,
        grids: &PerTree<Grid>,
    ) -> (Vec<f64>, Certificate) {
        let rounded = |position: usize| if is_integer { 0.0 } else { grids.at(position).scale() };
        let mut certificate = Certificate::default();
        let estimates = self.estimates(rounding, grids, |position, total, family| {
            let rounded = rounded(position);
            scan::wide(Judge { family, total, rounded, is_integer, certificate: &mut certificate });
        });
        let mut family = Family::default();
        for root in self.system.tree().roots() {
            family.clear();
            family.push(self.part(root), self.bounds(root));
            family.estimates.push(estimates[root]);
            let scale = family.scale().max(rounded(root));
            let Agreed { low, high, weight } = family.agreed(is_integer, scale, &mut certificate);
            certificate.stationary(low.max(-high).max(0.0), scale * weight);
        }
        (estimates, certificate)
    }
}

/// Takes the certificate of a family into that of all.
struct Judge<'a> {
    family: &'a Family,
    total: f64,
    /// The size of the numbers for which its grid was made.
    rounded: f64,
    is_integer: bool,
    certificate: &'a mut Certificate,
}

impl NullaryFnOnce for Judge<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { family, total, rounded, is_integer, certificate } = self;
        let scale = family.scale().max(total.abs()).max(rounded);
        certificate.feasible(scan::sum(&family.estimates) - total, scale);
        let Agreed { low, high, weight } = family.agreed(is_integer, scale, certificate);
        if low > high {
            certificate.stationary(low - high, scale * weight);
        }
    }
}

impl Family {
    /// Largest number among values and estimates.
    #[inline(always)]
    fn scale(&self) -> f64 {
        plain::largest(&self.value).max(plain::largest(&self.estimates))
    }

    /// Multipliers that all members accept; checks bounds on the way.
    #[inline(always)]
    pub(super) fn agreed(&self, is_integer: bool, scale: f64, certificate: &mut Certificate) -> Agreed {
        let slack = if is_integer { 0.0 } else { ATTAINED * scale };
        if self.is_plain() {
            self.plainly_agreed(is_integer, scale, slack, certificate)
        } else {
            self.agreed_in_bounds(is_integer, scale, slack, certificate)
        }
    }

    fn agreed_in_bounds(&self, is_integer: bool, scale: f64, slack: f64, certificate: &mut Certificate) -> Agreed {
        let mut all = Agreed { low: f64::NEG_INFINITY, high: f64::INFINITY, weight: 0.0 };
        for (child, &estimate) in self.estimates.iter().enumerate() {
            // Feasibility: bounds, and whole numbers where required.
            let (lower, upper) = self.bounds(child);
            let outside = (lower - estimate).max(estimate - upper);
            if outside > 0.0 {
                certificate.feasible(outside, scale);
            }
            if is_integer {
                certificate.feasible(estimate - estimate.round(), scale);
            }
            // Complementarity: the distance to a bound that counts as attained.
            for distance in [estimate - lower, upper - estimate] {
                if distance > 0.0 && distance <= slack {
                    certificate.complementary(distance, scale);
                }
            }
            let variance = self.variance[child];
            if variance == 0.0 || self.free(child) > 0.0 {
                continue;
            }
            // Stationarity: the marginal cost bounds the common multiplier on each side to which the child can move.
            let margin = (estimate - self.value[child]) / variance;
            let half = if is_integer { 0.5 / variance } else { 0.0 };
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

    /// [`Family::agreed`] where every child is measured and just not negative.
    #[inline(always)]
    fn plainly_agreed(&self, is_integer: bool, scale: f64, slack: f64, certificate: &mut Certificate) -> Agreed {
        let half = if is_integer { 0.5 } else { 0.0 };
        let judged = plain::judged(&self.estimates, (&self.value, &self.variance), slack, half);
        certificate.feasible((-judged.least).max(0.0), scale);
        certificate.complementary(judged.nearly_zero, scale);
        if is_integer {
            let off = self.estimates.iter().fold(0.0_f64, |most, &estimate| {
                let off = (estimate - plain::nearest_integer(estimate)).abs();
                if off > most { off } else { most }
            });
            certificate.feasible(off, scale);
        }
        judged.agreed
    }
}
