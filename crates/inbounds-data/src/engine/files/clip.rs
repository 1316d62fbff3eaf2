//! The value of a row as integer steps: scale, clip, round, and the rule for what is missing.
//!
//! The spacing is a power of two, so scaling a double is exact up to overflow (then it is clipped) and underflow
//! (then it rounds to 0 either way). Bounds are at most 2^53 steps, so they are doubles and clipping before or after
//! rounding is the same.

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int64Array};
use arrow::buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, Float64Type, Int64Type, UInt64Type};

use crate::{Clip, Missing};
use inbounds_core::planted::{Defect, planted};

/// From values, as [`Way::Amount`](super::read::Way::Amount) reads them, to steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Steps {
    lower: i64,
    upper: i64,
    exponent: i32,
    imputed: Option<i64>,
}

impl Steps {
    pub(super) fn new(clip: &Clip) -> Self {
        let imputed = match clip.missing {
            Missing::Drop => None,
            Missing::Impute(steps) => Some(steps),
        };
        let upper = if planted(Defect::WrongClip) { 2 * clip.upper } else { clip.upper };
        Self { lower: clip.lower, upper, exponent: clip.grid.exponent(), imputed }
    }

    /// The steps of each value: null where the row is to be dropped.
    pub(super) fn clip(&self, values: &ArrayRef) -> Int64Array {
        let (steps, valid) = match values.data_type() {
            DataType::UInt64 => {
                let values = values.as_primitive::<UInt64Type>();
                (values.values().iter().map(|&value| self.of_wide(value.into())).collect(), values.nulls().cloned())
            }
            DataType::Int64 => {
                let values = values.as_primitive::<Int64Type>();
                (self.of_integers(values), values.nulls().cloned())
            }
            _ => {
                let values = values.as_primitive::<Float64Type>();
                let numbers = not_nan(values).filter(|_| !planted(Defect::NanPasses));
                (self.of_numbers(values), NullBuffer::union(values.nulls(), numbers.as_ref()))
            }
        };
        self.impute(steps, valid.filter(|valid| valid.null_count() > 0))
    }

    fn impute(&self, mut steps: Vec<i64>, valid: Option<NullBuffer>) -> Int64Array {
        match (self.imputed, valid) {
            (Some(imputed), Some(valid)) => {
                for (step, valid) in steps.iter_mut().zip(valid.iter()) {
                    if !valid {
                        *step = imputed;
                    }
                }
                Int64Array::new(ScalarBuffer::from(steps), None)
            }
            (_, valid) => Int64Array::new(ScalarBuffer::from(steps), valid),
        }
    }

    fn of_numbers(&self, values: &Float64Array) -> Vec<i64> {
        // Exact: a grid's exponent lies in [-1000, 1000].
        let scale = 2f64.powi(-self.exponent);
        let (lower, mut upper) = (self.lower as f64, self.upper as f64);
        if planted(Defect::RoundedPastBound) {
            upper += 1.0;
        }
        let scale = if planted(Defect::RangeFromData) { upper / largest(values) } else { scale };
        values.values().iter().map(|&value| round_half_even((value * scale).clamp(lower, upper)) as i64).collect()
    }

    fn of_integers(&self, values: &Int64Array) -> Vec<i64> {
        if self.exponent > 0 {
            return values.values().iter().map(|&value| self.of_wide(value.into())).collect();
        }
        // Clipping to whole multiples around the range first keeps the shift from overflowing: with 55 bits any
        // integer but 0 is outside of 2^53 steps, so no larger shift is needed.
        let shift = self.exponent.unsigned_abs().min(55);
        let (least, most) = (self.lower >> shift, (self.upper >> shift) + 1);
        let clip = |value: i64| (value.clamp(least, most) << shift).clamp(self.lower, self.upper);
        values.values().iter().map(|&value| clip(value)).collect()
    }

    /// Any 64-bit integer, signed or not.
    fn of_wide(&self, value: i128) -> i64 {
        let (lower, upper) = (i128::from(self.lower), i128::from(self.upper));
        let steps = match u32::try_from(self.exponent) {
            // 2^66 is twice more than any value: half of it, the tie, is out of reach.
            Ok(shift) => {
                let shift = shift.min(66);
                let (floor, half) = (value >> shift, (1i128 << shift) >> 1);
                let rest = value - (floor << shift);
                let up = shift > 0 && (rest > half || (rest == half && floor & 1 == 1));
                floor + i128::from(up)
            }
            Err(_) => {
                let shift = self.exponent.unsigned_abs().min(60);
                value << shift
            }
        };
        i64::try_from(steps.clamp(lower, upper)).expect("between two i64 bounds")
    }
}

/// The nearest integer of `|value| <= 2^53`, ties to even, without the library call that the baseline CPU needs.
fn round_half_even(value: f64) -> f64 {
    const WHOLE: f64 = (1u64 << 52) as f64;
    // The sum has no bits for a fraction and is rounded to even by the addition; from 2^52 on there is no fraction.
    let magic = WHOLE.copysign(value);
    if value.abs() < WHOLE { (value + magic) - magic } else { value }
}

/// The largest number in size, for a defect.
fn largest(values: &Float64Array) -> f64 {
    values.iter().flatten().filter(|value| value.is_finite()).fold(1.0, |largest, value| value.abs().max(largest))
}

/// The places without a NaN, or `None` if there is no NaN at all.
fn not_nan(values: &Float64Array) -> Option<NullBuffer> {
    let values = values.values();
    values
        .iter()
        .fold(false, |any_nan, value| any_nan | value.is_nan())
        .then(|| NullBuffer::new(BooleanBuffer::collect_bool(values.len(), |index| !values[index].is_nan())))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::UInt64Array;
    use inbounds_core::Grid;

    use super::*;

    fn clip(lower: i64, upper: i64, exponent: i32, missing: Missing) -> Clip {
        let grid = Grid::power_of_two(exponent).expect("in range");
        Clip { column: "v".to_owned(), lower, upper, grid, missing }
    }

    fn clipped(clip: &Clip, values: ArrayRef) -> Vec<Option<i64>> {
        Steps::new(clip).clip(&values).iter().collect()
    }

    #[test]
    fn numbers_are_scaled_clipped_and_rounded_to_even() {
        let values = [0.24, 0.125, 0.375, -0.125, -0.375, 1e300, -1e300, f64::INFINITY, f64::NEG_INFINITY, 5e-324];
        let steps = clipped(&clip(-10, 12, -2, Missing::Drop), Arc::new(Float64Array::from(values.to_vec())));
        let expected = [1, 0, 2, 0, -2, 12, -10, 12, -10, 0];
        assert_eq!(steps, expected.map(Some));
    }

    #[test]
    fn missing_is_dropped_or_imputed() {
        let values: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), None, Some(f64::NAN), Some(-f64::NAN)]));
        assert_eq!(clipped(&clip(0, 9, 0, Missing::Drop), values.clone()), [Some(1), None, None, None]);
        assert_eq!(clipped(&clip(0, 9, 0, Missing::Impute(4)), values), [1, 4, 4, 4].map(Some));
    }

    #[test]
    fn rounding_is_exact_at_the_ends_of_the_range() {
        let most = Clip::MAX_STEPS;
        let values = [most as f64, (most - 1) as f64, 4503599627370495.5, -4503599627370495.5, 4503599627370497.0];
        let steps = clipped(&clip(-most, most, 0, Missing::Drop), Arc::new(Float64Array::from(values.to_vec())));
        let even = 4503599627370496;
        assert_eq!(steps, [most, most - 1, even, -even, even + 1].map(Some));
    }

    #[test]
    fn integers_agree_with_a_rational_reference() {
        let values = [0, 1, -1, 2, 3, 6, 10, -6, -10, 1023, i64::MAX, i64::MIN, i64::MAX - 1, 1 << 53, (1 << 53) + 1];
        for exponent in [-1000, -60, -54, -53, -3, -1, 0, 1, 2, 10, 53, 62, 63, 64, 65, 1000] {
            for (lower, upper) in [(-Clip::MAX_STEPS, Clip::MAX_STEPS), (-7, 5), (3, 9), (-9, -3), (0, 1)] {
                let clip = clip(lower, upper, exponent, Missing::Drop);
                let fast = clipped(&clip, Arc::new(Int64Array::from(values.to_vec())));
                let expected = values.map(|value| Some(reference(value.into(), exponent, lower, upper)));
                assert_eq!(fast, expected, "2^{exponent} [{lower}, {upper}]");
            }
        }
        let clip = clip(0, Clip::MAX_STEPS, 12, Missing::Drop);
        let top = clipped(&clip, Arc::new(UInt64Array::from(vec![u64::MAX, 1 << 63, 2048, 6144])));
        assert_eq!(top, [1 << 52, 1 << 51, 0, 2].map(Some));
    }

    /// Rounds `value / 2^exponent` half to even by comparing with every neighbour, in 128 bits.
    fn reference(value: i128, exponent: i32, lower: i64, upper: i64) -> i64 {
        let steps = if exponent <= 0 {
            value.saturating_mul(1i128 << exponent.unsigned_abs().min(62))
        } else if exponent > 64 {
            0
        } else {
            let spacing = 1i128 << exponent;
            let floor = value.div_euclid(spacing);
            let (below, above) = (value - floor * spacing, (floor + 1) * spacing - value);
            if below < above || (below == above && floor % 2 == 0) { floor } else { floor + 1 }
        };
        steps.clamp(lower.into(), upper.into()) as i64
    }
}
