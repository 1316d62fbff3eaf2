//! Linear equalities and inequalities, sparse.

use super::Bounds;
use crate::{ProjectError, check};

/// Sparse rows `a_i` with right-hand sides `r_i`: the left and right of `a_i x = r_i` or `a_i x <= r_i`.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    columns: usize,
    starts: Vec<usize>,
    entries: Vec<(usize, f64)>,
    right: Vec<f64>,
}

impl Rows {
    /// No rows at all.
    pub fn none(columns: usize) -> Self {
        Self { columns, starts: vec![0], entries: Vec::new(), right: Vec::new() }
    }

    /// One row for each entry of `right`, from triplets `(row, column, coefficient)` in any order.
    ///
    /// Coefficients of the same place are added, and those that are zero count as absent.
    ///
    /// # Errors
    /// [`ProjectError`] if a row or column does not exist or a number is not finite.
    ///
    /// # Example
    /// ```
    /// use inbounds_project::constraint::Rows;
    /// let rows = Rows::from_triplets(3, &[(0, 0, 1.0), (0, 2, -1.0)], vec![0.0])?;
    /// assert_eq!(rows.row(0), [(0, 1.0), (2, -1.0)]);
    /// # Ok::<(), inbounds_project::ProjectError>(())
    /// ```
    pub fn from_triplets(
        columns: usize,
        triplets: &[(usize, usize, f64)],
        right: Vec<f64>,
    ) -> Result<Self, ProjectError> {
        check::finite("right-hand side", "row", &right)?;
        let mut by_row: Vec<Vec<(usize, f64)>> = vec![Vec::new(); right.len()];
        for &(row, column, coefficient) in triplets {
            if row >= right.len() || column >= columns {
                return Err(ProjectError::Place { row, column, rows: right.len(), columns });
            }
            if !coefficient.is_finite() {
                let place = format!("row {row}, column {column}");
                let (name, requirement) = ("coefficient", "finite");
                return Err(ProjectError::Number { name, place, requirement, value: coefficient });
            }
            by_row[row].push((column, coefficient));
        }
        let mut rows = Self { columns, starts: vec![0], entries: Vec::with_capacity(triplets.len()), right };
        for mut row in by_row {
            row.sort_by_key(|&(column, _)| column);
            row.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                kept.1 += if same { next.1 } else { 0.0 };
                same
            });
            rows.entries.extend(row.into_iter().filter(|&(_, coefficient)| coefficient != 0.0));
            rows.starts.push(rows.entries.len());
        }
        Ok(rows)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.right.len()
    }

    /// `true` if there is no row.
    pub fn is_empty(&self) -> bool {
        self.right.is_empty()
    }

    /// Number of columns, one a cell.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The nonzero coefficients of a row, by column.
    pub fn row(&self, i: usize) -> &[(usize, f64)] {
        &self.entries[self.starts[i]..self.starts[i + 1]]
    }

    /// For each column the rows with a coefficient in it, so that `A^T` and pairs of rows are found.
    pub(crate) fn by_column(&self) -> Vec<Vec<(usize, f64)>> {
        let mut columns = vec![Vec::new(); self.columns];
        for i in 0..self.len() {
            self.row(i).iter().for_each(|&(column, a)| columns[column].push((i, a)));
        }
        columns
    }

    /// The right-hand sides.
    pub fn right(&self) -> &[f64] {
        &self.right
    }

    /// Number of nonzero coefficients.
    pub(crate) fn entries(&self) -> usize {
        self.entries.len()
    }

    /// These rows, then the rows of `others` named by `chosen`.
    pub(crate) fn with(&self, others: &Self, chosen: &[usize]) -> Self {
        let mut all = self.clone();
        for &i in chosen {
            all.entries.extend_from_slice(others.row(i));
            all.starts.push(all.entries.len());
            all.right.push(others.right[i]);
        }
        all
    }

    /// These rows with zeros on the right-hand side.
    pub(crate) fn homogeneous(&self) -> Self {
        Self { right: vec![0.0; self.right.len()], ..self.clone() }
    }

    /// All terms of a row's residual, `right - row x`.
    pub(crate) fn terms<'a>(&'a self, i: usize, x: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        [self.right[i]].into_iter().chain(self.row(i).iter().map(|&(column, a)| -a * x[column]))
    }
}

/// Everything linear that must hold.
///
/// # Contract
/// `A x = b`, `C x <= d` and `l <= x <= u`.
#[derive(Debug, Clone, PartialEq)]
pub struct System {
    /// `A` and `b`.
    pub equalities: Rows,
    /// `C` and `d`.
    pub inequalities: Rows,
    /// `l` and `u`.
    pub bounds: Bounds,
}

impl System {
    /// Equalities alone.
    pub fn equalities(rows: Rows) -> Self {
        Self { inequalities: Rows::none(rows.columns()), equalities: rows, bounds: Bounds::None }
    }

    /// `true` if nothing but equalities is required.
    pub(crate) fn is_plane(&self) -> bool {
        self.inequalities.is_empty() && self.bounds == Bounds::None
    }

    /// All parts speak of the same `cells`.
    pub(crate) fn check(&self, cells: usize) -> Result<(), ProjectError> {
        check::length("columns of the equalities", "values", cells, self.equalities.columns)?;
        check::length("columns of the inequalities", "values", cells, self.inequalities.columns)?;
        self.bounds.check(cells)
    }
}
