//! The law of a cube's coordinate on the integers.

use std::sync::OnceLock;

use inbounds_core::{CoreError, Rational};

use super::{Shift, erlang_sum::ErlangSum, odd_powers};
use crate::{
    law::{Accuracy, Noise, lattice},
    noise::DiscreteLaplace,
};

/// Cube noise on the integers: one vector of `D` numbers, drawn together.
///
/// # Law
/// `P(Z = z)` proportional to `a^max_j |z_j|`, `a = exp(-tau)`, over all `z` in `Z^D`, the inverse scale `tau` per grid
/// step an exact positive rational. `(2R + 1)^D` vectors have no coordinate beyond `R`, so this is a mixture of uniform
/// cubes:
///
/// ```text
/// P(R) = (2R + 1)^D a^R / N,  N = sum_R (2R + 1)^D a^R,   then every coordinate uniform on -R..R by itself:
/// a mixture of these gives z the mass  sum_{R >= |z|} a^R / N  =  a^|z| / ((1 - a) N),   |z| = max_j |z_j|.
/// ```
///
/// As [`Noise`] it is one coordinate, `P(Z_j = k) = sum_{R >= |k|} (2R + 1)^(D-1) a^R / N`: in the limit of a fine grid
/// a two-sided gamma law whose shape is uniform on `1, ..., D`, of variance `(D + 1)(D + 2) / (3 tau^2)`. Coordinates
/// are uncorrelated, and not independent. `D = 1` is the discrete Laplace law.
///
/// Numbers that move differently are drawn together on grids that make their moves alike: a step of the number has `f`
/// parts, an odd number, the vector is drawn in parts, and the coordinate is moved to the nearest step,
/// `N = round(Z_j / f)`. That is post-processing, and leaves whole numbers whole:
/// `P(N >= k) = P(Z_j >= k f - (f - 1)/2)`. `tau` is per part.
///
/// # Guarantee
/// For whole vectors `max_j |z_j + d_j| <= max_j |z_j| + max_j |d_j|`, so a move of each number by at most `L` steps
/// costs at most `tau L`, and moving one by `L` costs all of it: the loss is `tau max_j |d_j|`, and cells with a vector
/// of their own add up. With `tau = epsilon / L` it is at most epsilon, exactly. Claim: `discrete-cube-loss`.
///
/// # Accuracy
/// With `w_i = (tau / (1 - a))^(i+1) sum_j b(i, j) a^j` (the weights of `odd_powers.rs`; `w_i` tends to 1 with `a`) and
/// whole `m >= 0`
///
/// ```text
/// P(Z_j = m) = tau / (2 D w_D) a^m sum_{e < D} w_(D-1-e) (tau m)^e / e!,
/// P(Z_j >= m) = 1 / (2 D w_D) a^m sum_{e < D} ((D-e) w_(D-e) + tau w_(D-1-e) / 2) (tau m)^e / e!   for m >= 1:
/// ```
///
/// sums of positive terms; `N` has `P(N >= k)` and its decreases, polynomials times powers alike. Moments are sums of
/// these over the integers: term by term where they are short or fall quickly, else by integrals in closed form or
/// quadrature with three terms of Euler and Maclaurin, within `1e-13`.
///
/// # Example
/// Three numbers at the scale of one: a variance of 20/3, where a third of epsilon each has 18.
/// ```
/// use inbounds_mechanisms::{law::Noise, noise::DiscreteCube};
/// let cube = DiscreteCube::new("0.0001".parse()?, 3, 1)?;
/// assert!((cube.variance() * 1e-8 - 20.0 / 3.0).abs() < 1e-7);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// Hardt and Talwar (2010), On the geometry of differential privacy: the K-norm mechanism of a cube.
#[derive(Debug, Clone, PartialEq)]
pub struct DiscreteCube {
    levels: DiscreteLaplace,
    dimensions: usize,
    parts: u64,
    /// Law of the number added to geometric draws for a radius.
    shift: Shift,
    /// The mass of a coordinate at whole numbers of parts, from zero on.
    fine: ErlangSum,
    /// The mass at the whole numbers from one on.
    mass: ErlangSum,
    /// The mass from there on, at the whole numbers from one on.
    upper: ErlangSum,
    variance: Derived,
}

/// A number that follows from the other fields, found when it is first asked for.
#[derive(Debug, Clone, Default)]
struct Derived(OnceLock<f64>);

/// Laws do not differ by what was asked of them.
impl PartialEq for Derived {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The most parts of a step.
const MOST_PARTS: u64 = 1 << 62;

impl DiscreteCube {
    /// The most numbers in a vector.
    pub const MOST_DIMENSIONS: usize = 64;

    /// The law of one of `dimensions` numbers of inverse scale `tau` per part, of which a step has `parts`.
    ///
    /// # Errors
    /// [`CoreError::Parameter`] unless `1e-24 <= tau <= 1000` and `parts tau <= 1000`, there are 1 to 64 dimensions,
    /// and `parts` is odd and at most `2^62`.
    pub fn new(inverse_scale: Rational, dimensions: usize, parts: u64) -> Result<Self, CoreError> {
        if !(1..=Self::MOST_DIMENSIONS).contains(&dimensions) {
            return Err(CoreError::parameter("dimensions of the cube", dimensions, "between 1 and 64"));
        }
        if parts.is_multiple_of(2) || parts > MOST_PARTS {
            return Err(CoreError::parameter("parts of a step", parts, "odd and at most 2^62"));
        }
        let levels = DiscreteLaplace::with_inverse_scale(inverse_scale)?;
        let (tau, steps) = (levels.tau(), parts as f64);
        if tau < 1e-24 || tau * steps > 1000.0 {
            return Err(CoreError::parameter("inverse scale", tau * steps, "between 1e-24 and 1000 per grid step"));
        }
        let weights = odd_powers::weights(dimensions);
        let (totals, shift) = (totals(tau, &weights), Shift::new(&weights[dimensions], tau));
        let normaliser = 2.0 * dimensions as f64 * totals[dimensions];
        let mass = (0..dimensions).map(|e| tau * totals[dimensions - 1 - e] / normaliser).collect();
        let term = |e: usize| (dimensions - e) as f64 * totals[dimensions - e] + 0.5 * tau * totals[dimensions - 1 - e];
        let upper = (0..dimensions).map(|e| term(e) / normaliser).collect();
        let (fine, upper) = (ErlangSum::new(tau, mass), ErlangSum::new(tau, upper));
        let upper = upper.stretched(steps, 0.5 * (steps - 1.0));
        let mass = if parts == 1 { fine.clone() } else { upper.decrease() };
        Ok(Self { levels, dimensions, parts, shift, fine, mass, upper, variance: Derived::default() })
    }

    /// The exact inverse scale `tau` per part of a step.
    pub fn inverse_scale(&self) -> &Rational {
        self.levels.inverse_scale()
    }

    /// The number `D` of numbers that are drawn together.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The number `f` of parts of a step.
    pub fn parts(&self) -> u64 {
        self.parts
    }

    /// The nearest double to the inverse scale per step.
    pub fn tau(&self) -> f64 {
        self.levels.tau() * self.parts as f64
    }

    /// The nearest step to a number of parts.
    pub fn nearest_step(&self, parts: i128) -> i128 {
        let step = i128::from(self.parts);
        (parts + step / 2).div_euclid(step)
    }

    /// `true` if coordinates of the two laws can be in one vector.
    pub(crate) fn goes_with(&self, other: &Self) -> bool {
        self.levels == other.levels && self.dimensions == other.dimensions
    }

    /// `ln P(N = x)`, continued to all `x >= 0` as the mass of all parts within half a step.
    pub(super) fn ln_mass(&self, x: f64) -> f64 {
        let (middle, reach) = (x * self.parts as f64, 0.5 * (self.parts as f64 - 1.0));
        if middle > reach || self.parts == 1 {
            return self.mass.ln_at(x);
        }
        let side = |parts: f64| self.fine.sum(0.0, parts.floor());
        libm::log(self.fine.at(0.0) + side(reach - middle) + side(reach + middle))
    }

    /// Law of the number added to geometric draws for a radius.
    pub(super) fn shift(&self) -> &Shift {
        &self.shift
    }

    /// Discrete Laplace noise of the same inverse scale, in parts.
    pub(super) fn levels(&self) -> &DiscreteLaplace {
        &self.levels
    }

    /// The log moment `ln E exp(rate N)`, infinite from `rate >= tau` on; `rate > 0`, both per step.
    ///
    /// # Law
    /// `E cosh(rate N) = 1 + 4 sinh(rate/2) sum_{k >= 1} sinh(rate (k - 1/2)) P(N >= k)`.
    pub(super) fn ln_exponential_moment(&self, rate: f64) -> f64 {
        if rate >= self.tau() {
            return f64::INFINITY;
        }
        let sum = |rate: f64| libm::exp(-0.5 * rate) * self.upper.tilted(rate).sum(0.0, f64::INFINITY);
        libm::log1p(2.0 * libm::sinh(0.5 * rate) * (sum(rate) - sum(-rate)))
    }
}

/// `w_0, ..., w_D` at `tau`, from the weights `b(i, j)`.
fn totals(tau: f64, weights: &[Vec<f64>]) -> Vec<f64> {
    let (ratio, factor) = (libm::exp(-tau), tau / -libm::expm1(-tau));
    let at = |row: &Vec<f64>| row.iter().rev().fold(0.0, |sum, weight| sum * ratio + weight);
    weights.iter().scan(1.0, |power, row| (*power *= factor, Some(*power * at(row))).1).collect()
}

impl Noise for DiscreteCube {
    fn ln_density(&self, x: f64) -> f64 {
        if x.fract() == 0.0 { self.ln_mass(x.abs()) } else { f64::NEG_INFINITY }
    }

    fn cdf(&self, x: f64) -> f64 {
        // P(Z <= x) = P(Z >= -floor(x)) = P(Z > -floor(x) - 1).
        self.sf(-x.floor() - 1.0)
    }

    fn sf(&self, x: f64) -> f64 {
        let k = x.floor();
        if k >= 0.0 { self.upper.at(k + 1.0) } else { 1.0 - self.upper.at(-k) }
    }

    fn quantile(&self, p: f64) -> f64 {
        if !(0.0..=1.0).contains(&p) {
            return f64::NAN;
        }
        let tail = if p <= 0.5 { -p } else { 1.0 - p };
        lattice::quantile(self, p, (-libm::log(2.0 * tail.abs()) / self.tau()).copysign(tail))
    }

    fn variance(&self) -> f64 {
        *self.variance.0.get_or_init(|| 2.0 * self.half_second_moment(f64::INFINITY))
    }

    fn spacing(&self) -> f64 {
        1.0
    }

    fn half_mass(&self, t: f64) -> f64 {
        let tail = self.sf(t);
        if tail < 0.25 { 0.5 - tail } else { 0.5 * libm::exp(self.ln_mass(0.0)) + self.mass.sum(0.0, t) }
    }

    fn first_moment_between(&self, s: f64, t: f64) -> f64 {
        self.mass.times_x().sum(s, t)
    }

    fn half_second_moment(&self, t: f64) -> f64 {
        self.mass.times_x().times_x().sum(0.0, t)
    }

    fn excess_between(&self, s: f64, t: f64) -> f64 {
        self.upper.sum(s, t)
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Quadrature { relative_error: 1e-14 }
    }
}
