//! The warning that a coarse sum is far from what was measured of it.
//!
//! Two things can pull it away. The linear fit of all measurements can differ from the node's own: their difference has
//! the variance of the measurement less that of the fit, because the fit is the best linear unbiased estimate, so noise
//! explains little of it, and measurements that contradict each other show. And bounds can move the estimate away from
//! the linear fit.

use super::{
    projection::{Law, Measured, Model},
    sheet::Sheet,
};

/// Probability that noise alone raises the warning of contradiction, whatever the number of sums.
const FALSE_ALARM: f64 = 0.003;
/// A difference of variances that is rounding, as a part of the larger one.
const ROUNDING: f64 = 1e-9;

/// Estimates of all nodes with and without bounds, and what was measured of them.
pub(super) struct Fits<'a> {
    pub(super) model: &'a Model,
    pub(super) estimates: &'a [f64],
    /// Under sums and exact values alone, with their variances.
    pub(super) linear: &'a [f64],
    pub(super) variance: &'a [f64],
    /// Measurements of each node and their variances, infinite where there is none.
    pub(super) pooled: &'a (Vec<f64>, Vec<f64>),
    /// Which nodes stand side by side; those of group 0 are looked at.
    pub(super) groups: &'a [u32],
}

/// Cause of a node's distance.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cause {
    Measurements,
    Bounds,
}

/// A coarse sum that is far away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Apart {
    node: usize,
    /// Distance, in standard deviations of the difference or of the linear fit.
    off: f64,
    cause: Cause,
}

/// The coarse sum that is furthest from its own measurements or, through bounds, from the linear fit, if that is too
/// far.
///
/// One of `r` sums passes the limit by noise alone with probability [`FALSE_ALARM`] for Laplace noise, whose tails are
/// the heaviest among weighted sums of the noises that there are, and below it for Gaussian noise.
pub(super) fn apart(fits: &Fits<'_>, measured: &[Measured]) -> Option<Apart> {
    let flat = fits.groups.iter().all(|&group| group == 0);
    let coarse = |&node: &usize| fits.groups[node] == 0 && !fits.model.exact(node) && is_sum(fits, node);
    let sums: Vec<usize> = (0..fits.groups.len()).filter(|node| !flat && coarse(node)).collect();
    let off = |node: usize| {
        let (value, of_value) = (fits.pooled.0[node], fits.pooled.1[node]);
        let rest = of_value - fits.variance[node];
        // Without other measurements of the node the fit is the measurement.
        let measurable = of_value < f64::INFINITY && rest > ROUNDING * of_value;
        let off = if measurable { (fits.linear[node] - value).abs() / libm::sqrt(rest) } else { 0.0 };
        let moved = (fits.estimates[node] - fits.linear[node]).abs() / libm::sqrt(fits.variance[node]);
        let (off, cause) = if off >= moved { (off, Cause::Measurements) } else { (moved, Cause::Bounds) };
        Apart { node, off, cause }
    };
    let furthest = sums.iter().map(|&node| off(node)).max_by(|one, other| one.off.total_cmp(&other.off))?;
    (furthest.off > limit(measured, sums.len())).then_some(furthest)
}

/// `true` if a node that the measurements determine has others below it.
fn is_sum(fits: &Fits<'_>, node: usize) -> bool {
    let (shape, variance) = (&fits.model.shape, fits.variance[node]);
    (shape.levels() == 1 || !shape.is_leaf(node)) && variance > 0.0 && variance < f64::INFINITY
}

/// Limit, in standard deviations, of the distance of the furthest of `sums`.
fn limit(measured: &[Measured], sums: usize) -> f64 {
    let rarely = libm::log(sums as f64 / FALSE_ALARM);
    let is_laplace = |measured: &Measured| matches!(measured.noise, Some((Law::Laplace | Law::DiscreteLaplace, _)));
    if measured.iter().any(is_laplace) { rarely / std::f64::consts::SQRT_2 } else { libm::sqrt(2.0 * rarely) }
}

impl Apart {
    /// `true` if bounds pulled the node away from a linear fit below `end` to `end` or above.
    pub(super) fn is_kept_from(&self, fits: &Fits<'_>, end: f64) -> bool {
        self.cause == Cause::Bounds && fits.linear[self.node] < end && fits.estimates[self.node] >= end
    }
}

/// Remedy for bounds that moved a coarse sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remedy {
    /// The fit that was asked for lets what bounds cut off add up.
    LeaveOutJoint,
    /// Coarse sums are found first, so that nothing but their own range has moved one.
    CheckBounds,
    /// Everything is solved at once, whatever fit is asked for.
    FixSums,
}

/// The warning in words.
pub(super) fn words(sheet: &Sheet, fits: &Fits<'_>, apart: Apart, remedy: Remedy) -> String {
    let Apart { node, off, cause } = apart;
    let (name, estimate, linear) = (sheet.names().name(node as u32), fits.estimates[node], fits.linear[node]);
    let above = |one: f64, other: f64| if one > other { "above" } else { "below" };
    match cause {
        Cause::Measurements => {
            let own = fits.pooled.0[node];
            format!(
                "the least-squares fit of `{name}`, {linear:.4}, is {off:.1} standard errors {} its own measurement, {own:.4}: \
                 the measurements below it contradict it by that much, so check them and their variances",
                above(linear, own)
            )
        }
        Cause::Bounds => format!(
            "the estimate of `{name}`, {estimate:.4}, is {off:.1} standard errors {} the least-squares fit without bounds, \
             {linear:.4}: {}",
            above(estimate, linear),
            match remedy {
                Remedy::LeaveOutJoint => {
                    "what bounds cut off from many small nodes has added up. Leave out `--fit joint`, or fix the upper levels by the \
                     column `fixed`"
                }
                Remedy::CheckBounds => {
                    "its bounds, or those of its parts together, keep it from being nearer. Check these bounds, and the measurements"
                }
                Remedy::FixSums => {
                    "what bounds cut off from many small nodes has added up. Reconcile the coarse sums first, and fix them by the \
                     column `fixed`"
                }
            }
        ),
    }
}
