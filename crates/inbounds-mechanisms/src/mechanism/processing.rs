//! Post-processing of one measurement on the grid, and the error it leaves.

use inbounds_core::StepRange;

use super::{Calibration, ErrorAt, StepValue};
use crate::bounding::{Bounding, Clamped, FarBias, Rule, Ruled, ShiftedRamp, Thresholded, folded};

/// A public map from measurements to the range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Processing {
    /// The nearest point of the range; see [`Clamped`].
    Clamp,
    /// A threshold, a ramp or one bit; see [`Thresholded`] and [`ShiftedRamp`].
    Rule(Rule),
    /// Reflection at the ends; see [`crate::bounding::Folded`].
    Fold,
}

/// Which map a mechanism takes; the noise and the range decide its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// [`Clamped`].
    Clamped,
    /// [`ShiftedRamp::optimal`].
    ShiftedRamp,
    /// [`Thresholded::least_bias`].
    LeastBias(FarBias),
    /// [`Thresholded::unbiased_beyond`].
    UnbiasedBeyond,
    /// [`crate::bounding::Folded`].
    Folded,
}

impl Family {
    /// The map for calibrated noise.
    pub(super) fn over(self, calibration: &Calibration) -> Processing {
        let (noise, range) = (&calibration.noise, calibration.range_from_end());
        match self {
            Self::Clamped => Processing::Clamp,
            Self::ShiftedRamp => Processing::Rule(ShiftedRamp::optimal(noise, range).rule()),
            Self::LeastBias(far) => Processing::Rule(Thresholded::least_bias(noise, range, far).rule()),
            Self::UnbiasedBeyond => Processing::Rule(Thresholded::unbiased_beyond(noise, range).rule()),
            Self::Folded => Processing::Fold,
        }
    }
}

impl Processing {
    /// The estimate for a measurement.
    pub fn value(self, range: StepRange, measurement: i128) -> StepValue {
        match self {
            Self::Clamp => StepValue::whole(range.clamp(measurement)),
            Self::Rule(rule) => apply(rule, range, measurement),
            Self::Fold => StepValue::whole(fold(range, measurement)),
        }
    }

    /// Bias and error at a candidate answer.
    pub(super) fn error_at(self, calibration: &Calibration, candidate: i128) -> ErrorAt {
        if self == Self::Clamp {
            return calibration.error_around(candidate, |range| Clamped::new(&calibration.noise, range));
        }
        let (below, above) = calibration.distances(candidate);
        let (bias, mse) = match self {
            Self::Rule(rule) => rule.error(&calibration.noise, below, above, true),
            Self::Clamp | Self::Fold => folded::error(&calibration.noise, below, above),
        };
        ErrorAt { bias, rmse: mse.sqrt() }
    }

    /// The largest absolute bias over the range.
    pub(super) fn worst_bias(self, calibration: &Calibration) -> f64 {
        let range = calibration.range_from_end();
        match self {
            Self::Clamp => Clamped::new(&calibration.noise, range).worst_bias(),
            Self::Rule(rule) => Ruled::new(&calibration.noise, range, rule).worst_bias(),
            Self::Fold => range.finite_end().map_or(0.0, |end| {
                let (below, above) = range.distances(end);
                folded::error(&calibration.noise, below, above).0.abs()
            }),
        }
    }
}

/// [`Rule::value`] on the grid, where distances from the ends are exact.
fn apply(rule: Rule, range: StepRange, y: i128) -> StepValue {
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
            // The move, not the place, is computed in doubles: a wide range has places that are no doubles.
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
        // Rules for two ends are made for ranges with two ends only.
        (Rule::OneBit | Rule::Stretch { .. }, ..) => StepValue::whole(range.clamp(y)),
    }
}

/// Reflection at the ends until inside.
fn fold(range: StepRange, y: i128) -> i128 {
    match (range.lower(), range.upper()) {
        (Some(lower), Some(upper)) => {
            let width = upper - lower;
            let around = (y - lower).rem_euclid(2 * width);
            lower + around.min(2 * width - around)
        }
        (Some(lower), None) => lower + (y - lower).abs(),
        (None, Some(upper)) => upper - (upper - y).abs(),
        (None, None) => y,
    }
}
