//! Number of entries that epsilon carries.

use inbounds_core::Epsilon;

use crate::{Component, StatisticError};

/// Refuses noise on a variance that is wider than the variance's range.
pub(super) fn carries(
    component: &Component,
    width: f64,
    entries: usize,
    epsilon: &Epsilon,
) -> Result<(), StatisticError> {
    let noise = component.scale() / width;
    if noise <= 1.0 { Ok(()) } else { Err(StatisticError::TooManyEntries { entries, epsilon: epsilon.clone(), noise }) }
}
