//! The optimality conditions of a linear system.

use super::{Point, Problem, plane};
use crate::{
    certificate::Certificate,
    constraint::{Rows, bounds::clamp},
    numeric::{Sum, largest, relative},
};

/// Cells smaller than this share of the largest count as that size: their own rounding is that of larger ones.
const SMALL: f64 = 1e-3;

/// The multipliers that the bounds must have, cell by cell.
pub(super) struct Forces {
    /// `w (x - y) - A^T lambda`: the multiplier of the bound.
    pub(super) multiplier: Vec<f64>,
    /// The size of the terms whose difference that is.
    pub(super) size: Vec<f64>,
}

impl Forces {
    pub(super) fn at(problem: &Problem<'_>, point: &Point) -> Self {
        let pull = |i: usize| [problem.weights[i] * point.x[i], -problem.weights[i] * problem.values[i]];
        let mut multiplier: Vec<Sum> = (0..point.x.len()).map(|i| pull(i).into_iter().collect()).collect();
        let least = SMALL * size(problem, &point.x);
        let own_size = |i: usize| pull(i).iter().map(|term| term.abs()).sum::<f64>() + problem.weights[i] * least;
        let mut size: Vec<f64> = (0..point.x.len()).map(own_size).collect();
        let mut push = |rows: &Rows, multipliers: &[f64]| {
            for (i, &lambda) in multipliers.iter().enumerate().filter(|(_, lambda)| **lambda != 0.0) {
                for &(cell, a) in rows.row(i) {
                    multiplier[cell].add(-a * lambda);
                    size[cell] += (a * lambda).abs();
                }
            }
        };
        push(&problem.system.equalities, &point.equalities);
        push(&problem.system.inequalities, &point.inequalities);
        Self { multiplier: multiplier.into_iter().map(Sum::value).collect(), size }
    }

    /// The multiplier of a cell's bound relative to its terms.
    pub(super) fn of_cell(&self, cell: usize) -> f64 {
        relative(self.multiplier[cell], self.size[cell])
    }

    /// A multiplier of row `i` relative to the terms it meets.
    pub(super) fn of_row(&self, rows: &Rows, i: usize, lambda: f64) -> f64 {
        relative(lambda, rows.row(i).iter().map(|&(cell, a)| self.size[cell] / a.abs()).fold(0.0, f64::max))
    }
}

/// Violation of a row of `C x <= d` by a point, relative to its terms: negative where there is slack.
pub(super) fn violation(problem: &Problem<'_>, i: usize, x: &[f64]) -> f64 {
    let rows = &problem.system.inequalities;
    let slack = rows.terms(i, x).collect::<Sum>().value();
    -slack.signum() * plane::residual(rows, i, x, size(problem, x))
}

/// The size of a cell, for residuals to be relative to.
pub(super) fn size(problem: &Problem<'_>, x: &[f64]) -> f64 {
    largest(problem.values).max(largest(x))
}

/// Evaluates the conditions.
pub(super) fn kkt(problem: &Problem<'_>, point: &Point) -> Certificate {
    let (system, forces, mut kkt) = (problem.system, Forces::at(problem, point), Certificate::default());
    let size = size(problem, &point.x);
    for (i, &x) in point.x.iter().enumerate() {
        let bounds = system.bounds.interval(i);
        kkt.pushing(forces.of_cell(i), x, bounds);
        kkt.feasible(clamp(x, bounds) - x, size);
    }
    for i in 0..system.equalities.len() {
        kkt.feasible(plane::residual(&system.equalities, i, &point.x, size), 1.0);
    }
    for (i, &lambda) in point.inequalities.iter().enumerate() {
        let rows = &system.inequalities;
        let (push, violation) = (forces.of_row(rows, i, lambda), violation(problem, i, &point.x));
        if violation.is_nan() || violation > 0.0 {
            kkt.feasible(violation, 1.0);
        }
        // A push the wrong way, or one without touching.
        let wrong = if push > 0.0 { push } else { push.abs().min(violation.abs()) };
        kkt.complementary(wrong, 1.0);
    }
    kkt
}
