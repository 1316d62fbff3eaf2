//! The hockey-stick divergence of continuous Gaussian noise, in doubles: describes and proposes, proves nothing.
//!
//! **Idea.** The textbook difference of two tails cancels nearly all digits where delta is small. Written as one
//! integral of positive parts, and taken by its logarithm, it keeps them down to the least delta.
//!
//! **Invariant.** The divergence falls as the deviation grows, so that one bisection finds the deviation for a delta;
//! it returns the end at which the divergence is at most delta.

use inbounds_core::root;

/// The hockey-stick divergence at `epsilon` of continuous Gaussian noise of `std_dev` for sensitivity `d`.
///
/// With `t = d / std_dev` and `z = epsilon/t - t/2` it is `Q(z) - e^epsilon Q(z + t)`, `Q` the upper tail of the normal
/// law, written as a sum of positive parts:
///
/// ```text
/// delta = phi(z) integral_0^inf e^(-z y - y^2/2) (1 - e^(-t y)) dy
/// ```
///
/// # Example
/// ```
/// use inbounds_mechanisms::calibrate::gaussian::{continuous_delta, continuous_std_dev};
/// let std_dev = continuous_std_dev(1.0, 1e-6, 1.0);
/// assert!((std_dev - 4.224_678_889_326_835).abs() < 1e-12);
/// assert!((continuous_delta(1.0, std_dev, 1.0) / 1e-6 - 1.0).abs() < 1e-12);
/// ```
///
/// # References
/// Balle and Wang (2018), Theorem 8.
pub fn continuous_delta(epsilon: f64, std_dev: f64, d: f64) -> f64 {
    libm::exp(ln_delta(epsilon, d / std_dev))
}

/// The standard deviation at which [`continuous_delta`] is `delta`, for `0 < delta < 1`, from above.
///
/// # References
/// Balle and Wang (2018), Algorithm 1, with a bisection that needs no case distinction.
pub fn continuous_std_dev(epsilon: f64, delta: f64, d: f64) -> f64 {
    let target = libm::log(delta);
    let holds = |t: f64| ln_delta(epsilon, t) <= target;
    // Where no double holds, the deviation is infinite.
    d / root::largest_that_holds(1.0, holds)
}

/// The logarithm of the divergence for `t = d / std_dev`.
pub(super) fn ln_delta(epsilon: f64, t: f64) -> f64 {
    let z = epsilon / t - t / 2.0;
    if z < -4.0 {
        // The mass beyond `z` is near one, and the other tail small beside it.
        let density = libm::exp(-z * z / 2.0 - HALF_LOG_TAU);
        return libm::log(libm::erfc(z * std::f64::consts::FRAC_1_SQRT_2) / 2.0 - density * integral(z + t, |_| 1.0));
    }
    -z * z / 2.0 - HALF_LOG_TAU + libm::log(integral(z, |y| -libm::expm1(-t * y)))
}

/// `log(2 pi) / 2`.
const HALF_LOG_TAU: f64 = 0.918_938_533_204_672_7;

/// `integral_0^inf e^(-z y - y^2/2) f(y) dy`, by the trapezoid rule in `x` with `y = s exp(x - e^-x)`, which converges
/// doubly exponentially.
fn integral(z: f64, f: impl Fn(f64) -> f64) -> f64 {
    const STEP: f64 = 1.0 / 16.0;
    let scale = 1.0 / z.max(1.0);
    let node = |k: i32| {
        let x = f64::from(k) * STEP;
        let shrink = libm::exp(-x);
        let y = scale * libm::exp(x - shrink);
        libm::exp(-y * (z + y / 2.0)) * f(y) * y * (1.0 + shrink)
    };
    STEP * (-72..=72).map(node).sum::<f64>()
}
