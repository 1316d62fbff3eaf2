//! The optimality conditions under one total.

use super::Problem;
use crate::{
    certificate::Certificate,
    constraint::bounds::clamp,
    numeric::{relative, sum},
};

/// With `nu_i = w_i (x_i - y_i) - mu`: zero between the bounds, at least zero at a lower and at most zero at an upper
/// one.
pub(super) fn kkt(problem: &Problem<'_>, x: &[f64], mu: f64) -> Certificate {
    let mut kkt = Certificate::default();
    for (i, &x) in x.iter().enumerate() {
        let (y, w, bounds) = (problem.values[i], problem.weights[i], problem.bounds.interval(i));
        let nu = relative(w * (x - y) - mu, w * (x.abs() + y.abs()) + mu.abs());
        kkt.pushing(nu, x, bounds);
        kkt.feasible(clamp(x, bounds) - x, x.abs());
    }
    // All cells may be zero: then it is the measurements that the rounding comes from.
    let largest = problem.values.iter().fold(problem.total.abs(), |largest: f64, y| largest.max(y.abs()));
    let size = sum(x.iter().map(|x| x.abs())).max(largest);
    kkt.feasible(problem.gap(x), size);
    kkt
}
