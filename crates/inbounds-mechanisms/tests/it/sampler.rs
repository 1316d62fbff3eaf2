//! The sampler against its law: chi-square tests with a stated false-alarm rate, that also reject wrong laws.
//!
//! Seeds are fixed, so a run is repeatable; the false-alarm rate of one test, over the choice of its seed, is below
//! 1e-6 (the chi-square quantile used is the Wilson-Hilferty one at 5 standard deviations), and below 1e-4 for the file.

use inbounds_core::Rational;
use inbounds_mechanisms::{
    law::DiscreteLaplace,
    sampler::{Entropy, Reach, SecureEntropy, SeededEntropy, sample_discrete_gaussian, sample_discrete_laplace},
};

const DRAWS: usize = 200_000;

fn law(tau: &str) -> DiscreteLaplace {
    DiscreteLaplace::with_inverse_scale(tau.parse().expect("number")).expect("admissible")
}

fn draw(law: &DiscreteLaplace, reach: Reach, seed: u64) -> Vec<i128> {
    let mut entropy = SeededEntropy::from_seed(seed);
    (0..DRAWS).map(|_| sample_discrete_laplace(law, reach, &mut entropy)).collect()
}

/// Probability of each integer of a window under the law given the reach.
fn probabilities(tau: f64, reach: Reach, window: std::ops::RangeInclusive<i128>) -> Vec<(i128, f64)> {
    let far = (800.0 / tau) as i128;
    let low = reach.below.map_or(-far, |below| -(below as i128));
    let high = reach.above.map_or(far, |above| above as i128);
    let total: f64 = (low..=high).map(|k| (-tau * k.abs() as f64).exp()).sum();
    window.map(|k| (k, if (low..=high).contains(&k) { (-tau * k.abs() as f64).exp() / total } else { 0.0 })).collect()
}

/// Chi-square statistic in units of standard deviations of its Wilson-Hilferty normal approximation.
fn surprise(draws: &[i128], law: &[(i128, f64)]) -> f64 {
    let n = draws.len() as f64;
    let (first, last) = (law[0].0, law[law.len() - 1].0);
    let mut observed = vec![0f64; law.len()];
    let mut outside = 0f64;
    for k in draws {
        if (first..=last).contains(k) { observed[(k - first) as usize] += 1.0 } else { outside += 1.0 }
    }
    let rest = (1.0 - law.iter().map(|(_, p)| p).sum::<f64>()).max(0.0);
    let mut cells: Vec<(f64, f64)> = law.iter().zip(&observed).map(|((_, p), o)| (p * n, *o)).collect();
    cells.push((rest * n, outside));
    // An outcome of probability zero that happened settles the matter; cells under five expected are pooled.
    if cells.iter().any(|(expected, observed)| *expected < 1e-9 && *observed > 0.0) {
        return f64::INFINITY;
    }
    let (mut statistic, mut used, mut pool) = (0.0, 0.0, (0.0, 0.0));
    for (expected, observed) in cells {
        if expected >= 5.0 {
            statistic += (observed - expected).powi(2) / expected;
            used += 1.0;
        } else {
            pool = (pool.0 + expected, pool.1 + observed);
        }
    }
    if pool.0 >= 5.0 {
        statistic += (pool.1 - pool.0).powi(2) / pool.0;
        used += 1.0;
    }
    let freedom: f64 = used - 1.0;
    let spread = 2.0 / (9.0 * freedom);
    ((statistic / freedom).cbrt() - (1.0 - spread)) / spread.sqrt()
}

const CASES: [(&str, Option<u128>, Option<u128>); 9] = [
    ("1", None, None),
    ("0.05", None, None),
    ("0.3", Some(0), None),
    ("0.3", None, Some(2)),
    ("0.2", Some(3), Some(11)),
    ("0.001", Some(10), Some(10)),
    ("1e-9", Some(20), Some(5)),
    ("3", Some(1), Some(1)),
    ("2", Some(0), Some(4)),
];

#[test]
fn draws_follow_the_law_and_wrong_laws_are_rejected() {
    for (index, (tau, below, above)) in CASES.into_iter().enumerate() {
        let reach = Reach { below, above };
        let noise = law(tau);
        let draws = draw(&noise, reach, 100 + index as u64);
        let window = -60..=60;
        let right = probabilities(noise.tau(), reach, window.clone());
        assert!(surprise(&draws, &right) < 5.0, "tau {tau} {reach:?}");

        let shifted: Vec<i128> = draws.iter().map(|k| k + 1).collect();
        assert!(surprise(&shifted, &right) > 5.0, "a shift of one step passes: tau {tau} {reach:?}");
        let hollow: Vec<i128> = draws.iter().map(|k| if *k == 0 { 1 } else { *k }).collect();
        assert!(surprise(&hollow, &right) > 5.0, "a missing atom passes: tau {tau} {reach:?}");
        // A scale wrong by 5 % shows only where the range is not much narrower than the scale.
        if noise.tau() * (below.unwrap_or(60) + above.unwrap_or(60)) as f64 >= 1.0 {
            let wrong = probabilities(noise.tau() * 1.05, reach, window);
            assert!(surprise(&draws, &wrong) > 5.0, "a scale wrong by 5 % passes: tau {tau} {reach:?}");
        }
    }
}

/// At huge scales the deciles of |N| must come out right: binomial counts within five standard deviations.
#[test]
fn huge_scales_follow_the_quantiles() {
    for tau in ["1e-6", "1e-12", "3e-18"] {
        let noise = law(tau);
        let mut entropy = SeededEntropy::from_seed(77);
        let n = if tau == "3e-18" { 2_000 } else { DRAWS };
        let draws: Vec<f64> =
            (0..n).map(|_| sample_discrete_laplace(&noise, Reach::UNLIMITED, &mut entropy) as f64).collect();
        for p in [0.1f64, 0.5, 0.9] {
            let below =
                |scale: f64| draws.iter().filter(|k| k.abs() < -(1.0 - p).ln() * scale / noise.tau()).count() as f64;
            let sd = (n as f64 * p * (1.0 - p)).sqrt();
            assert!((below(1.0) - n as f64 * p).abs() < 5.0 * sd, "tau {tau} p {p}");
            if n == DRAWS {
                assert!((below(1.05) - n as f64 * p).abs() > 5.0 * sd, "tau {tau} p {p} has no power");
            }
        }
        let negative = draws.iter().filter(|k| **k < 0.0).count() as f64;
        assert!((negative - n as f64 / 2.0).abs() < 2.5 * (n as f64).sqrt(), "tau {tau}");
    }
}

/// A source that replays given words, to steer the sampler onto borders.
struct Replay(Vec<u64>, usize);

impl Entropy for Replay {
    fn word(&mut self) -> u64 {
        self.1 += 1;
        self.0.get(self.1 - 1).copied().unwrap_or(0x9E37_79B9_7F4A_7C15u64.wrapping_mul(self.1 as u64))
    }
}

/// Words that lie on a border ask for more words, and the extension decides: the exact path is reached and right.
#[test]
fn border_words_are_settled_by_more_words() {
    // tau = ln 2 to 60 digits: a^k = 2^-k to within 1e-60, so distance words 2^(64-k) straddle the border between
    // k - 1 and k until further words are read.
    let tau: Rational = "0.693147180559945309417232121458176568075500134360255254120680".parse().expect("number");
    let noise = DiscreteLaplace::with_inverse_scale(tau).expect("admissible");
    for k in [1u32, 2, 10, 40] {
        // Half line upward from the answer: no negative side.
        let reach = Reach { below: Some(0), above: None };
        let border = 1u64 << (64 - k);
        let mut above = Replay(vec![0, border, 1 << 63], 0);
        assert_eq!(sample_discrete_laplace(&noise, reach, &mut above), i128::from(k) - 1);
        assert!(above.1 > 2, "the word on the border was decided without more words");
        let mut below = Replay(vec![0, border - 1, u64::MAX >> 1], 0);
        assert_eq!(sample_discrete_laplace(&noise, reach, &mut below), i128::from(k));
        let mut clear = Replay(vec![0, border + border / 3], 0);
        assert_eq!(sample_discrete_laplace(&noise, reach, &mut clear), i128::from(k) - 1);
        assert_eq!(clear.1, 2, "a clear word needs no more than two words");
    }
}

/// The word zero is the whole tail beyond `2^-64`: further words decide how far it goes, at every scale.
#[test]
fn the_tail_has_no_end() {
    for tau in ["1", "6", "10", "47.1", "300"] {
        let noise = law(tau);
        let reach = Reach { below: Some(0), above: None };
        let mut deep = Replay(vec![0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 << 40], 0);
        let k = sample_discrete_laplace(&noise, reach, &mut deep);
        // Ten zero words leave about 2^-664: ln gives 460 / tau.
        let expected = (664.0 * std::f64::consts::LN_2 / noise.tau()).floor();
        assert!((k as f64 - expected).abs() <= 1.0, "tau {tau}: {k}, expected about {expected}");
    }
}

#[test]
fn the_extreme_words_end() {
    for (tau, below, above) in CASES {
        let (noise, reach) = (law(tau), Reach { below, above });
        for words in [vec![0, 0], vec![u64::MAX, u64::MAX], vec![0, u64::MAX], vec![u64::MAX, 0], vec![1, 1]] {
            let k = sample_discrete_laplace(&noise, reach, &mut Replay(words, 0));
            assert!(below.is_none_or(|b| -(b as i128) <= k) && above.is_none_or(|a| k <= a as i128), "{k} {reach:?}");
        }
    }
}

/// Two words a draw, whatever the answer: the count of words does not tell where in its range the answer lies.
#[test]
fn the_number_of_words_does_not_depend_on_the_answer() {
    struct Counting(SeededEntropy, u64);
    impl Entropy for Counting {
        fn word(&mut self) -> u64 {
            self.1 += 1;
            self.0.word()
        }
    }
    let noise = law("0.01");
    for answer in [0u128, 1, 50, 99, 100] {
        let mut counting = Counting(SeededEntropy::from_seed(5), 0);
        let reach = Reach { below: Some(answer), above: Some(100 - answer) };
        for _ in 0..10_000 {
            sample_discrete_laplace(&noise, reach, &mut counting);
        }
        assert_eq!(counting.1, 20_000, "answer {answer}");
    }
}

#[test]
fn seeds_repeat_and_the_system_does_not() {
    let noise = law("0.01");
    assert_eq!(draw(&noise, Reach::UNLIMITED, 3)[..50], draw(&noise, Reach::UNLIMITED, 3)[..50]);
    let secure = || {
        let mut entropy = SecureEntropy::from_os().expect("entropy");
        (0..50).map(|_| sample_discrete_laplace(&noise, Reach::UNLIMITED, &mut entropy)).collect::<Vec<_>>()
    };
    assert_ne!(secure(), secure());
}

fn draw_gaussian(sigma_squared: &str, count: usize, seed: u64) -> Vec<i128> {
    let sigma_squared: Rational = sigma_squared.parse().expect("number");
    let mut entropy = SeededEntropy::from_seed(seed);
    (0..count).map(|_| sample_discrete_gaussian(&sigma_squared, &mut entropy)).collect()
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
        // Two words propose zero, the third decides or is extended by the fourth; then zero is proposed and kept again.
        let mut words = Replay(vec![u64::MAX, u64::MAX, third, fourth, u64::MAX, u64::MAX, 0], 0);
        assert_eq!(sample_discrete_gaussian(&Rational::ONE, &mut words), 0);
        words.1
    };
    let quarter = 1 << 62;
    assert_eq!(draw(BORDER / 2, 0), 3, "a clear word is decided alone");
    assert_eq!(draw(BORDER, quarter / 2), 4, "a word below the border by its extension is kept");
    assert_eq!(draw(BORDER, quarter), 7, "a word above the border by its extension is rejected");
    assert_eq!(draw(BORDER - 1, u64::MAX), 3, "the whole word lies below the border");
}
