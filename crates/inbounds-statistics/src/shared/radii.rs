//! How far the noise of a number reaches that is made of a noisy sum and a noisy number of rows, each measured for all statistics that
//! need it.
//!
//! # Law
//! With `t` known, the combination
//!
//! ```text
//! (S' - t N') - (S - t N) = Z_S - t Z_N
//! ```
//!
//! is noise alone, whatever sum and number of rows are. Let `a` be the scale of `Z_S` and `b` that of `t Z_N`.
//!
//! **One vector.** Continuous cube noise of `D` numbers with scales `h_j` is `h_j G U_j`, with independent `U_j` uniform on `[-1, 1]` and
//! `G` a gamma variable of shape `D + 1`, so that
//!
//! ```text
//! P(|Z_S - t Z_N| > v) = E Q(D + 1, v / |a U_1 + b U_2|),      Q(D + 1, x) = e^-x sum_{k <= D} x^k / k!
//! ```
//!
//! Its quantile is homogeneous in `(a, b)` and symmetric: `max(a, b)` times a function of the ratio of the smaller to the larger,
//! which is tabulated once a statistic.
//!
//! **Gaussian noise.** With standard deviations `a` and `b` the quantile is that of a normal variable, times `hypot(a, b)`.
//!
//! **Lattice.** Noise is on a grid. Cube noise is the continuous one moved by at most half a step of each number. Gaussian noise is drawn on
//! the grid; a test enumerates that a whole step of each is enough for it, from noise of a third of a step up.

use inbounds_core::{quadrature, root};
use inbounds_mechanisms::{
    law::{Gaussian, Noise},
    noise::GridNoise,
};

use crate::Component;

/// Parts of the table of quantiles.
const PARTS: usize = 256;

/// By which radii are wider than the table says: more than linear interpolation in it can miss, which a test measures, and the
/// difference between a lattice of `2^38` parts and none.
const MARGIN: f64 = 1e-4;

/// Quantiles of `|Z_S - t Z_N|` at a level.
#[derive(Debug, Clone)]
pub(super) struct Radii {
    level: f64,
    law: Law,
}

/// The law of two numbers.
#[derive(Debug, Clone)]
enum Law {
    /// Quantiles of `G |U_1 + w U_2|` at `w = 0, 1/PARTS, ..., 1`, and the most by which that of `|a G U_1 + b G U_2|` grows when `b` grows by 1.
    OneVector { quantiles: Vec<f64>, steepest: f64 },
    /// The quantile of a normal variable.
    Gaussian { quantile: f64 },
}

/// The noise of one number, in its unit: its scale, which is the standard deviation of Gaussian noise, and what its grid adds to a radius.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spread {
    pub(super) scale: f64,
    pub(super) rounding: f64,
}

impl Spread {
    /// # Panics
    /// For noise that no number has that statistics share.
    pub(super) fn of(component: &Component) -> Self {
        let step = component.step();
        match component.mechanism.noise() {
            GridNoise::Cube(law) => Self { scale: step / law.tau(), rounding: 0.5 * step },
            GridNoise::Gaussian(law) => Self { scale: step * law.sigma_squared().to_f64_up().sqrt(), rounding: step },
            other => unreachable!("a number that statistics share has no noise such as {other:?}"),
        }
    }
}

impl Radii {
    /// For the noise of a component that statistics share.
    pub(super) fn new(component: &Component, level: f64) -> Self {
        match component.mechanism.noise().as_cube() {
            Some(law) => Self::of_vector(law.dimensions(), level),
            None => Self::of_gaussian(level),
        }
    }

    fn of_gaussian(level: f64) -> Self {
        let standard = Gaussian::with_std_dev(1.0).expect("one is finite and positive");
        Self { level, law: Law::Gaussian { quantile: standard.quantile(0.5 * (1.0 + level)) } }
    }

    /// For a vector of so many numbers.
    fn of_vector(dimensions: usize, level: f64) -> Self {
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
        let steepest = slopes.fold(0.0, f64::max);
        Self { level, law: Law::OneVector { quantiles, steepest } }
    }

    pub(super) fn level(&self) -> f64 {
        self.level
    }

    /// The most by which the quantile grows when `b` grows by 1.
    pub(super) fn steepest(&self) -> f64 {
        match &self.law {
            Law::OneVector { steepest, .. } => steepest * (1.0 + MARGIN),
            Law::Gaussian { quantile } => quantile * (1.0 + MARGIN),
        }
    }

    /// The quantile of `|Z_S - t Z_N|` for the scales `a` and `b`, rounded up.
    pub(super) fn quantile(&self, a: f64, b: f64) -> f64 {
        let (small, large) = (a.min(b), a.max(b));
        if large == 0.0 {
            return 0.0;
        }
        let quantiles = match &self.law {
            Law::Gaussian { quantile } => return quantile * a.hypot(b) * (1.0 + MARGIN),
            Law::OneVector { quantiles, .. } => quantiles,
        };
        let place = small / large * PARTS as f64;
        let part = (place as usize).min(PARTS - 1);
        let [low, high] = [quantiles[part], quantiles[part + 1]];
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
            let (radii, narrow) = (Radii::of_vector(dimensions, 0.95), Radii::of_vector(dimensions - 1, 0.95));
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

    /// Whatever the grids are, noise that is drawn on them passes the radius with a step of each less often than the level says, by
    /// enumeration; without the steps it does not.
    #[test]
    fn a_step_of_each_grid_covers_discrete_gaussian_noise() {
        let radii = Radii::of_gaussian(0.95);
        let masses = |sigma: f64| -> Vec<(f64, f64)> {
            let reach = (12.0 * sigma).ceil() as i64 + 1;
            let mass = |k: i64| libm::exp(-0.5 * (k as f64 / sigma).powi(2));
            let total: f64 = (-reach..=reach).map(mass).sum();
            (-reach..=reach).map(|k| (k as f64, mass(k) / total)).collect()
        };
        let passes = |sum: f64, count: f64, distance: f64, slack: f64| -> f64 {
            let radius = radii.quantile(sum, distance * count) + slack * (1.0 + distance);
            let count = masses(count);
            let beyond = |(x, mass): &(f64, f64)| {
                let rest = count.iter().filter(|(y, _)| (x - distance * y).abs() > radius);
                mass * rest.map(|(_, mass)| mass).sum::<f64>()
            };
            masses(sum).iter().map(beyond).sum()
        };
        let scales = [0.34, 0.5, 0.8, 1.3, 4.0];
        let mut without_steps: f64 = 0.0;
        for (sum, count) in scales.iter().flat_map(|sum| scales.map(|count| (*sum, count))) {
            for distance in [0.0, 0.05, 0.3, 0.77, 1.0, 1.9, 3.2, 11.0] {
                let miss = passes(sum, count, distance, 1.0);
                assert!(miss <= 0.05, "{sum} {count} {distance}: {miss}");
                without_steps = without_steps.max(passes(sum, count, distance, 0.0));
            }
        }
        assert!(without_steps > 0.06, "{without_steps}");
    }

    /// Between the places of the table a radius is not below the quantile.
    #[test]
    fn interpolation_stays_above() {
        let radii = Radii::of_vector(3, 0.95);
        for part in 0..500 {
            let ratio = (part as f64 + 0.37) / 500.0;
            let miss = tail(3, ratio, radii.quantile(1.0, ratio));
            assert!(miss <= 0.05 && miss > 0.0499, "{ratio}: {miss}");
        }
    }
}
