//! The hockey-stick divergence from its definition, in outward-rounded arithmetic, and what holds a calibration against
//! it.
//!
//! Nothing here calls the calibration's own formula for the divergence: it is summed over all pairs of answers and all
//! outputs.

use inbounds_core::{Delta, Enclosure, Epsilon, Rational, Sensitivity};

/// Fractional bits: the rarest output audited has a probability of about `2^-300`.
pub(crate) const BITS: usize = 384;

pub(crate) fn number(text: &str) -> Rational {
    text.parse().expect("number")
}

pub(crate) fn guarantee(epsilon: &str, delta: &str) -> (Epsilon, Delta) {
    (Epsilon::new(number(epsilon)).expect("positive"), Delta::new(number(delta)).expect("a probability"))
}

pub(crate) fn one_cell(l1: u128) -> Sensitivity {
    Sensitivity { l1, linf: l1, cells: 1, rule: "audit", squares: None }
}

pub(crate) fn sum(terms: impl Iterator<Item = Enclosure>) -> Enclosure {
    terms.fold(Enclosure::zero(BITS), |sum, term| sum.add(&term))
}

/// `sum_x max(0, P(x) - e^epsilon Q(x))`; terms of unknown sign are smaller than the precision.
fn hockey_stick(p: &[Enclosure], q: &[Enclosure], growth: &Enclosure) -> Enclosure {
    let excess = p.iter().zip(q).map(|(p, q)| p.sub(&growth.mul(q)));
    sum(excess.filter(|excess| !excess.is_certainly_nonpositive()))
}

fn growth(epsilon: &Epsilon) -> Enclosure {
    Enclosure::one(BITS).div(&Enclosure::exp_neg(epsilon.value(), BITS))
}

/// True if all pairs of laws within `distance` have a divergence proved to be at most `delta`.
fn divergence_is_at_most(laws: &[Vec<Enclosure>], distance: u128, epsilon: &Epsilon, delta: &Rational) -> bool {
    let (growth, delta) = (growth(epsilon), Enclosure::from_rational(delta, BITS));
    let near = |i: usize, j: usize| i != j && i.abs_diff(j) as u128 <= distance;
    (0..laws.len()).all(|i| {
        let mut others = (0..laws.len()).filter(|j| near(i, *j));
        others.all(|j| hockey_stick(&laws[i], &laws[j], &growth).certainly_at_most(&delta))
    })
}

/// Holds a calibrated `tau` against delta, against a thousandth less, and a `tau` one percent larger against delta.
pub(crate) fn audit(
    tau: &Rational,
    distance: u128,
    (epsilon, delta): &(Epsilon, Delta),
    laws: impl Fn(&Rational) -> Vec<Vec<Enclosure>>,
    label: &str,
) {
    let delta = delta.value();
    assert!(divergence_is_at_most(&laws(tau), distance, epsilon, delta), "{label}: too little noise");
    let less = delta * &number("0.999");
    assert!(!divergence_is_at_most(&laws(tau), distance, epsilon, &less), "{label}: more noise than needed");
    let larger = tau * &number("1.01");
    assert!(!divergence_is_at_most(&laws(&larger), distance, epsilon, delta), "{label}: the audit has no power");
}

/// The deltas that audits ask for.
pub(crate) const DELTAS: [&str; 3] = ["1e-6", "1e-3", "0.1"];

/// A change of 2^90 steps in a range no wider: borders between the answers are no doubles, and the proof still ends.
#[test]
fn the_widest_changes_are_calibrated() {
    let number = |text: &str| text.parse::<inbounds_core::Rational>().expect("number");
    let epsilon = inbounds_core::Epsilon::new(number("60")).expect("positive");
    let delta = inbounds_core::Delta::new(number("1e-20")).expect("a probability");
    let change = inbounds_core::Sensitivity { l1: 1 << 90, linf: 1 << 90, cells: 1, rule: "test", squares: None };
    let calibrated = inbounds_mechanisms::calibrate::approximate::conditioned(&epsilon, &delta, &change, Some(1 << 90));
    assert!(calibrated.expect("calibrates").parameter.to_f64() * 2f64.powi(90) > 60.0 * (1.0 - 1e-12));
}
