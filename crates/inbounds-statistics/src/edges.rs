//! Public edges that divide a column into bins.

use std::cmp::Ordering;

use inbounds_core::Rational;

use crate::{StatisticError, grids::MAGNITUDES};

/// Edges `e_0 < ... < e_k` with `k >= 1`, as doubles; values below `e_0` count in the first bin and values above `e_k`
/// in the last.
///
/// # Errors
/// [`StatisticError::Edges`] where fewer than two edges are given, two are out of order as doubles, or one is beyond
/// 1e60 in size.
pub(crate) fn check(edges: &[Rational]) -> Result<Vec<f64>, StatisticError> {
    let values: Vec<f64> = edges.iter().map(Rational::to_f64).collect();
    if values.len() < 2 {
        return Err(StatisticError::Edges { found: format!("{} of them", values.len()) });
    }
    if let Some(large) = values.iter().find(|edge| edge.abs() > *MAGNITUDES.end()) {
        return Err(StatisticError::Edges { found: format!("{large:e}, beyond 1e60 in size") });
    }
    match values.windows(2).find(|pair| pair[0].partial_cmp(&pair[1]) != Some(Ordering::Less)) {
        Some(pair) => Err(StatisticError::Edges { found: format!("{} before {}", pair[0], pair[1]) }),
        None => Ok(values),
    }
}
