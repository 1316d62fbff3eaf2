//! The Gaussian law.

use inbounds_core::{CoreError, quadrature};

use super::{Noise, incomplete_gamma};

/// Gaussian noise.
///
/// # Law
/// Density `exp(-x^2 / (2 sigma^2)) / (sigma sqrt(2 pi))` on the real line, standard deviation `sigma` in the unit of
/// the statistic.
///
/// # Example
/// ```
/// use inbounds_mechanisms::law::{Gaussian, Noise};
/// let noise = Gaussian::with_std_dev(2.0)?;
/// assert_eq!(noise.variance(), 4.0);
/// assert!((noise.quantile(0.975) - 3.919927969080108).abs() < 1e-14);
/// assert!((noise.sf(60.0) / 4.906713927148187e-198 - 1.0).abs() < 1e-13);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gaussian {
    std_dev: f64,
}

/// `sqrt(2 pi)`.
const ROOT_TAU: f64 = 2.506_628_274_631_000_5;

/// From here on, in standard deviations, the tail is taken from its continued fraction.
const TAIL: f64 = 2.0;

impl Gaussian {
    /// The law of standard deviation `sigma`.
    ///
    /// # Errors
    /// [`CoreError::Parameter`] unless the standard deviation is finite and positive.
    pub fn with_std_dev(std_dev: f64) -> Result<Self, CoreError> {
        if std_dev > 0.0 && std_dev.is_finite() {
            Ok(Self { std_dev })
        } else {
            Err(CoreError::parameter("standard deviation", std_dev, "finite and positive"))
        }
    }

    /// The standard deviation `sigma`.
    pub fn std_dev(&self) -> f64 {
        self.std_dev
    }

    /// The distance `t` with `half_mass(t) = mass` and `sf(t) = tail`, where `mass + tail = 1/2`; the smaller of the
    /// two decides, so neither end loses accuracy.
    fn distance(&self, mass: f64, tail: f64) -> f64 {
        self.std_dev * if mass < tail { central_distance(mass) } else { tail_distance(tail) }
    }
}

/// The standard normal density.
fn peak_at(z: f64) -> f64 {
    libm::exp(-0.5 * z * z) / ROOT_TAU
}

/// `P(Z > z)` for a standard normal `Z`.
fn tail_at(z: f64) -> f64 {
    0.5 * libm::erfc(z * std::f64::consts::FRAC_1_SQRT_2)
}

/// `R` with `P(Z > z) = density(z) / (z + R)`, by Laplace's continued fraction `1/(z + 2/(z + 3/(z + ...)))`; 80 levels
/// leave an error below `1e-17` for `z >= TAIL`.
fn mills_rest(z: f64) -> f64 {
    1.0 / (z + (2..=80).rev().fold(0.0, |rest, level| f64::from(level) / (z + rest)))
}

/// `E (Z - z)+ = density(z) - z P(Z > z)`, without that subtraction in the tail.
fn excess_at(z: f64) -> f64 {
    if z < TAIL {
        return peak_at(z) - z * tail_at(z);
    }
    let rest = mills_rest(z);
    peak_at(z) * rest / (z + rest)
}

/// The `z` with `P(0 < Z <= z) = mass`, by Newton steps from the tangent at zero; five are enough up to a quarter.
fn central_distance(mass: f64) -> f64 {
    let half_mass = |z: f64| 0.5 * libm::erf(z * std::f64::consts::FRAC_1_SQRT_2);
    (0..5).fold(mass * ROOT_TAU, |z, _| z - (half_mass(z) - mass) / peak_at(z))
}

/// The `z` with `P(Z > z) = tail`, by Newton steps on the concave log tail from Hastings's approximation, whose error
/// below `3e-3` they square four times.
fn tail_distance(tail: f64) -> f64 {
    if tail == 0.0 {
        return f64::INFINITY;
    }
    let log_tail = libm::log(tail);
    let root = libm::sqrt(-2.0 * log_tail);
    let start = root - (2.30753 + 0.27061 * root) / (1.0 + root * (0.99229 + 0.04481 * root));
    (0..4).fold(start, |z, _| {
        let (log_tail_at, hazard) = if z < TAIL {
            (libm::log(tail_at(z)), peak_at(z) / tail_at(z))
        } else {
            let hazard = z + mills_rest(z);
            (-0.5 * z * z - libm::log(ROOT_TAU * hazard), hazard)
        };
        z + (log_tail_at - log_tail) / hazard
    })
}

impl Noise for Gaussian {
    fn ln_density(&self, x: f64) -> f64 {
        let z = x / self.std_dev;
        -0.5 * z * z - libm::log(ROOT_TAU * self.std_dev)
    }

    fn cdf(&self, x: f64) -> f64 {
        self.sf(-x)
    }

    fn sf(&self, x: f64) -> f64 {
        tail_at(x / self.std_dev)
    }

    fn quantile(&self, p: f64) -> f64 {
        if !(0.0..=1.0).contains(&p) {
            f64::NAN
        } else if p <= 0.5 {
            -self.distance(0.5 - p, p)
        } else {
            self.distance(p - 0.5, 1.0 - p)
        }
    }

    fn variance(&self) -> f64 {
        self.std_dev * self.std_dev
    }

    fn spacing(&self) -> f64 {
        0.0
    }

    fn half_mass(&self, t: f64) -> f64 {
        0.5 * libm::erf(t / self.std_dev * std::f64::consts::FRAC_1_SQRT_2)
    }

    fn first_moment_between(&self, s: f64, t: f64) -> f64 {
        let start = s / self.std_dev;
        if start == f64::INFINITY {
            return 0.0;
        }
        let fall = 0.5 * ((t - s) / self.std_dev) * ((t + s) / self.std_dev);
        -self.std_dev * peak_at(start) * libm::expm1(-fall)
    }

    fn half_second_moment(&self, t: f64) -> f64 {
        let z = t / self.std_dev;
        let half = 0.5 * z * z;
        0.5 * self.variance() * incomplete_gamma::lower(1.5, half, half * z * std::f64::consts::FRAC_1_SQRT_2)
    }

    fn excess_between(&self, s: f64, t: f64) -> f64 {
        if s == t {
            return 0.0;
        }
        // The tail falls over about 1 / (1 + z); where it hardly does, the difference of excesses cancels.
        let start = s / self.std_dev;
        if (t - s) / self.std_dev * (1.0 + start) < 1.0 {
            quadrature::integrate(s, t, |x| self.sf(x))
        } else {
            self.std_dev * (excess_at(start) - excess_at(t / self.std_dev))
        }
    }
}
