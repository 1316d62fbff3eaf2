//! Cells to numbers and Booleans, without a way to fail: what cannot be read becomes null.
//!
//! CSV cells arrive as text and are parsed here, never by the engine, whose error would quote the cell. White space
//! around a number is ignored. An integer column also takes `3.0` (as pandas writes integers beside gaps), an integer
//! beyond 64 bits or an infinity saturates, and a number with a fraction is null.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Float64Array, Int64Array};
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type, UInt64Type};
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::Kind;

/// Integers of an integer, Boolean or text array.
pub(super) fn integers(array: &ArrayRef) -> Result<Int64Array> {
    Ok(match array.data_type() {
        DataType::Int64 => array.as_primitive::<Int64Type>().clone(),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().unary(|value| i64::try_from(value).unwrap_or(i64::MAX)),
        _ if Kind::of(array.data_type()) == Kind::Text => map_text(array, parse_integer)?,
        _ => cast(array, &DataType::Int64)?.as_primitive::<Int64Type>().clone(),
    })
}

/// Whole-numbered privacy units as 64-bit patterns, one pattern for each unit and no two units on one.
///
/// A number beyond 64 signed bits keeps its bits if it is unsigned, and is null (no unit, so its rows are dropped) if it
/// is text. Saturating as [`integers`] does would merge units, and then the rows kept of one would depend on another.
pub(super) fn units(array: &ArrayRef) -> Result<Int64Array> {
    Ok(match array.data_type() {
        DataType::UInt64 => array.as_primitive::<UInt64Type>().unary(|value| value as i64),
        _ if Kind::of(array.data_type()) == Kind::Text => map_text(array, parse_unit)?,
        _ => integers(array)?,
    })
}

/// A whole number that `i64` holds exactly, also written `7.0`.
fn parse_unit(text: &str) -> Option<i64> {
    let text = text.trim();
    let whole = match text.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|digit| digit == b'0') => whole,
        Some(_) => return None,
        None => text,
    };
    whole.parse().ok()
}

/// Doubles of an integer, number or text array; a NaN stays a NaN.
pub(super) fn numbers(array: &ArrayRef) -> Result<Float64Array> {
    Ok(match array.data_type() {
        DataType::Float64 => array.as_primitive::<Float64Type>().clone(),
        _ if Kind::of(array.data_type()) == Kind::Text => map_text(array, |text| text.trim().parse().ok())?,
        _ => cast(array, &DataType::Float64)?.as_primitive::<Float64Type>().clone(),
    })
}

/// Booleans of a Boolean array, or of a text array with `true` and `false` in any case.
pub(super) fn booleans(array: &ArrayRef) -> Result<BooleanArray> {
    Ok(match Kind::of(array.data_type()) {
        Kind::Text => map_text(array, parse_boolean)?,
        _ => cast(array, &DataType::Boolean)?.as_boolean().clone(),
    })
}

fn parse_integer(text: &str) -> Option<i64> {
    let text = text.trim();
    text.parse().ok().or_else(|| {
        let number: f64 = text.parse().ok()?;
        // Beyond 2^53 every double is whole, and the conversion saturates.
        (number.is_infinite() || number.fract() == 0.0).then_some(number as i64)
    })
}

fn parse_boolean(text: &str) -> Option<bool> {
    let text = text.trim();
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    if is("true") { Some(true) } else { is("false").then_some(false) }
}

fn map_text<T, A: FromIterator<Option<T>>>(array: &ArrayRef, parse: impl Fn(&str) -> Option<T>) -> Result<A> {
    let parse = |cell: Option<&str>| cell.and_then(&parse);
    Ok(match array.data_type() {
        DataType::Utf8View => array.as_string_view().iter().map(parse).collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().map(parse).collect(),
        DataType::Utf8 => array.as_string::<i32>().iter().map(parse).collect(),
        _ => cast(array, &DataType::Utf8View)?.as_string_view().iter().map(parse).collect(),
    })
}

/// Arrow's cast in the mode that puts null where a value does not fit.
fn cast(array: &ArrayRef, target: &DataType) -> Result<ArrayRef> {
    Ok(cast_with_options(array, target, &CastOptions { safe: true, ..CastOptions::default() })?)
}

/// A column as integer, number or Boolean inside an expression. A number that is NaN becomes null, and -0 becomes 0,
/// so that the engine's total order of floats agrees with the order of numbers.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Convert {
    kind: Kind,
    unit: bool,
    signature: Signature,
}

/// `expr` read as `kind`; null where it cannot be.
pub(super) fn convert(expr: Expr, kind: Kind) -> Expr {
    ScalarUDF::from(Convert { kind, unit: false, signature: Signature::any(1, Volatility::Immutable) }).call(vec![expr])
}

/// A whole-numbered column as privacy units; see [`units`].
pub(super) fn unit(expr: Expr) -> Expr {
    let signature = Signature::any(1, Volatility::Immutable);
    ScalarUDF::from(Convert { kind: Kind::Integer, unit: true, signature }).call(vec![expr])
}

impl ScalarUDFImpl for Convert {
    fn name(&self) -> &str {
        match self.kind {
            Kind::Integer if self.unit => "as_unit",
            Kind::Integer => "as_integer",
            Kind::Boolean => "as_boolean",
            _ => "as_number",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(match self.kind {
            Kind::Integer => DataType::Int64,
            Kind::Boolean => DataType::Boolean,
            _ => DataType::Float64,
        })
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let array = &ColumnarValue::values_to_arrays(&args.args)?[0];
        let converted: ArrayRef = match self.kind {
            Kind::Integer if self.unit => Arc::new(units(array)?),
            Kind::Integer => Arc::new(integers(array)?),
            Kind::Boolean => Arc::new(booleans(array)?),
            _ => {
                Arc::new(numbers(array)?.unary_opt::<_, Float64Type>(|value| (!value.is_nan()).then_some(value + 0.0)))
            }
        };
        Ok(ColumnarValue::Array(converted))
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{StringArray, UInt64Array};

    use super::*;

    #[test]
    fn text_is_read_or_null() {
        let cells = [" 7 ", "3.0", "3.5", "1e3", "99999999999999999999", "-inf", "NaN", "x", "", "+4", "0x10", "1,000"];
        let array: ArrayRef = Arc::new(StringArray::from(cells.to_vec()));
        let read: Vec<_> = integers(&array).expect("text").iter().collect();
        let (max, min) = (Some(i64::MAX), Some(i64::MIN));
        assert_eq!(read, [Some(7), Some(3), None, Some(1000), max, min, None, None, None, Some(4), None, None]);
        let read: Vec<_> = numbers(&array).expect("text").iter().map(|number| number.map(|v| v.to_string())).collect();
        let read: Vec<_> = read.iter().map(Option::as_deref).collect();
        let huge = Some("100000000000000000000");
        let expected = [Some("7"), Some("3"), Some("3.5"), Some("1000"), huge, Some("-inf"), Some("NaN")];
        assert_eq!(read[..7], expected);
        assert_eq!(read[7..], [None, None, Some("4"), None, None]);
    }

    #[test]
    fn units_are_never_merged() {
        let cells = ["7", " 7.0 ", "7.5", "18446744073709551615", "18446744073709551614", "1e3", "inf", "", "-9"];
        let array: ArrayRef = Arc::new(StringArray::from(cells.to_vec()));
        let read: Vec<_> = units(&array).expect("text").iter().collect();
        assert_eq!(read, [Some(7), Some(7), None, None, None, None, None, None, Some(-9)]);
        let wide: ArrayRef = Arc::new(UInt64Array::from(vec![0, u64::MAX, u64::MAX - 1, 1 << 63]));
        let read: Vec<_> = units(&wide).expect("integers").iter().collect();
        assert_eq!(read, [0, -1, -2, i64::MIN].map(Some));
    }

    #[test]
    fn booleans_are_words() {
        let array: ArrayRef = Arc::new(StringArray::from(vec!["true", " FALSE ", "1", "yes", ""]));
        let read: Vec<_> = booleans(&array).expect("text").iter().collect();
        assert_eq!(read, [Some(true), Some(false), None, None, None]);
    }
}
