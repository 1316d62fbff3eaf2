//! The exact law of the error.

use super::mixture::{self, Triple};
use crate::ProjectError;

/// The error of one of `n` cells after projection on their known total, each cell with Laplace noise of scale `b`.
///
/// # Law
/// With `beta = b / n`, `k = n - 1`, `q = 1 / (k^2 - 1)`, `x = |v| / beta` and the sums over `j` of the module
/// `mixture`,
///
/// ```text
/// density   beta f(v) = (1 + q)^k e^(-x/k) / (2 k) - q sum_j (1 + q)^(k-j) g_j(x)
/// survival       S(v) = (1 + q)^k e^(-x/k) / 2     - q sum_j (1 + q)^(k-j) G_j(x)
/// ```
///
/// for `n >= 3`, and that of half the sum of two Laplace noises for `n = 2`. It is symmetric with variance
/// `2 b^2 (1 - 1/n)`.
///
/// # Guarantee
/// Relative error of a few units in the last place at every `n`, in `O(n)` a point. Claim: `total-error`.
///
/// # Example
/// ```
/// let error = inbounds_project::total::TotalError::new(3, 10.0)?;
/// assert!((error.sf(5.0) - 0.305_217_270_137_958_85).abs() < 1e-15);
/// assert!((error.variance() - 400.0 / 3.0).abs() < 1e-13);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
///
/// # References
/// Variance: Zhu, Van Hentenryck and Fioretto 2021, theorem 12. The law by partial fractions of its characteristic
/// function: this project.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TotalError {
    cells: u32,
    scale: f64,
}

impl TotalError {
    /// The law for `cells` cells and noise of scale `b`.
    ///
    /// # Errors
    /// [`ProjectError::Number`] unless there are at least two cells and the scale is finite and positive.
    pub fn new(cells: u32, scale: f64) -> Result<Self, ProjectError> {
        check_parameters(cells, "noise scale", scale)?;
        Ok(Self { cells, scale })
    }

    /// The number of cells `n`.
    pub fn cells(&self) -> u32 {
        self.cells
    }

    /// The scale `b` of the noise.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// `E Err^2 = 2 b^2 (1 - 1/n)`.
    pub fn variance(&self) -> f64 {
        2.0 * self.scale * self.scale * (self.others() / f64::from(self.cells))
    }

    /// Density at `v`.
    pub fn pdf(&self, v: f64) -> f64 {
        self.at(v.abs()).density
    }

    /// `P(Err > v)`.
    pub fn sf(&self, v: f64) -> f64 {
        let upper = self.at(v.abs()).survival;
        if v >= 0.0 { upper } else { 1.0 - upper }
    }

    /// The integral of [`Self::sf`] from `v` to infinity, for `v >= 0`: `E (Err - v)+`.
    pub fn integrated_sf(&self, v: f64) -> f64 {
        self.at(v).integral
    }

    /// `E |Err|`.
    pub fn mean_absolute(&self) -> f64 {
        2.0 * self.integrated_sf(0.0)
    }

    /// `k = n - 1`.
    pub(super) fn others(&self) -> f64 {
        f64::from(self.cells - 1)
    }

    /// `beta = b / n`.
    pub(super) fn unit(&self) -> f64 {
        self.scale / f64::from(self.cells)
    }

    /// `q = 1 / (k^2 - 1)`, for `n >= 3`.
    pub(super) fn q(&self) -> f64 {
        1.0 / ((self.others() - 1.0) * (self.others() + 1.0))
    }

    /// `k ln(1 + q)`, for `n >= 3`.
    pub(super) fn ln_lead(&self) -> f64 {
        self.others() * libm::log1p(self.q())
    }

    /// The three functions at `v >= 0`, in the unit of the cells.
    fn at(&self, v: f64) -> Triple {
        let (beta, k) = (self.unit(), self.others());
        let x = v / beta;
        if self.cells == 2 {
            let two = mixture::at(x, 2, 0.0).last;
            return Triple { density: two.density / beta, survival: two.survival, integral: two.integral * beta };
        }
        let q = self.q();
        let lead = libm::exp(self.ln_lead() - x / k);
        let rest = mixture::at(x, self.cells - 1, q).weighted;
        Triple {
            density: (lead / (2.0 * k) - q * rest.density) / beta,
            survival: lead / 2.0 - q * rest.survival,
            integral: (lead * k / 2.0 - q * rest.integral) * beta,
        }
    }
}

/// At least two cells, and a finite positive number that says how wide the noise is.
pub(super) fn check_parameters(cells: u32, name: &'static str, width: f64) -> Result<(), ProjectError> {
    let number = |name, requirement, value| ProjectError::Number {
        name,
        place: "the cells of the total".into(),
        requirement,
        value,
    };
    if cells < 2 {
        return Err(number("number", "at least 2", f64::from(cells)));
    }
    if !(width > 0.0 && width.is_finite()) {
        return Err(number(name, "finite and positive", width));
    }
    Ok(())
}
