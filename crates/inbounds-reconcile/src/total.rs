//! What is known exactly of errors under one known total.

use inbounds_bundle::{Method, TotalEntry};
use inbounds_project::total::TotalError;

use super::sheet::Sheet;
use crate::projection::{Law, Model};

/// Most cells for which the bound on the bias is worth its quadratic time.
const MOST: usize = 5_000;

/// The exact law's figures; none unless every node has one measurement, all with Laplace noise of one scale.
///
/// The law is that of the projection on the total alone. With nonnegativity too, the bound is on the bias that it adds,
/// were the truth the estimates.
pub(super) fn entry(sheet: &Sheet, model: &Model, method: Method, estimates: &[f64]) -> Option<TotalEntry> {
    if !matches!(method, Method::Total | Method::TotalBounded) || sheet.measured.len() != model.nodes() {
        return None;
    }
    let (_, scale) = sheet.measured.first()?.noise.filter(|(law, _)| *law == Law::Laplace)?;
    let alike = |node: usize| model.variance[node] == Law::Laplace.variance(scale);
    let stated = sheet.measured.iter().all(|measured| measured.noise == Some((Law::Laplace, scale)));
    if !stated || !(0..model.nodes()).all(alike) {
        return None;
    }
    let law = TotalError::new(u32::try_from(model.nodes()).ok()?, scale).ok()?;
    let bounded = model.nonnegative && model.bounded_nodes() == 0 && model.nodes() <= MOST;
    Some(TotalEntry {
        cells: model.nodes(),
        scale,
        standard_deviation: libm::sqrt(law.variance()),
        mean_absolute: law.mean_absolute(),
        wasserstein_to_noise: law.wasserstein_to_noise(),
        nonnegative_bias_bound: if bounded { law.nonnegative_bias_bound(estimates).ok() } else { None },
    })
}
