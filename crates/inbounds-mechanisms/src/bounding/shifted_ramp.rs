//! Noise, then a ramp that starts later: the clamp with its worst bias spread to both sides.

use super::{Range, Ruled, thresholds};
use crate::law::Noise;

/// `lower + max(q + N - lower - s, 0)` on a half line; the stretched clamp between two ends.
///
/// # Law
/// Between two ends `U` apart, `[lower + s, upper - s]` is stretched linearly onto the range and the rest clamped.
/// Where no stretch beats publishing the nearer end, that is what it does.
///
/// # Error
/// With Laplace noise on a half line the bias is `(b/2) e^(-(s - q)/b) - q` for `q <= s` and
/// `(b/2) e^(-(q - s)/b) - s` beyond; at the optimal shift `s = b W(1/2) = 0.35173 b` its largest values to both sides
/// are `s`, 30 % below the clamp's `b / 2`.
///
/// # Guarantee
/// Post-processing of `q + N`: keeps the guarantee of the plain mechanism, exactly.
///
/// # Example
/// ```
/// use inbounds_mechanisms::{bounding::{Bounding, Range, ShiftedRamp}, law::Laplace};
/// let ramp = ShiftedRamp::optimal(Laplace::with_scale(1.0)?, Range::new(0.0, f64::INFINITY)?);
/// assert!((ramp.bias(0.0) - 0.35173371124919583).abs() < 1e-15);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// McGlinchey and Mason, Theorem 4.1.
#[derive(Debug, Clone, Copy)]
pub struct ShiftedRamp;

impl ShiftedRamp {
    /// The ramp of least worst-case bias.
    pub fn optimal<N: Noise>(noise: N, range: Range) -> Ruled<N> {
        let rule = thresholds::shifted_ramp(&noise, range);
        Ruled::new(noise, range, rule)
    }
}
