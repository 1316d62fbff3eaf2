//! A range of reals with possibly open ends.

use inbounds_core::CoreError;

/// The range `[lower, upper]`, either end possibly infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    lower: f64,
    upper: f64,
}

impl Range {
    /// The range between two ends; minus and plus infinity mean no bound.
    ///
    /// # Errors
    /// [`CoreError::Bounds`] unless `lower < upper`.
    pub fn new(lower: f64, upper: f64) -> Result<Self, CoreError> {
        if lower < upper { Ok(Self { lower, upper }) } else { Err(CoreError::Bounds { lower, upper }) }
    }

    /// Lower end, perhaps minus infinity.
    pub fn lower(&self) -> f64 {
        self.lower
    }

    /// Upper end, perhaps infinity.
    pub fn upper(&self) -> f64 {
        self.upper
    }

    /// Distances of `q`, moved into the range, to the lower and the upper end.
    pub fn distances(&self, q: f64) -> (f64, f64) {
        let inside = q.clamp(self.lower, self.upper);
        (inside - self.lower, self.upper - inside)
    }

    /// A point at a finite end, where boundings are at their worst; `None` where there is no end.
    pub fn finite_end(&self) -> Option<f64> {
        [self.lower, self.upper].into_iter().find(|end| end.is_finite())
    }
}
