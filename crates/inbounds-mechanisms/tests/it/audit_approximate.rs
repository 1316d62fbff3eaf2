//! The `(epsilon, delta)` claims, checked by enumeration against the law that runs, in outward-rounded arithmetic.
//!
//! Nothing here calls the calibration's own formula for the divergence: probabilities and the hockey-stick sum come from
//! their definitions, over all pairs of answers and all outputs.

use inbounds_core::{Delta, Enclosure, Epsilon, Guarantee, Rational, Rho, Sensitivity};
use inbounds_mechanisms::calibrate::{Rule, approximate, clamped, conditioned, continuous, gaussian};

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

/// Half lines: answers up to `far`, outputs up to `far + l1`, the last with the geometric tail beyond, in both orders.
#[test]
fn half_line_divergence_is_at_most_delta_and_within_a_thousandth_of_it() {
    let far = 40u128;
    for epsilon in ["1", "2", "5"] {
        for delta in DELTAS {
            for l1 in [1u128, 2] {
                let asked = guarantee(epsilon, delta);
                let calibrated = approximate::conditioned(&asked.0, &asked.1, &one_cell(l1), None).expect("calibrates");
                assert_eq!(calibrated.rule, Rule::HockeyStick);
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
                let found = 1.0 / (calibrated.parameter.to_f64() * d as f64);
                let what = format!("eps {epsilon} delta {delta} width {width:?}: {found} for {limit}");
                assert!((found / limit - 1.0).abs() < 1e-6, "{what}");
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
                let found = approximate::conditioned(&asked.0, &asked.1, &one_cell(l1), width).expect("calibrates");
                assert!(found.parameter >= pure);
                assert_eq!(found.rule == Rule::Pure, found.parameter == pure);
            }
        }
    }
}

#[test]
fn vectors_keep_the_pure_parameter_and_say_so() {
    let asked = guarantee("0.7", "1e-3");
    let spread = Sensitivity { l1: 4, linf: 2, cells: 3, rule: "audit" };
    let plain = approximate::clamped(&asked.0, &asked.1, &spread).expect("calibrates");
    assert_eq!((plain.rule, plain.parameter), (Rule::Pure, clamped(&asked.0, &spread).expect("calibrates")));
    let found = approximate::conditioned(&asked.0, &asked.1, &spread, Some(9)).expect("calibrates");
    let pure = conditioned(&asked.0, &spread, Some(9)).expect("calibrates");
    assert_eq!((found.rule, found.parameter), (Rule::Pure, pure));
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
    let spread = Sensitivity { l1: 6, linf: 2, cells: 9, rule: "audit" };
    let found = gaussian::variance_parameter(&question, &spread).expect("calibrates");
    assert_eq!(found.rule, Rule::ZeroConcentrated);
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
