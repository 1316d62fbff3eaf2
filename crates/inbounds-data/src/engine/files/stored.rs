//! Cells whose stored type is not that of the plan.
//!
//! Programs infer the type of a column from its cells, so the type is private. Each cell is therefore read as its own
//! text would be, whatever the cells beside it made of the column: 7 is the text `7`, the number 7 and the whole number
//! 7, be it stored as an integer, a double, a decimal or a text. Claim: `declared-types`.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringViewArray, new_null_array};
use arrow::datatypes::{DataType, Date32Type, Float64Type, Int64Type};
use arrow::error::Result;

use super::cast::cast;
use super::days::units_in_a_second;
use crate::zone::Zone;
use crate::{Day, Kind};

/// The cells in a type that a column of this kind can be read from: themselves, or their texts.
pub(super) fn readable(array: &ArrayRef, kind: Kind) -> Result<ArrayRef> {
    let is_readable = match (kind, Kind::from_data_type(array.data_type())) {
        (_, Kind::Text) | (Kind::Other, _) | (Kind::Date, Kind::Date) => true,
        (Kind::Integer | Kind::Number | Kind::Boolean, stored) => {
            matches!(stored, Kind::Integer | Kind::Number | Kind::Boolean)
        }
        (Kind::Text | Kind::Date, _) => false,
    };
    if is_readable {
        return Ok(array.clone());
    }
    Ok(Arc::new(match array.data_type() {
        DataType::Dictionary(_, values) => texts(&cast(array, values)?)?,
        _ => texts(array)?,
    }))
}

/// The text of each cell: whole numbers without a fraction, days as `2020-12-31`, truth values as `true` and `false`,
/// times on the clock
/// of their zone.
fn texts(array: &ArrayRef) -> Result<StringViewArray> {
    let kind = Kind::from_data_type(array.data_type());
    Ok(match array.data_type() {
        DataType::Float16 | DataType::Float32 | DataType::Float64 => {
            // The text of a narrow float is as short as the float, and not that of the double next to it.
            let narrow = *array.data_type() != DataType::Float64;
            let numbers = cast(array, &DataType::Float64)?;
            let text = |number: f64| if narrow { (number as f32).to_string() } else { number.to_string() };
            let numbers = numbers.as_primitive::<Float64Type>().iter();
            numbers.map(|number| number.filter(|number| !number.is_nan()).map(text)).collect()
        }
        DataType::Date32 => {
            let days = array.as_primitive::<Date32Type>().iter();
            days.map(|day| day.and_then(|day| Day::from_days(day.into())).map(|day| day.to_string())).collect()
        }
        DataType::Timestamp(unit, Some(name)) if Zone::named(name).is_some() => {
            let zone = Zone::named(name);
            let text = |time: i64| zone.and_then(|zone| zone.text(time, units_in_a_second(*unit)));
            let stored = cast(array, &DataType::Int64)?;
            let stored = stored.as_primitive::<Int64Type>().iter();
            stored.map(|time| time.and_then(text)).collect()
        }
        _ => {
            let texts = cast(array, &DataType::Utf8View).unwrap_or_else(|_| {
                // What has no text, such as an interval, is missing.
                new_null_array(&DataType::Utf8View, array.len())
            });
            let texts = texts.as_string_view();
            match kind {
                Kind::Number => texts.iter().map(|text| text.map(without_zeros)).collect(),
                _ => texts.clone(),
            }
        }
    })
}

/// A decimal without zeros behind its last other digit.
fn without_zeros(decimal: &str) -> &str {
    if decimal.contains('.') { decimal.trim_end_matches('0').trim_end_matches('.') } else { decimal }
}

#[cfg(test)]
mod tests {
    use arrow::array::{
        BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float32Array, Float64Array, Int64Array, NullArray,
        StringArray, Time32SecondArray, TimestampSecondArray,
    };
    use arrow::datatypes::Int32Type;

    use super::*;
    use crate::CellRules;
    use crate::cell_rules::CellReader;
    use crate::engine::files::read::Way;

    fn read(array: ArrayRef, kind: Kind) -> Vec<Option<String>> {
        let reader = CellReader::new(&CellRules::default());
        let cells = readable(&array, kind).expect("cells have texts");
        let cells = Way::of_kind(kind).read(&cells, kind, &reader).expect("cells are read");
        let texts = cast(&cells, &DataType::Utf8View).expect("texts");
        texts.as_string_view().iter().map(|text| text.map(str::to_owned)).collect()
    }

    /// A column of whole numbers in every type in which programs store one, with the last cell missing where the type
    /// knows that.
    fn stored() -> Vec<ArrayRef> {
        let decimals = Decimal128Array::from(vec![Some(100), Some(0), Some(-700), None]);
        let dictionary = DictionaryArray::<Int32Type>::new(
            vec![Some(0), Some(1), Some(2), None].into(),
            Arc::new(Int64Array::from(vec![1, 0, -7])),
        );
        vec![
            Arc::new(Int64Array::from(vec![Some(1), Some(0), Some(-7), None])),
            Arc::new(Float64Array::from(vec![Some(1.0), Some(0.0), Some(-7.0), None])),
            Arc::new(Float64Array::from(vec![1.0, 0.0, -7.0, f64::NAN])),
            Arc::new(Float32Array::from(vec![1.0, 0.0, -7.0, f32::NAN])),
            Arc::new(decimals.with_precision_and_scale(9, 2).expect("a type")),
            Arc::new(dictionary),
            Arc::new(StringArray::from(vec![Some("1"), Some("0"), Some("-7"), None])),
        ]
    }

    #[test]
    fn whole_numbers_are_read_alike_from_every_type() {
        for kind in [Kind::Integer, Kind::Text, Kind::Boolean, Kind::Date, Kind::Number] {
            let all: Vec<_> =
                stored().into_iter().map(|array| (array.data_type().clone(), read(array, kind))).collect();
            for (data_type, cells) in &all {
                // A NaN is a double of its own until it is clipped, where it is missing.
                let missing = |cell: &Option<String>| cell.clone().filter(|cell| cell != "NaN");
                let (cells, expected): (Vec<_>, Vec<_>) =
                    (cells.iter().map(missing).collect(), all[0].1.iter().map(missing).collect());
                assert_eq!(cells, expected, "{data_type} as {kind}");
            }
        }
        assert_eq!(
            read(stored().remove(1), Kind::Text),
            ["1", "0", "-7"].map(|t| Some(t.to_owned())).into_iter().chain([None]).collect::<Vec<_>>()
        );
    }

    #[test]
    fn truth_values_and_their_words_are_alike() {
        let truths: ArrayRef = Arc::new(BooleanArray::from(vec![Some(true), Some(false), None]));
        let words: ArrayRef = Arc::new(StringArray::from(vec![Some("true"), Some("false"), None]));
        for kind in [Kind::Integer, Kind::Number, Kind::Boolean, Kind::Text, Kind::Date] {
            assert_eq!(read(truths.clone(), kind), read(words.clone(), kind), "{kind}");
        }
        assert_eq!(read(truths, Kind::Integer), [Some("1".to_owned()), Some("0".to_owned()), None]);
    }

    #[test]
    fn days_and_what_has_no_kind_have_texts() {
        let days: ArrayRef = Arc::new(Date32Array::from(vec![Some(0), None]));
        assert_eq!(read(days.clone(), Kind::Text), [Some("1970-01-01".to_owned()), None]);
        assert_eq!(read(days, Kind::Integer), [None, None]);
        let time: ArrayRef = Arc::new(Time32SecondArray::from(vec![60]));
        assert_eq!(read(time, Kind::Text), [Some("00:01:00".to_owned())]);
        let midnight = TimestampSecondArray::from(vec![1_577_833_200]).with_timezone("Europe/Berlin");
        assert_eq!(read(Arc::new(midnight), Kind::Text), [Some("2020-01-01T00:00:00+01:00".to_owned())]);
        let none: ArrayRef = Arc::new(NullArray::new(2));
        for kind in [Kind::Integer, Kind::Number, Kind::Boolean, Kind::Text, Kind::Date] {
            assert_eq!(read(none.clone(), kind), [None, None], "{kind}");
        }
    }
}
