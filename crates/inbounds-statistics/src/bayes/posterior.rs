//! Variances of classes as posterior means, because noise often exceeds them.
//!
//! # Idea
//! A raw variance is the variance plus noise of a known size, and below zero as often as noise exceeds it. Clamped to
//! zero it would make its class impossible. What classes have in common is known better than each: first the mean of
//! the classes' variances, weighted by their rows, is estimated; then each class's variance, near it unless the
//! measurement says otherwise.
//!
//! # Law
//! Noise is taken to be normal with the standard deviation `s` of the measurement. The common variance has a standard
//! deviation that is uniform between 0 and half of the width of the bounds. A class's variance is log-normal about the
//! common one, with a standard deviation of [`SPREAD`] of its logarithm, and at most a quarter of the squared width.
//! Estimates are posterior means: always positive, and the raw variance itself where noise is small.

/// Standard deviation of the logarithm of a class's variance about the common one: two in three are within a factor
/// of 2.
pub(super) const SPREAD: f64 = 0.7;

/// Points of a quadrature.
const POINTS: u32 = 48;

/// A measured variance with its noise, in squared widths of the bounds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Raw {
    /// The measurement; any number.
    pub(super) value: f64,
    /// Standard deviation of the noise; positive.
    pub(super) noise: f64,
}

/// The largest variance, in squared widths.
const LARGEST: f64 = 0.25;

impl Raw {
    /// The posterior mean of a variance that several classes have in common.
    pub(super) fn common(self) -> f64 {
        let (least, most) = self.plausible();
        // Uniform in the standard deviation.
        mean((least.max(0.0).sqrt(), most.sqrt()), |deviation| {
            let variance = deviation * deviation;
            (variance, self.ln_likelihood(variance))
        })
    }

    /// The posterior mean of the variance of a class, given the common one.
    pub(super) fn near(self, common: f64) -> f64 {
        let (least, most) = self.plausible();
        let least = least.max(common.min(most) * libm::exp(-6.0 * SPREAD));
        mean((libm::log(least), libm::log(most)), |ln_variance| {
            let variance = libm::exp(ln_variance);
            let distance = (ln_variance - libm::log(common)) / SPREAD;
            (variance, self.ln_likelihood(variance) - 0.5 * distance * distance)
        })
    }

    fn ln_likelihood(self, variance: f64) -> f64 {
        let distance = (self.value - variance) / self.noise;
        -0.5 * distance * distance
    }

    /// Variances whose likelihood is not negligible beside the largest.
    fn plausible(self) -> (f64, f64) {
        let reach = if self.value < 0.0 { self.noise * self.noise / (self.noise - self.value) } else { self.noise };
        let most = (self.value.max(0.0) + 8.0 * reach).min(LARGEST);
        ((self.value - 8.0 * self.noise).min(0.999 * most), most)
    }
}

/// The mean of values with log weights over an interval, by the midpoint rule.
fn mean((least, most): (f64, f64), at: impl Fn(f64) -> (f64, f64)) -> f64 {
    let point = |i: u32| at(least + (most - least) * (f64::from(i) + 0.5) / f64::from(POINTS));
    let points: Vec<(f64, f64)> = (0..POINTS).map(point).collect();
    let largest = points.iter().map(|(_, weight)| *weight).fold(f64::NEG_INFINITY, f64::max);
    let (mut sum, mut total) = (0.0, 0.0);
    for (value, weight) in points {
        let weight = libm::exp(weight - largest);
        sum += weight * value;
        total += weight;
    }
    sum / total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_noise_the_posterior_is_the_measurement() {
        for value in [1e-6, 1e-3, 0.02, 0.2] {
            let raw = Raw { value, noise: 1e-3 * value };
            assert!((raw.common() / value - 1.0).abs() < 1e-4, "{value}: {}", raw.common());
            for common in [1e-5, 0.03, 0.2] {
                assert!((raw.near(common) / value - 1.0).abs() < 1e-3, "{value} {common}: {}", raw.near(common));
            }
        }
    }

    /// Where noise is everything, the posteriors are the priors: a standard deviation uniform up to 1/2 has a mean
    /// square of 1/12.
    #[test]
    fn without_a_measurement_the_posterior_is_the_prior() {
        let raw = Raw { value: 0.1, noise: 1e3 };
        assert!((raw.common() - 1.0 / 12.0).abs() < 1e-4, "{}", raw.common());
        let log_normal = 0.001 * libm::exp(0.5 * SPREAD * SPREAD);
        assert!((raw.near(0.001) / log_normal - 1.0).abs() < 0.01, "{} {log_normal}", raw.near(0.001));
    }

    /// Positive, finite and inside the range whatever is measured, and growing with the measurement.
    #[test]
    fn posteriors_are_admissible_and_monotone() {
        for noise in [1e-9f64, 1e-4, 0.01, 1.0, 1e6] {
            let values = (-60..=60).map(|i| f64::from(i) * 0.2 * noise.min(0.1));
            let mut last = (0.0, 0.0);
            for value in values {
                let raw = Raw { value, noise };
                let now = (raw.common(), raw.near(0.01));
                assert!(now.0 > 0.0 && now.0 <= LARGEST && now.1 > 0.0 && now.1 <= LARGEST, "{raw:?} {now:?}");
                assert!(now.0 > 0.999 * last.0 && now.1 > 0.99 * last.1, "{raw:?} {now:?} {last:?}");
                last = now;
            }
        }
    }
}
