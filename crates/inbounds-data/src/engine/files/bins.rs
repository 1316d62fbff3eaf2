//! The bin of a row's number.
//!
//! Values and edges meet as integers in the order of the numbers they stand for, so that no comparison rounds: an
//! integer is itself, and an edge above it is an integer above it after rounding up; a double is the place of its bits.

use arrow::array::{ArrayRef, AsArray};
use arrow::datatypes::{DataType, Float64Type, Int64Type, UInt64Type};

use crate::{Bins, Kind, Missing};

/// From values, as [`Way::Amount`](super::read::Way::Amount) reads them, to bins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BinIndex {
    /// The inner edges in order; a value's bin is the number of those that are at most the value.
    edges: Vec<i128>,
    /// The bin of a missing value, or the number of bins if its row is dropped.
    missing: u32,
}

impl BinIndex {
    /// The bins of a column of this kind. There are fewer than 2^31.
    pub(super) fn new(kind: Kind, bins: &Bins) -> Self {
        let number = |number: usize| u32::try_from(number).expect("fewer than 2^31 bins");
        let inner = bins.edges()[1..bins.len()].iter();
        Self {
            edges: match kind {
                // The conversion saturates far beyond any 64-bit integer.
                Kind::Integer | Kind::Boolean => inner.map(|edge| edge.ceil() as i128).collect(),
                _ => inner.map(|&edge| place(edge)).collect(),
            },
            missing: match bins.missing() {
                Missing::Drop => number(bins.len()),
                Missing::Impute(bin) => u32::try_from(bin).expect("one of the bins"),
            },
        }
    }

    /// The bin of each value; the number of bins where the row is to be dropped.
    pub(super) fn of(&self, values: &ArrayRef) -> Vec<u32> {
        match values.data_type() {
            DataType::UInt64 => {
                values.as_primitive::<UInt64Type>().iter().map(|value| self.bin(value.map(i128::from))).collect()
            }
            DataType::Int64 => {
                values.as_primitive::<Int64Type>().iter().map(|value| self.bin(value.map(i128::from))).collect()
            }
            _ => {
                let number = |value: Option<f64>| value.filter(|value| !value.is_nan()).map(place);
                values.as_primitive::<Float64Type>().iter().map(|value| self.bin(number(value))).collect()
            }
        }
    }

    fn bin(&self, value: Option<i128>) -> u32 {
        value.map_or(self.missing, |value| self.edges.partition_point(|&edge| edge <= value) as u32)
    }
}

/// The place of a double among all doubles: larger numbers have larger places, and both zeros have that of 0.
fn place(value: f64) -> i128 {
    let bits = (value + 0.0).to_bits() as i64;
    // Negative doubles are ordered against their bits.
    (if bits < 0 { bits ^ i64::MAX } else { bits }).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_in_the_order_of_numbers() {
        let ordered = [f64::NEG_INFINITY, -1e300, -1.5, -5e-324, 0.0, 5e-324, 0.1, 1.0, 1e300, f64::INFINITY];
        assert!(ordered.is_sorted_by(|a, b| place(*a) < place(*b)));
        assert_eq!(place(-0.0), place(0.0));
    }
}
