//! The linear piece of `sum x(mu)` on which the total is reached.
//!
//! **Idea.** Every `x_i(mu) = clamp(y_i + mu / w_i, l_i, u_i)` is nondecreasing and piecewise linear in the multiplier,
//! and so is their sum. A binary search over the sorted breakpoints finds two neighbours between which the sum passes
//! the total; there it is linear, and one division gives `mu`.

use super::Problem;
use crate::{constraint::bounds::clamp, numeric::sum};

/// The multiplier `mu` with `sum clamp(y_i + mu / w_i, l_i, u_i) = total`.
pub(super) fn multiplier(problem: &Problem<'_>) -> f64 {
    let breakpoints = breakpoints(problem);
    let below = breakpoints.partition_point(|&mu| sum_at(problem, mu) <= problem.total);
    let start = below.checked_sub(1).map_or(f64::NEG_INFINITY, |k| breakpoints[k]);
    let end = breakpoints.get(below).copied().unwrap_or(f64::INFINITY);
    on_piece(problem, start, end).clamp(start, end)
}

/// All `mu` at which a cell meets a bound, in increasing order.
fn breakpoints(problem: &Problem<'_>) -> Vec<f64> {
    let of_cell = |i: usize| {
        let (lower, upper) = problem.bounds.interval(i);
        [lower, upper].map(|bound| problem.weights[i] * (bound - problem.values[i]))
    };
    let mut all: Vec<f64> = (0..problem.values.len()).flat_map(of_cell).filter(|mu| mu.is_finite()).collect();
    all.sort_unstable_by(f64::total_cmp);
    all.dedup();
    all
}

/// The sum of the cells at `mu`.
fn sum_at(problem: &Problem<'_>, mu: f64) -> f64 {
    let cell = |i: usize| clamp(problem.values[i] + mu / problem.weights[i], problem.bounds.interval(i));
    sum((0..problem.values.len()).map(cell))
}

/// The root of the linear equation that holds between the neighbouring breakpoints `start` and `end`.
fn on_piece(problem: &Problem<'_>, start: f64, end: f64) -> f64 {
    let (mut constant, mut slope) = (Vec::with_capacity(problem.values.len() + 1), Vec::new());
    constant.push(problem.total);
    for (i, (&y, &w)) in problem.values.iter().zip(problem.weights).enumerate() {
        let (lower, upper) = problem.bounds.interval(i);
        if w * (lower - y) >= end {
            constant.push(-lower);
        } else if w * (upper - y) <= start {
            constant.push(-upper);
        } else {
            constant.push(-y);
            slope.push(w.recip());
        }
    }
    if slope.is_empty() { if start.is_finite() { start } else { end } } else { sum(constant) / sum(slope) }
}
