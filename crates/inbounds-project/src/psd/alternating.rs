//! Alternating projections between the semidefinite matrices and those with the given diagonal.
//!
//! **Idea.** Projecting on each set in turn leads to a common point. With Dykstra's correction, which takes back the
//! last step of a projection before it is made again, it leads to the common point nearest to the start.
//!
//! **Invariant.** The start is the current point less the correction, up to a diagonal matrix: the multipliers.
//!
//! References: Boyle and Dykstra 1986; Higham 2002, Computing the nearest correlation matrix.

use super::{Shifted, iterate::Iterate, spectrum::Spectrum};
use crate::constraint::Symmetric;

/// Decompositions before giving up; convergence is linear, at a rate that depends on the matrix.
const LIMIT: usize = 20_000;

/// The relative change below which the two projections count as one point.
const SAME: f64 = 1e-14;

/// Only the cone needs Dykstra's correction, as the other set is affine.
pub(super) fn solve(problem: &Shifted) -> Iterate {
    let n = problem.matrix.size();
    let on_diagonal =
        |x: &Symmetric| Symmetric::from_lower(n, |i, j| if i == j { problem.diagonal[i] } else { x.at(i, j) });
    let zero = Symmetric::from_lower(n, |_, _| 0.0);
    let (mut y, mut correction) = (on_diagonal(&problem.matrix), zero.clone());
    let mut iterations = 0;
    let mut x = y.clone();
    while iterations < LIMIT {
        iterations += 1;
        let corrected = Symmetric::from_lower(n, |i, j| y.at(i, j) - correction.at(i, j));
        let Some(spectrum) = Spectrum::decompose(&corrected) else { break };
        let next = spectrum.raised_to(&corrected, 0.0);
        correction = Symmetric::from_lower(n, |i, j| next.at(i, j) - corrected.at(i, j));
        y = on_diagonal(&next);
        let (moved, apart) = (next.distance(&x), next.distance(&y));
        x = next;
        if moved.max(apart) <= SAME * x.distance(&zero) {
            break;
        }
    }
    // Off the diagonal y - correction is always A; on it, it is A plus the multipliers.
    let multipliers = (0..n).map(|i| y.at(i, i) - correction.at(i, i) - problem.matrix.at(i, i)).collect();
    Iterate { matrix: x, multipliers, iterations }
}
