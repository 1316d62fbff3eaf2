//! Exact law of errors under one known total.

use inbounds_bundle::{Method, TotalEntry};
use inbounds_project::{
    ProjectError,
    total::{DiscreteTotalError, TotalError},
};

use super::sheet::Sheet;
use crate::projection::{Law, Model};

/// Most cells for which the bound on the bias is worth its quadratic time.
const MOST: usize = 5_000;

/// Most products that the exact law of discrete noise is summed from: a second or so.
const MOST_PRODUCTS: f64 = 1e9;

/// The exact law's figures; none unless every node has one measurement, all with Laplace noise of one scale.
///
/// The law is that of the projection on the total alone. With nonnegativity too, the bound is on the bias that it adds,
/// were the truth the estimates.
pub(super) fn entry(sheet: &Sheet, model: &Model, method: Method, estimates: &[f64]) -> Option<TotalEntry> {
    if !matches!(method, Method::Total | Method::TotalBounded) || sheet.measured.len() != model.nodes() {
        return None;
    }
    let first = sheet.measured.first()?;
    let (noise, step) = (first.noise?, first.step);
    let variance = noise.0.variance(noise.1) * step * step;
    let stated = sheet.measured.iter().all(|measured| measured.noise == Some(noise) && measured.step == step);
    let alike = |node: usize| (model.variance[node] - variance).abs() <= 1e-12 * variance;
    if !stated || !(0..model.nodes()).all(alike) {
        return None;
    }
    let bounded = model.nonnegative && model.bounded_nodes() == 0;
    under_total(model.nodes(), (noise, step), bounded.then_some(estimates))
}

/// The exact law of the error of each of `cells` numbers with Laplace noise of one scale, projected on a total that
/// everyone knows; with a truth, and up to 5,000 cells, also the bound on the bias that nonnegativity adds. None for
/// other laws, and for discrete noise so wide that its sums are long, which the law of continuous noise would describe
/// as well.
///
/// # Example
/// Two cells: the error is half the difference of two noises, `sqrt(1 - 1/2)` of the deviation of one.
/// ```
/// use inbounds_reconcile::{Law, under_total};
/// let found = under_total(2, ((Law::DiscreteLaplace, 1.0 / 2f64.ln()), 1.0), None).expect("Laplace noise");
/// assert!((found.standard_deviation - 2f64.sqrt()).abs() < 1e-12 && found.nonnegative_bias_bound.is_none());
/// ```
///
/// # References
/// Zhu, Van Hentenryck and Fioretto, Theorems 11, 12 and 14; for discrete noise [`DiscreteTotalError`].
pub fn under_total(cells: usize, ((law, scale), step): ((Law, f64), f64), truth: Option<&[f64]>) -> Option<TotalEntry> {
    let (number, truth) = (u32::try_from(cells).ok()?, truth.filter(|_| cells <= MOST));
    let bound = |extreme: Option<Result<f64, ProjectError>>| extreme.and_then(Result::ok);
    match law {
        Law::Laplace => {
            let exact = TotalError::new(number, scale * step).ok()?;
            Some(TotalEntry {
                cells,
                scale: scale * step,
                standard_deviation: libm::sqrt(exact.variance()),
                mean_absolute: exact.mean_absolute(),
                wasserstein_to_noise: exact.wasserstein_to_noise(),
                nonnegative_bias_bound: bound(truth.map(|truth| exact.nonnegative_bias_bound(truth))),
            })
        }
        Law::DiscreteLaplace => {
            // Noises that matter, and with them points of the law and terms of each.
            let reach = 44.0 * scale + 1.0;
            if cells as f64 * reach * reach > MOST_PRODUCTS {
                return None;
            }
            let exact = DiscreteTotalError::new(number, 1.0 / scale).ok()?;
            let steps = |truth: &[f64]| truth.iter().map(|value| value / step).collect::<Vec<f64>>();
            Some(TotalEntry {
                cells,
                scale: scale * step,
                standard_deviation: libm::sqrt(exact.variance()) * step,
                mean_absolute: exact.mean_absolute() * step,
                wasserstein_to_noise: exact.wasserstein_to_noise() * step,
                nonnegative_bias_bound: bound(
                    truth.map(|truth| exact.nonnegative_bias_bound(&steps(truth)).map(|bound| bound * step)),
                ),
            })
        }
        Law::Gaussian | Law::DiscreteGaussian => None,
    }
}
