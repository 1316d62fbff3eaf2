//! Contracts that every bounding and mechanism keeps; those of the laws are in `laws.rs`, and of noise that is
//! multiplied in `multiplied.rs`.

use inbounds_core::{Delta, Epsilon, Sensitivity, StepRange};
use inbounds_mechanisms::{registry, sampler::SeededEntropy};

/// Bias and error against sums over the published law, for every registered mechanism and shape of range.
#[test]
fn stated_errors_are_those_of_the_law() {
    let epsilon = Epsilon::new("0.8".parse().expect("number")).expect("positive");
    let delta = Delta::new("1e-3".parse().expect("number")).expect("in [0, 1)");
    let sensitivity = Sensitivity { l1: 2, linf: 2, cells: 1, rule: "contract", squares: None };
    for (lower, upper) in [(Some(0), Some(9)), (Some(0), None), (None, Some(4)), (None, None)] {
        let range = StepRange::new(lower, upper).expect("ordered");
        for entry in registry::MECHANISMS.iter().filter(|entry| !entry.is_multiplied()) {
            let guarantee = entry.guarantee(epsilon.clone(), delta.clone());
            if entry.needs_both_ends() && range.width().is_none() {
                continue;
            }
            let mechanism = entry.calibrate(&guarantee, &sensitivity, range).expect("calibrates");
            let noise = mechanism.noise();
            assert_eq!(noise.kind(), entry.noise);
            let mut worst = 0f64;
            for q in lower.unwrap_or(-30)..=upper.unwrap_or(30) {
                // All raw values that matter, those a conditioned law excludes left out.
                let outputs = (q - 400..=q + 400).filter(|y| entry.is_post_processing() || range.clamp(*y) == *y);
                let (mut mass, mut first, mut second) = (0.0, 0.0, 0.0);
                for y in outputs {
                    let weight = noise.law().ln_kernel((y - q) as f64).exp();
                    let estimate = mechanism.estimate(y);
                    let error = -estimate.distance_to(q);
                    let rounding = estimate.fraction * (1.0 - estimate.fraction);
                    mass += weight;
                    first += weight * error;
                    second += weight * (error * error + rounding);
                }
                let stated = mechanism.error_at(q);
                assert!((stated.bias - first / mass).abs() < 1e-10, "{} {range:?} at {q}", entry.name);
                assert!((stated.rmse - (second / mass).sqrt()).abs() < 1e-10, "{} {range:?} at {q}", entry.name);
                worst = worst.max(stated.bias.abs());
            }
            assert!((mechanism.worst_bias() - worst).abs() < 1e-10, "{} {range:?}", entry.name);
        }
    }
}

/// Numbers of 64 bits and of 128 have the same measurements from a seed, at short vectors and long, but for those
/// beyond 64 bits.
#[test]
fn narrow_measurements_are_the_wide_ones() {
    let far = i128::from(i64::MAX) + 10;
    for entry in registry::MECHANISMS {
        for (low, high) in [(None, None), (Some(0), Some(900)), (Some(-far), None), (Some(far), Some(far + 50))] {
            let sensitivity = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "test", squares: None };
            let delta = Delta::new("0.000001".parse().expect("number")).expect("in [0, 1)");
            let guarantee = entry.guarantee(Epsilon::new("0.25".parse().expect("number")).expect("positive"), delta);
            let range = StepRange::new(low, high).expect("ordered");
            let Ok(mechanism) = entry.calibrate(&guarantee, &sensitivity, range) else { continue };
            for cells in [3_i64, 70_000] {
                let mut narrow: Vec<i64> = (0..cells).map(|cell| cell % 1000).chain([i64::MIN, i64::MAX]).collect();
                let wide: Vec<i128> = narrow.iter().map(|answer| i128::from(*answer)).collect();
                let wide = mechanism.measure(&wide, &mut SeededEntropy::from_seed(4));
                mechanism.measure_narrow(&mut narrow, &mut SeededEntropy::from_seed(4));
                let nearest = |steps: i128| steps.clamp(i64::MIN.into(), i64::MAX.into());
                let same = wide.iter().zip(narrow).all(|(wide, narrow)| nearest(*wide) == i128::from(narrow));
                assert!(same, "{}, {range:?}, {cells} cells", entry.plan_name);
            }
        }
    }
}
