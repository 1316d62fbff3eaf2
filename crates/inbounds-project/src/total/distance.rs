//! Distance of the error after projection from the noise before it.

use inbounds_core::root;

use super::{TotalError, mixture};

impl TotalError {
    /// The one `v > 0` at which the error and the Laplace noise have the same survival function; none for `n = 2`,
    /// where the noise has the heavier tail everywhere.
    ///
    /// That there is exactly one for `n >= 3` was checked numerically, not proved.
    ///
    /// # Example
    /// ```
    /// let error = inbounds_project::total::TotalError::new(3, 1.0)?;
    /// assert!((error.crossing().unwrap_or(0.0) - 0.549_368_175_550_556_5).abs() < 1e-12);
    /// # Ok::<(), inbounds_project::ProjectError>(())
    /// ```
    pub fn crossing(&self) -> Option<f64> {
        let (low, high) = (0.25 * self.scale(), 2.0 * self.scale());
        (self.cells() > 2).then(|| root::bisect(low, high, |v| self.survival_excess(v) > 0.0).0)
    }

    /// Wasserstein-1 distance between the error and Laplace noise of scale `b`, in the unit of the cells.
    ///
    /// # Law
    /// `b / 4` for `n = 2`; else `2 (I(0) - 2 I(v))` at the crossing `v`, where `I(v)` is the integral from `v` to
    /// infinity of the difference of the survival functions. It goes as `n W / b = 2/e - 4 / (3 sqrt(pi n)) + O(1/n)`.
    ///
    /// # Guarantee
    /// Relative error of a few units in the last place: the two leading exponentials are subtracted before they are
    /// rounded. About 50 evaluations of the law.
    ///
    /// # Example
    /// ```
    /// let error = inbounds_project::total::TotalError::new(15, 1.0)?;
    /// assert!((error.wasserstein_to_noise() - 0.037_368_962_080_427_57).abs() < 1e-15);
    /// # Ok::<(), inbounds_project::ProjectError>(())
    /// ```
    pub fn wasserstein_to_noise(&self) -> f64 {
        match self.crossing() {
            None => self.scale() / 4.0,
            Some(v) => 2.0 * (self.integral_excess(0.0) - 2.0 * self.integral_excess(v)),
        }
    }

    /// Survival function of the error less that of the noise, for `n >= 3`.
    fn survival_excess(&self, v: f64) -> f64 {
        let x = v / self.unit();
        let rest = mixture::at(x, self.cells() - 1, self.q()).weighted;
        self.noise(x) / 2.0 * self.lead_excess(x) - self.q() * rest.survival
    }

    /// The integral of [`Self::survival_excess`] from `v` to infinity.
    fn integral_excess(&self, v: f64) -> f64 {
        let x = v / self.unit();
        let rest = mixture::at(x, self.cells() - 1, self.q()).weighted;
        let leads = self.noise(x) / 2.0 * (self.others() * self.lead_excess(x) - 1.0);
        self.unit() * (leads - self.q() * rest.integral)
    }

    /// `e^(-x/n)`: twice the survival function of the noise.
    fn noise(&self, x: f64) -> f64 {
        libm::exp(-x / f64::from(self.cells()))
    }

    /// `(1 + q)^k e^(-x/k) / e^(-x/n) - 1`, where `x/k - x/n = x / (k n)`.
    fn lead_excess(&self, x: f64) -> f64 {
        libm::expm1(self.ln_lead() - x / (self.others() * f64::from(self.cells())))
    }
}
