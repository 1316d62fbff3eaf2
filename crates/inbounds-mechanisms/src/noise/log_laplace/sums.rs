//! Sums over the noise of places, as geometric series.

use super::DiscreteLogLaplace;
use crate::law::Noise;

/// Places up to which a sum is made term by term: few terms have values close to each other, whose series would cancel.
const LISTED: f64 = 64.0;

impl DiscreteLogLaplace {
    /// `sum of a^|d| e^(k s d)` over whole `d` with `from <= d < until`, each perhaps infinite.
    pub(crate) fn power_sum(&self, k: f64, from: f64, until: f64) -> f64 {
        let tau = self.places.tau();
        let series = |rate: f64, first: f64, end: f64| {
            if end <= first { 0.0 } else { libm::exp(rate * first) * geometric(rate, end - first) }
        };
        let above = series(k * self.width - tau, from.max(0.0), until);
        let below = series(-k * self.width - tau, (1.0 - until).max(1.0), 1.0 - from);
        above + below
    }

    /// `E[alpha + beta V; from <= Y < until]` for an answer at `place`; the factor is small where values are far from
    /// `-alpha/beta`, or few places are between.
    pub(crate) fn linear_sum(&self, place: i128, (from, until): (f64, f64), alpha: f64, beta: f64) -> f64 {
        if until <= from {
            return 0.0;
        }
        let at = place as f64;
        if until - from <= LISTED {
            let terms = (0..(until - from) as u32).map(|index| from + f64::from(index));
            return terms
                .map(|y| libm::exp(self.places.ln_density(y - at)) * (alpha + beta * self.value(y as i128)))
                .sum();
        }
        let peak = libm::exp(self.places.ln_density(0.0));
        let (mass, value) = (self.power_sum(0.0, from - at, until - at), self.power_sum(1.0, from - at, until - at));
        peak * (alpha * mass + beta * self.value(place) * value)
    }
}

/// `sum of e^(rate i)` over `i < terms`, perhaps infinitely many.
fn geometric(rate: f64, terms: f64) -> f64 {
    if terms.is_infinite() && rate < 0.0 {
        return -1.0 / libm::expm1(rate);
    }
    if rate == 0.0 { terms } else { libm::expm1(rate * terms) / libm::expm1(rate) }
}
