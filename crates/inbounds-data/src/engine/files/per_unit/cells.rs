//! Cells as 64-bit words in the order of their values, and back.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Date32Array, Float64Array, Int64Array, StringViewArray};
use arrow::buffer::NullBuffer;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, Int64Type};

use crate::Kind;

const SIGN: u64 = 1 << 63;

/// The cells of a batch.
pub(super) enum Cells {
    Words { words: Vec<u64>, nulls: Option<NullBuffer> },
    Texts(StringViewArray),
}

impl Cells {
    /// Of an array of 64-bit integers, doubles without NaN, truth values or texts.
    pub(super) fn from_array(array: &ArrayRef) -> Self {
        let nulls = array.logical_nulls();
        let words = match array.data_type() {
            DataType::Int64 => {
                array.as_primitive::<Int64Type>().values().iter().map(|&value| of_integer(value)).collect()
            }
            DataType::Float64 => {
                array.as_primitive::<Float64Type>().values().iter().map(|&value| of_number(value)).collect()
            }
            DataType::Boolean => array.as_boolean().values().iter().map(u64::from).collect(),
            other => {
                debug_assert_eq!(Kind::from_data_type(other), Kind::Text, "whatever is no text is read in 64 bits");
                let texts = cast(array, &DataType::Utf8View).expect("a text in another layout");
                return Self::Texts(texts.as_string_view().clone());
            }
        };
        Self::Words { words, nulls }
    }

    pub(super) fn is_valid(&self, row: usize) -> bool {
        match self {
            Self::Words { nulls, .. } => nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)),
            Self::Texts(texts) => texts.is_valid(row),
        }
    }
}

/// Keeps the order: the sign bit is turned.
fn of_integer(value: i64) -> u64 {
    value as u64 ^ SIGN
}

fn to_integer(word: u64) -> i64 {
    (word ^ SIGN) as i64
}

/// Keeps the order of all doubles but NaN: the sign bit of a positive one is turned, and all bits of a negative one.
fn of_number(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits & SIGN == 0 { bits ^ SIGN } else { !bits }
}

fn to_number(word: u64) -> f64 {
    f64::from_bits(if word & SIGN == 0 { !word } else { word ^ SIGN })
}

/// The cells that such words stand for.
pub(super) fn array_of(words: impl Iterator<Item = Option<u64>>, kind: Kind) -> ArrayRef {
    match kind {
        Kind::Number => Arc::new(words.map(|word| word.map(to_number)).collect::<Float64Array>()),
        Kind::Boolean => Arc::new(words.map(|word| word.map(|word| word != 0)).collect::<BooleanArray>()),
        Kind::Date => {
            // A day of the calendar that is read lies within 32 bits.
            let day = |word: u64| i32::try_from(to_integer(word)).ok();
            Arc::new(words.map(|word| word.and_then(day)).collect::<Date32Array>())
        }
        Kind::Integer | Kind::Text | Kind::Other => {
            Arc::new(words.map(|word| word.map(to_integer)).collect::<Int64Array>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_order_and_value() {
        let numbers = [f64::NEG_INFINITY, -1e300, -1.0, -5e-324, 0.0, 5e-324, 1.0, 1e300, f64::INFINITY];
        assert!(numbers.windows(2).all(|pair| of_number(pair[0]) < of_number(pair[1])));
        assert_eq!(numbers.map(|number| to_number(of_number(number))), numbers);
        let integers = [i64::MIN, -1, 0, 1, i64::MAX];
        assert!(integers.windows(2).all(|pair| of_integer(pair[0]) < of_integer(pair[1])));
        assert_eq!(integers.map(|integer| to_integer(of_integer(integer))), integers);
    }
}
