//! One measurement of a node.

use super::noise::Law;

/// One measurement of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// The noisy number.
    pub value: f64,
    /// Variance of its noise.
    pub variance: f64,
    /// Law and scale of the noise, in steps; none if the variance alone is known.
    pub noise: Option<(Law, f64)>,
    /// Size of a step of that law.
    pub step: f64,
}

impl Measured {
    /// Law and scale of the noise, in steps; Gaussian where the variance alone is known.
    pub(crate) fn law(&self) -> (Law, f64) {
        self.noise.unwrap_or_else(|| (Law::Gaussian, libm::sqrt(self.variance) / self.step))
    }
}
