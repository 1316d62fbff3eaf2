//! Staircase noise.

use inbounds_core::{Guarantee, Rational, Sensitivity};

use super::CalibrationError;
use crate::law::DiscreteStaircase;

/// Staircase noise of least variance for an answer whose cells move by at most `linf` steps each.
///
/// # Guarantee
/// With stairs of `linf` steps and epsilon `e` a cell, any move of up to `linf` steps costs at most `e`
/// (claim `discrete-staircase-loss`), and a small one may cost all of it. So cells that move together share epsilon evenly,
/// `e = epsilon / cells`, however little each moves.
///
/// # Errors
/// [`CalibrationError::ZeroSensitivity`], [`CalibrationError::PureOnly`] for another guarantee than a pure one, and
/// [`CalibrationError::Stairs`] outside what the sampler accepts.
pub fn staircase(guarantee: &Guarantee, sensitivity: &Sensitivity) -> Result<DiscreteStaircase, CalibrationError> {
    let Guarantee::Pure { epsilon } = guarantee else { return Err(CalibrationError::PureOnly) };
    let steps = sensitivity.l1.min(sensitivity.linf);
    let cells = u128::from(sensitivity.cells).min(sensitivity.l1);
    if steps == 0 || cells == 0 {
        return Err(CalibrationError::ZeroSensitivity);
    }
    let share = epsilon.value() / &Rational::from(cells);
    let refused = |_| CalibrationError::Stairs { epsilon: share.to_string(), steps };
    let stair = u64::try_from(steps).map_err(|_| CalibrationError::Stairs { epsilon: share.to_string(), steps })?;
    let high = DiscreteStaircase::best_high(&share, stair).map_err(refused)?;
    DiscreteStaircase::new(share.clone(), stair, high).map_err(refused)
}
