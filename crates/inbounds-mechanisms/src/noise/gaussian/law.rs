//! The discrete Gaussian law.

use inbounds_core::{CoreError, Rational};

use crate::law::{Accuracy, Gaussian, Noise, lattice};

/// Discrete Gaussian noise on the integers.
///
/// # Law
/// `P(N = k) = exp(-k^2 / (2 sigma^2)) / sum_j exp(-j^2 / (2 sigma^2))`, variance parameter `sigma^2` an exact positive
/// rational in squared grid steps. The variance is below `sigma^2`, visibly so for `sigma < 1`.
///
/// # Accuracy
/// Sums of up to some hundred terms are taken term by term. Longer ones occur only for `sigma > 40` and where the mass
/// falls by less than a tenth a step; there the Euler-Maclaurin formula gives them from the Gaussian law at midpoints
/// and four odd derivatives `f^(n)`. Its first omitted term is below `1e-17` of the sum, and what it misses altogether
/// is `2 exp(-2 pi^2 sigma^2) < 1e-13000`. The relative error is below `1e-12` wherever a figure is a normal double, at
/// every `sigma` in the same time.
///
/// # Example
/// ```
/// use inbounds_mechanisms::{law::Noise, noise::DiscreteGaussian};
/// let noise = DiscreteGaussian::with_variance_parameter("0.25".parse()?)?;
/// assert!((noise.variance() - 0.21501267508813849).abs() < 1e-15);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// Canonne, Kamath and Steinke, The discrete Gaussian for differential privacy, Definition 1.
#[derive(Debug, Clone, PartialEq)]
pub struct DiscreteGaussian {
    sigma_squared: Rational,
    variance_parameter: f64,
    gaussian: Gaussian,
    /// `sum_j exp(-j^2 / (2 sigma^2))`.
    total: f64,
}

/// Up to this `sigma` every sum is taken term by term.
const DIRECT_SIGMA: f64 = 40.0;

/// So are sums of at most this many terms.
const DIRECT_TERMS: f64 = 400.0;

/// And those that start where the mass falls by at least this much a step.
const DIRECT_DECAY: f64 = 0.1;

impl DiscreteGaussian {
    /// The law of variance parameter `sigma^2`.
    ///
    /// # Errors
    /// [`CoreError::Parameter`] unless `1e-6 <= sigma^2 <= 1e30`.
    pub fn with_variance_parameter(sigma_squared: Rational) -> Result<Self, CoreError> {
        let variance_parameter = sigma_squared.to_f64();
        if !(1e-6..=1e30).contains(&variance_parameter) {
            return Err(CoreError::parameter("variance parameter", variance_parameter, "between 1e-6 and 1e30"));
        }
        let gaussian = Gaussian::with_std_dev(libm::sqrt(variance_parameter))?;
        let mut law = Self { sigma_squared, variance_parameter, gaussian, total: 1.0 };
        law.total = if gaussian.std_dev() <= DIRECT_SIGMA {
            1.0 + 2.0 * law.sum(0.0, f64::INFINITY, |_| 1.0)
        } else {
            libm::exp(-gaussian.ln_density(0.0))
        };
        Ok(law)
    }

    /// The exact variance parameter `sigma^2`.
    pub fn sigma_squared(&self) -> &Rational {
        &self.sigma_squared
    }

    /// `P(N = x)`, continued to all reals.
    fn density(&self, x: f64) -> f64 {
        libm::exp(-x * x / (2.0 * self.variance_parameter)) / self.total
    }

    /// `true` if the sum over `s < j <= t` is taken term by term.
    fn is_short(&self, s: f64, t: f64) -> bool {
        self.gaussian.std_dev() <= DIRECT_SIGMA || t - s <= DIRECT_TERMS || s >= DIRECT_DECAY * self.variance_parameter
    }

    /// `sum_{s < j <= t} weight(j) P(N = j)` term by term, as far as terms count.
    fn sum(&self, s: f64, t: f64, weight: impl Fn(f64) -> f64) -> f64 {
        // Past twice sigma every weight used falls faster than it rises.
        let past_peak = 2.0 * self.gaussian.std_dev();
        if s == f64::INFINITY {
            return 0.0;
        }
        let count = t - s;
        if count.is_nan() {
            return count;
        }
        let (mut sum, mut step) = (0.0, 1.0);
        while step <= count {
            let term = weight(s + step) * self.density(s + step);
            sum += term;
            if s + step > past_peak && term <= sum * 1e-18 {
                break;
            }
            step += 1.0;
        }
        sum
    }

    /// The derivatives of the density at `c` of orders 0 to 9, by the recursion of the Hermite polynomials.
    fn derivatives(&self, c: f64) -> [f64; 10] {
        let mut values = [0.0; 10];
        if c.is_infinite() {
            return values;
        }
        values[0] = self.density(c);
        values[1] = -c / self.variance_parameter * values[0];
        for n in 1..9 {
            values[n + 1] = -(c * values[n] + n as f64 * values[n - 1]) / self.variance_parameter;
        }
        values
    }

    /// `sum_{j > k} f(j)` less the integral of `f` from `c = k + 1/2`, given the odd derivatives of `f` at `c`.
    fn correction(odd: impl Fn(usize) -> f64) -> f64 {
        odd(1) / 24.0 - 7.0 * odd(3) / 5_760.0 + 31.0 * odd(5) / 967_680.0 - 127.0 * odd(7) / 154_828_800.0
    }

    /// [`Self::correction`] for the density.
    fn mass_correction(&self, c: f64) -> f64 {
        let d = self.derivatives(c);
        Self::correction(|n| d[n])
    }

    /// [`Self::correction`] for `x` times the density, which is `-sigma^2` times its derivative.
    fn first_correction(&self, c: f64) -> f64 {
        let d = self.derivatives(c);
        -self.variance_parameter * Self::correction(|n| d[n + 1])
    }

    /// [`Self::correction`] for `x^2` times the density, `sigma^4` times its second derivative plus `sigma^2` times
    /// itself.
    fn second_correction(&self, c: f64) -> f64 {
        let d = self.derivatives(c);
        self.variance_parameter * Self::correction(|n| self.variance_parameter * d[n + 2] + d[n])
    }

    /// `sum_{j >= t} P(N > j)` less the integral of the Gaussian tail from `t`: the tail sum taken twice is
    /// `1/(4 sinh^2(D/2))` in powers of the derivative `D`.
    fn excess_correction(&self, t: f64) -> f64 {
        let d = self.derivatives(t);
        -d[0] / 12.0 + d[2] / 240.0 - d[4] / 6_048.0 + d[6] / 172_800.0 - d[8] / 5_322_240.0
    }

    /// `P(N > k)` for a whole `k >= 0`.
    fn tail(&self, k: f64) -> f64 {
        if self.is_short(k, f64::INFINITY) {
            self.sum(k, f64::INFINITY, |_| 1.0)
        } else {
            self.gaussian.sf(k + 0.5) + self.mass_correction(k + 0.5)
        }
    }
}

impl Noise for DiscreteGaussian {
    fn ln_density(&self, x: f64) -> f64 {
        if x.fract() != 0.0 {
            return f64::NEG_INFINITY;
        }
        -x * x / (2.0 * self.variance_parameter) - libm::log(self.total)
    }

    fn cdf(&self, x: f64) -> f64 {
        // P(N <= x) = P(N >= -floor(x)) = P(N > -floor(x) - 1).
        self.sf(-x.floor() - 1.0)
    }

    fn sf(&self, x: f64) -> f64 {
        let k = x.floor();
        if k >= 0.0 { self.tail(k) } else { 1.0 - self.tail(-k - 1.0) }
    }

    fn quantile(&self, p: f64) -> f64 {
        if (0.0..=1.0).contains(&p) { lattice::quantile(self, p, self.gaussian.quantile(p)) } else { f64::NAN }
    }

    fn variance(&self) -> f64 {
        2.0 * self.half_second_moment(f64::INFINITY)
    }

    fn spacing(&self) -> f64 {
        1.0
    }

    fn half_mass(&self, t: f64) -> f64 {
        if self.is_short(0.0, t) {
            0.5 * self.density(0.0) + self.sum(0.0, t, |_| 1.0)
        } else {
            self.gaussian.half_mass(t + 0.5) - self.mass_correction(t + 0.5)
        }
    }

    fn first_moment_between(&self, s: f64, t: f64) -> f64 {
        if self.is_short(s, t) {
            return self.sum(s, t, |j| j);
        }
        let (start, end) = (s + 0.5, t + 0.5);
        self.gaussian.first_moment_between(start, end) + self.first_correction(start) - self.first_correction(end)
    }

    fn half_second_moment(&self, t: f64) -> f64 {
        if self.is_short(0.0, t) {
            self.sum(0.0, t, |j| j * j)
        } else {
            self.gaussian.half_second_moment(t + 0.5) - self.second_correction(t + 0.5)
        }
    }

    fn excess_between(&self, s: f64, t: f64) -> f64 {
        if s == t {
            return 0.0;
        }
        if self.is_short(s, t) {
            let tail = self.tail(t);
            return self.sum(s, t, |j| j - s) + if tail == 0.0 { 0.0 } else { (t - s) * tail };
        }
        self.gaussian.excess_between(s, t) + self.excess_correction(s) - self.excess_correction(t)
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Quadrature { relative_error: 1e-15 }
    }
}
