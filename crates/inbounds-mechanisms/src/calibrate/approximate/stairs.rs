//! Staircase noise for `(epsilon, delta)`.
//!
//! # The loss of a cell
//! With stairs of `D` steps, `r` of them high, and `a = e^-e`, a move of up to `D` steps changes the level by at most
//! one: the loss is `e`, 0 or `-e`. After a move of `D` steps the level is higher for the lowest `min(D, 2r - 1)`
//! integers of the plateau and, of each further level, for the `D` integers on the far side, so
//!
//! ```text
//! P(loss = e) = p = (min(D, 2r - 1) (1 - a) + D a) / ((2r - 1) (1 - a) + 2 D a),    P(loss = -e) = a p
//! ```
//!
//! A smaller move of `d` steps has `d` in place of `D` in the numerator, so less of both ends and the same mean
//! likelihood ratio: it has no larger divergence at any epsilon. Losses of cells add up (`losses.rs`). Claim:
//! `staircase-hockey-stick`.

use inbounds_core::{Delta, Enclosure, Epsilon, Rational, Sensitivity, root};

use super::{
    below_one,
    exponential::exponential_of_minus,
    losses::{divergence, divergence_in_doubles, power},
};
use crate::{calibrate::CalibrationError, noise::DiscreteStaircase};

/// Cells beyond which delta is left alone; the work of a proof grows with their square.
const MOST_CELLS: u64 = 512;

/// The largest epsilon of a level that the law takes.
const LARGEST_LEVEL: f64 = 700.0;

/// Staircase noise for `(epsilon, delta)`, of least variance at the largest epsilon a level that is proved.
///
/// # Guarantee
/// The cells that one unit moves have independent losses of `e`, 0 and `-e`, with the probabilities of a move by `linf`
/// steps. The divergence of their sum is at most delta, and `e` is never below the pure `epsilon / cells`. Claim:
/// `staircase-hockey-stick`. It is exact where all of these cells can move by `linf`, and a bound elsewhere.
///
/// # Errors
/// [`CalibrationError::ZeroSensitivity`], and [`CalibrationError::Stairs`] outside what the sampler accepts.
///
/// # Example
/// ```
/// use inbounds_core::{Delta, Epsilon, Sensitivity};
/// use inbounds_mechanisms::calibrate::approximate::staircase;
/// let (epsilon, delta) = (Epsilon::new("1".parse()?)?, Delta::new("0.1".parse()?)?);
/// let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "sum-add-remove", squares: None };
/// // One step is the discrete Laplace law, with P(loss = e) = 1 / (1 + a).
/// let law = staircase(&epsilon, &delta, &one).expect("calibrates");
/// let closed_form = ((1f64.exp() + 0.1) / 0.9).ln();
/// assert!((law.epsilon().to_f64() - closed_form).abs() < 1e-9);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn staircase(
    epsilon: &Epsilon,
    delta: &Delta,
    sensitivity: &Sensitivity,
) -> Result<DiscreteStaircase, CalibrationError> {
    let (stair, cells) = stairs(sensitivity)?;
    let pure = epsilon.value() / &Rational::from(cells);
    let refused = || CalibrationError::Stairs { epsilon: pure.to_string(), steps: stair };
    let stair = u64::try_from(stair).map_err(|_| refused())?;
    let law = |level: Rational| {
        let high = DiscreteStaircase::best_high(&level, stair).map_err(|_| refused())?;
        DiscreteStaircase::new(level, stair, high).map_err(|_| refused())
    };
    let at_pure = law(pure.clone())?;
    let Some(cells) = u64::try_from(cells).ok().filter(|cells| *cells <= MOST_CELLS && delta.value().is_positive())
    else {
        return Ok(at_pure);
    };
    // Bracket the level in doubles: that of pure epsilon holds, and doubling finds one that does not.
    let (e, target, start) = (epsilon.value().to_f64(), below_one(delta), pure.to_f64());
    let holds = |level: f64| {
        let law = Rational::from_f64(level).and_then(|level| law(level).ok());
        law.is_some_and(|law| in_doubles(&law, cells, e) <= target)
    };
    let mut above = 2.0 * start;
    while holds(above) && above < LARGEST_LEVEL {
        above *= 2.0;
    }
    let (proposal, _) = root::bisect(start, above.min(LARGEST_LEVEL), |level| level <= start || holds(level));
    // Prove a level in exact arithmetic, at or a little below the proposal; each failure gives up eight times as much.
    let (gain, mut step) = (proposal - start, 2f64.powi(-36));
    while step < 1.0 {
        let level = Rational::from_f64((proposal - gain * step).min(proposal.next_down()));
        let Some(level) = level.filter(|level| *level > pure) else { break };
        let candidate = law(level)?;
        let bits = precision(&candidate, cells, delta.value().to_f64());
        let reached = enclosed(&candidate, cells, epsilon.value(), bits);
        if reached.certainly_at_most(&Enclosure::from_rational(delta.value(), bits)) {
            return Ok(candidate);
        }
        step *= 8.0;
    }
    Ok(at_pure)
}

/// A proved upper bound, as a double rounded up, on the hockey-stick divergence at `epsilon` of staircase noise; see
/// [`staircase`]. It is the trivial one for more than 512 cells where epsilon is not kept with certainty.
///
/// # Errors
/// [`CalibrationError::ZeroSensitivity`], and [`CalibrationError::Stairs`] for moves of more steps than a stair has.
pub fn staircase_delta(
    law: &DiscreteStaircase,
    epsilon: &Epsilon,
    sensitivity: &Sensitivity,
) -> Result<f64, CalibrationError> {
    let (stair, cells) = stairs(sensitivity)?;
    if stair > u128::from(law.sensitivity()) {
        return Err(CalibrationError::Stairs { epsilon: law.epsilon().to_string(), steps: stair });
    }
    if law.epsilon() * &Rational::from(cells) <= *epsilon.value() {
        return Ok(0.0);
    }
    let Some(cells) = u64::try_from(cells).ok().filter(|cells| *cells <= MOST_CELLS) else { return Ok(1.0) };
    let bits = precision(law, cells, f64::MIN_POSITIVE);
    Ok(enclosed(law, cells, epsilon.value(), bits).upper().to_f64_up().clamp(0.0, 1.0))
}

/// Steps of a stair, and the cells that move.
fn stairs(sensitivity: &Sensitivity) -> Result<(u128, u128), CalibrationError> {
    let stair = sensitivity.l1.min(sensitivity.linf);
    let cells = u128::from(sensitivity.cells).min(sensitivity.l1);
    if stair == 0 || cells == 0 { Err(CalibrationError::ZeroSensitivity) } else { Ok((stair, cells)) }
}

/// Losses of `cells e - x e` that lie above epsilon, and one more for rounding.
fn places(law: &DiscreteStaircase, cells: u64, epsilon: f64) -> usize {
    let level = law.epsilon().to_f64();
    ((cells as f64 - epsilon / level).max(0.0) + 2.0) as usize
}

fn in_doubles(law: &DiscreteStaircase, cells: u64, epsilon: f64) -> f64 {
    let (level, stair, plateau) = (law.epsilon().to_f64(), law.sensitivity() as f64, 2.0 * law.high() as f64 - 1.0);
    let (ratio, gap) = (libm::exp(-level), -libm::expm1(-level));
    let p = (stair.min(plateau) * gap + stair * ratio) / (plateau * gap + 2.0 * stair * ratio);
    let cell = [p, 1.0 - p * (1.0 + ratio), p * ratio];
    let probabilities = power(&cell, cells, places(law, cells, epsilon));
    divergence_in_doubles(&probabilities, cells as f64 * level - epsilon, level)
}

fn enclosed(law: &DiscreteStaircase, cells: u64, epsilon: &Rational, bits: usize) -> Enclosure {
    let (stair, plateau) = (law.sensitivity(), 2 * law.high() - 1);
    let one = Enclosure::one(bits);
    let ratio = Enclosure::exp_neg(law.epsilon(), bits);
    let gap = one.sub(&ratio);
    let all = gap.times(plateau).add(&ratio.times(2 * stair));
    let p = gap.times(stair.min(plateau)).add(&ratio.times(stair)).div(&all);
    let kept = one.sub(&p.mul(&one.add(&ratio)));
    let cell = [p.clone(), kept, p.mul(&ratio)];
    let probabilities = power(&cell, cells, places(law, cells, epsilon.to_f64()));
    let last = i128::from(cells) - (probabilities.len() as i128 - 1);
    let exponent = &(law.epsilon() * &Rational::ratio(last, 1)) - epsilon;
    divergence(&probabilities, &exponential_of_minus(&exponent, bits), &ratio, bits)
}

/// Fractional bits that decide a proof to a small part of delta.
fn precision(law: &DiscreteStaircase, cells: u64, delta: f64) -> usize {
    let zeros = |value: f64| (-value.max(f64::MIN_POSITIVE).log2()).max(0.0) as usize;
    let level = law.epsilon().to_f64();
    192 + zeros(delta) + zeros(level) + (3.0 * level * cells as f64).min(1e5) as usize
}
