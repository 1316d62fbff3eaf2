//! Cells to numbers, Booleans and texts, without a way to fail: what cannot be read becomes null.
//!
//! CSV cells arrive as text and are parsed here, never by the engine, whose error would quote the cell. A Parquet
//! column may be read as another kind than it is stored: texts are parsed as those of CSV, and a number is a whole
//! number or a truth value if it is one. Missing values of the rules become null before anything else looks at a cell.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Decimal128Array, Float64Array, Int64Array, PrimitiveArray, StringViewArray,
    StringViewBuilder,
};
use arrow::datatypes::{DataType, Float64Type, Int64Type, UInt64Type};
use arrow::error::Result;

use super::cast::{cast, map_text};
use super::days::{days, hours};
use crate::{
    Kind,
    cell_rules::{CellReader, truth, whole_double},
};

/// Integers of an integer, number, Boolean or text array.
pub(super) fn integers(array: &ArrayRef, reader: &CellReader) -> Result<Int64Array> {
    Ok(match (array.data_type(), Kind::from_data_type(array.data_type())) {
        (_, Kind::Text) => map_text(array, |cell| reader.integer(cell))?,
        (_, Kind::Number) => {
            let integral = |number: Option<f64>| number.and_then(whole_double);
            numbers(array, reader)?.iter().map(integral).collect()
        }
        (DataType::UInt64, _) => unsigned(array, reader).unary(|value| i64::try_from(value).unwrap_or(i64::MAX)),
        (DataType::Int64, _) => blank(array.as_primitive::<Int64Type>(), reader),
        (_, Kind::Boolean) => cast(array, &DataType::Int64)?.as_primitive::<Int64Type>().clone(),
        _ => blank(cast(array, &DataType::Int64)?.as_primitive::<Int64Type>(), reader),
    })
}

/// A stored array of 64-bit integers without the missing values of the rules.
fn blank(integers: &Int64Array, reader: &CellReader) -> Int64Array {
    if !reader.has_codes() {
        return integers.clone();
    }
    integers.unary_opt(|value| (!reader.is_whole_code(value)).then_some(value))
}

/// A stored array of unsigned integers without the missing values of the rules.
pub(super) fn unsigned(array: &ArrayRef, reader: &CellReader) -> PrimitiveArray<UInt64Type> {
    let integers = array.as_primitive::<UInt64Type>();
    if !reader.has_codes() {
        return integers.clone();
    }
    let is_code = |value: u64| i64::try_from(value).is_ok_and(|value| reader.is_whole_code(value));
    integers.unary_opt(|value| (!is_code(value)).then_some(value))
}

/// Whole-numbered privacy units: one number for each unit, and no two units on one.
///
/// In 64 signed bits where they hold every unit of the array, else as decimals of up to 38 digits. Saturating as
/// [`integers`] does would merge units, and then the rows kept of one would depend on another. Floats beyond 2^53,
/// which stand for several whole numbers, are null for the same reason, and so are longer numbers and truth values.
pub(super) fn units(array: &ArrayRef, reader: &CellReader) -> Result<ArrayRef> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    Ok(match (array.data_type(), Kind::from_data_type(array.data_type())) {
        (DataType::UInt64, _) => narrowest(unsigned(array, reader).iter().map(|unit| unit.map(i128::from)).collect()),
        (_, Kind::Text) => narrowest(map_text(array, |cell| reader.unit(cell))?),
        (_, Kind::Number) => {
            let exact = |number: &f64| number.abs() < EXACT;
            let units = numbers(array, reader)?;
            Arc::new(units.iter().map(|unit| unit.filter(exact).and_then(whole_double)).collect::<Int64Array>())
        }
        (_, Kind::Boolean) => Arc::new(Int64Array::new_null(array.len())),
        _ => Arc::new(integers(array, reader)?),
    })
}

/// Whole numbers in 64 bits if these hold all of them, else as decimals.
fn narrowest(numbers: Vec<Option<i128>>) -> ArrayRef {
    let narrow = |number: &Option<i128>| number.is_none_or(|number| i64::try_from(number).is_ok());
    if numbers.iter().all(narrow) {
        let narrow = |number: Option<i128>| number.and_then(|number| i64::try_from(number).ok());
        return Arc::new(numbers.into_iter().map(narrow).collect::<Int64Array>());
    }
    // The default precision is 38 digits, and the scale must be none.
    let type_of_all = DataType::Decimal128(38, 0);
    Arc::new(numbers.into_iter().collect::<Decimal128Array>().with_data_type(type_of_all))
}

/// Doubles of an integer, number or text array. A stored NaN stays a NaN.
pub(super) fn numbers(array: &ArrayRef, reader: &CellReader) -> Result<Float64Array> {
    let read = match array.data_type() {
        DataType::Float64 => array.as_primitive::<Float64Type>().clone(),
        _ if Kind::from_data_type(array.data_type()) == Kind::Text => {
            return map_text(array, |cell| reader.number(cell));
        }
        DataType::Float32 | DataType::Float16 => {
            let wide = cast(array, &DataType::Float64)?.as_primitive::<Float64Type>().clone();
            if !reader.has_codes() {
                return Ok(wide);
            }
            return Ok(wide.unary_opt(|number| (!reader.is_narrow_code(number)).then_some(number)));
        }
        _ => cast(array, &DataType::Float64)?.as_primitive::<Float64Type>().clone(),
    };
    Ok(if reader.has_codes() { read.unary_opt(|number| (!reader.is_code(number)).then_some(number)) } else { read })
}

/// Booleans of a Boolean, integer, number or text array.
pub(super) fn booleans(array: &ArrayRef, reader: &CellReader) -> Result<BooleanArray> {
    Ok(match Kind::from_data_type(array.data_type()) {
        Kind::Text => map_text(array, |cell| reader.boolean(cell))?,
        Kind::Integer | Kind::Number => numbers(array, reader)?.iter().map(|number| number.and_then(truth)).collect(),
        _ => cast(array, &DataType::Boolean)?.as_boolean().clone(),
    })
}

/// The texts of an array as views. A dictionary is unpacked first: the cast from one to the other takes a value that is
/// missing in it for an empty text.
pub(super) fn views(array: &ArrayRef) -> Result<StringViewArray> {
    let unpacked = match array.data_type() {
        DataType::Dictionary(_, values) => cast(array, values)?,
        _ => array.clone(),
    };
    Ok(cast(&unpacked, &DataType::Utf8View)?.as_string_view().clone())
}

/// The texts of a text array as they are read, in the same layout; the array itself where that changes nothing.
fn texts(array: &ArrayRef, reader: &CellReader) -> Result<ArrayRef> {
    if let DataType::Dictionary(..) = array.data_type() {
        let dictionary = array.as_any_dictionary();
        let values = texts(dictionary.values(), reader)?;
        return Ok(dictionary.with_values(values));
    }
    let clean = |cell: Option<&str>| cell.is_none_or(|cell| reader.text(cell).as_deref() == Some(cell));
    let rewritten = |array: &StringViewArray| {
        let mut texts = StringViewBuilder::with_capacity(array.len());
        array.iter().for_each(|cell| texts.append_option(cell.and_then(|cell| reader.text(cell))));
        texts.finish()
    };
    match array.data_type() {
        DataType::Utf8View => {
            let views = array.as_string_view();
            Ok(if views.iter().all(clean) { array.clone() } else { Arc::new(rewritten(views)) })
        }
        other => {
            let views = cast(array, &DataType::Utf8View)?;
            let views = views.as_string_view();
            if views.iter().all(clean) {
                Ok(array.clone())
            } else {
                cast(&(Arc::new(rewritten(views)) as ArrayRef), other)
            }
        }
    }
}

/// A way to read the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// As they are stored, to look keys up and to find empty cells.
    Stored,
    /// As 64-bit integers, signed or not, or as doubles, to clip and to sort into bins. A stored NaN stays one.
    Amount,
    /// As privacy units; see [`units`].
    Unit,
    /// As 64-bit integers.
    Integer,
    /// As doubles in the order of numbers: a NaN is null, and -0 is 0.
    Number,
    /// As truth values.
    Truth,
    /// As texts.
    Text,
    /// As days since 1970.
    Day,
    /// As hours of the day.
    Hour,
}

impl Way {
    /// The way to read a column of this kind as what it is.
    pub(super) fn of_kind(kind: Kind) -> Self {
        match kind {
            Kind::Integer => Self::Integer,
            Kind::Number => Self::Number,
            Kind::Text => Self::Text,
            Kind::Boolean => Self::Truth,
            Kind::Date => Self::Day,
            Kind::Other => Self::Stored,
        }
    }

    /// The cells of a column of kind `kind`.
    pub(super) fn read(self, array: &ArrayRef, kind: Kind, reader: &CellReader) -> Result<ArrayRef> {
        // A dictionary of what is no text is read as what it stands for, in its own type.
        let unpacked = match array.data_type() {
            DataType::Dictionary(_, values) if self != Self::Stored && Kind::from_data_type(values) != Kind::Text => {
                Some(cast(array, values)?)
            }
            _ => None,
        };
        let array = unpacked.as_ref().unwrap_or(array);
        Ok(match (self, kind) {
            (Self::Stored, _) => array.clone(),
            (Self::Amount, Kind::Integer) if *array.data_type() == DataType::UInt64 => {
                Arc::new(unsigned(array, reader))
            }
            (Self::Amount | Self::Integer, Kind::Integer) | (Self::Integer, _) => Arc::new(integers(array, reader)?),
            (Self::Amount, Kind::Boolean) => cast(&(Arc::new(booleans(array, reader)?) as ArrayRef), &DataType::Int64)?,
            (Self::Amount, _) => Arc::new(numbers(array, reader)?),
            (Self::Unit, Kind::Text) | (Self::Text, _) => texts(array, reader)?,
            (Self::Unit, _) => units(array, reader)?,
            (Self::Number, _) => {
                let numbers = numbers(array, reader)?;
                Arc::new(numbers.unary_opt::<_, Float64Type>(|value| (!value.is_nan()).then_some(value + 0.0)))
            }
            (Self::Truth, _) => Arc::new(booleans(array, reader)?),
            (Self::Day, _) => Arc::new(days(array, reader)?),
            (Self::Hour, _) => Arc::new(hours(array, reader)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{StringArray, UInt64Array};

    use super::*;
    use crate::CellRules;

    fn reader() -> CellReader {
        CellReader::new(&CellRules::default())
    }

    #[test]
    fn text_is_read_or_null() {
        let cells = [" 7 ", "3.0", "3.5", "1e3", "99999999999999999999", "-inf", "NaN", "x", "", "+4", "0x10", "1,000"];
        let array: ArrayRef = Arc::new(StringArray::from(cells.to_vec()));
        let read: Vec<_> = integers(&array, &reader()).expect("text").iter().collect();
        let (max, min) = (Some(i64::MAX), Some(i64::MIN));
        assert_eq!(read, [Some(7), Some(3), None, Some(1000), max, min, None, None, None, Some(4), None, None]);
        let read: Vec<_> =
            numbers(&array, &reader()).expect("text").iter().map(|number| number.map(|v| v.to_string())).collect();
        let read: Vec<_> = read.iter().map(Option::as_deref).collect();
        let huge = Some("100000000000000000000");
        let expected = [Some("7"), Some("3"), Some("3.5"), Some("1000"), huge, Some("-inf"), None];
        assert_eq!(read[..7], expected);
        assert_eq!(read[7..], [None, None, Some("4"), None, None]);
    }

    #[test]
    fn units_are_never_merged() {
        let read = |array: ArrayRef| -> Vec<Option<String>> {
            let units = units(&array, &reader()).expect("units");
            let texts = cast(&units, &DataType::Utf8View).expect("numbers are texts");
            texts.as_string_view().iter().map(|unit| unit.map(str::to_owned)).collect()
        };
        let some = |unit: &str| Some(unit.to_owned());
        let cells = ["7", " 7.0 ", "7.5", "7e0", "inf", "", "-9", "true"];
        let narrow: ArrayRef = Arc::new(StringArray::from(cells.to_vec()));
        assert_eq!(*units(&narrow, &reader()).expect("texts").data_type(), DataType::Int64);
        assert_eq!(read(narrow), [some("7"), some("7"), None, some("7"), None, None, some("-9"), None]);
        let long = "9".repeat(38);
        let cells = ["18446744073709551615", "18446744073709551614.0", "-1", &long, &format!("{long}9"), "-9e37"];
        let read_wide = read(Arc::new(StringArray::from(cells.to_vec())));
        let (most, next) = (some("18446744073709551615"), some("18446744073709551614"));
        assert_eq!(
            read_wide,
            [most.clone(), next.clone(), some("-1"), some(&long), None, some(&format!("-9{}", "0".repeat(37)))]
        );
        let wide = read(Arc::new(UInt64Array::from(vec![0, u64::MAX, u64::MAX - 1])));
        assert_eq!(wide, [some("0"), most, next]);
    }

    #[test]
    fn booleans_are_words() {
        let array: ArrayRef = Arc::new(StringArray::from(vec!["true", " FALSE ", "1", "yes", "", "maybe"]));
        let read: Vec<_> = booleans(&array, &reader()).expect("text").iter().collect();
        assert_eq!(read, [Some(true), Some(false), Some(true), Some(true), None, None]);
    }
}
