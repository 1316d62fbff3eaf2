//! The cell of a row under keys and bins: `key * bins + bin`.
//!
//! Values and edges meet as integers in the order of the numbers they stand for, so that no comparison rounds: an
//! integer is itself, and an edge above it is an integer above it after rounding up; a double is the place of its bits.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, UInt32Array};
use datafusion::arrow::datatypes::{DataType, UInt32Type};
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use super::convert::{integers, numbers, unsigned};
use crate::{Bins, Kind, Missing, cell_rules::CellReader};

#[derive(Debug, PartialEq, Eq, Hash)]
struct CellFunction {
    kind: Kind,
    reader: Arc<CellReader>,
    /// The inner edges in order; a value's bin is the number of those that are at most the value.
    edges: Vec<i128>,
    /// The bin of a missing value, or the number of bins if its row is dropped.
    missing: u32,
    bins: u32,
    /// The cell of rows that are in none.
    unlisted: u32,
    signature: Signature,
}

/// The cell of a row with the number `column`, of kind `kind`, under the key `key` of `keys`: an `UInt32` without
/// nulls, the number of cells if there is no such key or the row is to be dropped. There are fewer than 2^31 cells.
pub(super) fn cell(column: Expr, (kind, reader): (Kind, Arc<CellReader>), bins: &Bins, key: Expr, keys: usize) -> Expr {
    ScalarUDF::from(CellFunction::new(kind, reader, bins, keys)).call(vec![column, key])
}

impl CellFunction {
    fn new(kind: Kind, reader: Arc<CellReader>, bins: &Bins, keys: usize) -> Self {
        let number = |number: usize| u32::try_from(number).expect("fewer than 2^31 cells");
        let inner = bins.edges()[1..bins.len()].iter();
        Self {
            kind,
            reader,
            edges: match kind {
                // The conversion saturates far beyond any 64-bit integer.
                Kind::Integer | Kind::Boolean => inner.map(|edge| edge.ceil() as i128).collect(),
                _ => inner.map(|&edge| place(edge)).collect(),
            },
            missing: match bins.missing() {
                Missing::Drop => number(bins.len()),
                Missing::Impute(bin) => u32::try_from(bin).expect("one of the bins"),
            },
            bins: number(bins.len()),
            unlisted: number(keys * bins.len()),
            signature: Signature::any(2, Volatility::Immutable),
        }
    }

    fn bins(&self, values: &ArrayRef) -> Result<Vec<u32>> {
        Ok(match self.kind {
            Kind::Integer | Kind::Boolean if *values.data_type() == DataType::UInt64 => {
                unsigned(values, &self.reader).iter().map(|value| self.bin(value.map(i128::from))).collect()
            }
            Kind::Integer | Kind::Boolean => {
                integers(values, &self.reader)?.iter().map(|value| self.bin(value.map(i128::from))).collect()
            }
            _ => {
                let number = |value: Option<f64>| value.filter(|value| !value.is_nan()).map(place);
                numbers(values, &self.reader)?.iter().map(|value| self.bin(number(value))).collect()
            }
        })
    }

    fn bin(&self, value: Option<i128>) -> u32 {
        value.map_or(self.missing, |value| self.edges.partition_point(|&edge| edge <= value) as u32)
    }

    fn cell(&self, key: u32, bin: u32) -> u32 {
        if bin < self.bins { (key * self.bins + bin).min(self.unlisted) } else { self.unlisted }
    }
}

/// The place of a double among all doubles: larger numbers have larger places, and both zeros have that of 0.
fn place(value: f64) -> i128 {
    let bits = (value + 0.0).to_bits() as i64;
    // Negative doubles are ordered against their bits.
    (if bits < 0 { bits ^ i64::MAX } else { bits }).into()
}

impl ScalarUDFImpl for CellFunction {
    fn name(&self) -> &str {
        "cell"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::UInt32)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let (bins, keys) = (self.bins(&arrays[0])?, arrays[1].as_primitive::<UInt32Type>());
        let cells = keys.values().iter().zip(bins).map(|(&key, bin)| self.cell(key, bin));
        Ok(ColumnarValue::Array(Arc::new(UInt32Array::from_iter_values(cells))))
    }
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
