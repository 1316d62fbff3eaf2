//! The discrete Gaussian sampler against its law, one draw at a time and in bulk.
//!
//! False-alarm rates as in `sampler.rs`: below 1e-6 for one comparison over the choice of its seed.

use inbounds_core::Rational;
use inbounds_mechanisms::{
    noise::{fill_discrete_gaussian, sample_discrete_gaussian},
    sampler::SeededEntropy,
};

use crate::{
    sampler::{DRAWS, surprise},
    words::Replay,
};

fn draw_gaussian(sigma_squared: &str, count: usize, seed: u64) -> Vec<i128> {
    let sigma_squared: Rational = sigma_squared.parse().expect("number");
    let mut entropy = SeededEntropy::from_seed(seed);
    // Half one by one, half in bulk.
    let mut draws: Vec<i128> = (0..count / 2).map(|_| sample_discrete_gaussian(&sigma_squared, &mut entropy)).collect();
    draws.resize(count, 0);
    fill_discrete_gaussian(&sigma_squared, &mut entropy, &mut draws[count / 2..]);
    draws
}

/// Probability of each integer of a window under the discrete Gaussian law.
fn gaussian_probabilities(sigma_squared: f64, window: std::ops::RangeInclusive<i128>) -> Vec<(i128, f64)> {
    let weight = |k: i128| (-((k * k) as f64) / (2.0 * sigma_squared)).exp();
    let total: f64 = (-2000..=2000).map(weight).sum();
    window.map(|k| (k, weight(k) / total)).collect()
}

#[test]
fn gaussian_draws_follow_the_law_and_wrong_laws_are_rejected() {
    for (index, text) in ["0.1", "0.5", "1", "2.75", "9", "100", "1000"].into_iter().enumerate() {
        let sigma_squared: f64 = text.parse().expect("number");
        let draws = draw_gaussian(text, DRAWS, 300 + index as u64);
        let right = gaussian_probabilities(sigma_squared, -60..=60);
        assert!(surprise(&draws, &right) < 5.0, "variance {text}");
        let shifted: Vec<i128> = draws.iter().map(|k| k + 1).collect();
        assert!(surprise(&shifted, &right) > 5.0, "a shift of one step passes: variance {text}");
        let hollow: Vec<i128> = draws.iter().map(|k| if *k == 0 { 1 } else { *k }).collect();
        assert!(surprise(&hollow, &right) > 5.0, "a missing atom passes: variance {text}");
        let wrong = gaussian_probabilities(sigma_squared * 1.05 * 1.05, -60..=60);
        assert!(surprise(&draws, &wrong) > 5.0, "a scale wrong by 5 % passes: variance {text}");
    }
}

/// Quantiles of |N| at huge scales: binomial counts within five standard deviations, and a scale wrong by 5 % is seen.
#[test]
fn huge_gaussian_scales_follow_the_quantiles() {
    // |Z| is below these with probability 0.1, 0.5 and 0.9.
    const QUANTILES: [(f64, f64); 3] =
        [(0.1, 0.125_661_346_855_074_1), (0.5, 0.674_489_750_196_081_7), (0.9, 1.644_853_626_951_472_2)];
    for text in ["1e10", "1e20", "1e30"] {
        let sigma = text.parse::<f64>().expect("number").sqrt();
        // Above scales of 2^44 most proposals are decided exactly, which takes its time.
        let count = if text == "1e30" { 2_000 } else { DRAWS };
        let draws: Vec<f64> = draw_gaussian(text, count, 400).into_iter().map(|k| k as f64).collect();
        for (p, quantile) in QUANTILES {
            let below = |scale: f64| draws.iter().filter(|k| k.abs() < quantile * scale * sigma).count() as f64;
            let (n, sd) = (count as f64, (count as f64 * p * (1.0 - p)).sqrt());
            assert!((below(1.0) - n * p).abs() < 5.0 * sd, "variance {text} p {p}");
            if count == DRAWS {
                assert!((below(1.05) - n * p).abs() > 5.0 * sd, "variance {text} p {p} has no power");
            }
        }
        let negative = draws.iter().filter(|k| **k < 0.0).count() as f64;
        assert!((negative - count as f64 / 2.0).abs() < 2.5 * (count as f64).sqrt(), "variance {text}");
    }
}

/// At the ends of the admitted variances draws end, and a tiny variance gives zero but for one draw in `e^499999`.
#[test]
fn extreme_gaussian_variances_end() {
    assert!(draw_gaussian("1e-6", 20_000, 7).iter().all(|k| *k == 0));
    assert!(draw_gaussian("1e30", 2_000, 7).iter().all(|k| k.unsigned_abs() < 20_000_000_000_000_000));
}

/// A word on the border of acceptance asks for more words, which decide.
#[test]
fn border_words_of_the_gaussian_are_settled_by_more_words() {
    // Variance 1: scale 2, and the proposal 0 is kept with probability exp(-1/8) = (BORDER + 0.24489...) 2^-64.
    const BORDER: u64 = 16_279_194_507_819_420_732;
    let draw = |third: u64, fourth: u64| {
        // A word proposes zero, the next decides or is extended by one more; then zero is proposed and kept again.
        let mut words = Replay::new(vec![u64::MAX, third, fourth, u64::MAX], 0);
        assert_eq!(sample_discrete_gaussian(&Rational::ONE, &mut words), 0);
        words.read()
    };
    let quarter = 1 << 62;
    assert_eq!(draw(BORDER / 2, 0), 2, "a clear word is decided alone");
    assert_eq!(draw(BORDER, quarter / 2), 3, "a word below the border by its extension is kept");
    assert_eq!(draw(BORDER, quarter), 5, "a word above the border by its extension is rejected");
    assert_eq!(draw(BORDER - 1, u64::MAX), 2, "the whole word lies below the border");
}
