//! Evidence of a measurement with normal noise about a number that is exponential: its likelihood, and mean and
//! variance of the number given it. In units of the noise.
//!
//! With `t` the measurement and `s` the mean of the number, the joint density is `exp(-x / s) / s * phi(t - x)` over
//! `x >= 0`. So given the measurement the number is normal with mean `a = t - 1/s` and variance 1, cut off below 0; and
//! the measurement has density `exp(1 / (2 s^2) - t / s) Phi(a) / s`.

use std::f64::consts::{PI, SQRT_2};

/// Evidence of a measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Evidence {
    /// Logarithm of its density.
    pub(super) log: f64,
    /// Mean and variance of the number.
    pub(super) mean: f64,
    pub(super) variance: f64,
}

impl Evidence {
    /// Of a number that is zero.
    pub(super) fn of_zero(t: f64) -> Self {
        Self { log: -0.5 * (t * t + libm::log(2.0 * PI)), mean: 0.0, variance: 0.0 }
    }

    /// Of a number that is exponential with mean `s`.
    pub(super) fn of_exponential(t: f64, s: f64) -> Self {
        let a = t - s.recip();
        let root = 0.5 * libm::log(2.0 * PI);
        if a < FAR {
            // By the expansion of the tail: `exp(-a^2 / 2)` and the factor before it are `exp(-t^2 / 2)`, and `a` and
            // the hazard cancel.
            let square = (a * a).recip();
            let series = 1.0 - square + 3.0 * square * square;
            let log = libm::log(series) - libm::log(-a * s) - 0.5 * t * t - root;
            return Self { log, mean: (2.0 * square - 1.0) / a, variance: square };
        }
        let share = 0.5 * libm::erfc(-a / SQRT_2);
        let mean = a + libm::exp(-0.5 * a * a - root) / share;
        let log = libm::log(share / s) + 0.5 / (s * s) - t / s;
        Self { log, mean, variance: (1.0 - (mean - a) * mean).max(0.0) }
    }
}

/// Where the mean before the cut lies below this, the tail of the normal law is that of its expansion.
const FAR: f64 = -30.0;

#[cfg(test)]
mod tests {
    use super::*;

    /// By Simpson's rule.
    fn by_integration(t: f64, s: f64) -> [f64; 3] {
        const PIECES: usize = 200_000;
        let (from, to) = ((t - 40.0).max(0.0), t.max(0.0) + 40.0);
        let step = (to - from) / PIECES as f64;
        let integral = |power: i32| {
            let at = |k: usize| {
                let x = from + step * k as f64;
                let density = (-x / s - 0.5 * (t - x).powi(2)).exp() / s / (2.0 * PI).sqrt();
                x.powi(power)
                    * density
                    * if k == 0 || k == PIECES {
                        1.0
                    } else if k % 2 == 1 {
                        4.0
                    } else {
                        2.0
                    }
            };
            (0..=PIECES).map(at).sum::<f64>() * step / 3.0
        };
        let mass = integral(0);
        let mean = integral(1) / mass;
        [mass.ln(), mean, integral(2) / mass - mean * mean]
    }

    #[test]
    fn closed_forms_are_the_integrals() {
        for t in [-8.0, -0.5, 0.0, 0.3, 2.0, 15.0, 60.0] {
            for s in [0.1, 0.7, 1.0, 3.0, 200.0] {
                let Evidence { log, mean, variance } = Evidence::of_exponential(t, s);
                for (computed, wanted) in [log, mean, variance].into_iter().zip(by_integration(t, s)) {
                    assert!(
                        (computed - wanted).abs() < 1e-7 * (1.0 + wanted.abs()),
                        "{t} {s}: {computed} for {wanted}"
                    );
                }
            }
        }
    }

    #[test]
    fn far_from_zero_nothing_is_lost() {
        let Evidence { mean, variance, .. } = Evidence::of_exponential(1e9, 1e9);
        assert!((mean - 1e9).abs() < 1e-6 && (variance - 1.0).abs() < 1e-6, "{mean} {variance}");
        let Evidence { log, mean, variance } = Evidence::of_exponential(-40.0, 0.1);
        assert!(log.is_finite() && (0.0..0.1).contains(&mean) && variance < 0.01, "{log} {mean} {variance}");
        // Where the expansion takes over.
        let [near, far] = [30.0_f64, 30.0_f64.next_up()].map(|inverse| Evidence::of_exponential(0.0, inverse.recip()));
        assert!((near.log - far.log).abs() < 1e-7 && (near.mean - far.mean).abs() < 1e-6, "{near:?} {far:?}");
        assert!((near.variance - far.variance).abs() < 1e-4, "{near:?} {far:?}");
        // Units of many magnitudes.
        for (t, s) in [(1e200, 1e200), (-1e200, 1e-250), (0.0, 1e-250), (3.0, 1e250)] {
            let Evidence { mean, variance, .. } = Evidence::of_exponential(t, s);
            assert!(mean >= 0.0 && mean.is_finite() && (0.0..=1.0).contains(&variance), "{t} {s}: {mean} {variance}");
        }
    }
}
