//! The hockey-stick divergence of discrete Gaussian noise on many cells, proved from that of continuous noise.
//!
//! **Idea.** Discrete Gaussian noise of variance `s` is nearly continuous Gaussian noise of variance `s - t` that is
//! then rounded at random, to whole numbers by discrete Gaussian noise of variance `t`. What is done to an output costs
//! no privacy, and continuous noise has one exact divergence, wherever the cells move to. So discrete noise loses what
//! continuous noise of variance `s - t` would, and hardly more.
//!
//! **Law.** Vectors `c` of variances `s_c`, of which at most `k_c` cells move, by whole steps with squares of at most
//! `q_c` in all, have for every `0 < t <= min s_c / 2` with `theta <= 1/4` the divergence
//!
//! ```text
//! delta <= e^(2 k theta) G(epsilon - k (4 theta + zeta), mu),        mu^2 = sum_c q_c / (s_c - t),        k = sum_c k_c,
//! G(e, mu) = Q(e / mu - mu / 2) - e^e Q(e / mu + mu / 2),            Q the upper tail of the standard normal law,
//! eta = 2 sum_m e^(-2 pi^2 t m^2),    zeta = eta^2 / (1 - eta),      theta = 2 sum_m e^(-2 pi^2 (t + v) m^2),    v = t (1 - t / min s_c),
//! ```
//!
//! sums over `m >= 1`. Proof, for one cell with the answer `c` and the density `f` of `N(c, s)`: draw `w` from
//! `N(c, s - t)`, then `x` with probability `e^(-(x - w)^2 / (2 t)) / R(w)`, `R` the sum of these weights over the
//! whole numbers. By Poisson summation `R(w) = sqrt(2 pi t) (1 + u(w))` with
//! `u(w) = 2 sum_m e^(-2 pi^2 t m^2) cos(2 pi m w)`, at most `eta` in size. As a product of normal densities is one,
//! `x` has the probability `f(x) E[1 / (1 + u)]` over a `w` of variance `t (s - t) / s >= v`. Since
//! `1 / (1 + u) = 1 - u + u^2 / (1 + u)` and `|E u| <= theta`, that is between `(1 - theta) f(x)` and
//! `(1 + theta + zeta) f(x)`. The discrete law is `f(x) / Z` with `1 <= Z <= 1 + theta`, by the same summation. So it
//! is at most `1 / (1 - theta)` times the law of `x`, and at least `1 / ((1 + theta) (1 + theta + zeta))` times. Cells
//! that do not move have the same law twice. The `k` others multiply both factors, which the exponents above bound; the
//! rest is `G` of the continuous vector (Balle and Wang 2018, Theorem 8), which grows with `mu`.
//!
//! **Invariant.** The variance `t` may come from a search in doubles: only the bound at it needs a proof, rounded up at
//! every step.

use inbounds_core::{Enclosure, Rational, root};

use super::{analytic, cells::GaussianVector, normal::Normal};

/// The least variance of the rounding; from here on `3 eta <= 1/8`, and sums over `m` are at most 2001/2000 times their
/// first term.
const LEAST: f64 = 0.2;

/// Number of variances of the rounding to try, each `2^(1/4)` times the one before: from the last on, `theta` is below
/// `e^-300`.
const TRIED: i32 = 24;

/// Below `2 pi^2`.
const TWICE_PI_SQUARED: f64 = 19.7392;

/// Bounds are not proved below `2^-6000`.
const MOST_ZEROS: f64 = 6000.0;

/// A proved upper bound on the divergence of the vectors together at `epsilon`; at most one.
pub(super) fn delta(vectors: &[GaussianVector], epsilon: &Rational) -> Rational {
    let together = Together::new(vectors);
    let t = together.best(1.0, epsilon.to_f64());
    let proved = || {
        let zeros = -together.ln_delta(1.0, epsilon.to_f64(), t) / std::f64::consts::LN_2;
        together.proved(&Rational::from_f64(t)?, epsilon, zeros)
    };
    proved().unwrap_or(Rational::ONE).min(Rational::ONE)
}

/// About the largest factor by which variances can be divided so that the bound at `epsilon` is `delta`, searched for
/// from one on, with no proof.
pub(super) fn propose_factor(vectors: &[GaussianVector], epsilon: f64, delta: f64, from: f64) -> f64 {
    let together = Together::new(vectors);
    let t = together.best(from, epsilon);
    let holds = |factor: f64| together.ln_delta(factor, epsilon, t) <= libm::log(delta);
    // Where no factor in doubles holds, zero is proposed, of which there is no proof.
    root::largest_that_holds(from.max(1e-100), holds)
}

struct Together<'v> {
    vectors: &'v [GaussianVector],
    /// Squares and variance of each vector, in doubles.
    in_doubles: Vec<(f64, f64)>,
    /// The cells that move.
    cells: u128,
}

impl<'v> Together<'v> {
    fn new(vectors: &'v [GaussianVector]) -> Self {
        let in_doubles = vectors.iter().map(|vector| (vector.l2_squared.to_f64(), vector.variance.to_f64())).collect();
        Self { vectors, in_doubles, cells: vectors.iter().map(|vector| u128::from(vector.cells)).sum() }
    }

    /// Of the variances of the rounding that are tried, the one with about the least bound.
    fn best(&self, factor: f64, epsilon: f64) -> f64 {
        let tried = (0..=TRIED).map(|step| LEAST * libm::exp2(f64::from(step) / 4.0));
        let tried = tried.map(|t| (self.ln_delta(factor, epsilon, t), t));
        tried.min_by(|one, other| one.0.total_cmp(&other.0)).map_or(LEAST, |(_, t)| t)
    }

    /// About the logarithm of the bound of vectors with variances divided by `factor`, at the variance `t` of the
    /// rounding.
    fn ln_delta(&self, factor: f64, epsilon: f64, t: f64) -> f64 {
        let least = self.in_doubles.iter().map(|(_, variance)| variance / factor).fold(f64::INFINITY, f64::min);
        let series = |variance: f64| 2.0 * libm::exp(-TWICE_PI_SQUARED * variance);
        let (eta, theta) = (series(t), series(t + t * (1.0 - t / least)));
        let left = epsilon - self.cells as f64 * (4.0 * theta + eta * eta / (1.0 - eta));
        if 2.0 * t > least || left <= 0.0 {
            return 0.0;
        }
        let mu_squared: f64 = self.in_doubles.iter().map(|(squares, variance)| squares / (variance / factor - t)).sum();
        (2.0 * self.cells as f64 * theta + analytic::ln_delta(left, libm::sqrt(mu_squared))).min(0.0)
    }

    /// The bound at the variance `t` of the rounding, which has about `zeros` binary zeros; `None` where the bound
    /// is trivial.
    fn proved(&self, t: &Rational, epsilon: &Rational, zeros: f64) -> Option<Rational> {
        let least = self.vectors.iter().map(|vector| &vector.variance).min()?;
        if t.to_f64_down() < LEAST || &Rational::from(2u128) * t > *least {
            return None;
        }
        let of_vector = |vector: &GaussianVector| rounded_up(&(&vector.l2_squared / &(&vector.variance - t)));
        let mu_squared =
            self.vectors.iter().try_fold(Rational::ZERO, |sum, vector| Some(&sum + &of_vector(vector)?))?;
        let narrowed = t * &(&Rational::ONE - &(t / least));
        let (eta, theta) = (twice_series(t)?, twice_series(&(t + &narrowed))?);
        let zeta = &(&eta * &eta) / &(&Rational::ONE - &eta);
        let cells = Rational::from(self.cells);
        let lost = &cells * &(&(&Rational::from(4u128) * &theta) + &zeta);
        let left = epsilon - &lost;
        if theta > Rational::ratio(1, 4) || !left.is_positive() {
            return None;
        }
        let bits = 192 + (3.0 * zeros.clamp(0.0, MOST_ZEROS) + 5.0 * epsilon.to_f64()) as usize;
        let half = &mu_squared / &Rational::from(2u128);
        let normal = Normal::new(&mu_squared, bits);
        let growth = |exponent: &Rational| Enclosure::one(bits).div(&Enclosure::exp_neg(exponent, bits));
        let (near, far) = (normal.tail(&(&left - &half)), normal.tail(&(&left + &half)));
        let continuous = near.sub(&growth(&left).mul(&far)).positive_part();
        let twice = &(&Rational::from(2u128) * &cells) * &theta;
        Some(growth(&twice).mul(&continuous).upper())
    }
}

/// `2 sum_m e^(-2 pi^2 variance m^2)` over `m >= 1`, rounded up: as `m^2 >= 1 + 3 (m - 1)`, a geometric series.
fn twice_series(variance: &Rational) -> Option<Rational> {
    let exponent = &Rational::from_f64(TWICE_PI_SQUARED)? * variance;
    let first = Enclosure::exp_neg(&exponent, 1024).upper();
    rounded_up(&(&first * &Rational::ratio(2001, 1000)))
}

/// A double that is not less.
fn rounded_up(value: &Rational) -> Option<Rational> {
    Rational::from_f64(value.to_f64_up())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_on_the_safe_side() {
        const { assert!(TWICE_PI_SQUARED < 2.0 * std::f64::consts::PI * std::f64::consts::PI) };
        let ratio = (-3.0 * TWICE_PI_SQUARED * LEAST).exp();
        assert!(2.0 / (1.0 - ratio) < 2.001, "{ratio}");
        let eta = 2.001 * (-TWICE_PI_SQUARED * LEAST).exp();
        assert!(3.0 * eta < 0.125, "{eta}");
    }
}
