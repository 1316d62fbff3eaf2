//! Post-processing rules: the estimate to publish for a measurement near an end of the range.

use inbounds_core::StepRange;

use super::{
    Range,
    moments::{Piece, error_moments},
    step_value::StepValue,
};
use crate::law::Noise;

/// A public, monotone map from measurements to the range. On a range with two ends it treats both alike.
///
/// Lengths are in the unit of the noise; on a lattice thresholds are whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// With `x` the distance from a finite end inwards: the end where `x < threshold`, `at` further in where
    /// `x = threshold` (which only a lattice notices), and `x - shift` further in beyond. Without an end, the identity.
    /// A shift has its sense on a half line only; between two ends it is zero.
    Threshold {
        /// Where estimates leave the end.
        threshold: f64,
        /// The estimate's distance from the end at the threshold itself.
        at: f64,
        /// Shift of estimates beyond the threshold, towards the end.
        shift: f64,
    },
    /// The end nearer to the measurement, the middle at a tie. For a range with two ends.
    OneBit,
    /// The linear map of `[lower + dead, upper - dead]` onto the range, then the nearest point of the range. For a
    /// range with two ends.
    Stretch {
        /// Length cut off at each end.
        dead: f64,
    },
}

impl Rule {
    /// The nearest point of the range: the plain clamp.
    pub const CLAMP: Self = Self::Threshold { threshold: 0.0, at: 0.0, shift: 0.0 };

    /// The estimate for a measurement `y`.
    pub fn value(&self, range: Range, y: f64) -> f64 {
        let (lower, upper) = (range.lower(), range.upper());
        match *self {
            // Within the threshold of an end, that end; beyond it the measurement, shifted towards the end.
            Self::Threshold { threshold, at, shift } => {
                let (below, above) = (y - lower, upper - y);
                if below < threshold {
                    lower
                } else if above < threshold {
                    upper
                } else if below == threshold {
                    lower + at
                } else if above == threshold {
                    upper - at
                } else if lower.is_finite() {
                    y - shift
                } else {
                    y + shift
                }
            }
            // The nearer end of the range.
            Self::OneBit => {
                let middle = lower + (upper - lower) / 2.0;
                if y < middle {
                    lower
                } else if y > middle {
                    upper
                } else {
                    middle
                }
            }
            // The range less `dead` at each end is stretched onto the range, and the result clamped.
            Self::Stretch { dead } => {
                let slope = (upper - lower) / (upper - lower - 2.0 * dead);
                (lower + slope * (y - lower - dead)).clamp(lower, upper)
            }
        }
    }

    /// `(bias, mse)` for an answer at distances `a` from the lower and `c` from the upper end.
    ///
    /// `is_integer` says that estimates are rounded at random to whole numbers, up with the probability of their
    /// fraction, which keeps their mean and adds `f (1 - f)` to the square; where noise reaches over thousands of steps
    /// of a stretched range the fractions are charged at their largest, a quarter of a squared step.
    pub(crate) fn error(&self, noise: &dyn Noise, a: f64, c: f64, is_integer: bool) -> (f64, f64) {
        let rounding = |x: f64| if is_integer { fraction_variance(x) } else { 0.0 };
        let first = |deviation| Piece { from: f64::NEG_INFINITY, slope: 0.0, deviation, rounding: 0.0 };
        let flat = |from, deviation, at| Piece { from, slope: 0.0, deviation, rounding: rounding(at) };
        match *self {
            // Piecewise linear in the noise: flat up to the threshold, one point at it, then the measurement less the
            // shift.
            Self::Threshold { threshold, at, shift } => {
                let step = noise.spacing();
                let (low_end, high_end) = (a < f64::INFINITY, c < f64::INFINITY);
                let signed = if low_end { -shift } else { shift };
                let keep = |from| Piece { from, slope: 1.0, deviation: signed, rounding: rounding(shift) };
                let mut pieces = Vec::with_capacity(5);
                if low_end {
                    pieces.push(first(-a));
                    if step > 0.0 {
                        pieces.push(flat(threshold - a, at - a, at));
                    }
                    pieces.push(keep(threshold - a + step));
                } else {
                    pieces.push(keep(f64::NEG_INFINITY));
                }
                if high_end {
                    pieces.push(flat(c - threshold, c - at, at));
                    pieces.push(flat(c - threshold + step, c, 0.0));
                }
                error_moments(noise, &pieces)
            }
            Self::OneBit => {
                let middle = (c - a) / 2.0;
                // On a lattice only a whole middle is ever hit; the next lattice point above it starts the last piece.
                let (tie, above) = match noise.spacing() {
                    0.0 => (middle, middle),
                    step if middle.fract() == 0.0 => (middle, middle + step),
                    _ => (middle.ceil(), middle.ceil()),
                };
                error_moments(noise, &[first(-a), flat(tie, middle, (a + c) / 2.0), flat(above, c, 0.0)])
            }
            // Flat, stretched and flat again; on a lattice the variance of random rounding is added.
            Self::Stretch { dead } => {
                let width = a + c;
                let growth = 2.0 * dead / (width - 2.0 * dead);
                let slope = 1.0 + growth;
                let (inner, outer) = (ceil_on(noise, dead), ceil_on(noise, width - dead));
                let value = |x: f64| slope * (x - dead);
                let stretched = Piece { from: inner - a, slope, deviation: growth * (a - dead) - dead, rounding: 0.0 };
                let (bias, mse) = error_moments(noise, &[first(-a), stretched, flat(outer - a, c, 0.0)]);
                if !is_integer {
                    return (bias, mse);
                }
                let reach = ROUNDED_REACH * noise.variance().sqrt();
                let (low, high) = (inner.max((a - reach).floor()), outer.min((a + reach).ceil()));
                if high - low > ROUNDED_POINTS {
                    return (bias, mse + 0.25);
                }
                let points = (0..).map(|step| low + f64::from(step)).take_while(|x| *x < high);
                let rounded = points.map(|x| libm::exp(noise.ln_density(x - a)) * fraction_variance(value(x)));
                (bias, mse + rounded.sum::<f64>())
            }
        }
    }
}

/// [`Rule::value`] on the grid, where distances from the ends are exact.
pub(super) fn apply(rule: Rule, range: StepRange, y: i128) -> StepValue {
    let (lower, upper) = (range.lower(), range.upper());
    match (rule, lower, upper) {
        (Rule::Threshold { threshold, at, shift }, ..) => {
            let threshold = threshold as i128;
            match (lower.map(|lower| (lower, y - lower)), upper.map(|upper| (upper, upper - y))) {
                (Some((lower, below)), _) if below < threshold => StepValue::whole(lower),
                (_, Some((upper, above))) if above < threshold => StepValue::whole(upper),
                (Some((lower, below)), _) if below == threshold => StepValue::offset(lower, at),
                (_, Some((upper, above))) if above == threshold => StepValue::offset(upper, -at),
                (Some(_), _) => StepValue::offset(y, -shift),
                (None, Some(_)) => StepValue::offset(y, shift),
                (None, None) => StepValue::whole(y),
            }
        }
        (Rule::OneBit, Some(lower), Some(upper)) => match (y - lower).cmp(&(upper - y)) {
            std::cmp::Ordering::Less => StepValue::whole(lower),
            std::cmp::Ordering::Greater => StepValue::whole(upper),
            std::cmp::Ordering::Equal => StepValue::whole(y),
        },
        (Rule::Stretch { dead }, Some(lower), Some(upper)) => {
            let (below, above) = ((y - lower) as f64, (upper - y) as f64);
            if below <= dead || above <= dead {
                return StepValue::whole(if below <= dead { lower } else { upper });
            }
            // The move, not the estimate, is computed in doubles: a wide range has numbers that are no doubles.
            let growth = 2.0 * dead / ((upper - lower) as f64 - 2.0 * dead);
            let value = StepValue::offset(y, growth * (below - dead) - dead);
            if value.whole < lower {
                StepValue::whole(lower)
            } else if value.whole >= upper {
                StepValue::whole(upper)
            } else {
                value
            }
        }
        // Rules for two ends are made for ranges with two ends alone.
        (Rule::OneBit | Rule::Stretch { .. }, ..) => StepValue::whole(range.clamp(y)),
    }
}

/// Most points whose rounding is summed one by one; noise that reaches over more has an error of hundreds of squared
/// steps.
const ROUNDED_POINTS: f64 = 2048.0;

/// Standard deviations of noise whose rounding is summed.
const ROUNDED_REACH: f64 = 30.0;

/// The first lattice point at or above `x`; `x` itself for a continuous law.
fn ceil_on(noise: &dyn Noise, x: f64) -> f64 {
    if noise.spacing() > 0.0 { x.ceil() } else { x }
}

/// `f (1 - f)` of the fraction `f` of `x`: the variance of rounding it at random to a whole number with its mean.
pub(super) fn fraction_variance(x: f64) -> f64 {
    let fraction = x - x.floor();
    fraction * (1.0 - fraction)
}
