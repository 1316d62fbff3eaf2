//! Eigenvalues, and matrices computed from them.

use faer::{Mat, Side};

use crate::{constraint::Symmetric, numeric::largest};

/// Eigenvalues in increasing order, with eigenvectors as columns.
pub(super) struct Spectrum {
    pub(super) values: Vec<f64>,
    pub(super) vectors: Mat<f64>,
}

impl Spectrum {
    /// The spectrum of a symmetric matrix; `None` if the decomposition does not converge, which has not been seen in
    /// practice.
    pub(super) fn decompose(matrix: &Symmetric) -> Option<Self> {
        if matrix.size() == 0 {
            return Some(Self { values: Vec::new(), vectors: Mat::zeros(0, 0) });
        }
        let dense = Mat::from_fn(matrix.size(), matrix.size(), |i, j| matrix.at(i, j));
        let decomposition = dense.self_adjoint_eigen(Side::Lower).ok()?;
        let values: Vec<f64> = decomposition.S().column_vector().iter().copied().collect();
        values.iter().all(|value| value.is_finite()).then(|| Self { values, vectors: decomposition.U().to_owned() })
    }

    /// The largest absolute eigenvalue: the spectral norm.
    pub(super) fn norm(&self) -> f64 {
        largest(&self.values)
    }

    /// `true` if no eigenvalue is below `floor`, up to the rounding that eigenvalues carry, `n 2^-52` times the norm.
    pub(super) fn is_at_least(&self, floor: f64) -> bool {
        let rounding = self.values.len() as f64 * f64::EPSILON * self.norm().max(floor.abs());
        self.values.first().is_none_or(|&smallest| smallest >= floor - rounding)
    }

    /// The matrix with the eigenvalues below `floor` raised to it: `A` plus the terms of the raised eigenvalues, or
    /// `floor I` plus the terms of the others, whichever are fewer.
    pub(super) fn raised_to(&self, matrix: &Symmetric, floor: f64) -> Symmetric {
        let n = self.values.len();
        let low = self.values.partition_point(|&value| value < floor);
        let add_low = low <= n / 2;
        let (range, sign) = if add_low { (0..low, -1.0) } else { (low..n, 1.0) };
        let terms = Mat::from_fn(n, range.len(), |i, k| {
            let k = range.start + k;
            (sign * (self.values[k] - floor)).sqrt() * self.vectors[(i, k)]
        });
        let sum = &terms * terms.transpose();
        Symmetric::from_lower(n, |i, j| match (add_low, i == j) {
            (true, _) => matrix.at(i, j) + sum[(i, j)],
            (false, true) => floor + sum[(i, j)],
            (false, false) => sum[(i, j)],
        })
    }
}
