//! At most so many rows of each unit, chosen by the unit's own rows alone.
//!
//! Within a unit, rows are ordered by a fixed hash of (unit, cell, steps of all values), then by cell and steps, and
//! the first ones are kept. Rows that tie in all of them are interchangeable: the tally is the same whichever is kept.
//! So the kept multiset of (cell, steps) is a function of the unit's rows, and adding or removing a unit leaves the others' rows
//! where they are. The hash spreads the choice over keys and values instead of favouring the first keys of the list.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, UInt64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type, UInt32Type};
use datafusion::common::Result;
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ExprFunctionExt, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility, col, lit,
};
use datafusion::prelude::DataFrame;

use crate::Kind;

/// Keeps at most `rows` rows for each value of `unit` from a frame of `unit`, `cell` (`UInt32`) and `steps` (`Int64`
/// each), none of them null; returns a frame of `cell` and `steps`.
pub(super) fn bound(frame: DataFrame, unit: &str, cell: &str, steps: &[String], rows: u64) -> Result<DataFrame> {
    let kept: Vec<Expr> = std::iter::once(cell).chain(steps.iter().map(String::as_str)).map(col).collect();
    let all: Vec<Expr> = std::iter::once(col(unit)).chain(kept.iter().cloned()).collect();
    let mix = ScalarUDF::from(Mix { signature: Signature::any(all.len(), Volatility::Immutable) });
    let order = std::iter::once(col("mixed")).chain(kept.iter().cloned()).map(|column| column.sort(true, false));
    let rank = row_number().partition_by(vec![col(unit)]).order_by(order.collect()).build()?.alias("rank");
    let mixed = mix.call(all.clone()).alias("mixed");
    frame
        .select(all.into_iter().chain([mixed]).collect::<Vec<_>>())?
        .window(vec![rank])?
        .filter(col("rank").lt_eq(lit(rows)))?
        .select(kept)
}

/// The fixed public hash of (unit, cell, steps).
///
/// `mix(u, c, v_1, ..., v_n)` folds `h -> s(h + x)` over `c, v_1, ..., v_n` from `hash(u)`, a query without values
/// having one that is 0, in 64-bit wrapping arithmetic, where `s` is the output function of SplitMix64 and `hash` folds
/// a text eight bytes at a time (little-endian, the last chunk padded with zeros, then the length) by `h -> s(h +
/// chunk)` from 0, or an integer in one step. It is not meant to resist anyone: it only has to be the same in every
/// run, on every platform and for every layout of a text.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Mix {
    signature: Signature,
}

fn scramble(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn hash_text(text: &str) -> u64 {
    let (chunks, rest) = text.as_bytes().as_chunks::<8>();
    let fold = |hash: u64, chunk: [u8; 8]| scramble(hash.wrapping_add(u64::from_le_bytes(chunk)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let hash = fold(chunks.iter().fold(0, |hash, &chunk| fold(hash, chunk)), last);
    scramble(hash.wrapping_add(text.len() as u64))
}

fn fold(hashes: &mut [u64], words: impl Iterator<Item = u64>) {
    hashes.iter_mut().zip(words).for_each(|(hash, word)| *hash = scramble(hash.wrapping_add(word)));
}

fn hash_units(units: &ArrayRef) -> Result<Vec<u64>> {
    let text = |text: Option<&str>| text.map_or(0, hash_text);
    Ok(match units.data_type() {
        DataType::Utf8View => units.as_string_view().iter().map(text).collect(),
        DataType::Utf8 => units.as_string::<i32>().iter().map(text).collect(),
        DataType::LargeUtf8 => units.as_string::<i64>().iter().map(text).collect(),
        other if Kind::of(other) == Kind::Text => hash_units(&cast(units, &DataType::Utf8View)?)?,
        _ => {
            let integers = units.as_primitive::<Int64Type>();
            integers.iter().map(|unit| unit.map_or(0, |unit| scramble(unit as u64))).collect()
        }
    })
}

impl ScalarUDFImpl for Mix {
    fn name(&self) -> &str {
        "mix"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::UInt64)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let mut mixed = hash_units(&arrays[0])?;
        let cells = arrays[1].as_primitive::<UInt32Type>();
        fold(&mut mixed, cells.values().iter().map(|&cell| cell.into()));
        for steps in &arrays[2..] {
            fold(&mut mixed, steps.as_primitive::<Int64Type>().values().iter().map(|&steps| steps as u64));
        }
        if arrays.len() == 2 {
            fold(&mut mixed, std::iter::repeat(0));
        }
        Ok(ColumnarValue::Array(Arc::new(UInt64Array::from(mixed))))
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{LargeStringArray, StringViewArray};

    use super::*;

    #[test]
    fn splitmix64_is_the_published_one() {
        // First output of SplitMix64 for seed 0 (Vigna's reference code).
        assert_eq!(scramble(0), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn a_text_hashes_alike_in_every_layout() {
        let texts = vec!["", "a", "12345678", "123456789", "a much longer identifier of a unit"];
        let views: ArrayRef = Arc::new(StringViewArray::from(texts.clone()));
        let large: ArrayRef = Arc::new(LargeStringArray::from(texts));
        let hashes = hash_units(&views).expect("text");
        assert_eq!(hashes, hash_units(&large).expect("text"));
        let distinct: std::collections::HashSet<_> = hashes.iter().collect();
        assert_eq!(distinct.len(), hashes.len());
    }
}
