//! The `(epsilon, delta)` claims of Laplace noise, checked by enumeration against the law that runs.

use inbounds_core::{Enclosure, Rational};
use inbounds_mechanisms::calibrate::{Proof, approximate, clamped, conditioned, continuous};

use crate::hockey_stick::{BITS, DELTAS, audit, guarantee, number, one_cell, sum};

/// `a^steps`.
fn power(tau: &Rational, steps: u128) -> Enclosure {
    Enclosure::exp_neg(&(tau * &Rational::from(steps)), BITS)
}

/// Probabilities of noise conditioned on `{0, .., width}`.
fn conditioned_law(tau: &Rational, width: u128, q: u128) -> Vec<Enclosure> {
    let weights: Vec<Enclosure> = (0..=width).map(|x| power(tau, x.abs_diff(q))).collect();
    let total = sum(weights.iter().cloned());
    weights.iter().map(|weight| weight.div(&total)).collect()
}

/// Probabilities of noise clamped to `{0, .., width}`: the ends hold the geometric tails,
/// `sum_{j >= k} a^j = a^k / (1 - a)`.
fn clamped_law(tau: &Rational, width: u128, q: u128) -> Vec<Enclosure> {
    let one = Enclosure::one(BITS);
    let ratio = power(tau, 1);
    let one_plus_ratio = one.add(&ratio);
    let missing = one.sub(&ratio);
    let mass = |x: u128| {
        let weight = power(tau, x.abs_diff(q));
        if x == 0 || x == width { weight.div(&one_plus_ratio) } else { weight.mul(&missing).div(&one_plus_ratio) }
    };
    (0..=width).map(mass).collect()
}

const EPSILONS: [&str; 5] = ["1e-9", "0.01", "0.1", "1", "5"];

#[test]
fn clamped_divergence_is_at_most_delta_and_within_a_thousandth_of_it() {
    for epsilon in EPSILONS {
        for delta in DELTAS {
            for (l1, width) in [(1u128, 1u128), (1, 5), (2, 6), (5, 12), (12, 12)] {
                let asked = guarantee(epsilon, delta);
                let calibrated = approximate::clamped(&asked.0, &asked.1, &one_cell(l1)).expect("calibrates");
                assert_eq!(calibrated.proof, Proof::HockeyStick);
                let tau = calibrated.parameter;
                let laws = |tau: &Rational| (0..=width).map(|q| clamped_law(tau, width, q)).collect();
                audit(&tau, l1, &asked, laws, &format!("eps {epsilon} delta {delta} l1 {l1} width {width}"));
                let stated = approximate::clamped_delta(&tau, &asked.0, &one_cell(l1));
                let bound = asked.1.value().to_f64_up();
                assert!(stated <= bound && stated >= 0.999 * bound, "{stated} for {bound}");
            }
        }
    }
}

#[test]
fn conditioned_divergence_is_at_most_delta_and_within_a_thousandth_of_it() {
    for epsilon in EPSILONS {
        for delta in DELTAS {
            for (l1, width) in [(1u128, 1u128), (1, 2), (1, 12), (2, 3), (3, 12), (5, 12), (7, 12), (12, 12), (2, 25)] {
                let asked = guarantee(epsilon, delta);
                let calibrated =
                    approximate::conditioned(&asked.0, &asked.1, &one_cell(l1), Some(width)).expect("calibrates");
                let label = format!("eps {epsilon} delta {delta} l1 {l1} width {width}");
                assert_eq!(calibrated.proof, Proof::HockeyStick, "{label}");
                let laws = |tau: &Rational| (0..=width).map(|q| conditioned_law(tau, width, q)).collect();
                audit(&calibrated.parameter, l1, &asked, laws, &label);
            }
        }
    }
}

/// Half lines: answers up to `far`, outputs up to `far + l1`, the last with the geometric tail beyond, in both orders.
#[test]
fn half_line_divergence_is_at_most_delta_and_within_a_thousandth_of_it() {
    let far = 30u128;
    for epsilon in ["1", "2", "5"] {
        for delta in DELTAS {
            for l1 in [1u128, 2] {
                let asked = guarantee(epsilon, delta);
                let calibrated = approximate::conditioned(&asked.0, &asked.1, &one_cell(l1), None).expect("calibrates");
                assert_eq!(calibrated.proof, Proof::HockeyStick);
                let law = |tau: &Rational, q: u128| {
                    let mut weights: Vec<Enclosure> = (0..=far + l1).map(|x| power(tau, x.abs_diff(q))).collect();
                    let last = weights.pop().expect("outputs");
                    weights.push(last.div(&Enclosure::one(BITS).sub(&power(tau, 1))));
                    let total = sum(weights.iter().cloned());
                    weights.iter().map(|weight| weight.div(&total)).collect()
                };
                let laws = |tau: &Rational| (0..=far).map(|q| law(tau, q)).collect();
                audit(&calibrated.parameter, l1, &asked, laws, &format!("eps {epsilon} delta {delta} l1 {l1}"));
            }
        }
    }
}

/// On fine grids the proof closes for every width, and gives the continuous scale to six digits.
#[test]
fn fine_grids_reach_the_continuous_scale() {
    let d = 1u128 << 40;
    for epsilon in ["1e-6", "0.1", "1", "5"] {
        for delta in ["1e-9", "1e-6", "1e-3", "0.1"] {
            for width in [Some(d), Some(d * 3 / 2), Some(2 * d), Some(10 * d), Some(d << 30), None] {
                let (e, asked) = (number(epsilon).to_f64(), guarantee(epsilon, delta));
                let calibrated = approximate::conditioned(&asked.0, &asked.1, &one_cell(d), width).expect("calibrates");
                let real = width.map_or(f64::INFINITY, |width| width as f64 / d as f64);
                let limit = continuous::conditioned_delta_scale(e, number(delta).to_f64(), 1.0, real);
                let computed = 1.0 / (calibrated.parameter.to_f64() * d as f64);
                let label = format!("eps {epsilon} delta {delta} width {width:?}: {computed} for {limit}");
                assert!((computed / limit - 1.0).abs() < 1e-6, "{label}");
            }
        }
    }
}

/// Between coarse and fine grids, where neither proof is tight, the parameter is still at least the pure one.
#[test]
fn a_delta_never_costs_noise() {
    for l1 in [1u128, 30, 1000] {
        for width in [Some(3 * l1 / 2 + 1), Some(500 * l1), None] {
            for epsilon in ["1e-3", "0.3"] {
                let asked = guarantee(epsilon, "1e-6");
                let pure = conditioned(&asked.0, &one_cell(l1), width).expect("calibrates");
                let calibrated =
                    approximate::conditioned(&asked.0, &asked.1, &one_cell(l1), width).expect("calibrates");
                assert!(calibrated.parameter >= pure);
                assert_eq!(calibrated.proof == Proof::Pure, calibrated.parameter == pure);
            }
        }
    }
}

/// Parameters at the ends of what can be asked: an answer or an error, soon, and never less than the pure parameter.
#[test]
fn extreme_guarantees_are_met_or_refused() {
    let close_to_one = format!("0.{}", "9".repeat(300));
    for epsilon in ["1e-12", "1e-6", "1", "50", "700"] {
        for delta in ["1e-300", "1e-100", "1e-17", "0.5", &close_to_one] {
            for (l1, width) in [(1u128, None), (1, Some(1)), (1, Some(u128::MAX >> 1)), (1 << 60, Some((1 << 60) + 5))]
            {
                let asked = guarantee(epsilon, delta);
                for width in [width, None] {
                    let Ok(pure) = conditioned(&asked.0, &one_cell(l1), width) else { continue };
                    let calibrated =
                        approximate::conditioned(&asked.0, &asked.1, &one_cell(l1), width).expect("as pure");
                    assert!(calibrated.parameter >= pure, "eps {epsilon} delta {delta} l1 {l1} width {width:?}");
                }
                let pure = clamped(&asked.0, &one_cell(l1)).expect("calibrates");
                let calibrated = approximate::clamped(&asked.0, &asked.1, &one_cell(l1)).expect("calibrates");
                assert!(calibrated.parameter >= pure, "eps {epsilon} delta {delta} l1 {l1}");
            }
        }
    }
}
