//! The hockey-stick divergence of discrete Laplace noise without a range, or clamped.

use inbounds_core::{Enclosure, Rational};

/// Noise of inverse scale `tau` on one cell that moves by at most `d` steps, at `epsilon`.
pub(super) struct Plain<'a> {
    pub(super) tau: &'a Rational,
    pub(super) epsilon: &'a Rational,
    pub(super) d: u128,
}

impl Plain<'_> {
    /// The divergence, enclosed, or `None` where it is zero because `tau d <= epsilon`.
    ///
    /// The likelihood ratio falls with the output, so the best event is everything below some border, and the best
    /// border is `i = ceil((d - epsilon / tau) / 2)` steps up from the lower answer, compared exactly. For a fixed
    /// border the divergence grows with the distance of the answers, so the largest distance is the worst.
    pub(super) fn divergence(&self, bits: usize) -> Option<Enclosure> {
        let surplus = &Rational::from(self.d) - &(self.epsilon / self.tau);
        if !surplus.is_positive() {
            return None;
        }
        let Some(border) = ceiling_of_half(&surplus) else { return Some(Enclosure::one(bits)) };
        let below = Enclosure::exp_neg(&(self.tau * &border), bits);
        let steps = &(&Rational::from(self.d) + &Rational::ONE) - &border;
        let above = Enclosure::exp_neg(&(&(self.tau * &steps) - self.epsilon), bits);
        let one = Enclosure::one(bits);
        let one_plus_ratio = one.add(&Enclosure::exp_neg(self.tau, bits));
        let missed = below.add(&above).div(&one_plus_ratio);
        Some(one.sub(&missed))
    }
}

/// `ceil(value / 2)`; `None` where it has no room in 128 bits.
fn ceiling_of_half(value: &Rational) -> Option<Rational> {
    let below = (&Rational::ZERO - &(value / &Rational::from(2u128))).floor()?;
    below.checked_neg().map(Rational::from)
}

/// The divergence in doubles, for proposing `tau`.
pub(super) fn divergence(tau: f64, epsilon: f64, d: f64) -> f64 {
    let missing = |x: f64| -libm::expm1(-x);
    let border = ((d - epsilon / tau) / 2.0).ceil().max(1.0);
    let ratio = libm::exp(-tau);
    let above = tau * (d - border) - epsilon;
    (missing(tau * border) + ratio * missing(above)) / (1.0 + ratio)
}
