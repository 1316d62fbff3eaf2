//! The Laplace law.

use inbounds_core::{
    CoreError,
    special::{gamma_cdf, times_exp_neg},
};

use super::{Noise, OMEGA};

/// Laplace noise.
///
/// # Law
/// Density `exp(-|x| / b) / (2 b)` on the real line, scale `b` in the unit of the statistic.
///
/// # Example
/// ```
/// use inbounds_mechanisms::law::{Laplace, Noise};
/// let noise = Laplace::with_scale(2.0)?;
/// assert_eq!(noise.variance(), 8.0);
/// assert_eq!(noise.ln_density(1600.0), -800.0 - 4f64.ln());
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Laplace {
    scale: f64,
}

impl Laplace {
    /// The law of scale `b`.
    ///
    /// # Errors
    /// [`CoreError::Parameter`] unless the scale is finite and positive.
    pub fn with_scale(scale: f64) -> Result<Self, CoreError> {
        if scale > 0.0 && scale.is_finite() {
            Ok(Self { scale })
        } else {
            Err(CoreError::parameter("scale", scale, "finite and positive"))
        }
    }

    /// The scale `b`.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The distance `t` with `half_mass(t) = mass` and `sf(t) = tail`, where `mass + tail = 1/2`; the smaller of the
    /// two decides, so neither end loses accuracy.
    pub(crate) fn distance(&self, mass: f64, tail: f64) -> f64 {
        if mass < tail { -self.scale * libm::log1p(-2.0 * mass) } else { -self.scale * libm::log(2.0 * tail) }
    }
}

impl Noise for Laplace {
    fn ln_density(&self, x: f64) -> f64 {
        -x.abs() / self.scale - libm::log(2.0 * self.scale)
    }

    fn cdf(&self, x: f64) -> f64 {
        self.sf(-x)
    }

    fn sf(&self, x: f64) -> f64 {
        let half = 0.5 * libm::exp(-x.abs() / self.scale);
        if x >= 0.0 { half } else { 1.0 - half }
    }

    fn quantile(&self, p: f64) -> f64 {
        if !(0.0..=1.0).contains(&p) {
            f64::NAN
        } else if p <= 0.5 {
            self.scale * libm::log(2.0 * p)
        } else {
            -self.scale * libm::log(2.0 * (1.0 - p))
        }
    }

    fn variance(&self) -> f64 {
        2.0 * self.scale * self.scale
    }

    fn spacing(&self) -> f64 {
        0.0
    }

    fn half_mass(&self, t: f64) -> f64 {
        0.5 * gamma_cdf(1, t / self.scale)
    }

    fn first_moment_between(&self, s: f64, t: f64) -> f64 {
        let (start, length) = (s / self.scale, (t - s) / self.scale);
        if start == f64::INFINITY {
            return 0.0;
        }
        // Shift the lower end to zero: the integral of (s + y) e^-(s + y) over [0, t - s].
        0.5 * self.scale * libm::exp(-start) * (start * gamma_cdf(1, length) + gamma_cdf(2, length))
    }

    fn half_second_moment(&self, t: f64) -> f64 {
        self.scale * self.scale * gamma_cdf(3, t / self.scale)
    }

    fn excess_between(&self, s: f64, t: f64) -> f64 {
        if s == t {
            return 0.0;
        }
        times_exp_neg(0.5 * self.scale, s / self.scale) * gamma_cdf(1, (t - s) / self.scale)
    }

    fn capped_second_moment(&self, t: f64) -> f64 {
        self.scale * self.scale * gamma_cdf(2, t / self.scale)
    }

    fn decay(&self, t: f64) -> Option<f64> {
        Some(gamma_cdf(1, t / self.scale))
    }

    fn half_line_minimax(&self) -> Option<(f64, f64)> {
        Some((self.scale * OMEGA, self.scale * (1.0 + OMEGA)))
    }
}
