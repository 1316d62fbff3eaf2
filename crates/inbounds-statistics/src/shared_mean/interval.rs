//! Intervals for a mean of a noisy sum and a noisy number of rows that are numbers of one vector of cube noise.
//!
//! # Law
//! For the true mean `mu`, with `t = mu - c`, the combination
//!
//! ```text
//! S' - t N' = Z_S - t Z_N
//! ```
//!
//! is noise alone, whatever the number of rows. Continuous cube noise of `D` numbers with scales `h_j` is `h_j G U_j`, with
//! independent `U_j` uniform on `[-1, 1]` and `G` a gamma variable of shape `D + 1`, so that with `a = h_S`, `b = |t| h_N`
//!
//! ```text
//! P(|Z_S - t Z_N| > v) = E Q(D + 1, v / |a U_1 + b U_2|),      Q(D + 1, x) = e^-x sum_{k <= D} x^k / k!
//! ```
//!
//! Its quantile is homogeneous in `(a, b)` and symmetric: `max(a, b)` times a function of the ratio of the smaller to the larger,
//! which is tabulated once a statistic ([`Radii`]). The lattice law is the continuous one moved by at most half a step of each number.
//! The interval is the set of all `mu` in the range that the test does not reject, and so covers for every number of rows.

use inbounds_core::{quadrature, root};

use crate::means;

/// Parts of the table of quantiles.
const PARTS: usize = 256;

/// By which radii are wider than the table says: more than linear interpolation in it can miss, which a test measures, and the
/// difference between a lattice of `2^38` parts and none.
const MARGIN: f64 = 1e-4;

/// Quantiles of `G |U_1 + w U_2|` at `w = 0, 1/PARTS, ..., 1`.
#[derive(Debug, Clone)]
pub(super) struct Radii {
    level: f64,
    quantiles: Vec<f64>,
    /// The most by which the quantile of `|a G U_1 + b G U_2|` grows when `b` grows by 1.
    pub(super) steepest: f64,
}

impl Radii {
    /// For a vector of so many numbers.
    pub(super) fn new(dimensions: usize, level: f64) -> Self {
        let quantile = |part: usize| {
            let ratio = part as f64 / PARTS as f64;
            let high = 4.0 * (dimensions as f64 + 2.0 - libm::log(1.0 - level));
            root::bisect(0.0, high, |radius| tail(dimensions, ratio, radius) > 1.0 - level).1
        };
        let quantiles: Vec<f64> = (0..=PARTS).map(quantile).collect();
        // Below the diagonal the quantile grows by q'(w), above it by q(w) - w q'(w).
        let slopes = quantiles.windows(2).enumerate().flat_map(|(part, pair)| {
            let slope = (pair[1] - pair[0]) * PARTS as f64;
            let above = |part: usize, quantile: f64| quantile - part as f64 / PARTS as f64 * slope;
            [slope, above(part, pair[0]), above(part + 1, pair[1])]
        });
        let steepest = slopes.fold(0.0, f64::max) * (1.0 + MARGIN);
        Self { level, quantiles, steepest }
    }

    pub(super) fn level(&self) -> f64 {
        self.level
    }

    /// The quantile of `|a G U_1 + b G U_2|`, rounded up.
    pub(super) fn quantile(&self, a: f64, b: f64) -> f64 {
        let (small, large) = (a.min(b), a.max(b));
        if large == 0.0 {
            return 0.0;
        }
        let place = small / large * PARTS as f64;
        let part = (place as usize).min(PARTS - 1);
        let [low, high] = [self.quantiles[part], self.quantiles[part + 1]];
        large * (low + (high - low) * (place - part as f64)) * (1.0 + MARGIN)
    }
}

/// `P(G |U_1 + w U_2| > v)` for `0 <= w <= 1`: the density of the sum of uniforms is 1 up to `1 - w`, and falls to 0 at `1 + w`.
fn tail(dimensions: usize, ratio: f64, radius: f64) -> f64 {
    let flat = quadrature::integrate(0.0, 1.0 - ratio, |sum| erlang_tail(dimensions, radius / sum));
    if ratio == 0.0 {
        return flat;
    }
    let falling = |sum: f64| (1.0 + ratio - sum) / (2.0 * ratio) * erlang_tail(dimensions, radius / sum);
    flat + quadrature::integrate(1.0 - ratio, 1.0 + ratio, falling)
}

/// `Q(D + 1, x)`.
fn erlang_tail(dimensions: usize, x: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 1.0;
    for k in 1..=dimensions {
        term *= x / k as f64;
        sum += term;
    }
    // Both factors may be beyond doubles where the product is nothing.
    if x > 600.0 { 0.0 } else { sum * libm::exp(-x) }
}

/// What a test of the mean needs besides the measured numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Test<'a> {
    pub(super) radii: &'a Radii,
    /// Scales of the noise of sum and number of rows.
    pub(super) scales: (f64, f64),
    /// Half a step of each.
    pub(super) rounding: (f64, f64),
    pub(super) middle: f64,
    pub(super) range: (f64, f64),
}

impl Test<'_> {
    /// All means in the range that the test does not reject, given `mean = c + S' / N'` and a positive `count = N'`.
    pub(super) fn interval(&self, mean: f64, count: f64) -> (f64, f64) {
        let (lower, upper) = self.range;
        // The radius grows with the distance from the middle by no more than this.
        if count <= self.scales.1 * self.radii.steepest + self.rounding.1 {
            // The rows are lost in their noise: no mean can be told from another with certainty.
            return (lower, upper);
        }
        // A mean beyond the range is moved to the end: that only brings every mean of the range nearer, so the set grows, and
        // an impossible sum does not feign precision. The discrepancy `S' - t N' = (root - mu) N'` moves faster than the radius, so
        // the accepted means form one interval around the root.
        let root = mean.clamp(lower, upper);
        let accepts = |mean: f64| {
            let distance = (mean - self.middle).abs();
            let radius = self.radii.quantile(self.scales.0, distance * self.scales.1);
            (root - mean).abs() * count <= radius + self.rounding.0 + distance * self.rounding.1
        };
        means::accepted(root, self.range, accepts)
    }
}

#[cfg(test)]
mod tests {
    use inbounds_mechanisms::sampler::{Entropy, SeededEntropy};

    use super::*;

    /// `G` of `D + 1` exponential variables and two uniform ones, drawn: the share beyond the quantile is 1 in 20, to within four
    /// standard errors in each of 12 cases (false alarm: 1 in 1,300 runs of other seeds). Radii for one number less are rejected.
    #[test]
    fn quantiles_are_those_of_the_law() {
        let mut entropy = SeededEntropy::from_seed(11);
        let mut uniform = || (entropy.word() >> 11) as f64 * 2f64.powi(-53) + 2f64.powi(-54);
        const DRAWS: usize = 40_000;
        for dimensions in [2, 3, 8] {
            let (radii, narrow) = (Radii::new(dimensions, 0.95), Radii::new(dimensions - 1, 0.95));
            for (a, b) in [(1.0, 0.0), (1.0, 0.4), (3.0, 3.0), (0.5, 2.0)] {
                let (mut beyond, mut too_many) = (0, 0);
                for _ in 0..DRAWS {
                    let radius: f64 = (0..=dimensions).map(|_| -libm::log(uniform())).sum();
                    let noise = radius * (a * (2.0 * uniform() - 1.0) + b * (2.0 * uniform() - 1.0));
                    beyond += usize::from(noise.abs() > radii.quantile(a, b));
                    too_many += usize::from(noise.abs() > narrow.quantile(a, b));
                }
                let (expected, error) = (0.05 * DRAWS as f64, (0.05 * 0.95 * DRAWS as f64).sqrt());
                assert!((beyond as f64 - expected).abs() < 4.0 * error, "{dimensions} {a} {b}: {beyond}");
                assert!(too_many as f64 > expected + 4.0 * error, "{dimensions} {a} {b}: {too_many}");
            }
        }
    }

    /// Between the places of the table a radius is not below the quantile.
    #[test]
    fn interpolation_stays_above() {
        let radii = Radii::new(3, 0.95);
        for part in 0..500 {
            let ratio = (part as f64 + 0.37) / 500.0;
            let miss = tail(3, ratio, radii.quantile(1.0, ratio));
            assert!(miss <= 0.05 && miss > 0.0499, "{ratio}: {miss}");
        }
    }
}
