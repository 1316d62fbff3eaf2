//! The exact law of the error for discrete Laplace noise.

use super::{bias::bias_bound, law::check_parameters};
use crate::{ProjectError, numeric::sum};

/// Tails below this are left out: no sum of them shows in a double.
const LEAST: f64 = 1e-19;

/// The error of one of `n` cells after projection on their known total, each cell with discrete Laplace noise,
/// `P(k) = (1 - a) / (1 + a) a^|k|` with `a = e^-tau`.
///
/// # Law
/// `n Err = (n - 1) eta_1 - S` with `S = eta_2 + ... + eta_n` is a whole number, symmetric, of variance
/// `n (n - 1) 2 a / (1 - a)^2`, and
///
/// ```text
/// P(n Err > m) = sum_k P(eta_1 = k) P(S < (n - 1) k - m)
/// ```
///
/// The law of `S` is the `(n - 1)`-fold convolution, each fold two recursions along the whole numbers.
///
/// # Guarantee
/// All terms are positive; the mass left out of tails is below `1e-18` in all. `O(n)` times the reach of `S` once,
/// then `O(1 / tau)` a point. Claim: `total-error`.
///
/// # Example
/// ```
/// let error = inbounds_project::total::DiscreteTotalError::new(15, 0.1)?;
/// let a = (-0.1f64).exp();
/// assert!((error.variance() - 2.0 * a / (1.0 - a).powi(2) * 14.0 / 15.0).abs() < 1e-9);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
///
/// # References
/// Variance: Zhu, Van Hentenryck and Fioretto 2021, theorem 12, "carries over to the geometric distribution". The
/// law: this project.
#[derive(Debug, Clone, PartialEq)]
pub struct DiscreteTotalError {
    cells: u32,
    tau: f64,
    /// `P(S > s)` for `s >= 0`.
    others: Vec<f64>,
    /// `P(eta = k)` for `k >= 0`, as far as it matters.
    masses: Vec<f64>,
}

impl DiscreteTotalError {
    /// The law for `cells` cells and noise of inverse scale `tau`.
    ///
    /// # Errors
    /// [`ProjectError::Number`] unless there are at least two cells and `tau` is finite and positive.
    pub fn new(cells: u32, tau: f64) -> Result<Self, ProjectError> {
        check_parameters(cells, "inverse noise scale", tau)?;
        let reach = (-libm::log(LEAST) / tau).ceil() as u32;
        let peak = libm::tanh(0.5 * tau);
        let masses = (0..=reach).map(|k| peak * libm::exp(-tau * f64::from(k))).collect();
        Ok(Self { cells, tau, others: others(cells - 1, tau), masses })
    }

    /// The number of cells `n`.
    pub fn cells(&self) -> u32 {
        self.cells
    }

    /// `tau`.
    pub fn tau(&self) -> f64 {
        self.tau
    }

    /// `E Err^2 = 2 a / (1 - a)^2 (1 - 1/n)`.
    pub fn variance(&self) -> f64 {
        let a = libm::exp(-self.tau);
        let missing = -libm::expm1(-self.tau);
        2.0 * a / (missing * missing) * (1.0 - 1.0 / f64::from(self.cells))
    }

    /// `P(Err > v)`.
    pub fn sf(&self, v: f64) -> f64 {
        let most = f64::from(self.cells) * v;
        if most >= 0.0 { self.upper(most.floor()) } else { 1.0 - self.upper((-most).ceil() - 1.0) }
    }

    /// `P(n Err > m)` for a whole number `m >= -1`.
    fn upper(&self, m: f64) -> f64 {
        let others = f64::from(self.cells - 1);
        // Beyond the reach of the noise there is nothing.
        if m > others * self.masses.len() as f64 + self.others.len() as f64 {
            return 0.0;
        }
        let at = |k: f64| self.below(others * k - m);
        let pair = |(k, mass): (usize, &f64)| mass * (at(k as f64) + if k > 0 { at(-(k as f64)) } else { 0.0 });
        sum(self.masses.iter().enumerate().map(pair))
    }

    /// `P(S < t)` for a whole number `t`.
    fn below(&self, t: f64) -> f64 {
        let above = |s: f64| self.others.get(s as usize).copied().unwrap_or(0.0);
        // S is symmetric: P(S < t) = P(S > -t).
        if t <= 0.0 { above(-t) } else { 1.0 - above(t - 1.0) }
    }

    /// `P(eta > k)` for `k >= 0`.
    fn noise_above(&self, k: f64) -> f64 {
        let a = libm::exp(-self.tau);
        libm::exp(-self.tau * (k + 1.0)) / (1.0 + a)
    }

    /// Whole `m >= 0` up to where nothing is left.
    fn points(&self) -> impl Iterator<Item = f64> {
        (0..self.cells as usize * self.masses.len()).map(|m| m as f64)
    }

    /// `E |Err|`.
    pub fn mean_absolute(&self) -> f64 {
        2.0 / f64::from(self.cells) * sum(self.points().map(|m| self.upper(m)))
    }

    /// Wasserstein's distance of first order between the error and the noise: the integral of the distance of their
    /// distribution functions.
    pub fn wasserstein_to_noise(&self) -> f64 {
        let n = f64::from(self.cells);
        let apart = |m: f64| (self.upper(m) - self.noise_above((m / n).floor())).abs();
        2.0 / n * sum(self.points().map(apart))
    }

    /// A bound on the bias of every cell when `cells`, noised and projected on their total, must also be nonnegative:
    /// that of [`TotalError::nonnegative_bias_bound`](super::TotalError::nonnegative_bias_bound) with this law.
    ///
    /// # Errors
    /// [`ProjectError`] unless there is one finite nonnegative value for each cell of the law.
    pub fn nonnegative_bias_bound(&self, cells: &[f64]) -> Result<f64, ProjectError> {
        bias_bound(cells, self.cells, |cell| self.sf(cell))
    }
}

/// `P(S > s)` for `s >= 0`, `S` the sum of `folds` noises.
fn others(folds: u32, tau: f64) -> Vec<f64> {
    let a = libm::exp(-tau);
    let missing = -libm::expm1(-tau);
    let variance = 2.0 * a / (missing * missing);
    // Bernstein: beyond this a sum has less mass than is left out.
    let far = -2.0 * libm::log(LEAST);
    let reach = (libm::sqrt(far * f64::from(folds) * variance) + far / tau).ceil() as usize;
    let mut mass = vec![0.0; 2 * reach + 1];
    mass[reach] = 1.0;
    let peak = libm::tanh(0.5 * tau);
    for _ in 0..folds {
        fold(&mut mass, a, peak);
    }
    let mut above: Vec<f64> = Vec::with_capacity(reach + 1);
    let mut total = 0.0;
    for &one in mass[reach + 1..].iter().rev() {
        above.push(total);
        total += one;
    }
    above.push(total);
    above.reverse();
    above
}

/// Convolves masses with the noise: the sum of a recursion from the left and one from the right, the middle counted
/// once.
fn fold(mass: &mut [f64], a: f64, peak: f64) {
    let mut left = vec![0.0; mass.len()];
    let mut running = 0.0;
    for (left, &one) in left.iter_mut().zip(mass.iter()) {
        running = running * a + one;
        *left = running;
    }
    running = 0.0;
    for (one, left) in mass.iter_mut().zip(left).rev() {
        let own = *one;
        // From the right without the middle, which the recursion from the left has.
        *one = peak * (left + running * a);
        running = running * a + own;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `P(n Err > m)` by trying all noises up to a bound.
    fn by_enumeration(cells: u32, tau: f64, m: i64) -> f64 {
        let bound = (40.0 / tau) as i64;
        let a = libm::exp(-tau);
        let mass = |k: i64| (1.0 - a) / (1.0 + a) * a.powi(k.unsigned_abs() as i32);
        let mut total = 0.0;
        for first in -bound..=bound {
            for second in -bound..=bound {
                if cells == 2 {
                    total += if first - second > m { mass(first) * mass(second) } else { 0.0 };
                } else {
                    for third in -bound..=bound {
                        let within = 2 * first - second - third > m;
                        total += if within { mass(first) * mass(second) * mass(third) } else { 0.0 };
                    }
                }
            }
        }
        total
    }

    #[test]
    fn tails_are_those_of_all_noises() {
        for (cells, tau, most) in [(2, 0.5, 9), (3, 1.0, 12)] {
            let law = DiscreteTotalError::new(cells, tau).expect("admissible");
            for m in -3..most {
                let expected = by_enumeration(cells, tau, m);
                let computed = law.sf(m as f64 / f64::from(cells));
                assert!((computed / expected - 1.0).abs() < 1e-12, "{cells} {m}: {computed} {expected}");
            }
        }
    }

    #[test]
    fn moments_are_sums_of_tails() {
        for (cells, tau) in [(2, 0.3), (5, 0.5), (33, 0.2)] {
            let law = DiscreteTotalError::new(cells, tau).expect("admissible");
            let n = f64::from(cells);
            // E (n Err)^2 = 2 sum over m >= 0 of (2 m + 1) P(n Err > m).
            let square = 2.0 * law.points().map(|m| (2.0 * m + 1.0) * law.upper(m)).sum::<f64>() / (n * n);
            assert!((square / law.variance() - 1.0).abs() < 1e-11, "{cells}: {square} {}", law.variance());
            assert!(law.mean_absolute() < libm::sqrt(law.variance()));
            assert!((law.sf(0.0) + law.sf(-1e-9) - 1.0).abs() < 1e-12, "symmetric");
        }
    }

    /// For wide noise the law is that of continuous noise.
    #[test]
    fn wide_noise_is_continuous() {
        let law = DiscreteTotalError::new(5, 0.05).expect("admissible");
        let continuous = crate::total::TotalError::new(5, 20.0).expect("admissible");
        assert!((law.wasserstein_to_noise() / continuous.wasserstein_to_noise() - 1.0).abs() < 0.2);
        assert!((law.mean_absolute() / continuous.mean_absolute() - 1.0).abs() < 5e-3);
        let cells = [800.0, 1_200.0, 360.0, 1_600.0, 2_000.0];
        let bounds = [law.nonnegative_bias_bound(&cells), continuous.nonnegative_bias_bound(&cells)];
        let [bound, other] = bounds.map(|bound| bound.expect("cells"));
        assert!((bound / other - 1.0).abs() < 0.1, "{bound} {other}");
        assert!(law.nonnegative_bias_bound(&cells[..3]).is_err() && law.nonnegative_bias_bound(&[-1.0; 5]).is_err());
        assert!(DiscreteTotalError::new(1, 0.1).is_err() && DiscreteTotalError::new(2, 0.0).is_err());
    }
}
