//! Gaussian noise given that the result is in a range: its loss by enumeration, and its draws.

use std::sync::Arc;

use inbounds_core::{Delta, Epsilon, Guarantee, Sensitivity, StepRange};
use inbounds_mechanisms::{
    calibrate::{CalibrationError, conditioned_gaussian, conditioned_gaussian_delta},
    mechanism::{Mechanism, StepValue},
    noise::GridNoise,
    registry,
    sampler::SeededEntropy,
};

fn epsilon(text: &str) -> Epsilon {
    Epsilon::new(text.parse().expect("number")).expect("positive")
}

fn moved(l1: u128, cells: u64) -> Sensitivity {
    Sensitivity { l1, linf: l1, cells, rule: "test", squares: None }
}

fn mechanism(text: &str, l1: u128, top: i128) -> Arc<dyn Mechanism> {
    let entry = registry::find("conditioned-gaussian").expect("registered");
    let range = StepRange::new(Some(0), Some(top)).expect("ordered");
    entry.calibrate(&Guarantee::Pure { epsilon: epsilon(text) }, &moved(l1, 1), range).expect("calibrates")
}

/// All pairs of neighbours and all measurements, from the definition of the law: the largest log ratio.
fn loss(variance: f64, l1: usize, top: usize) -> f64 {
    let weight = |y: usize, q: usize| (-(y.abs_diff(q) as f64).powi(2) / (2.0 * variance)).exp();
    let total: Vec<f64> = (0..=top).map(|q| (0..=top).map(|y| weight(y, q)).sum::<f64>().ln()).collect();
    let ln = |y: usize, q: usize| -(y.abs_diff(q) as f64).powi(2) / (2.0 * variance) - total[q];
    let pairs = (0..=top).flat_map(|q| (q..=(q + l1).min(top)).map(move |other| (q, other)));
    pairs
        .flat_map(|(q, p)| (0..=top).map(move |y| (y, q, p)))
        .map(|(y, q, p)| (ln(y, q) - ln(y, p)).abs())
        .fold(0.0, f64::max)
}

/// Claim: `conditioned-gaussian-loss`. The loss of what runs is between 0.999 of epsilon and epsilon, and half the
/// variance is rejected.
#[test]
fn loss_is_epsilon_and_less_noise_is_rejected() {
    for text in ["0.01", "0.3", "1", "4"] {
        for (l1, top) in [(1u128, 1i128), (1, 2), (1, 12), (3, 12), (12, 12), (2, 60), (40, 60), (1, 150)] {
            let mechanism = mechanism(text, l1, top);
            let GridNoise::Gaussian(law) = mechanism.noise() else { panic!("Gaussian noise") };
            let (variance, exact): (f64, f64) = (law.sigma_squared().to_f64(), text.parse().expect("number"));
            let computed = loss(variance, l1 as usize, top as usize);
            assert!(computed <= exact * (1.0 + 1e-9) && computed >= 0.999 * exact, "{text} {l1} {top}: {computed}");
            assert!(loss(0.5 * variance, l1 as usize, top as usize) > 1.5 * exact, "{text} {l1} {top}");
            // Never more than what a factor of two in epsilon allows, McGlinchey and Mason's Proposition 2.
            let twice = l1 as f64 * (2 * top - l1 as i128) as f64 / exact;
            assert!(variance <= twice * (1.0 + 1e-9), "{variance} {twice}");
        }
    }
}

/// Changes over several cells, spread in every way, lose at most epsilon, and the worst of them 0.999 of it.
#[test]
fn changes_of_several_cells_lose_at_most_epsilon() {
    for (l1, cells, top) in [(2u128, 2u64, 5u128), (5, 3, 9), (7, 2, 9)] {
        let variance = conditioned_gaussian(&epsilon("1"), &moved(l1, cells), Some(top)).expect("calibrates").to_f64();
        let single: Vec<f64> = (0..=l1.min(top) as usize).map(|d| loss(variance, d, top as usize)).collect();
        let mut best = vec![0f64; l1 as usize + 1];
        for _ in 0..cells {
            let before = best.clone();
            for total in 0..=l1 as usize {
                for (d, one) in single.iter().enumerate().take(total + 1) {
                    best[total] = best[total].max(before[total - d] + one);
                }
            }
        }
        let worst = best.last().copied().expect("some");
        assert!((0.999..=1.0 + 1e-9).contains(&worst), "{l1} {cells} {top}: {worst}");
    }
}

/// The largest hockey-stick divergence over all pairs of neighbours, from the definition: sums of positive parts.
fn divergence(variance: f64, epsilon: f64, l1: usize, top: usize) -> f64 {
    let law = |q: usize| -> Vec<f64> {
        let weights: Vec<f64> = (0..=top).map(|y| (-(y.abs_diff(q) as f64).powi(2) / (2.0 * variance)).exp()).collect();
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / total).collect()
    };
    let laws: Vec<Vec<f64>> = (0..=top).map(law).collect();
    let excess = |one: &[f64], other: &[f64]| -> f64 {
        one.iter().zip(other).map(|(a, b)| (a - epsilon.exp() * b).max(0.0)).sum()
    };
    let pairs = (0..=top).flat_map(|q| (0..=top).map(move |p| (q, p))).filter(|(q, p)| q.abs_diff(*p) <= l1);
    pairs.map(|(q, p)| excess(&laws[q], &laws[p])).fold(0.0, f64::max)
}

/// Claim: `conditioned-gaussian-hockey-stick`. The divergence of what runs is between 0.999 of delta and delta, at
/// whatever delta buys something; half the variance is rejected; and the variance is never above that for epsilon
/// alone.
#[test]
fn divergence_is_delta_and_less_noise_is_rejected() {
    let mut spared = 0;
    for (text, delta) in [("1", "1e-6"), ("0.3", "1e-3"), ("2", "0.1"), ("0.1", "1e-9"), ("4", "1e-12")] {
        for (l1, top) in [(1u128, 1u128), (1, 12), (3, 12), (12, 12), (2, 60), (40, 60), (1, 200)] {
            let (epsilon, exact): (Epsilon, f64) = (epsilon(text), text.parse().expect("number"));
            let granted = Delta::new(delta.parse().expect("number")).expect("in [0, 1)");
            let pure = conditioned_gaussian(&epsilon, &moved(l1, 1), Some(top)).expect("calibrates").to_f64();
            let spent = conditioned_gaussian_delta(&epsilon, &granted, &moved(l1, 1), Some(top)).expect("calibrates");
            let (spent, delta) = (spent.to_f64(), granted.value().to_f64());
            assert!(spent <= pure, "{text} {delta} {l1} {top}");
            let computed = divergence(spent, exact, l1 as usize, top as usize);
            assert!(computed <= delta * (1.0 + 1e-6), "{text} {delta} {l1} {top}: {computed}");
            if spent < 0.999 * pure {
                spared += 1;
                // Doubles propose by differences of probabilities, which round.
                assert!(computed >= 0.999 * delta - 3e-15 * exact.exp(), "{text} {delta} {l1} {top}: {computed}");
                assert!(
                    divergence(0.5 * spent, exact, l1 as usize, top as usize) > 1.2 * delta,
                    "{text} {delta} {top}"
                );
            }
        }
    }
    assert!(spared >= 12, "{spared}");
}

/// Two cells that move together share epsilon and delta: the divergence of the product, over all ways to move them by
/// one each, is at most delta.
#[test]
fn two_cells_keep_epsilon_and_delta_together() {
    let granted = Delta::new("0.01".parse().expect("number")).expect("in [0, 1)");
    let two = Sensitivity { l1: 2, linf: 1, cells: 2, rule: "test", squares: None };
    let variance = conditioned_gaussian_delta(&epsilon("1"), &granted, &two, Some(9)).expect("calibrates").to_f64();
    let law = |q: usize| -> Vec<f64> {
        let weights: Vec<f64> =
            (0..=9).map(|y: usize| (-(y.abs_diff(q) as f64).powi(2) / (2.0 * variance)).exp()).collect();
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / total).collect()
    };
    let laws: Vec<Vec<f64>> = (0..=9).map(law).collect();
    let mut worst = 0f64;
    for (a, b) in (0..9).flat_map(|a| (0..9).map(move |b| (a, b))) {
        let product = |x: usize, y: usize| (0..100).map(move |cell| (x, y, cell / 10, cell % 10));
        let mass = |(x, y, i, j): (usize, usize, usize, usize)| laws[x][i] * laws[y][j];
        let computed: f64 = product(a, b)
            .zip(product(a + 1, b + 1))
            .map(|(one, other)| (mass(one) - 1f64.exp() * mass(other)).max(0.0))
            .sum();
        worst = worst.max(computed);
    }
    assert!(worst <= 0.01 && worst > 0.0, "{worst}");
}

/// Chi-square of 40,000 draws against the law at an end, next to it and in the middle, in cells of 40 or more expected
/// draws; beyond six standard deviations of its own (a false alarm in some 10^7), and a law with 15 % more variance is
/// rejected. Claim: `conditioned-gaussian-sampler`.
#[test]
fn draws_follow_the_law_and_a_wider_law_is_told() {
    let mechanism = mechanism("1", 3, 30);
    let GridNoise::Gaussian(law) = mechanism.noise() else { panic!("Gaussian noise") };
    let mut entropy = SeededEntropy::from_seed(6);
    for q in [0i128, 2, 15, 30, 44] {
        let draws = mechanism.measure(&vec![q; 40_000], &mut entropy);
        let inside = q.min(30);
        let statistic = |variance: f64| {
            let weights: Vec<f64> =
                (0..=30).map(|y| (-((y - inside) as f64).powi(2) / (2.0 * variance)).exp()).collect();
            let total: f64 = weights.iter().sum();
            let (mut square, mut cells) = (0.0, 0.0);
            for (y, weight) in weights.iter().enumerate() {
                let expected = 40_000.0 * weight / total;
                if expected >= 40.0 {
                    let observed = draws.iter().filter(|draw| **draw == y as i128).count() as f64;
                    square += (observed - expected).powi(2) / expected;
                    cells += 1.0;
                }
            }
            (square - cells) / (2.0_f64 * cells).sqrt()
        };
        let variance = law.sigma_squared().to_f64();
        assert!(statistic(variance) < 6.0, "{q}: {}", statistic(variance));
        assert!(statistic(1.15 * variance) > 12.0, "{q}: {}", statistic(1.15 * variance));
        assert!(draws.iter().all(|draw| (0..=30).contains(draw)));
    }
}

/// It needs no delta, and spends one only where that spares a hundredth of the error.
#[test]
fn it_keeps_epsilon_with_certainty() {
    let entry = registry::find("conditioned-gaussian").expect("registered");
    assert!(!entry.needs_delta());
    let delta = Delta::new("1e-6".parse().expect("number")).expect("in [0, 1)");
    let range = StepRange::new(Some(0), Some(10)).expect("ordered");
    let spent = entry.calibrate_spending(epsilon("1"), delta, &moved(1, 1), range).expect("calibrates");
    // On 10 steps a millionth buys less than a hundredth of the error, and on a thousand most of it.
    assert_eq!(spent.guarantee(), &Guarantee::Pure { epsilon: epsilon("1") });
    let long = StepRange::new(Some(0), Some(1000)).expect("ordered");
    let delta = || Delta::new("1e-6".parse().expect("number")).expect("in [0, 1)");
    let saved = entry.calibrate_spending(epsilon("1"), delta(), &moved(1, 1), long).expect("calibrates");
    assert!(saved.guarantee().delta().is_some() && saved.error_at(500).rmse < 6.0);
    assert_eq!(
        spent.ln_likelihood(3, StepValue::whole(3)).total_cmp(&spent.ln_likelihood(4, StepValue::whole(3))),
        std::cmp::Ordering::Greater
    );
    let open = StepRange::new(Some(0), None).expect("ordered");
    let refused = entry.calibrate(&Guarantee::Pure { epsilon: epsilon("1") }, &moved(1, 1), open);
    assert!(matches!(refused, Err(CalibrationError::NeedsBothEnds { .. })));
    let wide = StepRange::new(Some(0), Some(1 << 20)).expect("ordered");
    let refused = entry.calibrate(&Guarantee::Pure { epsilon: epsilon("1") }, &moved(1, 1), wide);
    assert!(matches!(refused, Err(CalibrationError::NeedsBothEnds { .. })));
}
