//! Noise, then nothing below a threshold: the rules of least worst-case bias.

use inbounds_core::CoreError;

use super::{FarBias, Range, Rule, Ruled, thresholds};
use crate::law::Noise;

/// The end of the range for measurements near it, the (shifted) measurement beyond a threshold.
///
/// # Law
/// On `[lower, inf)`, with `x = q + N - lower`, the estimate is `lower + (x - c) 1[x >= T]`. With Laplace noise of
/// scale `b` and `w = W(1/e) = 0.27846...`:
///
/// | rule | `T` | `c` | worst bias | bias at infinity |
/// |---|---|---|---|---|
/// | [`Thresholded::least_bias`], shifted | `b (1 + w)` | `b w` | `b w`, the least possible | `-b w` |
/// | [`Thresholded::least_bias`], no far bias | `1.50268 b` | 0 | `b w`, the least possible | 0 |
/// | [`Thresholded::unbiased_beyond`] | `b` | 0 | `b / e`, and none for `q >= lower + b` | 0 |
///
/// Between two ends `U` apart the least worst-case bias is `(U/2) e^(-U / 2b)`, by publishing the nearer end (one bit),
/// for `U / b <= 3.88475`, and `b w` beyond, by the clamp with a dead zone of `s` at each end,
/// `(1 + s) e^-s - (1 - s) e^-(U - s) = 2 w` in units of `b`. On the integers the measurement that equals the threshold
/// is published as a value in between, and the least worst-case bias is `max_q q / (1 + e^(tau q))`.
///
/// # Error
/// Bias and mean square from the partial moments of the noise over each piece of the rule; for Laplace noise on a half
/// line they are the closed forms of the threshold family.
///
/// # Guarantee
/// Post-processing of `q + N`: keeps the guarantee of the plain mechanism, exactly.
///
/// # Example
/// ```
/// use inbounds_mechanisms::{bounding::{Bounding, FarBias, Range, Thresholded}, law::Laplace};
/// let half_line = Range::new(0.0, f64::INFINITY)?;
/// let least = Thresholded::least_bias(Laplace::with_scale(1.0)?, half_line, FarBias::Shifted);
/// assert!((least.bias(0.0) - 0.2784645427610738).abs() < 1e-15);
/// assert!((least.worst_bias() - 0.2784645427610738).abs() < 1e-9);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// Settles the open problem of McGlinchey and Mason, section 6; claims `half-line-least-bias`, `interval-least-bias`,
/// `integer-least-bias`.
#[derive(Debug, Clone, Copy)]
pub struct Thresholded;

impl Thresholded {
    /// The rule of least worst-case bias for this noise; for noise other than Laplace's, the best of the threshold
    /// family.
    pub fn least_bias<N: Noise>(noise: N, range: Range, far: FarBias) -> Ruled<N> {
        let rule = thresholds::least_bias(&noise, range, far);
        Ruled::new(noise, range, rule)
    }

    /// The rule without bias from the threshold on, for Laplace noise, continuous or discrete; between two ends the
    /// same threshold at both.
    pub fn unbiased_beyond<N: Noise>(noise: N, range: Range) -> Ruled<N> {
        let rule = thresholds::unbiased_beyond(&noise, range);
        Ruled::new(noise, range, rule)
    }

    /// Any member of the threshold family, `(x - shift) 1[x >= threshold]`.
    ///
    /// # Errors
    /// [`CoreError::Parameter`] unless `|shift| <= threshold`, both finite, whole thresholds on a lattice, no shift
    /// between two ends, and twice the threshold less than their distance.
    pub fn with_threshold<N: Noise>(noise: N, range: Range, threshold: f64, shift: f64) -> Result<Ruled<N>, CoreError> {
        let width = range.upper() - range.lower();
        if !(threshold >= 0.0 && threshold.is_finite() && (noise.spacing() == 0.0 || threshold.fract() == 0.0)) {
            return Err(CoreError::parameter("threshold", threshold, "finite, at least 0, and whole on a lattice"));
        }
        if 2.0 * threshold >= width {
            return Err(CoreError::parameter("threshold", threshold, "less than half the width of the range"));
        }
        if !(shift.abs() <= threshold && (shift == 0.0 || width == f64::INFINITY)) {
            return Err(CoreError::parameter("shift", shift, "at most the threshold in size, and 0 between two ends"));
        }
        Ok(Ruled::new(noise, range, Rule::Threshold { threshold, at: threshold - shift, shift }))
    }
}
