//! Intervals for a mean, by inverting a test.
//!
//! # Law
//! For the true mean, with `p = (mu - l) / R`, the combination
//!
//! ```text
//! (1 - p) T' - p U' = T' - (mu - l) N' = b ((1 - p) x - p y)
//! ```
//!
//! has a known law, whatever `n`: it is noise alone. The interval is the set of all `mu` in the range that a test of
//! that law at the level does not reject, and so covers for every `n >= 1`. The lattice laws of `x` and `y` are
//! replaced by continuous Laplace laws of the same scales, which costs one step in all, `1 - p` for the one and `p` for
//! the other: `P(|X + s| > v) <= P(|X~ + s| > v - 1)` for every `s`, since for whole `j >= 0`
//! `a^j / (1 + a) <= e^(-tau (j - 1/2)) / 2` and `a^j / (1 + a) >= e^(-tau j) / 2`.

use super::Ratio;
use crate::{means, two_laplaces};

impl Ratio {
    /// All means in the range that the test does not reject, given `mean = l + T' / N'` and a positive `count = N'`.
    pub(super) fn interval(&self, mean: f64, count: f64, level: f64) -> (f64, f64) {
        let (lower, upper) = self.range;
        let ((bottom, top), width) = (self.bounds(), self.width());
        let (scale, step, miss) = (self.distances.scale(), self.distances.step(), 1.0 - level);
        // The radius moves with the mean by no more than its value for one noise alone, over the width.
        if count <= -libm::log(miss) * scale / width {
            // The rows are lost in their noise: no mean can be told from another with certainty.
            return (lower, upper);
        }
        // A mean beyond the range is moved to the end: that only brings every mean of the range nearer, so the set
        // grows, and an impossible sum does not feign precision.
        let root = mean.clamp(lower, upper);
        // The discrepancy `T' - (mu - l) N' = (root - mu) N'` moves faster than the radius (whose slope is scanned by a
        // test, not proved), so the accepted means form one interval around the root.
        let accepts = |mean: f64| {
            let excess = (root - mean).abs() * count - step;
            let scales = ((top - mean) / width * scale, (mean - bottom) / width * scale);
            excess <= 0.0 || two_laplaces::tail(scales.0, scales.1, excess) > miss * (1.0 - 1e-9)
        };
        means::accepted(root, self.range, accepts)
    }
}
