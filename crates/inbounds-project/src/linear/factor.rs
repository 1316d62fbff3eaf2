//! Sparse `L D L^T` of a positive semidefinite matrix, which skips dependent rows.
//!
//! **Idea.** Rows are renamed in an order that keeps `L` sparse, and row `k` of `L` is found from the rows before it by
//! one triangular solution. Its entries are where paths lead from the entries of column `k` of the matrix up the
//! elimination tree, so nothing else is visited.
//!
//! **Invariant.** After row `k` the first `k` rows of `L` and `D` factorise the leading block of the matrix. The pivot
//! is what is left of the diagonal entry; in exact arithmetic it is zero if and only if the row depends on those
//! before.
//!
//! References: Liu 1990, The role of elimination trees in sparse factorization; Davis 2006, Direct Methods for Sparse
//! Linear Systems, chapter 4; Takahashi, Fagan and Chin 1973 (entries of the inverse).

use amd::Control;

/// A symmetric matrix: for each column the entries at and above the diagonal, in any order.
pub(super) struct Symmetric {
    pub(super) columns: Vec<Vec<(usize, f64)>>,
}

/// `P M P^T = L D L^T` with a fill-reducing permutation `P`.
///
/// A skipped row has `D = 0` and an empty column in `L`; solving gives it zero, so the others are solved as if it were
/// not there.
pub(super) struct Factor {
    /// Position of each row in the order of elimination.
    position: Vec<usize>,
    /// Columns of `L` below the diagonal, rows increasing.
    lower: Vec<Vec<(usize, f64)>>,
    pivots: Vec<f64>,
}

impl Factor {
    /// [`Factor::in_order`] with the matrix's own [`elimination_order`].
    pub(super) fn in_elimination_order(matrix: &Symmetric, dependent: f64) -> Self {
        Self::in_order(matrix, elimination_order(matrix), dependent)
    }

    /// Factorises up-looking, row by row along the elimination tree, with each row at its given position.
    ///
    /// A row is skipped if its pivot is at most `dependent` times its diagonal entry.
    pub(super) fn in_order(matrix: &Symmetric, position: Vec<usize>, dependent: f64) -> Self {
        let n = matrix.columns.len();
        let upper = permuted(matrix, &position);
        let mut factor = Self { position, lower: vec![Vec::new(); n], pivots: vec![0.0; n] };
        let mut parent: Vec<Option<usize>> = vec![None; n];
        let (mut work, mut seen, mut path, mut reach) = (vec![0.0; n], vec![usize::MAX; n], Vec::new(), Vec::new());
        for (k, column) in upper.iter().enumerate() {
            seen[k] = k;
            reach.clear();
            for &(i, value) in column {
                work[i] += value;
                path.clear();
                let mut at = i;
                while seen[at] != k {
                    seen[at] = k;
                    path.push(at);
                    at = *parent[at].get_or_insert(k);
                }
                reach.extend(path.drain(..).rev());
            }
            let diagonal = std::mem::take(&mut work[k]);
            let mut pivot = diagonal;
            // Paths were collected from the leaves up, later paths below earlier ones: backwards is topological.
            for &i in reach.iter().rev() {
                let value = std::mem::take(&mut work[i]);
                factor.lower[i].iter().for_each(|&(row, l)| work[row] -= l * value);
                let l = if factor.pivots[i] > 0.0 { value / factor.pivots[i] } else { 0.0 };
                pivot -= l * value;
                factor.lower[i].push((k, l));
            }
            factor.pivots[k] = if pivot > dependent * diagonal { pivot } else { 0.0 };
        }
        factor
    }

    /// `true` for a row that was skipped.
    pub(super) fn is_dependent(&self, row: usize) -> bool {
        self.pivots[self.position[row]] == 0.0
    }

    /// Solves in place; skipped rows get zero.
    pub(super) fn solve(&self, right: &mut [f64]) {
        let mut x = vec![0.0; right.len()];
        self.position.iter().zip(right.iter()).for_each(|(&to, &value)| x[to] = value);
        for (k, column) in self.lower.iter().enumerate() {
            let value = x[k];
            column.iter().for_each(|&(row, l)| x[row] -= l * value);
        }
        for (x, &pivot) in x.iter_mut().zip(&self.pivots) {
            *x = if pivot > 0.0 { *x / pivot } else { 0.0 };
        }
        for (k, column) in self.lower.iter().enumerate().rev() {
            x[k] -= column.iter().map(|&(row, l)| l * x[row]).sum::<f64>();
        }
        self.position.iter().zip(right).for_each(|(&from, value)| *value = x[from]);
    }

    /// The entries of the inverse at the places where `L` has entries, by Takahashi's recurrence.
    pub(super) fn inverse(&self) -> SelectedInverse<'_> {
        let mut inverse = SelectedInverse {
            factor: self,
            lower: self.lower.iter().map(|column| vec![0.0; column.len()]).collect(),
            diagonal: vec![0.0; self.pivots.len()],
        };
        for k in (0..self.pivots.len()).rev() {
            let column = &self.lower[k];
            let entries: Vec<f64> =
                column.iter().map(|&(i, _)| -column.iter().map(|&(j, l)| l * inverse.at(i, j)).sum::<f64>()).collect();
            let reciprocal = if self.pivots[k] > 0.0 { self.pivots[k].recip() } else { 0.0 };
            inverse.diagonal[k] = reciprocal - column.iter().zip(&entries).map(|(&(_, l), z)| l * z).sum::<f64>();
            inverse.lower[k] = entries;
        }
        inverse
    }
}

/// Some entries of the inverse of a factorised matrix.
pub(super) struct SelectedInverse<'a> {
    factor: &'a Factor,
    lower: Vec<Vec<f64>>,
    diagonal: Vec<f64>,
}

impl SelectedInverse<'_> {
    /// The entry for two rows that share a column of the constraints.
    pub(super) fn entry(&self, row: usize, column: usize) -> f64 {
        self.at(self.factor.position[row], self.factor.position[column])
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        if i == j {
            return self.diagonal[i];
        }
        let (row, column) = (i.max(j), i.min(j));
        let place = self.factor.lower[column].binary_search_by_key(&row, |&(row, _)| row);
        place.map_or(0.0, |place| self.lower[column][place])
    }
}

/// Position of each row in an approximate minimum degree order; the given order if none can be had.
pub(super) fn elimination_order(matrix: &Symmetric) -> Vec<usize> {
    let n = matrix.columns.len();
    let mut starts = vec![0_i64];
    let mut rows: Vec<i64> = Vec::new();
    for column in &matrix.columns {
        let mut upper: Vec<i64> = column.iter().map(|&(i, _)| i as i64).collect();
        upper.sort_unstable();
        rows.append(&mut upper);
        starts.push(rows.len() as i64);
    }
    match amd::order(n as i64, &starts, &rows, &Control::default()) {
        Ok((_, position, _)) => position.into_iter().map(|k| k as usize).collect(),
        Err(_) => (0..n).collect(),
    }
}

/// The entries at and above the diagonal after renaming the rows.
fn permuted(matrix: &Symmetric, position: &[usize]) -> Vec<Vec<(usize, f64)>> {
    let mut columns = vec![Vec::new(); position.len()];
    for (k, column) in matrix.columns.iter().enumerate() {
        for &(i, value) in column {
            let (a, b) = (position[i], position[k]);
            columns[a.max(b)].push((a.min(b), value));
        }
    }
    columns
}
