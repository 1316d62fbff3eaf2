//! Errors as parts of the answer.

use crate::noise::DiscreteLogLaplace;

/// The relative error of multiplied noise at every answer that is far from the ends of the range.
///
/// # Law
/// With `b` the scale of the logarithm the measurement is `q e^L (1 - b^2)`, `L` Laplace noise of scale `b`, and
/// `q e^L` for `b >= 1/2`:
/// ```text
/// mean square error / q^2 = b^2 (2 + b^2) / (1 - 4 b^2)        for b < 1/2, else infinite
/// ```
/// `b` below 1 is needed for a finite mean, and below 1/2 for a finite variance.
///
/// # References
/// McGlinchey and Mason, Proposition 3 and the remark after it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RelativeError {
    /// `b`.
    pub log_scale: f64,
    /// `sqrt(E (X - q)^2) / q`; `None` where it is infinite but for an upper end.
    pub rmse: Option<f64>,
}

impl RelativeError {
    pub(super) fn from_law(law: &DiscreteLogLaplace) -> Self {
        let b = law.log_scale();
        let square = (2.0 + b * b) / (1.0 - 4.0 * b * b);
        Self { log_scale: b, rmse: law.has_variance().then(|| b * square.sqrt()) }
    }
}
