//! Discrete generalised Gaussian noise, for epsilon and delta.
//!
//! # Idea
//! The loss at noise `k` of a move by `d` steps, `c (|k + d|^p - |k|^p)`, increases in `k`, since powers above one are
//! convex. So the hockey-stick divergence is that of a threshold: `P(N >= t) - e^epsilon P(N >= t + d)` for the least
//! `t` with a loss of epsilon or more, which rational numbers decide. Doubles find the scale at which it is delta;
//! enclosures have to prove it.
//!
//! Liu's equation (3) asks for a scale at which a loss above epsilon has at most the probability delta, of a bound on
//! the loss at that. Both are sufficient, so that the scale here is never above hers, as a test shows.

use inbounds_core::{Delta, Enclosure, Epsilon, Rational, Sensitivity, root};

use super::{
    CalibrationError,
    proposals::{MOST_PROOFS, even_moves, proposals},
};
use crate::noise::{
    DiscreteGeneralisedGaussian, end_of_generalised_gaussian as end_of_table, total_of_generalised_gaussian as total,
    weights,
};

/// Fractional bits of the certificate: divergences down to `1e-30` are seen to `2^-200` of themselves.
const PRECISION: usize = 320;

/// Exponent up to which doubles sum.
const DEPTH: f64 = 100.0;

/// Largest scale that is tried, in steps.
const LARGEST_SCALE: f64 = 20_000.0;

/// Largest epsilon, for the precision.
const LARGEST_EPSILON: f64 = 80.0;

/// The least noise of this shape that is found, proved to keep epsilon and delta when it is added.
///
/// # Guarantee
/// For one cell at the exact hockey-stick divergence; cells that move together share epsilon and delta evenly, each at
/// the largest move of one. Claim: `generalised-gaussian-hockey-stick`.
///
/// # Errors
/// [`CalibrationError::ZeroSensitivity`], [`CalibrationError::NeedsDelta`] for a delta of zero, and
/// [`CalibrationError::Shape`] for a shape or a scale that the sampler does not accept.
///
/// # Example
/// A count, at shapes 3 and 4: the flatter law errs more.
/// ```
/// use inbounds_core::{Delta, Epsilon, Sensitivity};
/// use inbounds_mechanisms::{calibrate, law::Noise};
/// let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "given", squares: None };
/// let (epsilon, delta) = (Epsilon::new("1".parse()?)?, Delta::new("1e-6".parse()?)?);
/// let deviation = |shape| {
///     let law = calibrate::generalised_gaussian(shape, &epsilon, &delta, &one).expect("calibrates");
///     law.variance().sqrt()
/// };
/// assert!(deviation(3) > 5.0 && deviation(4) > 1.3 * deviation(3));
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// Liu, equation (3), whose scale suffices (errata 35 and 36); the exact divergence: this project.
pub fn generalised_gaussian(
    shape: u32,
    epsilon: &Epsilon,
    delta: &Delta,
    sensitivity: &Sensitivity,
) -> Result<DiscreteGeneralisedGaussian, CalibrationError> {
    let (moved, cells) = even_moves(sensitivity, u128::MAX)?;
    if !delta.value().is_positive() {
        return Err(CalibrationError::NeedsDelta);
    }
    let refused = |scale: f64| CalibrationError::Shape { shape, scale };
    // Each cell that moves has an equal share of epsilon and delta, by composition.
    let shares = Rational::ratio(1, cells);
    let (epsilon, delta) = (epsilon.value() * &shares, delta.value() * &shares);
    let (e, wanted) = (epsilon.to_f64(), delta.to_f64());
    let smallest = moved as f64 * LARGEST_SCALE.recip();
    if !DiscreteGeneralisedGaussian::SHAPES.contains(&shape) || smallest > 1.0 || e > LARGEST_EPSILON {
        return Err(refused(moved as f64));
    }
    // In doubles, bracket the inverse scale at which the divergence of one move is delta, then bisect.
    let pair = Pair { shape, moved: moved as i128 };
    let holds = |inverse: f64| pair.divergence(libm::pow(inverse, f64::from(shape)), e) <= wanted;
    let mut inverse = (moved as f64).recip();
    while !holds(inverse) && inverse * LARGEST_SCALE > 0.5 {
        inverse *= 0.5;
    }
    let (inverse, _) = root::bisect(inverse, 4.0, holds);
    // Prove a rate in exact arithmetic, at or a little below the proposal.
    for rate in proposals(libm::pow(inverse, f64::from(shape)), -1e-12).take(MOST_PROOFS) {
        let exact = Rational::from_f64(rate).ok_or_else(|| refused(inverse.recip()))?;
        if inverse * LARGEST_SCALE < 1.0 {
            return Err(refused(inverse.recip()));
        }
        if pair.keeps(&exact, &epsilon, &delta) {
            return DiscreteGeneralisedGaussian::new(shape, exact).map_err(|_| refused(inverse.recip()));
        }
    }
    Err(CalibrationError::Unproved { epsilon: epsilon.to_string(), l1: sensitivity.l1 })
}

/// Two answers a move apart.
struct Pair {
    shape: u32,
    moved: i128,
}

impl Pair {
    /// `|k + d|^p - |k|^p`.
    fn growth(&self, k: i128) -> i128 {
        (k + self.moved).pow(self.shape).abs() - k.pow(self.shape).abs()
    }

    /// The least noise whose loss is epsilon or more.
    fn threshold(&self, is_below: impl Fn(i128) -> bool) -> i128 {
        // At `-d/2` the loss is zero or less; it grows by more than `2 p` a step beyond zero.
        let mut high = self.moved;
        while is_below(high) {
            high *= 2;
        }
        root::bisect_integer(-self.moved, high, is_below) + 1
    }

    /// In doubles.
    fn divergence(&self, rate: f64, epsilon: f64) -> f64 {
        let weight = |k: i128| libm::exp(-rate * libm::pow(k.unsigned_abs() as f64, f64::from(self.shape)));
        let last = libm::pow(DEPTH / rate, 1.0 / f64::from(self.shape)).ceil() as i128;
        let side: f64 = (1..=last).rev().map(weight).sum();
        let t = self.threshold(|k| k <= last && rate * (self.growth(k) as f64) < epsilon);
        let beyond = |from: i128| -> f64 {
            if from > 0 { (from..=last).rev().map(weight).sum() } else { side + (from..=0).map(weight).sum::<f64>() }
        };
        (beyond(t) - libm::exp(epsilon) * beyond(t + self.moved)) / (1.0 + 2.0 * side)
    }

    /// Proves `e^-epsilon P(N >= t) - P(N >= t + d) <= e^-epsilon delta`.
    fn keeps(&self, rate: &Rational, epsilon: &Rational, delta: &Rational) -> bool {
        let bits = PRECISION + (1.5 * epsilon.to_f64()) as usize;
        let end = end_of_table(self.shape, rate, bits);
        let sums = weights::of_power(self.shape, rate, end, bits);
        let all = total(&sums, bits);
        // The largest growth within epsilon, a rational number; growths are whole.
        let allowed = epsilon / rate;
        let is_below = |k: i128| k <= end as i128 && rational(self.growth(k)) < allowed;
        let t = self.threshold(is_below);
        // The total is twice the sum of one side, with zero counted once. A tail is the total less the sum before it.
        let one = Enclosure::one(bits);
        let side = all.add(&one).half();
        let beyond = |from: i128| match usize::try_from(from) {
            Ok(0) => side.clone(),
            Ok(from) if from <= end => side.sub(&sums[from - 1]),
            Ok(_) => side.sub(&sums[end]).positive_part(),
            Err(_) => side.add(&sums[from.unsigned_abs() as usize]).sub(&one),
        };
        let shrink = Enclosure::exp_neg(epsilon, bits);
        let gained = shrink.mul(&beyond(t)).sub(&beyond(t + self.moved));
        gained.certainly_at_most(&shrink.mul(&Enclosure::from_rational(delta, bits)).mul(&all))
    }
}

fn rational(value: i128) -> Rational {
    Rational::ratio(value, 1)
}
