//! The optimality conditions of a nearest matrix.

use super::spectrum::Spectrum;
use crate::{
    certificate::Certificate,
    constraint::{MatrixConstraint, Symmetric},
    numeric::relative,
};

/// With `Z = X - A - Diag(y)`: `Z` and `X - floor I` are semidefinite and orthogonal, and the diagonal is as given.
///
/// Stationarity is the most negative eigenvalue of `Z`, complementarity the inner product of the two, each relative to
/// the norms of `A` and `X`. An infinite `y` marks a row that must vanish, which is left out.
pub(super) fn kkt(matrix: &Symmetric, constraint: &MatrixConstraint, x: &Symmetric, y: &[f64]) -> Certificate {
    let kept: Vec<usize> = (0..y.len()).filter(|&i| y[i].is_finite()).collect();
    let shift = |i: usize, j: usize, by: f64| if i == j { by } else { 0.0 };
    let z = |i: usize, j: usize| x.at(i, j) - matrix.at(i, j) - shift(i, j, y[i]);
    let above = |i: usize, j: usize| x.at(i, j) - shift(i, j, constraint.floor);
    let kept_of =
        |entry: &dyn Fn(usize, usize) -> f64| Symmetric::from_lower(kept.len(), |i, j| entry(kept[i], kept[j]));
    let (multiplier, above) = (kept_of(&z), kept_of(&above));
    let off = |d: &Vec<f64>| (0..d.len()).map(|i| (x.at(i, i) - d[i]).abs()).fold(0.0, f64::max);
    distances(matrix, x, &multiplier, &above, 0.0, constraint.diagonal.as_ref().map_or(0.0, off))
}

/// Distances of a multiplier and of the excess above the floor from semidefinite and orthogonal, relative to the norms
/// of `A` and `X`.
///
/// A multiplier may be wrong, and a matrix off what is required of it, in another way by as much as is given.
pub(super) fn distances(
    matrix: &Symmetric,
    x: &Symmetric,
    multiplier: &Symmetric,
    above: &Symmetric,
    wrong: f64,
    off: f64,
) -> Certificate {
    let zero = Symmetric::from_lower(matrix.size(), |_, _| 0.0);
    let size = matrix.distance(&zero).max(x.distance(&zero));
    let most_negative = |matrix: &Symmetric| {
        Spectrum::decompose(matrix)
            .map_or(f64::INFINITY, |spectrum| (-spectrum.values.first().copied().unwrap_or(0.0)).max(0.0))
    };
    let inner: f64 = multiplier.entries().iter().zip(above.entries()).map(|(a, b)| a * b).sum();
    Certificate {
        stationarity: relative(most_negative(multiplier).max(wrong), size),
        feasibility: relative(most_negative(above).max(off), size),
        complementarity: relative(inner.abs(), size * size),
    }
}
