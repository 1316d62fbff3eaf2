//! Independent parts of a sum, and extremes over the leaves that are kept.

/// Independent parts added up: their mean, their variance, and how many unmeasured leaves they hold.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Part {
    pub(super) mean: f64,
    /// Variance, not counting unmeasured leaves.
    pub(super) variance: f64,
    pub(super) free: f64,
}

impl Part {
    /// A measurement by itself.
    pub(super) fn measured(value: f64, variance: f64) -> Self {
        if variance == f64::INFINITY {
            Self { mean: 0.0, variance: 0.0, free: 1.0 }
        } else {
            Self { mean: value, variance, free: 0.0 }
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.mean += other.mean;
        self.variance += other.variance;
        self.free += other.free;
    }

    /// This sum pooled with a measurement of the same quantity.
    pub(super) fn pooled(self, value: f64, variance: f64) -> Self {
        if variance == f64::INFINITY {
            return self;
        }
        if self.free > 0.0 || variance == 0.0 {
            return Self { mean: value, variance, free: 0.0 };
        }
        let share = self.variance / (self.variance + variance);
        Self { mean: self.mean + share * (value - self.mean), variance: share * variance, free: 0.0 }
    }

    /// Value at a multiplier; `split` is the share of each free leaf.
    pub(super) fn at(self, multiplier: f64, split: f64) -> f64 {
        let measured = self.mean + multiplier * self.variance;
        if self.free > 0.0 { measured + split * self.free } else { measured }
    }
}

/// Extremes over kept leaves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept {
    pub(super) least_value: f64,
    pub(super) least_variance: f64,
    pub(super) most_variance: f64,
}

impl Default for Kept {
    fn default() -> Self {
        // Nothing is known before the first scan.
        Self { least_value: f64::NEG_INFINITY, least_variance: f64::INFINITY, most_variance: f64::INFINITY }
    }
}

impl Kept {
    /// `true` only if no kept leaf is negative at this multiplier; errs on the side of no.
    pub(super) fn all_stay(&self, multiplier: f64) -> bool {
        let variance = if multiplier < 0.0 { self.most_variance } else { self.least_variance };
        self.least_value + multiplier * variance >= 0.0
    }
}
