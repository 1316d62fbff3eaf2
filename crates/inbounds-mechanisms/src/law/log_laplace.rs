//! The log-Laplace law: multiplicative noise for positive answers.

use inbounds_core::{CoreError, Enclosure, Epsilon, Rational};

use super::{Laplace, Noise};

/// A positive answer `Q` times `e^L`, `L` Laplace noise of scale `b`.
///
/// # Law
/// ```text
/// density   (x/Q)^(1/b - 1) / (2 b Q) for 0 < x <= Q,   (x/Q)^(-1/b - 1) / (2 b Q) for x >= Q
/// median    Q
/// mean      Q / (1 - b^2) for b < 1, else infinite
/// variance  Q^2 b^2 (2 + b^2) / ((1 - 4 b^2)(1 - b^2)^2) for b < 1/2, else infinite
/// ```
/// `Q` in the unit of the statistic, `b` without unit. It is no [`Noise`]: it is neither symmetric nor added.
///
/// # Guarantee
/// With `b` from [`LogLaplace::scale_for`], epsilon for answers that neighbours change by a factor of at most `1 + K`.
/// It holds for real numbers drawn from this law. What is drawn is its discrete form,
/// [`DiscreteLogLaplace`](crate::noise::DiscreteLogLaplace). Claim: `log-laplace-scale`.
///
/// # Example
/// ```
/// use inbounds_mechanisms::law::{LogLaplace, Moment};
/// let law = LogLaplace::new(10.0, 0.5)?;
/// assert_eq!(law.mean(), Moment::Finite(10.0 / 0.75));
/// assert_eq!(law.variance(), Moment::Infinite);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// McGlinchey and Mason, section 2, Proposition 3; the bound on the scale is sharper than theirs, `log(1 + K)` for `K`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogLaplace {
    center: f64,
    scale: f64,
    exponent: Laplace,
}

/// A moment that may not exist as a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Moment {
    /// The moment.
    Finite(f64),
    /// The tail is too heavy: the moment is plus infinity.
    Infinite,
}

/// Fractional bits of the certificate of a scale: neighbouring doubles `b` move `e^(-b epsilon)` by more than
/// `2^-53 e^-21 * 1e-9 > 2^-114`.
const PRECISION: usize = 256;

/// The smallest double `b` with `b rate >= log(1 + change)`, for a change between `1e-9` and `1e9`.
///
/// The quotient of doubles is within a few units of the answer, which a walk then finds; enclosures decide.
pub(crate) fn least_scale(rate: &Rational, change: &Rational) -> f64 {
    let inverse = &Rational::ONE / &(&Rational::ONE + change);
    let suffices = |scale: f64| {
        Rational::from_f64(scale).is_some_and(|scale| {
            let shrink = Enclosure::exp_neg(&(&scale * rate), PRECISION);
            shrink.certainly_at_most(&Enclosure::from_rational(&inverse, PRECISION))
        })
    };
    let mut scale = libm::log1p(change.to_f64()) / rate.to_f64();
    while suffices(scale) {
        scale = scale.next_down();
    }
    while !suffices(scale) {
        scale = scale.next_up();
    }
    scale
}

impl LogLaplace {
    /// The law around `center` `Q` of scale `b`.
    ///
    /// # Errors
    /// [`CoreError::Parameter`] unless both are finite and positive.
    pub fn new(center: f64, scale: f64) -> Result<Self, CoreError> {
        if center > 0.0 && center.is_finite() {
            Ok(Self { center, scale, exponent: Laplace::with_scale(scale)? })
        } else {
            Err(CoreError::parameter("center", center, "finite and positive"))
        }
    }

    /// The smallest double `b` with `b epsilon >= log(1 + K)`.
    ///
    /// Neighbours change the answer by a factor between `1/(1 + K)` and `1 + K`, so its logarithm by at most
    /// `log(1 + K)`, and the log density by at most that over `b`. Enclosures decide the last digit. Claim:
    /// `log-laplace-scale`.
    ///
    /// # Errors
    /// [`CoreError::Parameter`] unless `1e-9 <= K <= 1e9` and `1e-12 <= epsilon <= 1e3`.
    pub fn scale_for(epsilon: &Epsilon, relative_change: &Rational) -> Result<f64, CoreError> {
        let (rate, change) = (epsilon.value().to_f64(), relative_change.to_f64());
        if !(1e-9..=1e9).contains(&change) {
            return Err(CoreError::parameter("relative change", change, "between 1e-9 and 1e9"));
        }
        if !(1e-12..=1e3).contains(&rate) {
            return Err(CoreError::parameter("epsilon", rate, "between 1e-12 and 1000"));
        }
        Ok(least_scale(epsilon.value(), relative_change))
    }

    /// The center `Q`, which is the median.
    pub fn median(&self) -> f64 {
        self.center
    }

    /// The scale `b`.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// `log(x / Q)`; minus infinity for `x <= 0`.
    fn log_ratio(&self, x: f64) -> f64 {
        if x <= 0.0 { f64::NEG_INFINITY } else { libm::log(x / self.center) }
    }

    /// Log density at `x`; minus infinity for `x <= 0`.
    pub fn ln_density(&self, x: f64) -> f64 {
        let log_ratio = self.log_ratio(x);
        if log_ratio.is_infinite() {
            return f64::NEG_INFINITY;
        }
        self.exponent.ln_density(log_ratio) - libm::log(x)
    }

    /// Density at `x`.
    pub fn density(&self, x: f64) -> f64 {
        libm::exp(self.ln_density(x))
    }

    /// `P(X <= x)`.
    pub fn cdf(&self, x: f64) -> f64 {
        self.exponent.cdf(self.log_ratio(x))
    }

    /// `P(X > x)`.
    pub fn sf(&self, x: f64) -> f64 {
        self.exponent.sf(self.log_ratio(x))
    }

    /// The `x` with `cdf(x) = p`, for `p` in `[0, 1]`; NaN elsewhere.
    pub fn quantile(&self, p: f64) -> f64 {
        self.center * libm::exp(self.exponent.quantile(p))
    }

    /// `1 - (n b)^2`, positive where the `n`-th moment is finite; a product, so that it does not cancel near zero.
    fn gap(&self, n: f64) -> f64 {
        (1.0 - n * self.scale) * (1.0 + n * self.scale)
    }

    fn moment(&self, order: f64, value: impl Fn(f64) -> f64) -> Moment {
        if self.gap(order) > 0.0 { Moment::Finite(value(self.scale * self.scale)) } else { Moment::Infinite }
    }

    /// `E X`.
    pub fn mean(&self) -> Moment {
        self.moment(1.0, |_| self.center / self.gap(1.0))
    }

    /// `E X - Q`.
    pub fn bias(&self) -> Moment {
        self.moment(1.0, |b2| self.center * b2 / self.gap(1.0))
    }

    /// `E (X - E X)^2`.
    pub fn variance(&self) -> Moment {
        let unit = self.center / self.gap(1.0);
        self.moment(2.0, |b2| unit * unit * b2 * (2.0 + b2) / self.gap(2.0))
    }

    /// `E (X - Q)^2`.
    pub fn mse(&self) -> Moment {
        let square = self.center * self.center;
        self.moment(2.0, |b2| 2.0 * square * b2 * (1.0 + 2.0 * b2) / (self.gap(2.0) * self.gap(1.0)))
    }

    /// The `c` for which `c X` is unbiased, `1 - b^2`; `None` where the mean is infinite.
    pub fn unbiased_factor(&self) -> Option<f64> {
        (self.gap(1.0) > 0.0).then(|| self.gap(1.0))
    }

    /// The `c` for which `c X` has least mean square error, `(1 - 4 b^2) / (1 - b^2)`; `None` where every multiple has
    /// an infinite one.
    pub fn least_mse_factor(&self) -> Option<f64> {
        (self.gap(2.0) > 0.0).then(|| self.gap(2.0) / self.gap(1.0))
    }
}
