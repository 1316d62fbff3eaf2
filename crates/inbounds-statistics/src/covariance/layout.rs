//! Which entry stands where, and the nearest matrix that is one of covariances.

use inbounds_core::Quantity;
use inbounds_project::{
    constraint::{MatrixConstraint, Symmetric},
    psd,
};

use crate::{Ask, Column, Output, StatisticError, Unit, second_moments::OnGrid};

/// The columns of a matrix and the entries on and above its diagonal, row by row.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) columns: Vec<OnGrid>,
    pub(crate) pairs: Vec<(usize, usize)>,
}

/// The entries on and above the diagonal of a matrix of `size` rows, row by row.
pub(crate) fn upper_triangle(size: usize) -> Vec<(usize, usize)> {
    (0..size).flat_map(|j| (j..size).map(move |k| (j, k))).collect()
}

/// The place of entry `(j, k)` of a symmetric matrix of `size` columns among those on and above the diagonal, row by
/// row: `j size - j (j + 1)/2 + k` for `j <= k`.
///
/// # Example
/// ```
/// assert_eq!(inbounds_statistics::covariance::place(3, 1, 2), 4); // after (0, 0), (0, 1), (0, 2), (1, 1)
/// ```
pub fn place(size: usize, j: usize, k: usize) -> usize {
    let (j, k) = (j.min(k), j.max(k));
    j * size - j * (j + 1) / 2 + k
}

impl Layout {
    /// Puts the columns on their grids.
    ///
    /// # Errors
    /// [`StatisticError::TooFewColumns`], [`StatisticError::RepeatedColumn`], and those of a column.
    pub(crate) fn new(kind: &'static str, columns: &[Column], rows: Option<u64>) -> Result<Self, StatisticError> {
        if columns.len() < 2 {
            return Err(StatisticError::TooFewColumns { kind, columns: columns.len() });
        }
        let twice = |(j, column): &(usize, &Column)| columns[..*j].iter().any(|other| other.name == column.name);
        if let Some((_, column)) = columns.iter().enumerate().find(twice) {
            return Err(StatisticError::RepeatedColumn { kind, column: column.name.clone() });
        }
        let on_grid = columns.iter().map(|column| OnGrid::new(kind, column, rows));
        Ok(Self { columns: on_grid.collect::<Result<_, _>>()?, pairs: upper_triangle(columns.len()) })
    }

    pub(crate) fn size(&self) -> usize {
        self.columns.len()
    }

    /// The product of the widths of the two columns of an entry.
    pub(crate) fn area(&self, (j, k): (usize, usize)) -> f64 {
        self.columns[j].span() * self.columns[k].span()
    }

    pub(crate) fn quantity(&self, (j, k): (usize, usize)) -> Quantity {
        Quantity::second_moment(&self.columns[j].name, &self.columns[k].name)
    }

    pub(crate) fn ask(&self) -> Ask {
        let clips = self.columns.iter().map(|column| column.clip).collect();
        Ask { clips, products: self.pairs.clone(), ..Ask::default() }
    }

    pub(crate) fn outputs(&self) -> Vec<Output> {
        let output =
            |&(j, k): &(usize, usize)| Output { quantity: self.quantity((j, k)), unit: Unit::Columns(vec![j, k]) };
        self.pairs.iter().map(output).collect()
    }

    /// The range of each entry where that of a variance is at most `largest` squared widths.
    pub(crate) fn ranges(&self, largest: f64) -> Vec<(f64, f64)> {
        let range = |&(j, k): &(usize, usize)| {
            let largest = largest * self.area((j, k));
            (if j == k { 0.0 } else { -largest }, largest)
        };
        self.pairs.iter().map(range).collect()
    }

    /// The nearest positive semidefinite matrix, with the same diagonal, which is not negative, where `keep_diagonal`.
    ///
    /// Near is by the sum of squared differences with every column divided by the width of its bounds, so that units do
    /// not matter and the noise of all entries is alike.
    pub(crate) fn semidefinite(&self, entries: &[f64], keep_diagonal: bool) -> Vec<f64> {
        let size = self.size();
        let normalised = |i: usize| {
            let (j, k) = (i / size, i % size);
            entries[place(size, j, k)] / self.area((j, k))
        };
        let rows: Vec<f64> = (0..size * size).map(normalised).collect();
        let diagonal = keep_diagonal.then(|| (0..size).map(|j| rows[j * size + j]).collect());
        let matrix = Symmetric::from_rows(size, rows).expect("a mirrored matrix of finite entries");
        let constraint = MatrixConstraint { floor: 0.0, diagonal };
        let nearest = psd::nearest(&matrix, &constraint, psd::Method::default()).expect("entries far below 1e120");
        let nearest = nearest.expect("no variance is negative");
        let entry = |(&(j, k), given): (&(usize, usize), &f64)| {
            if j == k && keep_diagonal { *given } else { nearest.at(j, k) * self.area((j, k)) }
        };
        self.pairs.iter().zip(entries).map(entry).collect()
    }
}
