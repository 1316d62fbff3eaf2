//! The warning that estimates of roots have been dragged away from what was measured of them.

use super::sheet::Sheet;
use crate::projection::Model;

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

/// The warning in words, which depend on whether sums alone already pull the root so far.
pub(super) fn words(
    sheet: &Sheet,
    estimates: &[f64],
    linear: &[f64],
    pooled: &(Vec<f64>, Vec<f64>),
    root: (usize, f64),
) -> String {
    let (node, off) = root;
    let (name, measured) = (sheet.names.name(node as u32), pooled.0[node]);
    let direction = if estimates[node] > measured { "above" } else { "below" };
    let found = format!(
        "the estimate of the root `{name}`, {:.4}, is {off:.1} standard errors {direction} its own measurement, {measured:.4}: ",
        estimates[node]
    );
    let by_sums = (linear[node] - measured).abs() / libm::sqrt(pooled.1[node]);
    if by_sums > off / 2.0 {
        return found + "the measurements below it contradict it by that much, so check them and their variances";
    }
    found
        + "what bounds cut off from many small nodes has added up. Leave out `--fit joint`, or fix the upper levels by the \
           column `fixed`"
}
