//! Contracts that every bounding and mechanism keeps; those of the laws are in `laws.rs`.

use inbounds_core::{Delta, Epsilon, Sensitivity, StepRange};
use inbounds_mechanisms::registry;

/// Bias and error against sums over the published law, for every registered mechanism and shape of range.
#[test]
fn stated_errors_are_those_of_the_law() {
    let epsilon = Epsilon::new("0.8".parse().expect("number")).expect("positive");
    let delta = Delta::new("1e-3".parse().expect("number")).expect("in [0, 1)");
    let sensitivity = Sensitivity { l1: 2, linf: 2, cells: 1, rule: "contract", squares: None };
    for (lower, upper) in [(Some(0), Some(9)), (Some(0), None), (None, Some(4)), (None, None)] {
        let range = StepRange::new(lower, upper).expect("ordered");
        for entry in registry::MECHANISMS {
            let guarantee = entry.guarantee(epsilon.clone(), delta.clone());
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
