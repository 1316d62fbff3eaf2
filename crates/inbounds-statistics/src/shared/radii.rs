//! Reach of the noise of a number that is made of a noisy sum and a noisy number of rows, each measured for all
//! statistics that need it.
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
//! **One vector.** Continuous cube noise of `D` numbers with scales `h_j` is `h_j G U_j`, with independent `U_j`
//! uniform on `[-1, 1]` and `G` a gamma variable of shape `D + 1`, so that
//!
//! ```text
//! P(|Z_S - t Z_N| > v) = E Q(D + 1, v / |a U_1 + b U_2|),      Q(D + 1, x) = e^-x sum_{k <= D} x^k / k!
//! ```
//!
//! Its quantile is homogeneous in `(a, b)` and symmetric: `max(a, b)` times a function of the ratio of the smaller to
//! the larger. It is tabulated once for all statistics that share the vector, each place of the table when it is first
//! read.
//!
//! **Gaussian noise.** With standard deviations `a` and `b` the quantile is that of a normal variable, times
//! `hypot(a, b)`.
//!
//! **Lattice.** Noise is on a grid. Cube noise is the continuous one moved by at most half a step of each number.
//! Gaussian noise is drawn on the grid; a test enumerates that a whole step of each is enough for it, from noise of a
//! third of a step up.

use std::sync::{Arc, OnceLock};

use inbounds_core::{
    quadrature::{self, NODES},
    root,
};
use inbounds_mechanisms::{
    law::{Gaussian, Noise},
    noise::GridNoise,
};

use crate::Component;

/// Parts of the table of quantiles.
const PARTS: usize = 256;

/// By which radii are wider than the table says: more than linear interpolation in it can miss, which a test measures,
/// and the difference between a lattice of `2^38` parts and none.
const MARGIN: f64 = 1e-4;

/// Quantiles of `|Z_S - t Z_N|` at a level, by the law of the two numbers.
#[derive(Debug, Clone)]
pub(super) enum Radii {
    /// Quantiles of `G |U_1 + w U_2|`.
    OneVector(Arc<Table>),
    /// The quantile of a normal variable.
    Gaussian { quantile: f64 },
}

/// Quantiles of `G |U_1 + w U_2|` at `w = 0, 1/PARTS, ..., 1` for a vector of `dimensions` numbers, each found when it
/// is first read.
#[derive(Debug)]
pub(crate) struct Table {
    dimensions: usize,
    level: f64,
    quantiles: [OnceLock<f64>; PARTS + 1],
}

/// The noise of one number, in its unit: its scale, which is the standard deviation of Gaussian noise, and what its
/// grid adds to a radius.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spread {
    pub(super) scale: f64,
    pub(super) rounding: f64,
}

impl Spread {
    /// # Panics
    /// For noise that no number has that statistics share.
    pub(super) fn from_component(component: &Component) -> Self {
        let step = component.step();
        match component.mechanism.noise() {
            GridNoise::Cube(law) => Self { scale: step / law.tau(), rounding: 0.5 * step },
            GridNoise::Gaussian(law) => Self { scale: step * law.sigma_squared().to_f64_up().sqrt(), rounding: step },
            other => unreachable!("a number that statistics share has no noise such as {other:?}"),
        }
    }
}

impl Radii {
    /// Of numbers of one vector of cube noise.
    pub(super) fn of_vector(table: Arc<Table>) -> Self {
        Self::OneVector(table)
    }

    /// Of numbers with Gaussian noise of their own.
    pub(super) fn of_gaussian(level: f64) -> Self {
        let standard = Gaussian::with_std_dev(1.0).expect("one is finite and positive");
        Self::Gaussian { quantile: standard.quantile(0.5 * (1.0 + level)) }
    }

    /// The most by which the quantile grows when `b` grows by 1: as it does where there is no other noise.
    pub(super) fn steepest(&self) -> f64 {
        match self {
            Self::OneVector(table) => table.at(0) * (1.0 + MARGIN),
            Self::Gaussian { quantile } => quantile * (1.0 + MARGIN),
        }
    }

    /// The quantile of `|Z_S - t Z_N|` for the scales `a` and `b`, rounded up.
    pub(super) fn quantile(&self, a: f64, b: f64) -> f64 {
        let (small, large) = (a.min(b), a.max(b));
        if large == 0.0 {
            return 0.0;
        }
        let table = match self {
            Self::Gaussian { quantile } => return quantile * a.hypot(b) * (1.0 + MARGIN),
            Self::OneVector(table) => table,
        };
        let place = small / large * PARTS as f64;
        let part = (place as usize).min(PARTS - 1);
        let [low, high] = [table.at(part), table.at(part + 1)];
        large * (low + (high - low) * (place - part as f64)) * (1.0 + MARGIN)
    }
}

impl Table {
    pub(crate) fn new(dimensions: usize, level: f64) -> Self {
        Self { dimensions, level, quantiles: [const { OnceLock::new() }; PARTS + 1] }
    }

    pub(crate) fn level(&self) -> f64 {
        self.level
    }

    /// The quantile at a ratio of `part` parts.
    fn at(&self, part: usize) -> f64 {
        *self.quantiles[part].get_or_init(|| self.quantile(part as f64 / PARTS as f64))
    }

    fn quantile(&self, ratio: f64) -> f64 {
        let (dimensions, miss) = (self.dimensions, 1.0 - self.level);
        let high = 4.0 * (dimensions as f64 + 2.0 - libm::log(miss));
        let tail = |radius: f64| tail(dimensions, ratio, radius);
        let guess = guess(dimensions as f64 + 1.0, |radius| libm::log(tail(radius) / miss));
        root::bisect_near(0.0, high, (guess, NEAR), |radius| tail(radius) > miss).1
    }
}

/// Part by which a guess of a quantile may miss it. Tails switch within some `1e-15` of it.
const NEAR: f64 = 1e-12;

/// Where a smooth function that falls is zero, by secants that begin at `from`: nearly, or anywhere where they lead
/// nowhere.
fn guess(from: f64, f: impl Fn(f64) -> f64) -> f64 {
    const STEPS: usize = 12;
    let (mut before, mut now) = (from, 1.1 * from);
    let (mut f_before, mut f_now) = (f(before), f(now));
    for _ in 0..STEPS {
        let next = now - f_now * (now - before) / (f_now - f_before);
        // The next step of a secant is shorter by more than a power of 1.6.
        if !next.is_finite() || (next - now).abs() <= 1e-8 * now {
            return next;
        }
        (before, f_before) = (now, f_now);
        now = next.clamp(0.5 * now, 2.0 * now);
        f_now = f(now);
    }
    now
}

/// `P(G |U_1 + w U_2| > v)` for `0 <= w <= 1`: the density of the sum of uniforms is 1 up to `1 - w`, and falls to 0 at
/// `1 + w`.
fn tail(dimensions: usize, ratio: f64, radius: f64) -> f64 {
    let flat = quadrature::integrate_at_once(0.0, 1.0 - ratio, |sums| erlang_tails(dimensions, radius, &sums));
    if ratio == 0.0 {
        return flat;
    }
    let falling = |sums: [f64; NODES]| {
        let tails = erlang_tails(dimensions, radius, &sums);
        std::array::from_fn(|place| (1.0 + ratio - sums[place]) / (2.0 * ratio) * tails[place])
    };
    flat + quadrature::integrate_at_once(1.0 - ratio, 1.0 + ratio, falling)
}

/// `Q(D + 1, v / s)` for several `s`, step by step for all of them.
fn erlang_tails(dimensions: usize, radius: f64, sums: &[f64; NODES]) -> [f64; NODES] {
    let x = sums.map(|sum| radius / sum);
    let (mut terms, mut tails) = ([1.0; NODES], [1.0; NODES]);
    for k in 1..=dimensions {
        for place in 0..NODES {
            terms[place] *= x[place] / k as f64;
            tails[place] += terms[place];
        }
    }
    // Both factors may be beyond doubles where the product is nothing.
    std::array::from_fn(|place| if x[place] > 600.0 { 0.0 } else { tails[place] * libm::exp(-x[place]) })
}

#[cfg(test)]
mod tests {
    use inbounds_mechanisms::sampler::{Entropy, SeededEntropy};

    use super::*;

    fn of_vector(dimensions: usize, level: f64) -> Radii {
        Radii::of_vector(Arc::new(Table::new(dimensions, level)))
    }

    /// The quantiles are those of a plain bisection of integrals over one node after the other, to the last bit.
    #[test]
    fn quantiles_are_those_of_a_plain_bisection() {
        let one = |dimensions: usize, x: f64| {
            let (mut term, mut sum) = (1.0, 1.0);
            for k in 1..=dimensions {
                term *= x / k as f64;
                sum += term;
            }
            if x > 600.0 { 0.0 } else { sum * libm::exp(-x) }
        };
        let plain = |dimensions: usize, ratio: f64, radius: f64| {
            let flat = quadrature::integrate(0.0, 1.0 - ratio, |sum| one(dimensions, radius / sum));
            let falling = |sum: f64| (1.0 + ratio - sum) / (2.0 * ratio) * one(dimensions, radius / sum);
            if ratio == 0.0 { flat } else { flat + quadrature::integrate(1.0 - ratio, 1.0 + ratio, falling) }
        };
        for (dimensions, level) in [(1, 0.95), (2, 0.5), (3, 0.999), (7, 0.95), (20, 0.95), (41, 0.9), (64, 0.95)] {
            let table = Table::new(dimensions, level);
            let high = 4.0 * (dimensions as f64 + 2.0 - libm::log(1.0 - level));
            for part in (0..=PARTS).step_by(if cfg!(debug_assertions) { 32 } else { 1 }) {
                let ratio = part as f64 / PARTS as f64;
                let (_, quantile) = root::bisect(0.0, high, |radius| plain(dimensions, ratio, radius) > 1.0 - level);
                assert_eq!(table.at(part), quantile, "{dimensions} {level} {part}");
            }
        }
    }

    /// With `q` the quantile by the ratio of the scales, it grows by `q'(w)` in `b` where `b` is the smaller, and by
    /// `q(w) - w q'(w)` where it is the larger: nowhere by more than by `q(0)`.
    #[test]
    fn quantiles_grow_fastest_where_there_is_no_other_noise() {
        for (dimensions, level) in [(2, 0.95), (3, 0.5), (8, 0.999), (20, 0.95), (41, 0.95), (64, 0.9)] {
            let table = Table::new(dimensions, level);
            let quantiles: Vec<f64> = (0..=PARTS).map(|part| table.at(part)).collect();
            for (part, pair) in quantiles.windows(2).enumerate() {
                let slope = (pair[1] - pair[0]) * PARTS as f64;
                let above = |part: usize, quantile: f64| quantile - part as f64 / PARTS as f64 * slope;
                let steepest = slope.max(above(part, pair[0])).max(above(part + 1, pair[1]));
                assert!(steepest <= table.at(0), "{dimensions} {level} {part}: {steepest}");
            }
        }
    }

    /// `G` of `D + 1` exponential variables and two uniform ones, drawn: the share beyond the quantile is 1 in 20, to
    /// within four standard errors in each of 12 cases (false alarm: 1 in 1,300 runs of other seeds). Radii for one
    /// number less are rejected.
    #[test]
    fn quantiles_are_those_of_the_law() {
        let mut entropy = SeededEntropy::from_seed(11);
        let mut uniform = || (entropy.word() >> 11) as f64 * 2f64.powi(-53) + 2f64.powi(-54);
        const DRAWS: usize = 40_000;
        for dimensions in [2, 3, 8] {
            let (radii, narrow) = (of_vector(dimensions, 0.95), of_vector(dimensions - 1, 0.95));
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

    /// Whatever the grids are, noise that is drawn on them passes the radius with a step of each less often than the
    /// level says, by enumeration; without the steps it does not.
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
        let radii = of_vector(3, 0.95);
        for part in 0..500 {
            let ratio = (part as f64 + 0.37) / 500.0;
            let miss = tail(3, ratio, radii.quantile(1.0, ratio));
            assert!(miss <= 0.05 && miss > 0.0499, "{ratio}: {miss}");
        }
    }
}
