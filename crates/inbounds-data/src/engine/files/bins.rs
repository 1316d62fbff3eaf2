//! The bin of a row's number.
//!
//! Values and edges meet as integers in the order of the numbers they stand for, so that no comparison rounds: an
//! integer is itself, and an edge above it is an integer above it after rounding up; a double is the place of its bits.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, Float64Type, Int64Type, UInt64Type};

use crate::{Bins, Kind, Missing};

/// From values, as [`Way::Amount`](super::read::Way::Amount) reads them, to bins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BinIndex {
    /// The inner edges in order; a value's bin is the number of those that are at most the value.
    edges: Vec<i128>,
    /// The same for values that fit into 64 bits, without those edges that are above them all.
    short: Vec<i64>,
    /// The bin of a missing value, or the number of bins if its row is dropped.
    missing: u32,
}

impl BinIndex {
    /// The bins of a column of this kind. There are fewer than 2^31.
    pub(super) fn new(kind: Kind, bins: &Bins) -> Self {
        let missing = match bins.missing() {
            Missing::Drop => bins.len(),
            Missing::Impute(bin) => usize::try_from(bin).expect("one of the bins"),
        };
        Self::between(kind, &bins.edges()[1..bins.len()], missing)
    }

    /// The bins between these inner edges, missing values in the bin `missing`.
    pub(super) fn between(kind: Kind, inner: &[f64], missing: usize) -> Self {
        let edges: Vec<i128> = match kind {
            // The conversion saturates far beyond any 64-bit integer.
            Kind::Integer | Kind::Boolean | Kind::Date => inner.iter().map(|edge| edge.ceil() as i128).collect(),
            _ => inner.iter().map(|&edge| place(edge).into()).collect(),
        };
        // An edge below all values is at most each of them, like the least value itself.
        let short = |&edge: &i128| i64::try_from(edge.max(i64::MIN.into())).ok();
        Self {
            short: edges.iter().filter_map(short).collect(),
            edges,
            missing: u32::try_from(missing).expect("fewer than 2^31 bins"),
        }
    }

    /// The bin of each value; the number of bins where the row is to be dropped.
    pub(super) fn bins(&self, values: &ArrayRef) -> Vec<u32> {
        match values.data_type() {
            DataType::UInt64 => {
                let bin = |value: u64| self.edges.partition_point(|&edge| edge <= value.into()) as u32;
                values.as_primitive::<UInt64Type>().iter().map(|value| value.map_or(self.missing, bin)).collect()
            }
            DataType::Int64 => {
                let values = values.as_primitive::<Int64Type>();
                let bins = values.values().iter().map(|&value| self.bin(value));
                self.where_valid(bins, values.nulls())
            }
            _ => {
                let values = values.as_primitive::<Float64Type>();
                let bin = |&value: &f64| if value.is_nan() { self.missing } else { self.bin(place(value)) };
                self.where_valid(values.values().iter().map(bin), values.nulls())
            }
        }
    }

    fn where_valid(&self, bins: impl Iterator<Item = u32>, nulls: Option<&NullBuffer>) -> Vec<u32> {
        match nulls.filter(|nulls| nulls.null_count() > 0) {
            None => bins.collect(),
            Some(nulls) => bins.zip(nulls).map(|(bin, valid)| if valid { bin } else { self.missing }).collect(),
        }
    }

    fn bin(&self, value: i64) -> u32 {
        self.short.partition_point(|&edge| edge <= value) as u32
    }
}

/// The place of a double among all doubles: larger numbers have larger places, and both zeros have that of 0.
fn place(value: f64) -> i64 {
    let bits = (value + 0.0).to_bits() as i64;
    // Negative doubles are ordered against their bits.
    if bits < 0 { bits ^ i64::MAX } else { bits }
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
