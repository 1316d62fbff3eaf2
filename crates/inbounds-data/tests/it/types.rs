//! Every Arrow type that a Parquet file may bring.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float32Array, Float64Array, Int8Array,
    Int32Array, Int64Array, LargeStringArray, StringArray, StringViewArray, Time32SecondArray, TimestampSecondArray,
    UInt16Array, UInt64Array,
};
use arrow::datatypes::{Int8Type, Int32Type};
use inbounds_core::Grid;
use inbounds_data::{Clip, ContributionBound, KeyValue, Missing, Query};
use tempfile::tempdir;

use crate::{answers, filtered, keys, open, refused, text, write};

fn value(column: &str, exponent: i32) -> Query {
    let grid = Grid::power_of_two(exponent).unwrap();
    let clip = Clip { column: column.to_owned(), lower: -100, upper: 1_000, grid, missing: Missing::Drop };
    Query { values: vec![clip], ..Query::default() }
}

fn numeric(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("numbers.parquet");
    let decimal = Decimal128Array::from(vec![Some(150), None, Some(-99_999_999), Some(275)]);
    write::columns(
        &path,
        vec![
            ("i8", Arc::new(Int8Array::from(vec![Some(1), None, Some(-120), Some(3)])) as ArrayRef),
            ("i32", Arc::new(Int32Array::from(vec![Some(1), None, Some(-120), Some(3)]))),
            ("i64", Arc::new(Int64Array::from(vec![Some(1), None, Some(i64::MIN), Some(3)]))),
            ("u16", Arc::new(UInt16Array::from(vec![Some(1), None, Some(60_000), Some(3)]))),
            ("u64", Arc::new(UInt64Array::from(vec![Some(1), None, Some(u64::MAX), Some(3)]))),
            ("f32", Arc::new(Float32Array::from(vec![Some(1.5), Some(f32::NAN), Some(f32::NEG_INFINITY), Some(2.75)]))),
            ("f64", Arc::new(Float64Array::from(vec![Some(1.5), None, Some(-0.0), Some(2.75)]))),
            ("decimal", Arc::new(decimal.with_precision_and_scale(30, 2).unwrap())),
            ("flag", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), Some(true)]))),
        ],
    );
    path
}

#[test]
fn every_number_is_clipped_and_summed() {
    let folder = tempdir().unwrap();
    let engine = open(&numeric(folder.path()));
    for (column, sum) in [("i8", -96), ("i32", -96), ("i64", -96), ("u16", 1_004), ("u64", 1_004), ("flag", 2)] {
        assert_eq!(answers(&engine, &value(column, 0)), (vec![3], vec![sum]), "{column}");
    }
    // Quarters: 6 + 11 and the lower bound.
    for (column, sum) in [("f32", -83), ("decimal", -83), ("f64", 17)] {
        assert_eq!(answers(&engine, &value(column, -2)), (vec![3], vec![sum]), "{column}");
    }
}

#[test]
fn every_number_is_filtered_as_a_number() {
    let folder = tempdir().unwrap();
    let engine = open(&numeric(folder.path()));
    for (filter, count) in [
        ("i8 > 0", 2),
        ("i8 <> 1", 2),
        ("i32 < 2.5", 2),
        ("i32 >= -120", 3),
        ("i64 = -9223372036854775808", 1),
        ("i64 < -9223372036854775808.5", 0),
        ("u16 BETWEEN 3 AND 60000", 2),
        ("u64 > 3", 1),
        ("u64 >= -1", 3),
        ("u64 = 18446744073709551615", 1),
        ("f32 = 1.5", 1),
        ("f32 > 0", 2),
        ("f32 IS NULL", 1),
        ("f64 >= 0", 3),
        ("f64 < 0", 0),
        ("f64 NOT IN (1.5, 2)", 2),
        ("decimal < -999999", 1),
        ("decimal = 2.75", 1),
        ("decimal IN (1.5, 2.75, 1e300)", 2),
        ("NOT decimal = 1.5", 2),
        ("flag", 2),
        ("NOT flag", 1),
        ("flag = FALSE", 1),
        ("flag <> TRUE OR i8 = 1", 2),
    ] {
        assert_eq!(answers(&engine, &filtered(filter)).0, [count], "{filter}");
    }
}

#[test]
fn integer_and_boolean_keys_of_every_width_are_found() {
    let folder = tempdir().unwrap();
    let engine = open(&numeric(folder.path()));
    for column in ["i8", "i32", "i64", "u16", "u64"] {
        let keys = keys([column], [3, 1, i64::MAX].map(|key| [KeyValue::Integer(key)]));
        assert_eq!(answers(&engine, &Query { keys: Some(keys), ..Query::default() }).0, [1, 1, 0], "{column}");
    }
    let flags = keys(["flag"], [[KeyValue::Boolean(false)], [KeyValue::Boolean(true)]]);
    assert_eq!(answers(&engine, &Query { keys: Some(flags), ..Query::default() }).0, [1, 2]);
    let far = keys(["i64"], [i64::MIN, 3, i64::MAX].map(|key| [KeyValue::Integer(key)]));
    assert_eq!(answers(&engine, &Query { keys: Some(far), ..Query::default() }).0, [1, 1, 0]);
}

#[test]
fn every_layout_of_text_is_a_key_a_filter_and_a_unit() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("texts.parquet");
    let cells = vec![Some("x"), None, Some("a text of more than twelve bytes"), Some("x"), Some("")];
    let int8: DictionaryArray<Int8Type> = cells.iter().copied().collect();
    let int32: DictionaryArray<Int32Type> = cells.iter().copied().collect();
    write::columns(
        &path,
        vec![
            ("plain", Arc::new(StringArray::from(cells.clone())) as ArrayRef),
            ("large", Arc::new(LargeStringArray::from(cells.clone()))),
            ("view", Arc::new(StringViewArray::from(cells.clone()))),
            ("int8", Arc::new(int8)),
            ("int32", Arc::new(int32)),
        ],
    );
    let engine = open(&path);
    for column in ["plain", "large", "view", "int8", "int32"] {
        let keys = keys([column], ["a text of more than twelve bytes", "y", "x", "z"].map(|key| [text(key)]));
        let query = Query { keys: Some(keys), ..Query::default() };
        assert_eq!(answers(&engine, &query).0, [1, 0, 2, 0], "{column}");
        for (filter, counts) in [
            (format!("{column} = 'x'"), [0, 0, 2, 0]),
            (format!("{column} <> 'x'"), [1, 0, 0, 0]),
            (format!("{column} > 'a' AND {column} < 'y'"), [1, 0, 2, 0]),
            (format!("{column} IN ('x', 'y')"), [0, 0, 2, 0]),
            (format!("{column} NOT IN ('x', 'y')"), [1, 0, 0, 0]),
            (format!("{column} LIKE '%more%'"), [1, 0, 0, 0]),
            (format!("{column} NOT LIKE '_'"), [1, 0, 0, 0]),
            (format!("{column} BETWEEN 'b' AND 'z'"), [0, 0, 2, 0]),
            (format!("{column} IS NULL"), [0; 4]),
        ] {
            assert_eq!(
                answers(&engine, &Query { filter: Some(filter.clone()), ..query.clone() }).0,
                counts,
                "{filter}"
            );
            let without_keys = answers(&engine, &filtered(&filter)).0;
            // An empty text is missing, as an empty CSV field is.
            let expected: i128 = if filter.contains("IS NULL") { 2 } else { counts.iter().sum() };
            assert_eq!(without_keys, [expected], "{filter} without keys");
        }
        let bound = Some(ContributionBound::of_rows(column, 1));
        assert_eq!(answers(&engine, &Query { bound: bound.clone(), ..query }).0, [1, 0, 1, 0], "{column}");
        assert_eq!(answers(&engine, &Query { bound, ..Query::default() }).0, [2], "{column}");
    }
}

#[test]
fn dates_and_clock_times_are_no_numbers_and_no_keys() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("dates.parquet");
    let time = TimestampSecondArray::from(vec![Some(1), None]).with_timezone("+02:00");
    let clock = Time32SecondArray::from(vec![Some(1), None]);
    let days = Arc::new(Date32Array::from(vec![Some(1), None])) as ArrayRef;
    write::columns(&path, vec![("day", days), ("time", Arc::new(time)), ("clock", Arc::new(clock))]);
    let engine = open(&path);
    for (filter, expected) in [
        ("day IS NULL", 1),
        ("time IS NOT NULL", 1),
        ("clock IS NULL", 1),
        ("day < '2020-01-01'", 1),
        ("time = '1970-01-01'", 1),
    ] {
        assert_eq!(answers(&engine, &filtered(filter)).0, [expected], "{filter}");
    }
    let take = "take its year or month, or the age at some date, into a column of its own";
    assert_eq!(
        refused(&path, &value("day", 0)).to_string(),
        format!("value: column `day` must be integer, number or boolean, but it is date; {take}")
    );
    let by_day = Query { keys: Some(keys(["day"], [[text("2020-01-01")]])), ..Query::default() };
    assert_eq!(
        refused(&path, &by_day).to_string(),
        format!("keys: column `day` must be text, as its keys are, but it is date; {take}")
    );
    assert_eq!(
        refused(&path, &value("clock", 0)).to_string(),
        "value: column `clock` must be integer, number or boolean, but it is other; use another column"
    );
    assert_eq!(
        refused(&path, &filtered("clock > '12:00'")).to_string(),
        "filter: column `clock` is other; only IS NULL and IS NOT NULL can be asked of it"
    );
}
