//! The generalised Gaussian law.

use inbounds_core::{CoreError, quadrature, root::bisect};

use super::{Accuracy, Noise, incomplete_gamma};

/// Generalised Gaussian noise: Laplace noise for shape 1, Gaussian noise for shape 2, flatter and shorter beyond.
///
/// # Law
/// Density `p / (2 b Gamma(1/p)) exp(-(|x| / b)^p)` on the real line, shape `p` and scale `b`, the latter in the unit
/// of the statistic. With `P`, `Q` the regularised incomplete gamma functions and `y = (|x| / b)^p`,
/// ```text
/// P(N > x) = Q(1/p, y) / 2                E|N|^k = b^k Gamma((k+1)/p) / Gamma(1/p)
/// E[N^k; 0 < N <= t] = E|N|^k P((k+1)/p, y) / 2
/// ```
///
/// # Accuracy
/// Incomplete gamma functions throughout; moments over a short interval by Gauss-Legendre panels, so that nothing
/// cancels. The relative error is below `1e-12` for `p y <= 1000`; beyond, the tail inherits the rounding of
/// `|x| / b`, about `p y 2^-52`.
///
/// # Example
/// ```
/// use inbounds_mechanisms::law::{GeneralisedGaussian, Noise};
/// let noise = GeneralisedGaussian::with_shape_and_scale(4.0, 1.0)?;
/// assert!((noise.variance() - 0.3379891200336424).abs() < 1e-15);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// Liu, Eq. (3); its `Gamma(p/2)` is a misprint of `Gamma(1/p)`, without which the density does not integrate to one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GeneralisedGaussian {
    shape: f64,
    scale: f64,
}

impl GeneralisedGaussian {
    /// The law of shape `p` and scale `b`.
    ///
    /// # Errors
    /// [`CoreError::Parameter`] unless `0.1 <= p <= 100`, where the stated accuracy was measured, and the scale is
    /// finite and positive.
    pub fn with_shape_and_scale(shape: f64, scale: f64) -> Result<Self, CoreError> {
        if !(0.1..=100.0).contains(&shape) {
            Err(CoreError::parameter("shape", shape, "between 0.1 and 100"))
        } else if !(scale > 0.0 && scale.is_finite()) {
            Err(CoreError::parameter("scale", scale, "finite and positive"))
        } else {
            Ok(Self { shape, scale })
        }
    }

    /// The shape `p`.
    pub fn shape(&self) -> f64 {
        self.shape
    }

    /// The scale `b`.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// `y = (|x| / b)^p`.
    fn power(&self, x: f64) -> f64 {
        libm::pow(x.abs() / self.scale, self.shape)
    }

    /// The first argument of the incomplete gamma functions of the `k`-th moment.
    fn gamma_shape(&self, k: f64) -> f64 {
        (k + 1.0) / self.shape
    }

    /// `E[N^k; N > 0]`.
    fn half_moment(&self, k: f64) -> f64 {
        let ratio = libm::tgamma(self.gamma_shape(k)) / libm::tgamma(self.gamma_shape(0.0));
        0.5 * libm::pow(self.scale, k) * ratio
    }

    /// `P((k + 1)/p, y)`, the part of `E|N|^k` from distances up to `t`.
    fn part_below(&self, k: f64, t: f64) -> f64 {
        incomplete_gamma::lower(self.gamma_shape(k), self.power(t), libm::pow(t / self.scale, k + 1.0))
    }

    /// `Q((k + 1)/p, y)`, the part beyond.
    fn part_above(&self, k: f64, t: f64) -> f64 {
        incomplete_gamma::upper(self.gamma_shape(k), self.power(t), libm::pow(t / self.scale, k + 1.0))
    }

    /// `E[N^k; 0 < N <= t]`.
    fn half_moment_to(&self, k: f64, t: f64) -> f64 {
        self.half_moment(k) * self.part_below(k, t)
    }

    fn density(&self, x: f64) -> f64 {
        libm::exp(self.ln_density(x))
    }

    /// Integral over `[s, t]`, `s > 0`, of a function that varies like the density: in panels over which `x` at most
    /// doubles and `y` grows by a few units, until the rest no longer counts.
    fn integrate(&self, s: f64, t: f64, f: impl Fn(f64) -> f64) -> f64 {
        let (mut from, mut sum) = (s, 0.0);
        while from < t {
            let growth = f64::min(1.0, f64::min(1.0, 3.0 / self.power(from)) / self.shape);
            let to = f64::min(t, (from + from * growth).max(from.next_up()));
            let panel = quadrature::integrate(from, to, &f);
            sum += panel;
            if panel <= sum * 1e-18 {
                break;
            }
            from = to;
        }
        sum
    }

    /// The distance `t` with `half_mass(t) = mass` and `sf(t) = tail`, where `mass + tail = 1/2`; the smaller of the
    /// two decides. Bisects in `log(t / b)`, over all that doubles hold.
    fn distance(&self, mass: f64, tail: f64) -> f64 {
        let at = |log_distance: f64| libm::exp(log_distance);
        let unit = Self { scale: 1.0, ..*self };
        let (below, _) = bisect(-745.0, 709.0, |log_distance| {
            let t = at(log_distance);
            if mass < tail { unit.half_mass(t) < mass } else { unit.sf(t) > tail }
        });
        self.scale * at(below)
    }
}

impl Noise for GeneralisedGaussian {
    fn ln_density(&self, x: f64) -> f64 {
        let peak = libm::log(2.0 * self.scale) + libm::log(libm::tgamma(1.0 + self.gamma_shape(0.0)));
        -self.power(x) - peak
    }

    fn cdf(&self, x: f64) -> f64 {
        self.sf(-x)
    }

    fn sf(&self, x: f64) -> f64 {
        let half = 0.5 * self.part_above(0.0, x.abs());
        if x >= 0.0 { half } else { 1.0 - half }
    }

    fn quantile(&self, p: f64) -> f64 {
        if !(0.0..=1.0).contains(&p) {
            f64::NAN
        } else if p == 0.0 || p == 1.0 {
            f64::INFINITY * (p - 0.5)
        } else if p == 0.5 {
            0.0
        } else if p < 0.5 {
            -self.distance(0.5 - p, p)
        } else {
            self.distance(p - 0.5, 1.0 - p)
        }
    }

    fn variance(&self) -> f64 {
        2.0 * self.half_moment(2.0)
    }

    fn spacing(&self) -> f64 {
        0.0
    }

    fn half_mass(&self, t: f64) -> f64 {
        self.half_moment_to(0.0, t)
    }

    fn first_moment_between(&self, s: f64, t: f64) -> f64 {
        let below = (self.part_below(1.0, s), self.part_below(1.0, t));
        let above = (self.part_above(1.0, s), self.part_above(1.0, t));
        if 2.0 * below.0 <= below.1 {
            self.half_moment(1.0) * (below.1 - below.0)
        } else if above.0 >= 2.0 * above.1 {
            self.half_moment(1.0) * (above.0 - above.1)
        } else {
            self.integrate(s, t, |x| x * self.density(x))
        }
    }

    fn half_second_moment(&self, t: f64) -> f64 {
        self.half_moment_to(2.0, t)
    }

    fn excess_between(&self, s: f64, t: f64) -> f64 {
        // The integral of the tail over [s, t]; up to t it is E[N; 0 < N <= t] + t P(N > t).
        let up_to = |t: f64| {
            let tail = self.sf(t);
            self.half_moment_to(1.0, t) + if tail == 0.0 { 0.0 } else { t * tail }
        };
        if 2.0 * up_to(s) <= up_to(t) { up_to(t) - up_to(s) } else { self.integrate(s, t, |x| self.sf(x)) }
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Quadrature { relative_error: 1e-13 }
    }
}
