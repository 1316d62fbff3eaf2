//! Cells with independent discrete Gaussian noise.

use inbounds_core::{Rational, Sensitivity};

/// Cells with independent discrete Gaussian noise, and how far one unit moves them.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianVector {
    /// The largest sum of squares of the moves, in squared grid steps.
    pub(super) l2_squared: Rational,
    /// The largest number of cells that move.
    pub(super) cells: u64,
    /// The variance parameter, in squared grid steps.
    pub(super) variance: Rational,
}

impl GaussianVector {
    /// Cells of this sensitivity with noise of a variance parameter in squared grid steps. Moves are whole, so that no
    /// more cells move than their squares add up to.
    ///
    /// # Panics
    /// If the variance is not positive.
    pub fn new(sensitivity: &Sensitivity, variance: Rational) -> Self {
        assert!(variance.is_positive(), "noise has a variance");
        let l2_squared = sensitivity.l2_squared();
        let squares = l2_squared.floor().and_then(|squares| u64::try_from(squares).ok());
        Self {
            cells: squares.map_or(sensitivity.cells, |squares| sensitivity.cells.min(squares)),
            l2_squared,
            variance,
        }
    }

    /// The rho of zero-concentrated privacy, `l2^2 / (2 sigma^2)`.
    ///
    /// # References
    /// Canonne, Kamath and Steinke (2020), Theorem 14 and its multivariate form. Claim: `discrete-gaussian-zcdp`.
    pub fn rho(&self) -> Rational {
        &self.l2_squared / &(&Rational::from(2u128) * &self.variance)
    }

    pub(super) fn with_precision(&self, factor: &Rational) -> Self {
        Self { variance: &self.variance / factor, ..self.clone() }
    }
}
