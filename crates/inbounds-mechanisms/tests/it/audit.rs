//! The privacy claim, checked by enumeration against the law that runs, in exact or outward-rounded arithmetic.
//!
//! Nothing here calls the calibration's own formula for the loss: probabilities are summed from the definition.

use inbounds_core::{Enclosure, Epsilon, Guarantee, Rational, Sensitivity, StepRange};
use inbounds_mechanisms::{mechanism::Mechanism, registry};

/// Enough for the rarest output audited, of probability about `e^-(50 * 12)`.
const BITS: usize = 1200;

fn epsilon(text: &str) -> Epsilon {
    Epsilon::new(text.parse().expect("number")).expect("positive")
}

fn pure(text: &str) -> Guarantee {
    Guarantee::Pure { epsilon: epsilon(text) }
}

fn inverse_scale(mechanism: &dyn Mechanism) -> &Rational {
    mechanism.noise().as_laplace().expect("Laplace noise").inverse_scale()
}

/// Weights `a^|x - q|` and their sum over `{0..width}`, from the definition.
fn law_on(tau: &Rational, width: u128, q: u128) -> (Vec<Enclosure>, Enclosure) {
    let weights: Vec<Enclosure> =
        (0..=width).map(|x| Enclosure::exp_neg(&(tau * &Rational::from(x.abs_diff(q))), BITS)).collect();
    let zero = Enclosure::from_rational(&Rational::ZERO, BITS);
    let sum = weights.iter().fold(zero, |sum, weight| sum.add(weight));
    (weights, sum)
}

/// True if the probability of every output under `q` is at most `e^loss` times that under `q'`, for all pairs within
/// `distance`, proved by enclosures.
fn loss_is_at_most(tau: &Rational, width: u128, distance: u128, loss: &Rational) -> bool {
    let shrink = Enclosure::exp_neg(loss, BITS);
    let laws: Vec<_> = (0..=width).map(|q| law_on(tau, width, q)).collect();
    laws.iter().enumerate().all(|(q, (weights, sum))| {
        laws.iter().enumerate().filter(|(p, _)| q.abs_diff(*p) as u128 <= distance).all(|(p, (others, other_sum))| {
            // w / S <= e^loss w' / S'  iff  w S' e^-loss <= w' S; equal laws (q = p) need no proof.
            p == q
                || weights.iter().zip(others).all(|(w, v)| w.mul(other_sum).mul(&shrink).certainly_at_most(&v.mul(sum)))
        })
    })
}

#[test]
fn conditioned_loss_is_at_most_epsilon_and_within_1e_9_of_it() {
    let conditioned = registry::find("conditioned").expect("registered");
    let slack: Rational = "0.999999999".parse().expect("number");
    for text in ["1e-12", "1e-6", "0.1", "1", "5", "50"] {
        for (l1, width) in [(1, 1), (1, 2), (1, 12), (2, 3), (3, 12), (5, 12), (7, 12)] {
            let sensitivity = Sensitivity { l1, linf: l1, cells: 1, rule: "audit", squares: None };
            let range = StepRange::new(Some(0), Some(width as i128)).expect("ordered");
            let epsilon = epsilon(text);
            let mechanism = conditioned.calibrate(&pure(text), &sensitivity, range).expect("calibrates");
            let tau = inverse_scale(mechanism.as_ref());
            assert!(
                loss_is_at_most(tau, width, l1, epsilon.value()),
                "eps {text} l1 {l1} width {width}: too little noise"
            );
            let less = &slack * epsilon.value();
            assert!(
                !loss_is_at_most(tau, width, l1, &less),
                "eps {text} l1 {l1} width {width}: more noise than needed"
            );
            assert!(mechanism.loss_bound() <= Some(epsilon.value().to_f64_up()));
        }
    }
}

/// The audit itself can fail: the scale that the papers and libraries take is caught.
#[test]
fn the_audit_rejects_the_uncorrected_scale() {
    for text in ["1e-12", "0.1", "1"] {
        let epsilon = epsilon(text);
        assert!(!loss_is_at_most(epsilon.value(), 12, 1, epsilon.value()), "eps {text}");
    }
}

/// All pairs of vectors of `cells` answers within the l1 distance: the largest sum of per-cell losses, brute force.
#[test]
fn vectors_spread_their_change() {
    let conditioned = registry::find("conditioned").expect("registered");
    let range = StepRange::new(Some(0), Some(6)).expect("ordered");
    for (l1, cells) in [(2u128, 2u64), (3, 2), (4, 3), (1, 5)] {
        let sensitivity = Sensitivity { l1, linf: l1, cells, rule: "audit", squares: None };
        let mechanism = conditioned.calibrate(&pure("0.7"), &sensitivity, range).expect("calibrates");
        let tau = inverse_scale(mechanism.as_ref()).to_f64();
        let log_law = |q: i128, x: i128| {
            let total: f64 = (0..=6).map(|y: i128| (-tau * (y - q).abs() as f64).exp()).sum();
            -tau * (x - q).abs() as f64 - total.ln()
        };
        // Largest loss of one cell for each distance, over all locations and outputs.
        let one: Vec<f64> = (0..=6i128)
            .map(|d| {
                let pairs = (0..=6i128)
                    .flat_map(|q| (0..=6i128).map(move |p| (q, p)))
                    .filter(|(q, p)| q.abs_diff(*p) == d as u128);
                pairs
                    .flat_map(|(q, p)| (0..=6).map(move |x| (q, p, x)))
                    .map(|(q, p, x)| log_law(q, x) - log_law(p, x))
                    .fold(0.0, f64::max)
            })
            .collect();
        let mut worst = 0f64;
        let mut stack = vec![(0u64, 0u128, 0f64)];
        while let Some((used, spent, loss)) = stack.pop() {
            worst = worst.max(loss);
            if used < cells {
                stack.extend((1..=l1 - spent).map(|d| (used + 1, spent + d, loss + one[d as usize])));
            }
        }
        assert!(worst <= 0.7 * (1.0 + 1e-12), "l1 {l1} cells {cells}: {worst}");
        assert!(worst >= 0.7 * 0.999_999_999, "l1 {l1} cells {cells}: {worst}");
    }
}

#[test]
fn clamped_keeps_epsilon_exactly() {
    let clamped = registry::find("clamped").expect("registered");
    for (text, l1) in [("0.1", 1u128), ("1/3", 7), ("2.5", 1_000_003)] {
        let sensitivity = Sensitivity { l1, linf: l1, cells: 4, rule: "audit", squares: None };
        let mechanism = clamped.calibrate(&pure(text), &sensitivity, StepRange::UNBOUNDED).expect("calibrates");
        assert_eq!(&(inverse_scale(mechanism.as_ref()) * &Rational::from(l1)), epsilon(text).value());
    }
}

#[test]
fn scales_beyond_reach_are_refused_and_large_epsilons_are_proved() {
    let conditioned = registry::find("conditioned").expect("registered");
    let range = StepRange::new(Some(0), Some(1000)).expect("ordered");
    let calibrate = |text: &str, l1: u128, cells: u64| {
        conditioned.calibrate(&pure(text), &Sensitivity { l1, linf: 1, cells, rule: "audit", squares: None }, range)
    };
    for text in ["1e-300", "1e-40", "6000"] {
        let error = calibrate(text, 1, 1).expect_err(text).to_string();
        assert!(error.contains("must be between 0.001 and 1e30"), "{error}");
    }
    let spread = calibrate("1000", 1000, 1000).expect("calibrates");
    assert!(spread.loss_bound() <= Some(1000.0) && spread.loss_bound() >= Some(1000.0 * (1.0 - 1e-9)));
}

/// Proof on ranges too wide to enumerate, by the certificate, and its tightness.
#[test]
fn certificates_close_over_the_whole_span_of_parameters() {
    let conditioned = registry::find("conditioned").expect("registered");
    for text in ["1e-12", "1e-3", "1", "50"] {
        for l1 in [1u128, 1 << 20, 1 << 33] {
            for width in [Some(l1), Some(2 * l1), Some(l1 * 1_000_000_000), None] {
                let sensitivity = Sensitivity { l1, linf: l1, cells: 1, rule: "audit", squares: None };
                let range = StepRange::new(Some(0), width.map(|w| w as i128)).expect("ordered");
                let epsilon = epsilon(text);
                let mechanism = match conditioned.calibrate(&pure(text), &sensitivity, range) {
                    Ok(mechanism) => mechanism,
                    Err(error) => panic!("eps {text} l1 {l1} width {width:?}: {error}"),
                };
                let exact = epsilon.value().to_f64();
                assert!(mechanism.loss_bound() <= Some(epsilon.value().to_f64_up()));
                assert!(mechanism.loss_bound() >= Some(exact * (1.0 - 1e-9)), "eps {text} l1 {l1} width {width:?}");
            }
        }
    }
}

/// Every pure mechanism of the registry on short ranges: all pairs of neighbours, all measurements and all published
/// estimates, rounding included. Probabilities are summed from the law in doubles, good to 1e-12; the proofs above are
/// of the noise.
#[test]
fn no_measurement_and_no_estimate_of_any_pure_mechanism_loses_more_than_epsilon() {
    for entry in registry::MECHANISMS.iter().filter(|entry| !entry.needs_delta() && !entry.is_multiplied()) {
        for (text, l1, top) in [("0.3", 1u128, 6i128), ("1", 2, 6), ("2.5", 1, 3), ("1", 3, 3)] {
            let sensitivity = Sensitivity { l1, linf: l1, cells: 1, rule: "audit", squares: None };
            let range = StepRange::new(Some(0), Some(top)).expect("ordered");
            let mechanism = entry.calibrate(&pure(text), &sensitivity, range).expect("calibrates");
            let outputs: Vec<i128> =
                (-400..=400 + top).filter(|y| entry.is_post_processing() || range.clamp(*y) == *y).collect();
            let law = |q: i128| -> Vec<f64> {
                let weights: Vec<f64> =
                    outputs.iter().map(|y| mechanism.noise().law().ln_kernel((y - q) as f64).exp()).collect();
                let total: f64 = weights.iter().sum();
                weights.into_iter().map(|weight| weight / total).collect()
            };
            let estimates = |law: &[f64]| -> Vec<f64> {
                let mut masses = vec![0.0; top as usize + 1];
                for (y, mass) in outputs.iter().zip(law) {
                    let estimate = mechanism.estimate(*y);
                    masses[estimate.whole as usize] += mass * (1.0 - estimate.fraction);
                    if estimate.fraction > 0.0 {
                        masses[estimate.whole as usize + 1] += mass * estimate.fraction;
                    }
                }
                masses
            };
            let laws: Vec<Vec<f64>> = (0..=top).map(law).collect();
            let published: Vec<Vec<f64>> = laws.iter().map(|law| estimates(law)).collect();
            let (mut most, mut most_published) = (0f64, 0f64);
            for (q, p) in (0..=top as usize).flat_map(|q| (0..=top as usize).map(move |p| (q, p))) {
                if q.abs_diff(p) as u128 > l1 {
                    continue;
                }
                let loss = |one: &[f64], other: &[f64]| -> f64 {
                    let ratios = one.iter().zip(other).filter(|(mass, _)| **mass > 1e-200);
                    ratios.map(|(a, b)| (a / b).ln()).fold(f64::NEG_INFINITY, f64::max)
                };
                most = most.max(loss(&laws[q], &laws[p]));
                most_published = most_published.max(loss(&published[q], &published[p]));
            }
            let epsilon: f64 = text.parse().expect("number");
            let label = format!("{} at epsilon {text}, l1 {l1}: {most} {most_published}", entry.name);
            assert!(most <= epsilon * (1.0 + 1e-9) && most >= 0.999 * epsilon, "{label}");
            assert!(most_published <= epsilon * (1.0 + 1e-9), "{label}");
        }
    }
}
