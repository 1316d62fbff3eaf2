//! The `(epsilon, delta)` claims, checked by enumeration against the law that runs, in outward-rounded arithmetic.
//!
//! Nothing here calls the calibration's own formula for the divergence: probabilities and the hockey-stick sum come from
//! their definitions, over all pairs of answers and all outputs.

use inbounds_core::{Delta, Enclosure, Epsilon, Guarantee, Rational, Sensitivity};
use inbounds_mechanisms::calibrate::{Rule, approximate, gaussian};

const BITS: usize = 512;

fn number(text: &str) -> Rational {
    text.parse().expect("number")
}

fn guarantee(epsilon: &str, delta: &str) -> (Epsilon, Delta) {
    (Epsilon::new(number(epsilon)).expect("positive"), Delta::new(number(delta)).expect("a probability"))
}

fn one_cell(l1: u128) -> Sensitivity {
    Sensitivity { l1, linf: l1, cells: 1, rule: "audit" }
}

/// `a^steps`.
fn power(tau: &Rational, steps: u128) -> Enclosure {
    Enclosure::exp_neg(&(tau * &Rational::from(steps)), BITS)
}

fn sum(terms: impl Iterator<Item = Enclosure>) -> Enclosure {
    terms.fold(Enclosure::zero(BITS), |sum, term| sum.add(&term))
}

/// Probabilities of noise conditioned on `{0, .., width}`.
fn conditioned_law(tau: &Rational, width: u128, q: u128) -> Vec<Enclosure> {
    let weights: Vec<Enclosure> = (0..=width).map(|x| power(tau, x.abs_diff(q))).collect();
    let total = sum(weights.iter().cloned());
    weights.iter().map(|weight| weight.div(&total)).collect()
}

/// Probabilities of noise clamped to `{0, .., width}`: the ends hold the geometric tails, `sum_{j >= k} a^j = a^k / (1 - a)`.
fn clamped_law(tau: &Rational, width: u128, q: u128) -> Vec<Enclosure> {
    let one = Enclosure::one(BITS);
    let ratio = power(tau, 1);
    let whole = one.add(&ratio);
    let missing = one.sub(&ratio);
    let mass = |x: u128| {
        let weight = power(tau, x.abs_diff(q));
        if x == 0 || x == width { weight.div(&whole) } else { weight.mul(&missing).div(&whole) }
    };
    (0..=width).map(mass).collect()
}

/// `sum_x max(0, P(x) - e^epsilon Q(x))`; terms of unknown sign are smaller than the precision.
fn hockey_stick(p: &[Enclosure], q: &[Enclosure], growth: &Enclosure) -> Enclosure {
    let excess = p.iter().zip(q).map(|(p, q)| p.sub(&growth.mul(q)));
    sum(excess.filter(|excess| !excess.is_certainly_nonpositive()))
}

fn growth(epsilon: &Epsilon) -> Enclosure {
    Enclosure::one(BITS).div(&Enclosure::exp_neg(epsilon.value(), BITS))
}

/// Whether all pairs of laws within `distance` have a divergence proved to be at most `delta`.
fn divergence_is_at_most(laws: &[Vec<Enclosure>], distance: u128, epsilon: &Epsilon, delta: &Rational) -> bool {
    let (growth, delta) = (growth(epsilon), Enclosure::from_rational(delta, BITS));
    let near = |i: usize, j: usize| i != j && i.abs_diff(j) as u128 <= distance;
    (0..laws.len()).all(|i| {
        let others = (0..laws.len()).filter(|j| near(i, *j));
        others.into_iter().all(|j| hockey_stick(&laws[i], &laws[j], &growth).certainly_at_most(&delta))
    })
}

/// Holds a calibrated `tau` against delta, against a thousandth less, and a `tau` one percent larger against delta.
fn audit(
    tau: &Rational,
    distance: u128,
    (epsilon, delta): &(Epsilon, Delta),
    laws: impl Fn(&Rational) -> Vec<Vec<Enclosure>>,
    what: &str,
) {
    let delta = delta.value();
    assert!(divergence_is_at_most(&laws(tau), distance, epsilon, delta), "{what}: too little noise");
    let less = delta * &number("0.999");
    assert!(!divergence_is_at_most(&laws(tau), distance, epsilon, &less), "{what}: more noise than needed");
    let larger = tau * &number("1.01");
    assert!(!divergence_is_at_most(&laws(&larger), distance, epsilon, delta), "{what}: the audit has no power");
}

const EPSILONS: [&str; 5] = ["1e-9", "0.01", "0.1", "1", "5"];
const DELTAS: [&str; 3] = ["1e-6", "1e-3", "0.1"];

#[test]
fn clamped_divergence_is_at_most_delta_and_within_a_thousandth_of_it() {
    for epsilon in EPSILONS {
        for delta in DELTAS {
            for (l1, width) in [(1u128, 1u128), (1, 5), (2, 6), (5, 12), (12, 12)] {
                let asked = guarantee(epsilon, delta);
                let calibrated = approximate::clamped(&asked.0, &asked.1, &one_cell(l1)).expect("calibrates");
                assert_eq!(calibrated.rule, Rule::HockeyStick);
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
                let what = format!("eps {epsilon} delta {delta} l1 {l1} width {width}");
                assert_eq!(calibrated.rule, Rule::HockeyStick, "{what}");
                let laws = |tau: &Rational| (0..=width).map(|q| conditioned_law(tau, width, q)).collect();
                audit(&calibrated.parameter, l1, &asked, laws, &what);
            }
        }
    }
}

/// Probabilities of discrete Gaussian noise around `q` on `{-reach, .., reach}`, the first and last with the tails beyond,
/// each tail below a geometric series of the ratio of its first two weights; from the definition.
fn gaussian_law(variance: &Rational, reach: i128, q: i128) -> Vec<Enclosure> {
    let weight = |x: i128| {
        let square = Rational::from((x - q).unsigned_abs() * (x - q).unsigned_abs());
        Enclosure::exp_neg(&(&square / &(variance * &Rational::from(2u128))), BITS)
    };
    let tail = |first: i128, second: i128| {
        let (a, b) = (weight(first), weight(second));
        Enclosure::zero(BITS).hull(&a.div(&Enclosure::one(BITS).sub(&b.div(&a))))
    };
    let mut weights: Vec<Enclosure> = (-reach..=reach).map(weight).collect();
    let last = weights.len() - 1;
    weights[0] = weights[0].add(&tail(-reach - 1, -reach - 2));
    weights[last] = weights[last].add(&tail(reach + 1, reach + 2));
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
                assert_eq!(calibrated.rule, Rule::HockeyStick);
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
