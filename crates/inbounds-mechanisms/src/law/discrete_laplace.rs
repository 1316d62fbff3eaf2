//! The discrete Laplace law, or two-sided geometric.

use inbounds_core::{CoreError, Rational, special::times_exp_neg};

use super::{Noise, OMEGA, geometric_sums::GeometricSums};
use crate::sampler::Inversion;

/// Discrete Laplace noise on the integers.
///
/// # Law
/// `P(N = k) = (1 - a)/(1 + a) a^|k|` with `a = exp(-tau)`, where the inverse scale `tau = 1/b` per grid step is an
/// exact positive rational. `tau` is what the sampler uses; the moments below use its nearest double.
///
/// # Example
/// ```
/// use inbounds_mechanisms::{law::Noise, noise::DiscreteLaplace};
/// let noise = DiscreteLaplace::with_inverse_scale("1".parse()?)?;
/// assert!((noise.variance() - 1.8413471884155848).abs() < 1e-14);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct DiscreteLaplace {
    inverse_scale: Rational,
    tau: f64,
    inversion: Inversion,
}

impl DiscreteLaplace {
    /// The law of inverse scale `tau` per step.
    ///
    /// # Errors
    /// [`CoreError::Parameter`] unless `1e-30 <= tau <= 1000`, the range over which the sampler is exact and quick.
    pub fn with_inverse_scale(inverse_scale: Rational) -> Result<Self, CoreError> {
        let tau = inverse_scale.to_f64();
        if (1e-30..=1000.0).contains(&tau) {
            Ok(Self { inverse_scale, tau, inversion: Inversion::new(tau) })
        } else {
            Err(CoreError::parameter("inverse scale", tau, "between 1e-30 and 1000 per grid step"))
        }
    }

    /// The exact inverse scale `tau` per step.
    pub fn inverse_scale(&self) -> &Rational {
        &self.inverse_scale
    }

    /// The scale `b = 1/tau` in steps.
    pub fn scale(&self) -> f64 {
        1.0 / self.tau
    }

    /// The nearest double to `tau`.
    pub fn tau(&self) -> f64 {
        self.tau
    }

    /// Constants of the law for its draws.
    pub(crate) fn inversion(&self) -> &Inversion {
        &self.inversion
    }

    fn sums(&self) -> GeometricSums {
        GeometricSums::with_decay(self.tau)
    }

    /// `(1 - a) / (1 + a)`, the mass at zero.
    fn peak(&self) -> f64 {
        libm::tanh(self.tau / 2.0)
    }
}

impl Noise for DiscreteLaplace {
    fn ln_density(&self, x: f64) -> f64 {
        if x.fract() == 0.0 { libm::log(self.peak()) - self.tau * x.abs() } else { f64::NEG_INFINITY }
    }

    fn cdf(&self, x: f64) -> f64 {
        // P(N <= x) = P(N >= -floor(x)) = P(N > -floor(x) - 1).
        self.sf(-x.floor() - 1.0)
    }

    fn sf(&self, x: f64) -> f64 {
        let k = x.floor();
        let denominator = 1.0 + self.sums().ratio();
        if k >= 0.0 {
            libm::exp(-self.tau * (k + 1.0)) / denominator
        } else {
            1.0 - libm::exp(self.tau * k) / denominator
        }
    }

    fn quantile(&self, p: f64) -> f64 {
        if !(0.0..=1.0).contains(&p) {
            return f64::NAN;
        }
        let scaled = |tail: f64| libm::log(tail * (1.0 + self.sums().ratio())) / self.tau;
        let guess = if p <= 0.5 { scaled(p).ceil() } else { (-scaled(1.0 - p) - 1.0).ceil() };
        if !guess.is_finite() {
            return guess;
        }
        // The logarithm may land one step off where p is a value of the cdf; the definition decides.
        let mut k = guess - 1.0;
        while self.cdf(k) < p {
            // Beyond 2^53 steps one is lost in a double.
            k = (k + 1.0).max(k.next_up());
        }
        k
    }

    fn variance(&self) -> f64 {
        let gap = self.sums().missing_power(1.0);
        2.0 * self.sums().ratio() / (gap * gap)
    }

    fn spacing(&self) -> f64 {
        1.0
    }

    fn half_mass(&self, t: f64) -> f64 {
        let ratio = self.sums().ratio();
        (0.5 * self.sums().missing_power(1.0) + ratio * self.sums().missing_power(t)) / (1.0 + ratio)
    }

    fn first_moment_between(&self, s: f64, t: f64) -> f64 {
        if s == t || s == f64::INFINITY {
            return 0.0;
        }
        // sum_{s < j <= t} j a^j = a^s sum_{i=1}^{t-s} (s + i) a^i.
        let plain = self.sums().ratio() * self.sums().missing_power(t - s) / self.sums().missing_power(1.0);
        self.peak() * libm::exp(-self.tau * s) * (s * plain + self.sums().first(t - s))
    }

    fn half_second_moment(&self, t: f64) -> f64 {
        self.peak() * self.sums().second(t)
    }

    fn excess_between(&self, s: f64, t: f64) -> f64 {
        if s == t {
            return 0.0;
        }
        let both = self.sums().missing_power(2.0);
        times_exp_neg(self.sums().missing_power(t - s), self.tau * (s + 1.0)) / both
    }

    fn capped_second_moment(&self, t: f64) -> f64 {
        // sum_{j=1}^t (2j - 1) a^j / (1 + a): each step beyond j - 1 adds j^2 - (j - 1)^2.
        let sum = if self.sums().cancels(t) {
            // choose(t, i + 1) (2t - i)/(i + 2) = choose(t + 1, i + 2) (2t - i)/(t + 1).
            self.sums().by_series(t, |i| (2.0 * t - i) / (t + 1.0))
        } else {
            2.0 * self.sums().first(t)
                - self.sums().ratio() * self.sums().missing_power(t) / self.sums().missing_power(1.0)
        };
        sum / (1.0 + self.sums().ratio())
    }

    fn decay(&self, t: f64) -> Option<f64> {
        Some(self.sums().missing_power(t))
    }

    /// `max_q q / (1 + a^-q)` over whole `q`, and its maximiser; claim `integer-least-bias`.
    fn half_line_minimax(&self) -> Option<(f64, f64)> {
        let bound = |q: f64| q / (1.0 + libm::exp(self.tau * q));
        // The maximiser over the reals is (1 + W(1/e)) / tau; the function has one peak.
        let real = (1.0 + OMEGA) / self.tau;
        let candidates = [real.floor().max(1.0), real.ceil()];
        candidates.into_iter().map(|q| (bound(q), q)).max_by(|x, y| x.0.total_cmp(&y.0))
    }
}
