//! Equalities alone: the nearest point of an affine subspace.
//!
//! With variances `v_i = 1 / w_i` (zero for a cell that must stay where it is) the solution is `x = y + V A^T lambda`,
//! where `A V A^T lambda = b - A y`. Rows are scaled so that the matrix has a unit diagonal. Which rows depend on
//! others is a matter of `A` alone, so it is decided with unit variances; only independent rows enter the weighted
//! matrix, and repeated correction of the residual removes what its condition number costs.

use super::factor::{Factor, Symmetric};
use crate::{
    constraint::Rows,
    numeric::{largest, relative, sum},
};

/// Corrections of the residual; each gains as many digits as the factorisation has.
const CORRECTIONS: usize = 30;

/// A residual of this size, relative to the row with every cell as large as the largest, is rounding.
const NEGLIGIBLE: f64 = 1e-20;

/// A residual of this size relative to its terms is a contradiction, not rounding.
const CONTRADICTION: f64 = 1e-9;

/// Without weights, a pivot smaller than this share of its diagonal entry belongs to a dependent row.
///
/// Constraint matrices have small integer coefficients: true pivots are of the size of a reciprocal product of counts,
/// false ones of the size of rounding.
const DEPENDENT: f64 = 1e-11;

/// With weights, independence is known already and only a pivot that is all rounding is refused.
const LOST: f64 = 1e-15;

/// Factorised equalities.
pub(super) struct Plane {
    rows: Rows,
    variances: Vec<f64>,
    /// Rows by column, so that `A^T lambda` and row pairs are found.
    columns: Vec<Vec<(usize, f64)>>,
    /// Without weights: for dependent rows and the rows that they depend on.
    basis: (Gram, Factor),
    /// The weighted factorisation, for independent rows.
    scales: Vec<f64>,
    factor: Factor,
}

/// A point of the plane with its multipliers.
pub(super) struct OnPlane {
    pub(super) x: Vec<f64>,
    pub(super) multipliers: Vec<f64>,
}

impl Plane {
    /// Factorises; a cell of variance zero stays where it is.
    pub(super) fn new(rows: Rows, variances: Vec<f64>) -> Self {
        let columns = rows.by_column();
        let moves = |cell: usize| if variances[cell] > 0.0 { 1.0 } else { 0.0 };
        let unweighted = Gram::new(&rows, &columns, moves, |_| true);
        let basis = Factor::in_elimination_order(&unweighted.matrix, DEPENDENT);
        let gram = Gram::new(&rows, &columns, |cell| variances[cell], |row| !basis.is_dependent(row));
        let factor = Factor::in_elimination_order(&gram.matrix, LOST);
        Self { rows, variances, columns, basis: (unweighted, basis), scales: gram.scales, factor }
    }

    /// Rows that cannot hold together while the cells of variance zero keep their `values`; each is needed for that.
    pub(super) fn contradiction(&self, values: &[f64]) -> Option<Vec<usize>> {
        let fixed: Vec<f64> =
            values.iter().zip(&self.variances).map(|(&y, &v)| if v > 0.0 { 0.0 } else { y }).collect();
        (0..self.rows.len()).filter(|&row| !self.is_independent(row)).find_map(|row| self.contradiction_of(row, &fixed))
    }

    /// The rows that a dependent row contradicts, with itself, if it does.
    ///
    /// The row is a combination of independent rows, and of only one: those with a share in it and the row itself are a
    /// smallest dependent set. It is a contradiction if the same combination of right-hand sides is something else.
    fn contradiction_of(&self, row: usize, fixed: &[f64]) -> Option<Vec<usize>> {
        let (Gram { matrix, scales }, factor) = &self.basis;
        let mut shares = vec![0.0; self.rows.len()];
        for (k, column) in matrix.columns.iter().enumerate() {
            for &(i, value) in column.iter().filter(|&&(i, _)| i == row || k == row) {
                shares[i + k - row] = value;
            }
        }
        factor.solve(&mut shares);
        let mut members: Vec<usize> = (0..shares.len()).filter(|&i| shares[i].abs() > CONTRADICTION).collect();
        let scale = if scales[row] > 0.0 { scales[row] } else { 1.0 };
        shares.iter_mut().zip(scales).for_each(|(share, member)| *share *= -member / scale);
        shares[row] = 1.0;
        members.push(row);
        members.sort_unstable();
        let gap = sum(members.iter().map(|&i| shares[i] * sum(self.rows.terms(i, fixed))));
        let size = sum(members
            .iter()
            .flat_map(|&i| self.rows.terms(i, fixed).map(move |term| (i, term)))
            .map(|(i, term)| (shares[i] * term).abs()));
        (gap.abs() > CONTRADICTION * size).then_some(members)
    }

    /// The number of independent rows.
    pub(super) fn rank(&self) -> usize {
        (0..self.rows.len()).filter(|&row| self.is_independent(row)).count()
    }

    fn is_independent(&self, row: usize) -> bool {
        !self.basis.1.is_dependent(row)
    }

    /// The nearest point, with `x = values` where the variance is zero.
    ///
    /// Corrections are added to the point, not computed anew from the multipliers: where weights differ much, those are
    /// large and cancel.
    pub(super) fn project(&self, values: &[f64]) -> OnPlane {
        let mut best = OnPlane { x: values.to_vec(), multipliers: vec![0.0; self.rows.len()] };
        let size = largest(values);
        let mut worst = self.worst_residual(&best.x, size);
        for _ in 0..CORRECTIONS {
            if worst <= NEGLIGIBLE {
                break;
            }
            let next = self.corrected(&best);
            let residual = self.worst_residual(&next.x, size);
            if residual >= worst {
                break;
            }
            (best, worst) = (next, residual);
        }
        best
    }

    /// `x + V A^T step` with the step that would cancel the residuals, were there no rounding.
    fn corrected(&self, from: &OnPlane) -> OnPlane {
        let gap = |i: usize| if self.is_independent(i) { sum(self.rows.terms(i, &from.x)) } else { 0.0 };
        let mut step: Vec<f64> = (0..self.rows.len()).map(|i| gap(i) * self.scales[i]).collect();
        self.factor.solve(&mut step);
        step.iter_mut().zip(&self.scales).for_each(|(step, scale)| *step *= scale);
        let shift = |cell: usize| {
            let force = sum(self.columns[cell].iter().map(|&(row, a)| a * step[row]));
            if self.variances[cell] > 0.0 { self.variances[cell] * force } else { 0.0 }
        };
        OnPlane {
            x: from.x.iter().enumerate().map(|(cell, x)| x + shift(cell)).collect(),
            multipliers: from.multipliers.iter().zip(&step).map(|(lambda, step)| lambda + step).collect(),
        }
    }

    /// The largest residual of an independent row.
    fn worst_residual(&self, x: &[f64], size: f64) -> f64 {
        let independent = (0..self.rows.len()).filter(|&i| self.is_independent(i));
        independent.map(|i| residual(&self.rows, i, x, size)).fold(0.0, f64::max)
    }

    /// `v_i - v_i^2 a_i^T (A V A^T)^-1 a_i` for every cell, with `a_i` the column of the cell.
    pub(super) fn variances(&self) -> Vec<f64> {
        let inverse = self.factor.inverse();
        let of_cell = |cell: usize| {
            let column = &self.columns[cell];
            let pairs = column
                .iter()
                .flat_map(|&(r, a)| column.iter().map(move |&(s, b)| (r, s, a * self.scales[r] * b * self.scales[s])));
            let v = self.variances[cell];
            (v * (1.0 - v * sum(pairs.map(|(r, s, weight)| weight * inverse.entry(r, s))))).max(0.0)
        };
        (0..self.variances.len()).map(of_cell).collect()
    }

    /// `c^T V c - t^T (A V A^T)^-1 t` with `t = A V c`, for a combination `c` of cells.
    pub(super) fn variance_of(&self, terms: &[(usize, f64)]) -> f64 {
        let mut t = vec![0.0; self.rows.len()];
        for &(cell, c) in terms {
            self.columns[cell].iter().for_each(|&(row, a)| t[row] += a * self.scales[row] * (self.variances[cell] * c));
        }
        let mut solved = t.clone();
        self.factor.solve(&mut solved);
        let own = sum(terms.iter().map(|&(cell, c)| c * c * self.variances[cell]));
        (own - sum(t.iter().zip(&solved).map(|(t, s)| t * s))).max(0.0)
    }

    /// The covariances of one cell with all cells.
    pub(super) fn covariances(&self, cell: usize) -> Vec<f64> {
        let mut unit = vec![0.0; self.rows.len()];
        self.columns[cell].iter().for_each(|&(row, a)| unit[row] = a * self.scales[row]);
        self.factor.solve(&mut unit);
        let v = &self.variances;
        (0..v.len())
            .map(|other| {
                let shared = sum(self.columns[other].iter().map(|&(row, a)| a * self.scales[row] * unit[row]));
                (if other == cell { v[cell] } else { 0.0 }) - v[cell] * (v[other] * shared)
            })
            .collect()
    }
}

/// `|right - row x|` relative to the largest of its terms, were every cell of the given size.
pub(super) fn residual(rows: &Rows, i: usize, x: &[f64], size: f64) -> f64 {
    relative_gap(rows, i, sum(rows.terms(i, x)), size)
}

/// [`residual`] of a row whose `right - row x` is known.
pub(super) fn relative_gap(rows: &Rows, i: usize, gap: f64, size: f64) -> f64 {
    let largest = rows.row(i).iter().map(|(_, a)| a.abs() * size).fold(rows.right()[i].abs(), f64::max);
    relative(gap.abs(), largest)
}

/// `S A V A^T S` with the diagonal `S` that makes its diagonal one.
struct Gram {
    matrix: Symmetric,
    scales: Vec<f64>,
}

impl Gram {
    fn new(
        rows: &Rows,
        columns: &[Vec<(usize, f64)>],
        variance: impl Fn(usize) -> f64,
        include: impl Fn(usize) -> bool,
    ) -> Self {
        let diagonal = |i: usize| rows.row(i).iter().map(|&(cell, a)| a * a * variance(cell)).sum::<f64>();
        let scale = |i: usize| {
            let diagonal = diagonal(i);
            if include(i) && diagonal > 0.0 { diagonal.sqrt().recip() } else { 0.0 }
        };
        let scales: Vec<f64> = (0..rows.len()).map(scale).collect();
        // Column by column, the upper triangle alone, with entries in rows that share a cell with row `k`.
        let mut row_sums = vec![0.0; rows.len()];
        let matrix = Symmetric {
            columns: (0..rows.len())
                .map(|k| {
                    let mut touched = vec![k];
                    for &(cell, a) in rows.row(k).iter().filter(|_| scales[k] > 0.0) {
                        for &(i, b) in columns[cell].iter().filter(|&&(i, _)| i <= k && scales[i] > 0.0) {
                            row_sums[i] += a * variance(cell) * b;
                            touched.push(i);
                        }
                    }
                    touched.sort_unstable();
                    touched.dedup();
                    let entry = |&i: &usize| (i, std::mem::take(&mut row_sums[i]) * scales[i] * scales[k]);
                    touched.iter().map(entry).collect()
                })
                .collect(),
        };
        Self { matrix, scales }
    }
}
