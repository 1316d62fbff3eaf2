//! The warning that estimates of roots have been dragged away from what was measured of them.

use super::{model::Model, sheet::Sheet};

/// Standard errors of its own measurement from which a single root counts as dragged.
const FAR: f64 = 3.0;

/// The root whose estimate is furthest from its own measurements, in their standard errors, if it is too far.
///
/// Under the law of the measurements a root is further than 3 off with probability 0.003 for Gaussian noise. Of `r` roots the
/// furthest may be `sqrt(9 + 2 ln r)` off, which keeps the probability for all of them together at that or below.
pub(super) fn dragged(model: &Model, estimates: &[f64], pooled: &(Vec<f64>, Vec<f64>)) -> Option<(usize, f64)> {
    let (value, variance) = pooled;
    let measured = |&node: &usize| variance[node] < f64::INFINITY && !model.exact(node) && !model.shape.is_leaf(node);
    let roots: Vec<usize> =
        model.shape.of_level(0).iter().map(|&node| node as usize).filter(|node| measured(node)).collect();
    let off = |node: usize| (estimates[node] - value[node]).abs() / libm::sqrt(variance[node]);
    let furthest = roots.iter().map(|&node| (node, off(node))).max_by(|one, other| one.1.total_cmp(&other.1))?;
    let limit = libm::sqrt(FAR * FAR + 2.0 * libm::log(roots.len() as f64));
    (furthest.1 > limit).then_some(furthest)
}

/// The warning in words.
pub(super) fn words(sheet: &Sheet, estimates: &[f64], pooled: &[f64], (node, off): (usize, f64)) -> String {
    let name = sheet.names.name(node as u32);
    let direction = if estimates[node] > pooled[node] { "above" } else { "below" };
    format!(
        "the estimate of the root `{name}`, {:.4}, is {off:.1} standard errors {direction} its own measurement, {:.4}: \
         what the constraint cut off from many small nodes has added up. Set `top_down = true` in the constraints file to \
         solve level by level, or fix the upper levels by the column `fixed`",
        estimates[node], pooled[node],
    )
}
