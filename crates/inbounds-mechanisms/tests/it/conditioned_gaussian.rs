//! Gaussian noise given that the result is in a range: its loss by enumeration, and its draws.

use std::sync::Arc;

use inbounds_core::{Delta, Epsilon, Guarantee, Sensitivity, StepRange};
use inbounds_mechanisms::{
    calibrate::{CalibrationError, conditioned_gaussian},
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
            let found = loss(variance, l1 as usize, top as usize);
            assert!(found <= exact * (1.0 + 1e-9) && found >= 0.999 * exact, "{text} {l1} {top}: {found}");
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
        assert!(worst <= 1.0 + 1e-9 && worst >= 0.999, "{l1} {cells} {top}: {worst}");
    }
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
                    let found = draws.iter().filter(|draw| **draw == y as i128).count() as f64;
                    square += (found - expected).powi(2) / expected;
                    cells += 1.0;
                }
            }
            (square - cells) / (2.0 * cells as f64).sqrt()
        };
        let variance = law.sigma_squared().to_f64();
        assert!(statistic(variance) < 6.0, "{q}: {}", statistic(variance));
        assert!(statistic(1.15 * variance) > 12.0, "{q}: {}", statistic(1.15 * variance));
        assert!(draws.iter().all(|draw| (0..=30).contains(draw)));
    }
}

/// On a narrow range it errs less than clamped Gaussian noise under a small delta, and it spends none.
#[test]
fn it_keeps_epsilon_with_certainty() {
    let entry = registry::find("conditioned-gaussian").expect("registered");
    assert!(!entry.needs_delta());
    let delta = Delta::new("1e-6".parse().expect("number")).expect("in [0, 1)");
    let range = StepRange::new(Some(0), Some(20)).expect("ordered");
    let spent = entry.calibrate_spending(epsilon("1"), delta, &moved(1, 1), range).expect("calibrates");
    assert_eq!(spent.guarantee(), &Guarantee::Pure { epsilon: epsilon("1") });
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
