//! One parent's estimate divided among its children.
//!
//! Least squares under a sum and bounds is met at one multiplier `p`: child `c` gets `clamp(m_c + p V_c, lower,
//! upper)`, and `p` is where these add up to the parent. The sum rises with `p`, in pieces that are linear between the
//! multipliers at which a child meets a bound.
//!
//! Children with unmeasured leaves below them have infinite variance. As in [`super::super::passes`] that is the limit
//! of one large variance for each unmeasured leaf: they take up the rest evenly, and only where their bounds stop them
//! do measured children move.

use super::{
    super::{grid::Grid, part::Part, scan::wide},
    plain::{self, Divide},
};
use crate::reweight_large;

/// The children of one position, in their order.
#[derive(Default)]
pub(super) struct Family {
    /// Values from below, their variances, and how many unmeasured leaves are in each.
    pub(super) value: Vec<f64>,
    pub(super) variance: Vec<f64>,
    free: Vec<f64>,
    /// Lower bound of each child; `free`, `lower` and `upper` are empty if every child is measured and just not
    /// negative.
    lower: Vec<f64>,
    upper: Vec<f64>,
    pub(super) estimates: Vec<f64>,
    /// Multipliers at which children meet bounds, or gains of a unit more or less; memory used again.
    pub(super) bends: Vec<f64>,
}

impl Family {
    pub(super) fn clear(&mut self) {
        let Self { value, variance, free, lower, upper, estimates, bends } = self;
        [value, variance, free, lower, upper, estimates, bends].into_iter().for_each(Vec::clear);
    }

    /// Adds a child that may have other bounds than zero, or unmeasured leaves.
    pub(super) fn push(&mut self, part: Part, (lower, upper): (f64, f64)) {
        self.value.push(part.mean);
        self.variance.push(part.variance);
        self.free.push(part.free);
        self.lower.push(lower);
        self.upper.push(upper);
    }

    /// `true` if every child is measured and just not negative.
    pub(super) fn is_plain(&self) -> bool {
        self.lower.is_empty()
    }

    pub(super) fn bounds(&self, child: usize) -> (f64, f64) {
        if self.is_plain() { (0.0, f64::INFINITY) } else { (self.lower[child], self.upper[child]) }
    }

    /// Number of unmeasured leaves of a child.
    pub(super) fn free(&self, child: usize) -> f64 {
        self.free.get(child).copied().unwrap_or(0.0)
    }

    /// Divides a total by least squares, before any rounding. With `reweights`, and if enough children are cut off, it
    /// does so with the weights of [`crate::reweight_large`]. Returns the multiplier of measured children.
    pub(super) fn divide(&mut self, total: f64, mut reweights: bool) -> f64 {
        if self.is_plain() {
            let Self { value, variance, estimates, .. } = self;
            estimates.resize(value.len(), 0.0);
            if let Some(multiplier) = wide(Divide { value, variance, estimates, total, reweights: &mut reweights }) {
                return multiplier;
            }
        }
        if reweights && self.reweighting_applies() {
            self.reweight_large(total);
        }
        self.divide_by_sorting(total)
    }

    /// Divides a total whatever the children are.
    fn divide_by_sorting(&mut self, total: f64) -> f64 {
        // Unmeasured leaves first, while measured children keep their values; then the others.
        let (mut multiplier, mut split) = (0.0, 0.0);
        if self.free.iter().any(|&free| free > 0.0) {
            split = self.multiplier_by_sorting(total, |family, child| (family.free[child], 0.0));
        }
        let reached: f64 = (0..self.value.len()).map(|child| self.at(child, multiplier, split)).sum();
        let scale = total.abs() + self.value.iter().map(|value| value.abs()).sum::<f64>();
        if split == 0.0 || (reached - total).abs() > f64::EPSILON * 64.0 * scale {
            multiplier = self.multiplier_by_sorting(total, |family, child| {
                if family.free(child) > 0.0 { (0.0, split) } else { (family.variance[child], 0.0) }
            });
        }
        self.estimates.clear();
        for child in 0..self.value.len() {
            let estimate = self.at(child, multiplier, split);
            self.estimates.push(estimate);
        }
        multiplier
    }

    /// Gives children that are far from their bounds the weights of [`crate::reweight_large`].
    fn reweight_large(&mut self, total: f64) {
        self.divide_by_sorting(total);
        for child in 0..self.value.len() {
            let ((lower, upper), estimate) = (self.bounds(child), self.estimates[child]);
            let room = (estimate - lower).min(upper - estimate);
            // A child without bounds is as free to move as any.
            if self.free(child) == 0.0 && room.is_finite() {
                self.variance[child] = reweight_large::variance(self.variance[child], room);
            }
        }
    }

    /// `true` if enough children have values beyond their bounds for large ones to get more weight.
    fn reweighting_applies(&self) -> bool {
        let is_beyond = |&child: &usize| {
            let (lower, upper) = self.bounds(child);
            self.value[child] < lower || self.value[child] > upper
        };
        reweight_large::applies((0..self.value.len()).filter(is_beyond).count(), self.value.len())
    }

    /// A child at a multiplier, `split` for each unmeasured leaf of it.
    fn at(&self, child: usize, multiplier: f64, split: f64) -> f64 {
        let (lower, upper) = self.bounds(child);
        let rise = if self.free(child) > 0.0 { split * self.free(child) } else { multiplier * self.variance[child] };
        (self.value[child] + rise).max(lower).min(upper)
    }

    /// The multiplier at which children add up to the total, between the right two bends. `slope` says how fast a child
    /// rises with the multiplier, and by how much it is moved beforehand for each unmeasured leaf.
    ///
    /// The sum at a bend is added up anew for each that is tried: slopes of many magnitudes, taken up and given back
    /// along the way, would lose the smallest to rounding.
    fn multiplier_by_sorting(&mut self, total: f64, slope: impl Fn(&Self, usize) -> (f64, f64)) -> f64 {
        let mut bends = std::mem::take(&mut self.bends);
        bends.clear();
        let line = |family: &Self, child: usize| {
            let (slope, split) = slope(family, child);
            (family.value[child] + split * family.free(child), slope)
        };
        // The multipliers at which a child meets one of its bounds.
        for child in 0..self.value.len() {
            let ((value, slope), (lower, upper)) = (line(self, child), self.bounds(child));
            if slope > 0.0 {
                let ends = [(lower - value) / slope, (upper - value) / slope];
                bends.extend(ends.into_iter().filter(|bend| bend.is_finite()));
            }
        }
        // The sum is nondecreasing: bisect for the first bend at which it reaches the total.
        bends.sort_unstable_by(f64::total_cmp);
        let sum_at = |family: &Self, multiplier: f64| -> f64 {
            let at = |child: usize| {
                let ((value, slope), (lower, upper)) = (line(family, child), family.bounds(child));
                (if slope > 0.0 { value + multiplier * slope } else { value }).max(lower).min(upper)
            };
            (0..family.value.len()).map(at).sum()
        };
        let next = bends.partition_point(|&bend| sum_at(self, bend) < total);
        let (from, to) = (
            if next == 0 { f64::NEG_INFINITY } else { bends[next - 1] },
            bends.get(next).copied().unwrap_or(f64::INFINITY),
        );
        // In this piece the sum is linear in the multiplier: an intercept and the slope of the children between their
        // bounds.
        let (mut intercept, mut rising) = (0.0, 0.0);
        for child in 0..self.value.len() {
            let ((value, slope), (lower, upper)) = (line(self, child), self.bounds(child));
            let (begin, end) = ((lower - value) / slope, (upper - value) / slope);
            if slope == 0.0 {
                intercept += value.max(lower).min(upper);
            } else if begin <= from && from < end {
                (intercept, rising) = (intercept + value, rising + slope);
            } else {
                intercept += if end <= from { upper } else { lower };
            }
        }
        self.bends = bends;
        if rising > 0.0 {
            ((total - intercept) / rising).max(from).min(to)
        } else if to < f64::INFINITY {
            to
        } else if from > f64::NEG_INFINITY {
            from
        } else {
            0.0
        }
    }

    /// Rounds the children to the grid so that they add up to the total, a multiple of it. `on_grid` says between which
    /// multiples each child leaves everything required satisfiable; the total lies between their sums.
    pub(super) fn round(&mut self, total: f64, grid: Grid, on_grid: impl Fn(usize) -> (f64, f64)) {
        let mut written = if self.is_plain() { plain::to_grid(&mut self.estimates, grid) } else { 0.0 };
        let others = if self.is_plain() { 0 } else { self.estimates.len() };
        for child in 0..others {
            let (least, most) = on_grid(child);
            let rounded = grid.inside(self.estimates[child], self.bounds(child)).max(least).min(most);
            self.estimates[child] = rounded;
            written += rounded;
        }
        if written != total {
            self.settle(total - written, grid.step, on_grid);
        }
    }

    /// Deals the units left by rounding to the children in their order, evenly: to those inside their bounds, then to
    /// any with room, then to those whose bound or known value is off the grid, by less than a step.
    #[cold]
    fn settle(&mut self, rest: f64, step: f64, on_grid: impl Fn(usize) -> (f64, f64)) {
        let mut units = (rest / step).abs();
        let step = step.copysign(rest);
        units = self.deal(units, step, |family, child| {
            let ((lower, upper), at) = (family.bounds(child), family.estimates[child]);
            if at <= lower || at >= upper { (at, at) } else { (lower, upper) }
        });
        units = self.deal(units, step, Self::bounds);
        units = self.deal(units, step, |_, child| on_grid(child));
        debug_assert!(units == 0.0, "{units} steps left over");
    }

    /// Deals `units` steps evenly as far as there is room inside the given bounds; returns how many are left.
    fn deal(&mut self, mut units: f64, step: f64, bounds: impl Fn(&Self, usize) -> (f64, f64)) -> f64 {
        loop {
            let before = units;
            let share = (units / self.estimates.len() as f64).floor().max(1.0);
            for child in 0..self.estimates.len() {
                if units == 0.0 {
                    return units;
                }
                let (lower, upper) = bounds(self, child);
                let bound = if step > 0.0 { upper } else { lower };
                let room = ((bound - self.estimates[child]) / step).floor().max(0.0);
                let taken = share.min(units).min(room);
                self.estimates[child] += taken * step;
                units -= taken;
            }
            if units == before {
                return units;
            }
        }
    }
}
