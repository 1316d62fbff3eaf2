//! The sampler against its law: chi-square tests with a stated false-alarm rate, that also reject wrong laws.
//!
//! Seeds are fixed, so a run is repeatable; the false-alarm rate of one test, over the choice of its seed, is below
//! 1e-6 (the chi-square quantile used is the Wilson-Hilferty one at 5 standard deviations), and below 1e-4 for the file.

use inbounds_core::Rational;
use inbounds_mechanisms::{
    law::DiscreteLaplace,
    sampler::{Entropy, Reach, SecureEntropy, SeededEntropy, sample_discrete_laplace},
};

pub(crate) const DRAWS: usize = 200_000;

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
pub(crate) fn surprise(draws: &[i128], law: &[(i128, f64)]) -> f64 {
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
pub(crate) struct Replay(pub(crate) Vec<u64>, pub(crate) usize);

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
