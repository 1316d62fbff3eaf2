//! Cells that share one value.

use crate::numeric::Sum;

/// A set of cells and its weighted mean.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    weight: Sum,
    moment: Sum,
    /// The weighted mean; for a single cell its value itself, not `w y / w`.
    pub(super) mean: f64,
}

impl Block {
    /// One cell. Weights count relative to `unit`, the largest of them, so that no product overflows.
    pub(super) fn cell(value: f64, weight: f64, unit: f64) -> Self {
        let weight = weight / unit;
        Self { weight: Sum::from_iter([weight]), moment: Sum::from_iter([weight * value]), mean: value }
    }

    /// Takes another block in.
    pub(super) fn absorb(&mut self, other: &Self) {
        let (low, high) = (self.mean.min(other.mean), self.mean.max(other.mean));
        self.weight.merge(other.weight);
        self.moment.merge(other.moment);
        self.mean = (self.moment.value() / self.weight.value()).clamp(low, high);
    }
}

/// The largest weight.
pub(super) fn unit(weights: &[f64]) -> f64 {
    weights.iter().copied().fold(0.0, f64::max)
}
