//! The claims of discrete Gaussian noise, checked by enumeration against the law that runs.

use inbounds_core::{Delta, Enclosure, Epsilon, Guarantee, Rational, Rho, Sensitivity};
use inbounds_mechanisms::calibrate::{Proof, gaussian};

use crate::hockey_stick::{BITS, DELTAS, audit, guarantee, number, one_cell, sum};

/// Probabilities of discrete Gaussian noise around `q` on `{-reach, .., reach}`, the first and last with the tails
/// beyond, each tail below a geometric series of the ratio of its first two weights; from the definition.
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
            let label = format!("eps {epsilon} delta {delta} d {d}: sigma {sigma}, continuous {continuous}");
            // The discrete law differs from the continuous one by less than 1/sigma^2 or so.
            assert!(excess > -2.0 / (sigma * sigma) && excess < 2e-3, "{label}");
            if sigma < 1e5 {
                let computed = gaussian_delta_in_doubles(calibrated.parameter.to_f64(), e, d);
                assert!(computed <= target * (1.0 + 1e-9), "{label}: delta {computed}");
                assert!(computed >= target * 0.95, "{label}: delta {computed}");
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
fn gaussian_vectors_have_the_least_noise_of_two_accounts() {
    let (large, small) = (guarantee("1", "1e-6"), guarantee("3", "0.1"));
    let spread = Sensitivity { l1: 6, linf: 2, cells: 9, rule: "audit", squares: None };
    let computed = |asked: &(Epsilon, Delta)| {
        let question = Guarantee::Approximate { epsilon: asked.0.clone(), delta: asked.1.clone() };
        gaussian::variance_parameter(&question, &spread).expect("calibrates")
    };
    for (asked, proof) in [(&large, Proof::Smoothed), (&small, Proof::Smoothed)] {
        let calibrated = computed(asked);
        assert_eq!(calibrated.proof, proof);
        // What is proved meets delta, and no thousandth less.
        let vector = gaussian::GaussianVector::new(&spread, calibrated.parameter.clone());
        let delta = gaussian::composed_delta(&[vector], asked.0.value());
        assert!(delta <= *asked.1.value() && delta >= &number("0.999") * asked.1.value());
    }
    // Noise that is narrow beside a step is not nearly continuous: l2^2 = 1 + 1, and rho = 2 / (2 sigma^2).
    let narrow = Sensitivity { l1: 2, linf: 1, cells: 2, rule: "audit", squares: None };
    let asked = guarantee("9", "0.1");
    let question = Guarantee::Approximate { epsilon: asked.0.clone(), delta: asked.1.clone() };
    let computed = gaussian::variance_parameter(&question, &narrow).expect("calibrates");
    assert_eq!(computed.proof, Proof::ZeroConcentrated);
    let rho = Rho::new(&Rational::ONE / &computed.parameter).expect("positive");
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
            let is_integer = alpha.fract() == 0.0;
            let caught = divergence(0.99 * variance, alpha, l1 as f64) > bound;
            assert!(caught || !is_integer, "rho {rho} alpha {alpha}: a variance one percent too small passes");
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
                    Ok(calibrated) => assert!(calibrated.parameter.is_positive()),
                    Err(error) => assert!(
                        ["change", "too extreme"].iter().any(|part| error.to_string().contains(part)),
                        "{error}"
                    ),
                }
            }
        }
    }
}

/// The divergence of cells that move by these steps, each with noise of its variance, by its definition: a sum over all
/// outputs in doubles of positive terms.
fn vector_divergence(cells: &[(f64, i64)], epsilon: f64) -> f64 {
    let laws: Vec<(i64, Vec<f64>)> = cells
        .iter()
        .map(|(variance, _)| {
            let reach = (12.0 * variance.sqrt()).ceil() as i64;
            let weights: Vec<f64> = (-reach..=reach).map(|x| (-(x * x) as f64 / (2.0 * variance)).exp()).collect();
            let total: f64 = weights.iter().sum();
            (reach, weights.iter().map(|weight| weight / total).collect())
        })
        .collect();
    // Probability and loss of the outputs of the cells so far.
    let mut outputs = vec![(1.0, 0.0)];
    for ((variance, step), (reach, law)) in cells.iter().zip(&laws) {
        let loss = |x: i64| ((step * step - 2 * x * step) as f64) / (2.0 * variance);
        let each: Vec<(f64, f64)> = (-reach..=*reach).zip(law).map(|(x, mass)| (*mass, loss(x))).collect();
        let joined = outputs.iter().flat_map(|(mass, loss)| each.iter().map(move |(m, l)| (mass * m, loss + l)));
        outputs = joined.filter(|(mass, _)| *mass > 1e-30).collect();
    }
    let excess = outputs.iter().filter(|(_, loss)| *loss > epsilon);
    excess.map(|(mass, loss)| -mass * (epsilon - loss).exp_m1()).sum()
}

/// Vectors of one cell each, with their variances and moves, as the account sees them.
fn vectors(cells: &[(f64, i64)]) -> Vec<gaussian::GaussianVector> {
    let vector = |(variance, step): &(f64, i64)| {
        gaussian::GaussianVector::new(
            &one_cell(step.unsigned_abs().into()),
            Rational::from_f64(*variance).expect("finite"),
        )
    };
    cells.iter().map(vector).collect()
}

/// The directions in which cells move are those in which discrete noise differs most from continuous noise: along an
/// axis, and nearly so.
#[test]
fn gaussian_vectors_cost_at_most_what_is_stated_and_nearly_that() {
    let cases: [&[(f64, i64)]; 8] = [
        &[(1.5, 1)],
        &[(4.0, 1), (4.0, 1)],
        &[(9.0, 1), (9.0, -1)],
        &[(30.0, 3), (30.0, 1)],
        &[(12.5, 2), (40.25, 1)],
        &[(100.0, 1), (3.0, 1)],
        &[(20.0, 1), (20.0, 1), (20.0, 1)],
        &[(150.0, 5), (60.5, 2)],
    ];
    let continuous = |cells: &[(f64, i64)], less: f64, epsilon: f64| {
        let mu_squared: f64 = cells.iter().map(|(variance, step)| (step * step) as f64 / (variance - less)).sum();
        gaussian::continuous_delta(epsilon, 1.0 / mu_squared.sqrt(), 1.0)
    };
    let mut above_continuous = 0;
    for cells in cases {
        for epsilon in ["0.1", "0.5", "1", "2"] {
            let (label, e) = (format!("{cells:?}, epsilon {epsilon}"), number(epsilon).to_f64());
            let exact = vector_divergence(cells, e);
            let stated = gaussian::composed_delta(&vectors(cells), &number(epsilon)).to_f64();
            assert!(exact <= stated * (1.0 + 1e-9), "{label}: {exact:e} {stated:e}");
            above_continuous += usize::from(exact > continuous(cells, 0.0, e) * (1.0 + 1e-9));
            if cells.iter().all(|(variance, _)| *variance >= 9.0) {
                assert!(stated <= continuous(cells, 0.8, e), "{label}: much more than continuous noise");
                let narrower: Vec<_> = cells.iter().map(|(variance, step)| (0.9 * variance, *step)).collect();
                assert!(vector_divergence(&narrower, e) > stated, "{label}: a tenth less variance passes");
            }
        }
    }
    // So discrete noise is not simply as good as continuous noise of its variance.
    assert!(above_continuous > 0);
}

/// The least noise of equal vectors, against continuous noise, which needs the least there can be for many of them.
#[test]
fn the_least_noise_of_many_vectors_is_nearly_that_of_continuous_noise() {
    for (count, epsilon, delta) in
        [(2, "1", "1e-6"), (10, "1", "1e-9"), (55, "1", "1e-9"), (4, "0.1", "1e-6"), (1000, "3", "1e-12")]
    {
        let (e, d) = guarantee(epsilon, delta);
        let (target, least) = (number(delta).to_f64(), f64::from(count).sqrt());
        let unit = vectors(&vec![(1.0, 1); count as usize]);
        let (factor, account) = gaussian::largest_precision(&unit, &e, &d).expect("calibrates");
        assert_eq!(account, gaussian::GaussianAccount::Smoothed);
        let continuous = gaussian::continuous_std_dev(e.value().to_f64(), target, least).powi(2);
        let excess = 1.0 / factor.to_f64() - continuous;
        assert!(
            excess > 0.0 && excess < 1.5,
            "{count} at {epsilon}, {delta}: {excess} more variance than {continuous}"
        );
        let rho = Rho::new(&Rational::ratio(count.into(), 2) * &factor).expect("positive");
        let by_rho = gaussian::concentrated_delta(&rho, e.value());
        assert!(by_rho > *d.value(), "the conversion of rho would need more noise");
    }
}
