//! The discrete staircase law: its loss by enumeration, its sampler by chi-square tests as in `sampler.rs`, with the
//! same false-alarm rate, below 1e-6 a test.

use inbounds_core::Rational;
use inbounds_mechanisms::{
    law::Noise,
    noise::{DiscreteStaircase, sample_discrete_staircase},
    sampler::SeededEntropy,
};

use crate::{
    sampler::{DRAWS, surprise},
    words::Replay,
};

fn law(epsilon: &str, sensitivity: u64, high: u64) -> DiscreteStaircase {
    DiscreteStaircase::new(epsilon.parse().expect("number"), sensitivity, high).expect("admissible")
}

/// The level of an integer from the definition: each period of a side has its first `high` steps one level up.
fn level(law: &DiscreteStaircase, k: i128) -> i128 {
    let period = i128::from(law.sensitivity());
    let (block, place) = (k.abs() / period, k.abs() % period);
    if place < i128::from(law.high()) { block } else { block + 1 }
}

/// True if moving the answer by up to `distance` costs at most `loss`. The probability of `k` is `a^level(k)` over a
/// constant, so the loss at one output is `epsilon` times a difference of levels, an exact rational. Levels repeat with
/// the period, so a window of a few periods shows all.
fn loss_is_at_most(law: &DiscreteStaircase, distance: u64, loss: &Rational) -> bool {
    let (window, distance) = (4 * i128::from(law.sensitivity()), i128::from(distance));
    (-window..=window).all(|k| {
        (-distance..=distance)
            .all(|shift| law.epsilon() * &Rational::from(level(law, k + shift) - level(law, k)) <= *loss)
    })
}

#[test]
fn loss_is_at_most_epsilon_and_attains_it() {
    for epsilon in ["1e-6", "0.3", "1", "10"] {
        for sensitivity in 1..=8 {
            for high in 1..=sensitivity {
                let noise = law(epsilon, sensitivity, high);
                let level = noise.epsilon();
                let less = level * &"0.999999".parse().expect("number");
                assert!(loss_is_at_most(&noise, sensitivity, level), "{epsilon} {sensitivity} {high}");
                assert!(!loss_is_at_most(&noise, sensitivity, &less), "{epsilon} {sensitivity} {high}: idle");
                assert!(!loss_is_at_most(&noise, 1, &less), "{epsilon} {sensitivity} {high}: one step costs all");
                assert!(
                    !loss_is_at_most(&noise, sensitivity + 1, level),
                    "{epsilon} {sensitivity} {high}: audit is blind"
                );
            }
        }
    }
}

/// The moments' law is the sampler's law: stated densities against the definition.
#[test]
fn density_is_the_definition() {
    for (epsilon, sensitivity, high) in [("0.3", 5, 2), ("2", 1, 1), ("1", 4, 4), ("0.05", 3, 1)] {
        let noise = law(epsilon, sensitivity, high);
        let peak = noise.ln_density(0.0);
        for k in -40..=40 {
            let expected = libm::exp(-noise.epsilon().to_f64() * level(&noise, k) as f64);
            assert!((libm::exp(noise.ln_density(k as f64) - peak) / expected - 1.0).abs() < 1e-13, "{epsilon} {k}");
        }
    }
}

fn draw(law: &DiscreteStaircase, seed: u64) -> Vec<i128> {
    let mut entropy = SeededEntropy::from_seed(seed);
    (0..DRAWS).map(|_| sample_discrete_staircase(law, &mut entropy)).collect()
}

fn probabilities(law: &DiscreteStaircase, half_window: i128) -> Vec<(i128, f64)> {
    // Summed to where the weight has fallen below e^-50.
    let far = i128::from(law.sensitivity()) * (50.0 / law.epsilon().to_f64()).ceil() as i128;
    let mass = |k: i128| libm::exp(-law.epsilon().to_f64() * level(law, k) as f64);
    let total: f64 = (-far..=far).map(mass).sum();
    (-half_window..=half_window).map(|k| (k, mass(k) / total)).collect()
}

const CASES: [(&str, u64, u64); 7] =
    [("1", 1, 1), ("0.3", 5, 2), ("1", 4, 4), ("2", 7, 1), ("0.2", 3, 2), ("3", 20, 9), ("40", 6, 5)];

#[test]
fn draws_follow_the_law_and_wrong_laws_are_rejected() {
    for (index, (epsilon, sensitivity, high)) in CASES.into_iter().enumerate() {
        let noise = law(epsilon, sensitivity, high);
        let draws = draw(&noise, 300 + index as u64);
        let label = format!("epsilon {epsilon} D {sensitivity} r {high}");
        let right = probabilities(&noise, 150);
        assert!(surprise(&draws, &right) < 5.0, "{label}");

        let shifted: Vec<i128> = draws.iter().map(|k| k + 1).collect();
        assert!(surprise(&shifted, &right) > 5.0, "a shift of one step passes: {label}");
        let hollow: Vec<i128> = draws.iter().map(|k| if *k == 0 { 1 } else { *k }).collect();
        assert!(surprise(&hollow, &right) > 5.0, "a missing atom passes: {label}");
        // At epsilon 40 all draws are on the plateau, whatever the scale.
        if epsilon != "40" {
            let scaled = noise.epsilon() * &"1.05".parse().expect("number");
            let wrong = DiscreteStaircase::new(scaled, sensitivity, high).expect("admissible");
            assert!(surprise(&draws, &probabilities(&wrong, 150)) > 5.0, "a scale wrong by 5 % passes: {label}");
        }
        if sensitivity > 1 {
            let wrong = law(epsilon, sensitivity, if high > 1 { high - 1 } else { high + 1 });
            assert!(
                surprise(&draws, &probabilities(&wrong, 150)) > 5.0,
                "a wrong number of high steps passes: {label}"
            );
        }
    }
}

/// At huge scales the deciles of |N| and its sign must come out right: binomial counts within five standard deviations.
#[test]
fn huge_scales_follow_the_quantiles() {
    for (epsilon, sensitivity, high) in [("1e-6", 1000, 400), ("2", 1 << 50, 1 << 48), ("1e-12", 3, 1)] {
        let noise = law(epsilon, sensitivity, high);
        let draws: Vec<f64> = draw(&noise, 77).iter().map(|k| *k as f64).collect();
        let n = DRAWS as f64;
        for p in [0.1f64, 0.5, 0.9] {
            let border = noise.quantile(0.5 + p / 2.0);
            let below = |factor: f64| draws.iter().filter(|k| k.abs() < border * factor).count() as f64;
            let sd = (n * p * (1.0 - p)).sqrt();
            assert!((below(1.0) - n * p).abs() < 5.0 * sd, "{epsilon} {sensitivity} p {p}");
            assert!((below(1.05) - n * p).abs() > 5.0 * sd, "{epsilon} {sensitivity} p {p} has no power");
        }
        let negative = draws.iter().filter(|k| **k < 0.0).count() as f64;
        assert!((negative - n / 2.0).abs() < 2.5 * n.sqrt(), "{epsilon} {sensitivity}");
    }
}

/// With `a = 1/2` to 60 digits, `D = 2` and `r = 1` the plateau has probability 1/5, and words next to the border ask
/// for more words, which decide.
#[test]
fn border_words_are_settled_by_more_words() {
    let noise = law("0.693147180559945309417232121458176568075500134360255254120680", 2, 1);
    let border = u64::MAX / 5;
    for (word, more, on_plateau) in
        [(border, 0, true), (border, u64::MAX, false), (border - 9, 0, true), (border + 9, 0, false)]
    {
        // Words: plateau, place, what extends the first where that is needed, and depth beyond the plateau.
        let exact = word == border;
        let third = if exact { more } else { 1 << 63 | 5 };
        let mut words = Replay::new(vec![word, 1 << 63 | 5, third], 1 << 63 | 5);
        let k = sample_discrete_staircase(&noise, &mut words);
        assert_eq!(k == 0, on_plateau, "{word:x} {more:x}");
        assert_eq!(
            words.read() > 2 + usize::from(!on_plateau),
            exact,
            "{word:x}: a border word needs more words, a clear one does not"
        );
    }
}

#[test]
fn the_extreme_words_end() {
    for (epsilon, sensitivity, high) in CASES.into_iter().chain([("700", 1 << 53, 1), ("1e-12", 1 << 53, 1 << 53)]) {
        let noise = law(epsilon, sensitivity, high);
        for word in [0, 1, 1 << 63, u64::MAX - 1, u64::MAX] {
            for other in [0, u64::MAX] {
                sample_discrete_staircase(&noise, &mut Replay::new(vec![word, other, word], 1));
                sample_discrete_staircase(&noise, &mut Replay::new(vec![word, word, other], 1));
            }
        }
    }
}
