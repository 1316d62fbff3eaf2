//! Functions that laws on the integers share.

use inbounds_core::root::bisect_integer;

use super::Noise;

/// The smallest integer `k` with `cdf(k) >= p`, searched from a guess outward; the tail that is smaller decides.
pub(crate) fn quantile(law: &impl Noise, p: f64, guess: f64) -> f64 {
    if guess.is_infinite() {
        return guess;
    }
    let reached = |k: i128| if p <= 0.5 { law.cdf(k as f64) >= p } else { law.sf(k as f64) <= 1.0 - p };
    let (mut low, mut high) = (guess as i128 - 1, guess as i128 + 1);
    let mut step = 1;
    while reached(low) {
        (low, step) = (low - step, 2 * step);
    }
    while !reached(high) {
        (high, step) = (high + step, 2 * step);
    }
    bisect_integer(low, high, |k| !reached(k)) as f64 + 1.0
}
