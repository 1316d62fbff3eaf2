//! Errors of quantiles whose place within the values that are left open is not known.

use crate::Estimate;

/// Bias and RMSE about a truth that lies `below` the one they were simulated for.
pub(super) fn moved((bias, rmse): (f64, f64), below: f64) -> (f64, f64) {
    let there = bias + below;
    (there, ((rmse * rmse - bias * bias).max(0.0) + there * there).sqrt())
}

/// The bias of the larger size, and the larger RMSE.
pub(super) fn larger(one: (f64, f64), other: (f64, f64)) -> (f64, f64) {
    (if other.0.abs() > one.0.abs() { other.0 } else { one.0 }, one.1.max(other.1))
}

/// States the largest bias and RMSE over the values that are left open, instead of those about the estimate.
pub(super) fn leave_open(estimate: &mut Estimate, (lowest, highest): (f64, f64)) {
    let simulated = (estimate.bias_at_estimate, estimate.rmse_at_estimate);
    let [low, high] = [lowest, highest].map(|place| moved(simulated, estimate.value - place));
    let worst = larger(low, high);
    let farthest = (estimate.value - lowest).abs().max((estimate.value - highest).abs());
    // The square about another truth is the square, and a multiple of the error, and a constant: their errors add up at
    // most.
    let of_square = 2.0 * simulated.1 * estimate.rmse_error + 2.0 * farthest * estimate.bias_error;
    estimate.rmse_error = if worst.1 > 0.0 { of_square / (2.0 * worst.1) } else { 0.0 };
    (estimate.bias_at_estimate, estimate.rmse_at_estimate) = worst;
}
