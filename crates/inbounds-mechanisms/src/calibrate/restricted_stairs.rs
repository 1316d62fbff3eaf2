//! Discrete staircase noise, conditioned on a range with two ends, for pure guarantees.
//!
//! # Idea
//! Between answers `q < q'`, told from the lower end of a range of `R` steps, the log ratio at a measurement is the
//! difference of two levels times the level `e`, which is at most `e`, and `ln(C(q')/C(q))` with the normaliser `C`.
//! `C(q + 1) - C(q) = w(q + 1) - w(R - q)` falls, so `C` is concave and its ratios are largest from the lower end:
//! `C(d)/C(0)`. There, at the measurement 0, levels differ from `d = r` on, where `r` steps are high. So for changes of
//! up to `D` steps, the length of a stair, the loss is
//!
//! ```text
//! max(e + max over r <= d <= D of ln(C(d)/C(0)),  max over d <= D of ln(C(d)/C(0)))
//! ```
//!
//! and by symmetry the same the other way round. `C` is largest in the middle, which says at which `d`.

use inbounds_core::{Enclosure, Epsilon, Rational, Sensitivity, root};

use super::{
    CalibrationError,
    proposals::{MOST_PROOFS, even_moves, proposals},
    restricted::two_ends,
};
use crate::{
    law::Noise,
    noise::{DiscreteStaircase, weights},
};

/// Fractional bits of the certificate.
const PRECISION: usize = 320;

/// Staircase noise at the largest level that is found, proved to keep epsilon for noise that is conditioned on a range
/// of `width` steps.
///
/// # Guarantee
/// For one cell at the exact loss; cells that move together share epsilon evenly, each at the largest move of one. The
/// level is never below the half of that, which McGlinchey and Mason's Proposition 2 allows. How many steps are high is
/// what is best for noise that is added, at a level that is near. Claim: `conditioned-staircase-loss`.
///
/// # Errors
/// [`CalibrationError::ZeroSensitivity`], [`CalibrationError::NeedsBothEnds`] for a range with an open end or more than
/// [`WIDEST`](super::WIDEST) steps, and [`CalibrationError::Stairs`] outside what the sampler accepts.
///
/// # Example
/// Where the noise is narrow beside the range, an answer at an end keeps half of it, so that `ln 2` of epsilon is lost.
/// ```
/// use inbounds_core::{Epsilon, Sensitivity};
/// use inbounds_mechanisms::calibrate;
/// let one = Sensitivity { l1: 10, linf: 10, cells: 1, rule: "given", squares: None };
/// let law = calibrate::conditioned_staircase(&Epsilon::new("4".parse()?)?, &one, Some(1000)).expect("calibrates");
/// assert!((law.epsilon().to_f64() - (4.0 - 2f64.ln())).abs() < 0.3, "{}", law.epsilon());
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// McGlinchey and Mason, Propositions 2 and 6; the exact loss: this project.
pub fn conditioned_staircase(
    epsilon: &Epsilon,
    sensitivity: &Sensitivity,
    width: Option<u128>,
) -> Result<DiscreteStaircase, CalibrationError> {
    let width = two_ends(width)?;
    let (moved, cells) = even_moves(sensitivity, width)?;
    let total = epsilon.value() * &Rational::ratio(1, cells);
    let target = total.to_f64();
    let refused = || CalibrationError::Stairs { epsilon: total.to_string(), steps: moved };
    let (stair, width) = (moved as u64, width as u64);
    let law = |level: f64, high: u64| DiscreteStaircase::new(Rational::from_f64(level)?, stair, high).ok();
    let best = |level: f64| DiscreteStaircase::best_high(&Rational::from_f64(level)?, stair).ok();
    let keeps = |level: f64, high: Option<u64>| {
        high.and_then(|high| law(level, high)).is_some_and(|law| loss(&law, width) <= target)
    };
    let (near, _) = root::bisect(0.5 * target, target, |level| keeps(level, best(level)));
    let high = best(near).ok_or_else(refused)?;
    let (level, _) = root::bisect(0.5 * target, target, |level| keeps(level, Some(high)));
    for level in proposals(level, -f64::EPSILON).take(MOST_PROOFS) {
        let candidate = law(level, high).ok_or_else(refused)?;
        if is_at_most(&candidate, width, &total) {
            return Ok(candidate);
        }
    }
    Err(CalibrationError::Unproved { epsilon: total.to_string(), l1: sensitivity.l1 })
}

/// The changes at which the normaliser is largest: of those that reach another level, and of all.
fn changes(law: &DiscreteStaircase, width: u64) -> [u64; 2] {
    [(width / 2).clamp(law.high(), law.sensitivity()), (width / 2).min(law.sensitivity())]
}

/// The loss in doubles.
fn loss(law: &DiscreteStaircase, width: u64) -> f64 {
    let normaliser = |q: u64| law.half_mass(q as f64) + law.half_mass((width - q) as f64);
    let [far, all] = changes(law, width).map(|change| libm::log(normaliser(change) / normaliser(0)));
    all.max(law.epsilon().to_f64() + far)
}

/// Proves `e^-(epsilon - e) C(d) <= C(0)` at the first change, and `e^-epsilon C(d) <= C(0)` at the second.
fn is_at_most(law: &DiscreteStaircase, width: u64, epsilon: &Rational) -> bool {
    let rest = epsilon - law.epsilon();
    if rest < Rational::ZERO {
        return false;
    }
    let sums = weights::of_stairs(law, width as usize, PRECISION);
    let one = Enclosure::one(PRECISION);
    let normaliser = |q: u64| sums[q as usize].add(&sums[(width - q) as usize]).sub(&one);
    let [far, all] = changes(law, width).map(normaliser);
    let holds = |allowed: &Rational, normaliser: &Enclosure, least: &Enclosure| {
        Enclosure::exp_neg(allowed, PRECISION).mul(normaliser).certainly_at_most(least)
    };
    let least = normaliser(0);
    holds(&rest, &far, &least) && holds(epsilon, &all, &least)
}
