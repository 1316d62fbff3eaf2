//! The error of estimates under equalities.

use super::plane::Plane;
use crate::{ProjectError, check, constraint::Rows};

/// Variances and covariances of the estimates of [`super::project`] under equalities alone.
///
/// # Law
/// If the measurements have independent errors of variance `1 / w_i`, the estimates have the covariance matrix
/// `V - V A^T (A V A^T)^-1 A V` with `V = diag(1/w)`.
///
/// # Guarantee
/// From the sparse factor: all variances together cost about as much as the factorisation, a row of covariances one
/// solution. Their error is that of the factorisation times the variance of the measurement.
///
/// # Example
/// ```
/// use inbounds_project::{constraint::Rows, linear::Covariance};
/// let sum = Rows::from_triplets(3, &[(0, 0, 1.0), (0, 1, 1.0), (0, 2, -1.0)], vec![0.0])?;
/// let covariance = Covariance::new(&sum, &[1.0; 3])?;
/// assert!(covariance.variances().iter().all(|v| (v - 2.0 / 3.0).abs() < 1e-15));
/// assert!((covariance.pairs(&[(0, 1)])?[0] + 1.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
///
/// # References
/// Takahashi, Fagan and Chin 1973, Formation of a sparse bus impedance matrix (entries of the inverse).
pub struct Covariance {
    plane: Plane,
    cells: usize,
}

impl Covariance {
    /// The covariance under these constraints and weights; right-hand sides do not matter.
    ///
    /// # Errors
    /// [`ProjectError`] if the lengths differ or a weight is not positive and finite with a finite reciprocal.
    pub fn new(rows: &Rows, weights: &[f64]) -> Result<Self, ProjectError> {
        let cells = weights.len();
        check::length("columns of the equalities", "weights", cells, rows.columns())?;
        check::measurements(&vec![0.0; cells], weights)?;
        Ok(Self { plane: Plane::new(rows.clone(), weights.iter().map(|w| w.recip()).collect()), cells })
    }

    /// The variance of every estimate.
    pub fn variances(&self) -> Vec<f64> {
        self.plane.variances()
    }

    /// The covariance of each pair of cells.
    ///
    /// # Errors
    /// [`ProjectError::Cell`] if a cell does not exist.
    pub fn pairs(&self, pairs: &[(usize, usize)]) -> Result<Vec<f64>, ProjectError> {
        let of_pair = |&(a, b): &(usize, usize)| match [a, b].into_iter().find(|&cell| cell >= self.cells) {
            Some(cell) => Err(ProjectError::Cell { cell, cells: self.cells }),
            None => Ok(self.plane.covariances(a)[b]),
        };
        pairs.iter().map(of_pair).collect()
    }

    /// The variance of a combination of estimates, `sum c_i x_i` over terms `(i, c_i)` of different cells.
    ///
    /// # Errors
    /// [`ProjectError::Cell`] if a cell does not exist.
    ///
    /// # Example
    /// ```
    /// use inbounds_project::{constraint::Rows, linear::Covariance};
    /// let sum = Rows::from_triplets(3, &[(0, 0, 1.0), (0, 1, 1.0), (0, 2, -1.0)], vec![0.0])?;
    /// let covariance = Covariance::new(&sum, &[1.0; 3])?;
    /// // The sum of the first two is the third.
    /// assert!((covariance.combination(&[(0, 1.0), (1, 1.0)])? - 2.0 / 3.0).abs() < 1e-15);
    /// # Ok::<(), inbounds_project::ProjectError>(())
    /// ```
    pub fn combination(&self, terms: &[(usize, f64)]) -> Result<f64, ProjectError> {
        match terms.iter().find(|(cell, _)| *cell >= self.cells) {
            Some(&(cell, _)) => Err(ProjectError::Cell { cell, cells: self.cells }),
            None => Ok(self.plane.variance_of(terms)),
        }
    }
}
