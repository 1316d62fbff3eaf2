//! Parameters to try to prove, and moves that share epsilon evenly.

use std::iter;

use inbounds_core::Sensitivity;

use super::CalibrationError;

/// Proposals that are tried before a calibration gives up.
pub(super) const MOST_PROOFS: usize = 40;

/// A proposal of doubles, and parameters further and further on its safe side: each lies beyond the one before by a
/// part of it, which doubles each time. Rounding is what a proof may fail for, and the first steps are of its
/// size.
pub(super) fn proposals(first: f64, step: f64) -> impl Iterator<Item = f64> {
    let next = |&(parameter, step): &(f64, f64)| Some((parameter * (1.0 + step), 2.0 * step));
    iter::successors(Some((first, step)), next).map(|(parameter, _)| parameter)
}

/// The largest move of one cell, at most `within` steps, and the number of cells that move together, for cells that
/// share epsilon evenly.
///
/// # Errors
/// [`CalibrationError::ZeroSensitivity`].
pub(super) fn even_moves(sensitivity: &Sensitivity, within: u128) -> Result<(u128, u128), CalibrationError> {
    let moved = sensitivity.linf.min(sensitivity.l1).min(within);
    let cells = u128::from(sensitivity.cells).min(sensitivity.l1);
    if moved == 0 || cells == 0 { Err(CalibrationError::ZeroSensitivity) } else { Ok((moved, cells)) }
}
