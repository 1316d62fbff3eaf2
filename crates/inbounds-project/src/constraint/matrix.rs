//! Symmetric matrices and their constraints.

use crate::{ProjectError, check};

/// A symmetric matrix, all entries by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Symmetric {
    size: usize,
    entries: Vec<f64>,
}

impl Symmetric {
    /// A matrix of `size` rows from all of its entries by row.
    ///
    /// # Errors
    /// [`ProjectError`] unless there are `size * size` finite entries and both of each pair are the same.
    ///
    /// # Example
    /// ```
    /// use inbounds_project::constraint::Symmetric;
    /// let matrix = Symmetric::from_rows(2, vec![1.0, 0.5, 0.5, 2.0])?;
    /// assert_eq!(matrix.at(0, 1), 0.5);
    /// # Ok::<(), inbounds_project::ProjectError>(())
    /// ```
    pub fn from_rows(size: usize, entries: Vec<f64>) -> Result<Self, ProjectError> {
        check::length("entries", "places", size.saturating_mul(size), entries.len())?;
        let number = |i: usize, requirement| ProjectError::Number {
            name: "entry",
            place: format!("row {}, column {}", i / size, i % size),
            requirement,
            value: entries[i],
        };
        let mirrored = |i: usize| entries[i % size * size + i / size];
        if let Some(i) = entries.iter().position(|x| !x.is_finite()) {
            return Err(number(i, "finite"));
        }
        if let Some(i) = (0..entries.len()).find(|&i| entries[i] != mirrored(i)) {
            return Err(number(i, "the entry mirrored at the diagonal"));
        }
        Ok(Self { size, entries })
    }

    /// A matrix from the entries at and below the diagonal.
    pub(crate) fn from_lower(size: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let mut entries = vec![0.0; size * size];
        for i in 0..size {
            for j in 0..=i {
                let value = entry(i, j);
                (entries[i * size + j], entries[j * size + i]) = (value, value);
            }
        }
        Self { size, entries }
    }

    /// The matrix with something added to some entries and their mirror images.
    pub(crate) fn plus(&self, places: &[(usize, usize)], added: &[f64]) -> Self {
        let values: Vec<f64> = places.iter().zip(added).map(|(&(i, j), added)| self.at(i, j) + added).collect();
        self.with(places, &values)
    }

    /// The matrix with some entries, and their mirror images, in place of its own.
    pub(crate) fn with(&self, places: &[(usize, usize)], values: &[f64]) -> Self {
        let mut entries = self.entries.clone();
        for (&(i, j), &value) in places.iter().zip(values) {
            (entries[i * self.size + j], entries[j * self.size + i]) = (value, value);
        }
        Self { size: self.size, entries }
    }

    /// The number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The entry at row `i` and column `j`.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.entries[i * self.size + j]
    }

    /// All entries, by row.
    pub fn entries(&self) -> &[f64] {
        &self.entries
    }

    /// The square root of the sum of squared differences, the Frobenius norm.
    pub fn distance(&self, other: &Self) -> f64 {
        self.entries.iter().zip(&other.entries).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    }
}

/// Conditions on a symmetric matrix.
///
/// # Contract
/// No eigenvalue is below `floor`, and the diagonal is the given one, if any.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MatrixConstraint {
    /// The least eigenvalue allowed, finite: zero for positive semidefinite.
    pub floor: f64,
    /// The diagonal, finite: variances, or ones for a correlation matrix.
    pub diagonal: Option<Vec<f64>>,
}

impl MatrixConstraint {
    /// No negative eigenvalue.
    pub fn semidefinite() -> Self {
        Self::default()
    }

    /// A correlation matrix of a given size: no negative eigenvalue and ones on the diagonal.
    pub fn correlation(size: usize) -> Self {
        Self { floor: 0.0, diagonal: Some(vec![1.0; size]) }
    }

    /// All numbers finite, and a diagonal of the right length.
    pub(crate) fn check(&self, size: usize) -> Result<(), ProjectError> {
        check::finite("floor", "matrix", &[self.floor])?;
        self.diagonal.as_ref().map_or(Ok(()), |diagonal| {
            check::length("diagonal", "rows", size, diagonal.len())?;
            check::finite("diagonal entry", "row", diagonal)
        })
    }
}
