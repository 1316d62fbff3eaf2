//! The claims of discrete Gaussian noise, checked by enumeration against the law that runs.

use inbounds_core::{Delta, Enclosure, Guarantee, Rational, Rho, Sensitivity};
use inbounds_mechanisms::calibrate::{Proof, gaussian};

use crate::hockey_stick::{BITS, DELTAS, audit, guarantee, number, one_cell, sum};

/// Probabilities of discrete Gaussian noise around `q` on `{-reach, .., reach}`, the first and last with the tails beyond,
/// each tail below a geometric series of the ratio of its first two weights; from the definition.
fn gaussian_law(variance: &Rational, reach: i128, q: i128) -> Vec<Enclosure> {
    let falling =
        |square: u128| Enclosure::exp_neg(&(&Rational::from(square) / &(variance * &Rational::from(2u128))), BITS);
    let weight = |x: i128| falling((x - q).unsigned_abs().pow(2));
    // The ratio of the weights at distances k and k + 1 is that of e^(-(2 k + 1) / (2 s)).
    let tail = |first: i128| {
        let ratio = falling(2 * (first - q).unsigned_abs() + 1);
        Enclosure::zero(BITS).hull(&weight(first).div(&Enclosure::one(BITS).sub(&ratio)))
    };
    let mut weights: Vec<Enclosure> = (-reach..=reach).map(weight).collect();
    let last = weights.len() - 1;
    weights[0] = weights[0].add(&tail(-reach - 1));
    weights[last] = weights[last].add(&tail(reach + 1));
    let total = sum(weights.iter().cloned());
    weights.iter().map(|weight| weight.div(&total)).collect()
}

#[test]
fn gaussian_divergence_is_at_most_delta_and_within_a_thousandth_of_it() {
    for epsilon in ["0.1", "1", "5"] {
        for delta in DELTAS {
            for l1 in [1u128, 2, 5] {
                let asked = guarantee(epsilon, delta);
                let question = Guarantee::Approximate { epsilon: asked.0.clone(), delta: asked.1.clone() };
                let calibrated = gaussian::variance_parameter(&question, &one_cell(l1)).expect("calibrates");
                assert_eq!(calibrated.proof, Proof::HockeyStick);
                let std_dev = calibrated.parameter.to_f64().sqrt();
                // Both orders and all distances up to l1 are among the pairs of these answers.
                let reach = (9.0 * std_dev).ceil() as i128 + l1 as i128 + 2;
                // Less noise is a smaller variance: the audit's larger parameter is its inverse.
                let laws = |inverse: &Rational| {
                    let variance = &Rational::ONE / inverse;
                    (0..=l1 as i128).map(|q| gaussian_law(&variance, reach, q)).collect()
                };
                let inverse = &Rational::ONE / &calibrated.parameter;
                audit(&inverse, l1, &asked, laws, &format!("eps {epsilon} delta {delta} l1 {l1}"));
            }
        }
    }
}

/// The bracket by integrals, where it takes over from sums, against sums in doubles; and on grids of any fineness.
#[test]
fn gaussian_integrals_continue_the_sums() {
    for (epsilon, delta) in
        [("0.01", "1e-3"), ("0.1", "1e-6"), ("1", "1e-6"), ("5", "0.1"), ("1", "1e-30"), ("0.001", "0.1")]
    {
        let asked = guarantee(epsilon, delta);
        let (e, target) = (number(epsilon).to_f64(), number(delta).to_f64());
        let question = Guarantee::Approximate { epsilon: asked.0, delta: asked.1 };
        let unit = gaussian::continuous_std_dev(e, target, 1.0);
        for std_dev in [150.0, 1e4, 1e12] {
            let d = (std_dev / unit).ceil().max(1.0);
            let calibrated = gaussian::variance_parameter(&question, &one_cell(d as u128)).expect("calibrates");
            let sigma = calibrated.parameter.to_f64().sqrt();
            let continuous = gaussian::continuous_std_dev(e, target, d);
            let excess = sigma / continuous - 1.0;
            let what = format!("eps {epsilon} delta {delta} d {d}: sigma {sigma}, continuous {continuous}");
            // The discrete law differs from the continuous one by less than 1/sigma^2 or so.
            assert!(excess > -2.0 / (sigma * sigma) && excess < 2e-3, "{what}");
            if sigma < 1e5 {
                let found = gaussian_delta_in_doubles(calibrated.parameter.to_f64(), e, d);
                assert!(found <= target * (1.0 + 1e-9), "{what}: delta {found}");
                assert!(found >= target * 0.95, "{what}: delta {found}");
            }
        }
    }
}

/// `sum_x max(0, P(x) - e^epsilon Q(x))` over twenty deviations.
fn gaussian_delta_in_doubles(variance: f64, epsilon: f64, d: f64) -> f64 {
    let reach = (20.0 * variance.sqrt()).ceil() as i64;
    let weight = |x: f64| (-x * x / (2.0 * variance)).exp();
    let total: f64 = (-reach..=reach).map(|x| weight(x as f64)).sum();
    let excess = |x: f64| -weight(x) * (epsilon - d * (x + d / 2.0) / variance).exp_m1();
    (-reach..=reach).map(|x| excess(x as f64).max(0.0)).sum::<f64>() / total
}

#[test]
fn gaussian_vectors_go_by_rho() {
    let asked = guarantee("1", "1e-6");
    let question = Guarantee::Approximate { epsilon: asked.0.clone(), delta: asked.1.clone() };
    let spread = Sensitivity { l1: 6, linf: 2, cells: 9, rule: "audit", squares: None };
    let found = gaussian::variance_parameter(&question, &spread).expect("calibrates");
    assert_eq!(found.proof, Proof::ZeroConcentrated);
    // l2^2 = 3 * 2^2, so rho = 12 / (2 sigma^2), whose conversion meets delta and no thousandth less.
    let rho = Rho::new(&number("6") / &found.parameter).expect("positive");
    let delta = gaussian::concentrated_delta(&rho, asked.0.value());
    assert!(delta <= *asked.1.value() && delta >= &number("0.999999") * asked.1.value());
}

/// The Renyi divergences of the discrete law, by sums: at most `rho alpha`, and nearly that for the largest change.
#[test]
fn gaussian_renyi_divergences_are_at_most_rho_alpha() {
    for (rho, l1) in [("0.5", 1u128), ("0.02", 1), ("0.1", 3), ("2", 5)] {
        let question = Guarantee::ZeroConcentrated { rho: Rho::new(number(rho)).expect("positive") };
        let variance = gaussian::variance_parameter(&question, &one_cell(l1)).expect("calibrates").parameter.to_f64();
        let divergence = |variance: f64, alpha: f64, d: f64| {
            let sums = |f: &dyn Fn(f64) -> f64| (-400..=400).map(|x| f(f64::from(x)).exp()).sum::<f64>();
            let log_weight = |x: f64| -x * x / (2.0 * variance);
            let moment = sums(&|x| alpha * log_weight(x) + (1.0 - alpha) * log_weight(x - d));
            (moment / sums(&log_weight)).ln() / (alpha - 1.0)
        };
        for alpha in [1.1, 2.0, 3.0, 7.5] {
            let bound = number(rho).to_f64() * alpha * (1.0 + 1e-9);
            for d in 1..=l1 {
                assert!(divergence(variance, alpha, d as f64) <= bound, "rho {rho} alpha {alpha} d {d}");
            }
            // At whole orders the bound is attained.
            let whole = alpha.fract() == 0.0;
            let caught = divergence(0.99 * variance, alpha, l1 as f64) > bound;
            assert!(caught || !whole, "rho {rho} alpha {alpha}: a variance one percent too small passes");
        }
    }
}

#[test]
fn guarantees_without_a_gaussian_are_refused_with_the_remedy() {
    let refuse = |guarantee: Guarantee, l1: u128| {
        gaussian::variance_parameter(&guarantee, &one_cell(l1)).expect_err("refused").to_string()
    };
    let (epsilon, delta) = guarantee("1", "1e-6");
    assert!(refuse(Guarantee::Pure { epsilon: epsilon.clone() }, 1).contains("state a delta greater than 0"));
    let zero = Delta::new(Rational::ZERO).expect("a probability");
    assert!(refuse(Guarantee::Approximate { epsilon: epsilon.clone(), delta: zero }, 1).contains("state a delta"));
    let question = Guarantee::Approximate { epsilon, delta };
    assert!(refuse(question.clone(), 0).contains("sensitivity is zero"));
    assert!(refuse(question, 1 << 60).contains("must be between 1e-6 and 1e30"));
}

/// Parameters at the ends of what can be asked: an answer or an error, soon.
#[test]
fn extreme_guarantees_are_met_or_refused() {
    let close_to_one = format!("0.{}", "9".repeat(300));
    for epsilon in ["1e-12", "1e-6", "1", "50", "700"] {
        for delta in ["1e-300", "1e-17", "0.5", &close_to_one] {
            for (l1, cells) in [(1u128, 1u64), (1 << 40, 1), (1, 3), (u128::MAX, 1)] {
                let asked = guarantee(epsilon, delta);
                let question = Guarantee::Approximate { epsilon: asked.0, delta: asked.1 };
                let sensitivity = Sensitivity { l1, linf: l1, cells, rule: "audit", squares: None };
                match gaussian::variance_parameter(&question, &sensitivity) {
                    Ok(found) => assert!(found.parameter.is_positive()),
                    Err(error) => assert!(
                        ["change", "too extreme"].iter().any(|part| error.to_string().contains(part)),
                        "{error}"
                    ),
                }
            }
        }
    }
}
