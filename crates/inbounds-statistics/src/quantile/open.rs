//! Errors of quantiles whose place within the values that are left open is not known.

use crate::Estimate;

/// Bias and RMSE about a truth that lies `below` the one they were simulated for.
fn moved((bias, rmse): (f64, f64), below: f64) -> (f64, f64) {
    let there = bias + below;
    (there, ((rmse * rmse - bias * bias).max(0.0) + there * there).sqrt())
}

/// The bias of the larger size, and the larger RMSE.
fn larger(one: (f64, f64), other: (f64, f64)) -> (f64, f64) {
    (if other.0.abs() > one.0.abs() { other.0 } else { one.0 }, one.1.max(other.1))
}

/// The largest bias and RMSE over the values that are left open, from those about `truth`.
pub(super) fn over(errors: (f64, f64), truth: f64, (lowest, highest): (f64, f64)) -> (f64, f64) {
    larger(moved(errors, truth - lowest), moved(errors, truth - highest))
}

/// States the largest bias and RMSE over the values that are left open, instead of those about the estimate.
pub(super) fn leave_open(estimate: &mut Estimate, (lowest, highest): (f64, f64)) {
    let simulated = (estimate.bias_at_estimate, estimate.rmse_at_estimate);
    let worst = over(simulated, estimate.value, (lowest, highest));
    let farthest = (estimate.value - lowest).abs().max((estimate.value - highest).abs());
    // The square about another truth is the square, and a multiple of the error, and a constant: their errors add up at
    // most.
    let of_square = 2.0 * simulated.1 * estimate.rmse_error + 2.0 * farthest * estimate.bias_error;
    estimate.rmse_error = if worst.1 > 0.0 { of_square / (2.0 * worst.1) } else { 0.0 };
    (estimate.bias_at_estimate, estimate.rmse_at_estimate) = worst;
}
