//! Discrete Gaussian noise, conditioned on a range with two ends, for pure guarantees.
//!
//! # Idea
//! With answers counted from the lower end of a range of `R` steps, `P(y | q) = e^(y q/v - y^2/(2 v) - L(q))`: an
//! exponential family with the cumulant function `L(q) = ln sum_y e^(y q/v - y^2/(2 v))`, which is convex and, since
//! `y >= 0`, increasing. The log ratio of `q < q'` is largest at `y = 0`, where it is `L(q') - L(q)`, and by symmetry
//! as large at `y = R` the other way round. Convexity puts the largest at the upper end: `L(R) - L(R - d)` for a change
//! of `d` steps, concave in `d`, so that a change over several cells does most when spread evenly. With
//! `C(q) = sum_y e^(-(y - q)^2/(2 v))`, the normaliser, that is `d (2 R - d)/(2 v) - ln(C(d)/C(0))`.
//!
//! Without a range, or with one end, no variance keeps epsilon.

use inbounds_core::{Enclosure, Epsilon, Rational, Sensitivity, root};

use super::{
    CalibrationError,
    proposals::{MOST_PROOFS, proposals},
    pure::Spread,
};
use crate::noise::weights;

/// Widest range, in steps: a draw looks up a table that is as long.
pub const WIDEST: u128 = 1 << 14;

/// Fractional bits of the certificate: doubles of `v` next to each other move the loss by more than `2^-60` of epsilon,
/// and epsilon is at least 1e-12.
const PRECISION: usize = 320;

/// The least variance parameter that is found, proved to keep epsilon for noise that is conditioned on a range of
/// `width` steps.
///
/// # Guarantee
/// See the head of this file; the loss is attained between the upper end and an answer that one unit can reach from it,
/// at the lower end. Claim: `conditioned-gaussian-loss`.
///
/// # Errors
/// [`CalibrationError::ZeroSensitivity`], [`CalibrationError::NeedsBothEnds`] for a range with an open end or more than
/// [`WIDEST`] steps, and [`CalibrationError::Unproved`].
///
/// # Example
/// Where one unit can move an answer through the whole range of `R` steps, the loss is `R^2/(2 v)`.
/// ```
/// use inbounds_core::{Epsilon, Sensitivity};
/// use inbounds_mechanisms::calibrate;
/// let all = Sensitivity { l1: 10, linf: 10, cells: 1, rule: "given", squares: None };
/// let v = calibrate::conditioned_gaussian(&Epsilon::new("1".parse()?)?, &all, Some(10)).expect("calibrates");
/// assert!((v.to_f64() - 50.0).abs() < 1e-9);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// McGlinchey and Mason, Propositions 2 and 6, whose factor of two in epsilon this makes exact; Liu, section 5.
pub fn conditioned_gaussian(
    epsilon: &Epsilon,
    sensitivity: &Sensitivity,
    width: Option<u128>,
) -> Result<Rational, CalibrationError> {
    let width = two_ends(width)?;
    let spread = Spread::worst(sensitivity, Some(width)).ok_or(CalibrationError::ZeroSensitivity)?;
    let loss = Loss { groups: spread.groups(), width };
    let (total, target) = (epsilon.value(), epsilon.value().to_f64());
    // Of the two terms of the loss the first alone is an upper bound, and at most four times the loss.
    let enough = loss.kernel() / target;
    if !(1e-6..=1e30).contains(&enough) {
        let guarantee = format!("epsilon = {total}");
        return Err(CalibrationError::Variance { guarantee, l1: sensitivity.l1, variance: enough });
    }
    // The precision v is bisected, since larger ones lose more.
    let (precision, _) = root::bisect(1.0 / enough, 4.5 / enough, |precision| loss.at(1.0 / precision) <= target);
    for variance in proposals(1.0 / precision, f64::EPSILON).take(MOST_PROOFS) {
        if let Some(exact) = Rational::from_f64(variance)
            && loss.is_at_most(&exact, total)
        {
            return Ok(exact);
        }
    }
    Err(CalibrationError::Unproved { epsilon: total.to_string(), l1: sensitivity.l1 })
}

/// The steps of a range with two ends that noise can be conditioned on.
pub(super) fn two_ends(width: Option<u128>) -> Result<u128, CalibrationError> {
    width.filter(|width| *width <= WIDEST).ok_or(CalibrationError::NeedsBothEnds { widest: WIDEST })
}

/// The loss as a function of the variance parameter.
struct Loss<'a> {
    /// Cells, and the steps by which each moves.
    groups: &'a [(u64, u128)],
    width: u128,
}

impl Loss<'_> {
    /// `sum of cells d (2 R - d) / 2`.
    fn kernel(&self) -> f64 {
        let one = |(cells, d): &(u64, u128)| *cells as f64 * *d as f64 * (2 * self.width - d) as f64 / 2.0;
        self.groups.iter().map(one).sum()
    }

    /// In doubles.
    fn at(&self, variance: f64) -> f64 {
        let weight = |steps: u128| libm::exp(-(steps as f64) * steps as f64 / (2.0 * variance));
        // C(d) - C(0) is the mass between 1 and d, less the mass beyond R - d.
        let total: f64 = (0..=self.width).rev().map(weight).sum();
        let more = |d: u128| {
            let (near, far): (f64, f64) =
                ((1..=d).rev().map(weight).sum(), (self.width - d + 1..=self.width).rev().map(weight).sum());
            libm::log1p((near - far) / total)
        };
        let gained: f64 = self.groups.iter().map(|(cells, d)| *cells as f64 * more(*d)).sum();
        self.kernel() / variance - gained
    }

    /// Proves `prod (C(0)/C(d))^cells <= e^(epsilon - kernel/v)`.
    fn is_at_most(&self, variance: &Rational, epsilon: &Rational) -> bool {
        let twice = variance + variance;
        let moved = self.groups.iter().fold(Rational::ZERO, |sum, (cells, d)| {
            &sum + &(&Rational::from(u128::from(*cells) * d * (2 * self.width - d)) / &twice)
        });
        let missing = &moved - epsilon;
        if missing <= Rational::ZERO {
            return true;
        }
        let sums = weights::of_gaussian(variance, self.width as usize, PRECISION);
        let one = Enclosure::one(PRECISION);
        let normaliser = |q: u128| sums[q as usize].add(&sums[(self.width - q) as usize]).sub(&one);
        let ends = normaliser(0);
        let ratio = self
            .groups
            .iter()
            .fold(one.clone(), |product, (cells, d)| product.mul(&ends.div(&normaliser(*d)).pow(*cells)));
        ratio.certainly_at_most(&Enclosure::exp_neg(&missing, PRECISION))
    }
}
