//! Laws of statistics of a sample, as points with probabilities.
//!
//! Continuous laws stand on evenly spaced points, each with the density there; the sums over them are trapezoidal sums
//! of smooth functions that vanish at both ends, and so converge faster than any power of the spacing.

use inbounds_mechanisms::sampler::Entropy;

/// Points on a continuous law.
const POINTS: usize = 301;

/// Standard deviations to either side that are covered.
const REACH: f64 = 9.0;

/// Points with probabilities that add up to 1.
#[derive(Debug, Clone)]
pub(crate) struct SamplingLaw {
    points: Vec<f64>,
    weights: Vec<f64>,
}

impl SamplingLaw {
    /// From points and log weights up to a constant.
    fn new(points: Vec<f64>, ln_weights: &[f64]) -> Self {
        let largest = ln_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = ln_weights.iter().map(|w| libm::exp(w - largest)).collect();
        let total: f64 = weights.iter().sum();
        Self { points, weights: weights.into_iter().map(|w| w / total).collect() }
    }

    /// A binomial number over its number of trials, without the tails beyond nine standard deviations.
    pub(crate) fn binomial_share(trials: u64, p: f64) -> Self {
        let n = trials as f64;
        if p <= 0.0 || p >= 1.0 {
            return Self { points: vec![p.clamp(0.0, 1.0)], weights: vec![1.0] };
        }
        // The two last terms cover skewed laws of a rare event.
        let reach = REACH * (n * p * (1.0 - p)).sqrt() + 40.0;
        let first = (n * p - reach).floor().max(0.0);
        let last = (n * p + reach).ceil().min(n);
        let points: Vec<f64> = (0..=(last - first) as usize).map(|i| first + i as f64).collect();
        let odds = libm::log(p) - libm::log1p(-p);
        let ln_weight = |x: f64| x * odds - libm::lgamma(x + 1.0) - libm::lgamma(n - x + 1.0);
        let ln_weights: Vec<f64> = points.iter().map(|x| ln_weight(*x)).collect();
        Self::new(points.into_iter().map(|x| x / n).collect(), &ln_weights)
    }

    /// A standard normal variable.
    pub(crate) fn normal() -> Self {
        let points = even(-REACH, REACH, POINTS);
        let ln_weights: Vec<f64> = points.iter().map(|z| -0.5 * z * z).collect();
        Self::new(points, &ln_weights)
    }

    /// A chi-squared variable over its degrees of freedom, at `points` points.
    ///
    /// The points are even in the logarithm, where the law is smooth for one degree of freedom too.
    pub(crate) fn chi_squared_share(degrees: u64, points: usize) -> Self {
        let k = degrees as f64;
        let spread = (2.0 / k).sqrt();
        // Left of the mean the law of the logarithm decays like e^(k z / 2).
        let logs = even(-REACH * spread - 80.0 / k, (REACH * spread).min(2.0 + 80.0 / k), points);
        let ln_weights: Vec<f64> = logs.iter().map(|z| 0.5 * k * (z - libm::exp(*z))).collect();
        Self::new(logs.iter().map(|z| libm::exp(*z)).collect(), &ln_weights)
    }

    /// `sum of weight * function(point)`.
    pub(crate) fn expect(&self, function: impl Fn(f64) -> f64) -> f64 {
        self.points.iter().zip(&self.weights).map(|(point, weight)| weight * function(*point)).sum()
    }

    /// A draw.
    pub(crate) fn draw(&self, entropy: &mut dyn Entropy) -> f64 {
        let mut left = (entropy.word() >> 11) as f64 / (1u64 << 53) as f64;
        for (point, weight) in self.points.iter().zip(&self.weights) {
            left -= weight;
            if left < 0.0 {
                return *point;
            }
        }
        self.points[self.points.len() - 1]
    }
}

fn even(low: f64, high: f64, points: usize) -> Vec<f64> {
    (0..points).map(|i| low + (high - low) * i as f64 / (points - 1) as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean, variance and third central moment.
    fn moments(law: &SamplingLaw) -> [f64; 3] {
        let mean = law.expect(|x| x);
        [mean, law.expect(|x| (x - mean).powi(2)), law.expect(|x| (x - mean).powi(3))]
    }

    fn assert_moments(law: &SamplingLaw, expected: [f64; 3], law_name: &str) {
        for (moment, expected) in moments(law).into_iter().zip(expected) {
            assert!((moment - expected).abs() < 1e-8 * (1.0 + expected.abs()), "{law_name}: {moment} {expected}");
        }
    }

    #[test]
    fn laws_have_their_moments() {
        for (n, p) in [(2, 0.3), (50, 0.1), (800, 0.02), (100_000, 0.5)] {
            let (t, v) = (n as f64, p * (1.0 - p));
            let law = SamplingLaw::binomial_share(n, p);
            assert_moments(&law, [p, v / t, v * (1.0 - 2.0 * p) / (t * t)], "binomial");
        }
        assert_moments(&SamplingLaw::normal(), [0.0, 1.0, 0.0], "normal");
        for degrees in [1, 2, 49, 799, 1_000_000] {
            let k = degrees as f64;
            let law = SamplingLaw::chi_squared_share(degrees, POINTS);
            assert_moments(&law, [1.0, 2.0 / k, 8.0 / (k * k)], &format!("chi-squared {degrees}"));
        }
        assert_eq!(moments(&SamplingLaw::binomial_share(9, 0.0)), [0.0; 3]);
    }

    #[test]
    fn draws_follow_the_weights() {
        let law = SamplingLaw::binomial_share(2, 0.5);
        let mut entropy = inbounds_mechanisms::sampler::SeededEntropy::from_seed(3);
        let ones = (0..4000).filter(|_| law.draw(&mut entropy) == 0.5).count();
        // Six standard deviations.
        assert!(ones.abs_diff(2000) < 190, "{ones}");
    }
}
