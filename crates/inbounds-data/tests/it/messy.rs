//! Cells as people write them, against a plain loop: padding, codes for missing, spellings of numbers and of truth, in
//! CSV, in texts of Parquet, and in its numbers.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, DictionaryArray, Float32Array, Float64Array, Int64Array, StringArray, UInt64Array};
use arrow::datatypes::Int32Type;
use inbounds_core::Grid;
use inbounds_data::{
    Bins, CellRules, Clip, ContributionBound, Engine, FileEngine, KeyValue, Keys, Kind, Missing, Query, Source,
};
use tempfile::tempdir;

use crate::random::Random;
use crate::{all_answers, filtered, keys, text, write};

/// Cells of a column, and what they are read as under [`rules`].
const TEXTS: [(&str, Option<&str>); 10] = [
    ("CA", Some("CA")),
    (" CA ", Some("CA")),
    ("CA\u{a0}", Some("CA")),
    ("a state with a long name", Some("a state with a long name")),
    ("\ta state with a long name  ", Some("a state with a long name")),
    ("NA", None),
    (" NA", None),
    ("", None),
    ("   ", None),
    ("na", Some("na")),
];
const INTEGERS: [(&str, Option<i64>); 14] = [
    ("7", Some(7)),
    (" 7 ", Some(7)),
    ("07", Some(7)),
    ("7.0", Some(7)),
    ("7e0", Some(7)),
    ("70e-1", Some(7)),
    ("-99", None),
    ("-99.0", None),
    (" -9.9e1", None),
    ("7.5", None),
    ("x", None),
    ("NA", None),
    ("1e300", Some(i64::MAX)),
    ("12", Some(12)),
];
const NUMBERS: [(&str, Option<f64>); 11] = [
    ("1.5", Some(1.5)),
    (" 1.50 ", Some(1.5)),
    ("15e-1", Some(1.5)),
    ("-99", None),
    ("-99.00", None),
    ("?", None),
    ("1,5", None),
    ("inf", Some(f64::INFINITY)),
    ("NaN", None),
    ("-3", Some(-3.0)),
    ("40", Some(40.0)),
];
const TRUTHS: [(&str, Option<bool>); 12] = [
    ("true", Some(true)),
    (" T", Some(true)),
    ("Yes", Some(true)),
    ("y", Some(true)),
    ("1", Some(true)),
    ("1.0", Some(true)),
    ("No ", Some(false)),
    ("f", Some(false)),
    ("0", Some(false)),
    ("-99", None),
    ("2", None),
    ("on", None),
];

fn rules() -> CellRules {
    CellRules { missing: ["NA", " -99", "?", ""].map(str::to_owned).to_vec(), ..CellRules::default() }
}

/// A row's places in the tables above: its text, integer, number, truth and unit.
type Row = [usize; 5];

fn rows(seed: u64, count: usize) -> Vec<Row> {
    let mut random = Random::new(seed);
    let sizes = [TEXTS.len(), INTEGERS.len(), NUMBERS.len(), TRUTHS.len(), TEXTS.len()];
    (0..count).map(|_| sizes.map(|size| random.below(size as u64) as usize)).collect()
}

const NAMES: [&str; 5] = ["state", "code", "value", "open", "unit"];

fn cell(row: &Row, column: usize) -> &'static str {
    let place = row[column];
    match column {
        1 => INTEGERS[place].0,
        2 => NUMBERS[place].0,
        3 => TRUTHS[place].0,
        _ => TEXTS[place].0,
    }
}

fn csv(path: &Path, rows: &[Row]) {
    let quoted = |row: &Row| (0..5).map(|column| format!("\"{}\"", cell(row, column))).collect::<Vec<_>>().join(",");
    let lines: String = rows.iter().map(|row| quoted(row) + "\n").collect();
    std::fs::write(path, NAMES.join(",") + "\n" + &lines).unwrap();
}

fn parquet(path: &Path, rows: &[Row]) {
    let texts = |column: usize| rows.iter().map(|row| cell(row, column)).collect::<Vec<_>>();
    let array = |column: usize| match column {
        // What pandas writes for a categorical.
        0 => Arc::new(texts(column).into_iter().collect::<DictionaryArray<Int32Type>>()) as ArrayRef,
        _ => Arc::new(StringArray::from(texts(column))) as ArrayRef,
    };
    write::columns(path, NAMES.iter().enumerate().map(|(column, name)| (*name, array(column))).collect());
}

fn open(path: &Path) -> FileEngine {
    let mut source = Source::new(path.to_str().unwrap()).with_public_types();
    source.cells = rules();
    for (name, kind) in [("code", Kind::Integer), ("value", Kind::Number), ("open", Kind::Boolean)] {
        source = source.declare(name, kind);
    }
    FileEngine::open(&source).unwrap()
}

fn clip(column: &str, missing: Missing) -> Clip {
    Clip { column: column.to_owned(), lower: 0, upper: 10, grid: Grid::INTEGERS, missing }
}

/// Whether a key of the three columns is that of the row.
fn has_key(row: &Row, key: &[KeyValue]) -> bool {
    let row_key = [
        TEXTS[row[0]].1.map(|state| KeyValue::Text(state.to_owned())),
        INTEGERS[row[1]].1.map(KeyValue::Integer),
        TRUTHS[row[3]].1.map(KeyValue::Boolean),
    ];
    row_key.iter().zip(key).all(|(cell, key)| cell.as_ref() == Some(key))
}

fn three_keys() -> Keys {
    let states = ["CA", "a state with a long name", "na"];
    let all = states.into_iter().flat_map(|state| {
        [7, 12, i64::MAX].into_iter().flat_map(move |code| {
            [true, false].map(|open| [text(state), KeyValue::Integer(code), KeyValue::Boolean(open)])
        })
    });
    keys(["state", "code", "open"], all)
}

#[test]
fn keys_and_values_equal_a_plain_loop() {
    let folder = tempdir().unwrap();
    let rows = rows(51, 6_000);
    let (a, b) = (folder.path().join("rows.csv"), folder.path().join("rows.parquet"));
    csv(&a, &rows);
    parquet(&b, &rows);
    for missing in [Missing::Drop, Missing::Impute(4)] {
        let keys = three_keys();
        let value = |row: &Row| match (NUMBERS[row[2]].1, missing) {
            (Some(value), _) => Some(value.clamp(0.0, 10.0).round_ties_even() as i128),
            (None, Missing::Impute(steps)) => Some(steps.into()),
            (None, Missing::Drop) => None,
        };
        let values_of =
            |key: &Vec<KeyValue>| rows.iter().filter(|row| has_key(row, key)).filter_map(value).collect::<Vec<_>>();
        let counts: Vec<i128> = keys.rows().map(|key| values_of(&key.to_vec()).len() as i128).collect();
        let sums: Vec<i128> = keys.rows().map(|key| values_of(&key.to_vec()).iter().sum()).collect();
        assert!(counts.iter().all(|&count| count > 5), "{counts:?}");
        let query = Query { keys: Some(keys), values: vec![clip("value", missing)], ..Query::default() };
        for path in [&a, &b] {
            assert_eq!(
                all_answers(&open(path), &query),
                [counts.clone(), sums.clone()],
                "{} {missing:?}",
                path.display()
            );
        }
    }
}

#[test]
fn filters_bins_and_units_read_the_same_cells() {
    let folder = tempdir().unwrap();
    let rows = rows(52, 3_000);
    let (a, b) = (folder.path().join("rows.csv"), folder.path().join("rows.parquet"));
    csv(&a, &rows);
    parquet(&b, &rows);
    type Holds = fn(&Row) -> bool;
    let filters: [(&str, Holds); 11] = [
        ("state = 'CA'", |row| TEXTS[row[0]].1 == Some("CA")),
        ("state IN (' CA', 'na')", |row| matches!(TEXTS[row[0]].1, Some("CA" | "na"))),
        ("state LIKE 'a%'", |row| TEXTS[row[0]].1.is_some_and(|state| state.starts_with('a'))),
        ("state IS NULL", |row| TEXTS[row[0]].1.is_none()),
        ("code = 7", |row| INTEGERS[row[1]].1 == Some(7)),
        ("code < 0", |_| false),
        ("code IS NULL", |row| INTEGERS[row[1]].1.is_none()),
        ("value < 0", |row| NUMBERS[row[2]].1.is_some_and(|value| value < 0.0)),
        ("value IS NOT NULL", |row| NUMBERS[row[2]].1.is_some()),
        ("open", |row| TRUTHS[row[3]].1 == Some(true)),
        ("open = FALSE OR open IS NULL", |row| TRUTHS[row[3]].1 != Some(true)),
    ];
    let units: std::collections::HashSet<&str> = rows.iter().filter_map(|row| TEXTS[row[4]].1).collect();
    let bins = |row: &Row, bin: usize| {
        NUMBERS[row[2]].1.is_some_and(|value| [2.0, 30.0].iter().filter(|&&edge| edge <= value).count() == bin)
    };
    for path in [&a, &b] {
        let engine = open(path);
        for (filter, holds) in filters {
            let count = rows.iter().filter(|row| holds(row)).count() as i128;
            assert_eq!(all_answers(&engine, &filtered(filter)), [[count]], "{filter} {}", path.display());
        }
        let bound = Some(ContributionBound::of_rows("unit", 1));
        let query = Query { bound, ..Query::default() };
        assert_eq!(all_answers(&engine, &query), [[units.len() as i128]], "{}", path.display());
        let edges = Bins::new("value", vec![0.0, 2.0, 30.0, 50.0], Missing::Drop).unwrap();
        let counts: Vec<i128> = (0..3).map(|bin| rows.iter().filter(|row| bins(row, bin)).count() as i128).collect();
        assert_eq!(all_answers(&engine, &Query { bins: Some(edges), ..Query::default() }), [counts]);
    }
}

#[test]
fn missing_numbers_are_missing_in_every_type_of_parquet() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    write::columns(
        &path,
        vec![
            ("i64", Arc::new(Int64Array::from(vec![Some(-99), Some(1), Some(0), None, Some(2)])) as ArrayRef),
            ("u64", Arc::new(UInt64Array::from(vec![Some(99), Some(1), Some(0), None, Some(2)]))),
            ("f64", Arc::new(Float64Array::from(vec![Some(-99.0), Some(1.0), Some(0.0), None, Some(2.0)]))),
            ("f32", Arc::new(Float32Array::from(vec![Some(0.1), Some(1.0), Some(0.0), None, Some(2.0)]))),
            ("whole", Arc::new(Float64Array::from(vec![Some(-99.0), Some(1.0), Some(0.5), None, Some(2.0)]))),
            ("flag", Arc::new(Int64Array::from(vec![Some(-99), Some(1), Some(0), None, Some(2)]))),
        ],
    );
    let mut source = Source::new(path.to_str().unwrap())
        .with_public_types()
        .declare("whole", Kind::Integer)
        .declare("flag", Kind::Boolean);
    source.cells.missing = ["-99", "99", "0.1"].map(str::to_owned).to_vec();
    let engine = FileEngine::open(&source).unwrap();
    for (column, counts) in
        [("i64", [3, 3]), ("u64", [3, 3]), ("f64", [3, 3]), ("f32", [3, 3]), ("whole", [2, 3]), ("flag", [2, 1])]
    {
        let query = Query { values: vec![clip(column, Missing::Drop)], ..Query::default() };
        assert_eq!(all_answers(&engine, &query).concat(), counts, "{column}");
        let present = all_answers(&engine, &filtered(&format!("{column} IS NOT NULL"))).concat();
        assert_eq!(present, counts[..1], "{column}");
    }
    let by_whole =
        Query { keys: Some(keys(["whole"], [1, 2, 3].map(|key| [KeyValue::Integer(key)]))), ..Query::default() };
    assert_eq!(all_answers(&engine, &by_whole), [[1, 1, 0]]);
    let by_unit = |unit: &str| Query { bound: Some(ContributionBound::of_rows(unit, 1)), ..Query::default() };
    for unit in ["i64", "u64", "whole"] {
        let units = all_answers(&engine, &by_unit(unit)).concat();
        assert_eq!(units, [if unit == "whole" { 2 } else { 3 }], "{unit}");
    }
}

#[test]
fn separators_are_read_where_they_are_declared() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    std::fs::write(&path, "a,b\n\"1,234\",\"1.234,5\"\n\"12,34\",7\n999,\"0,5\"\n\" 2,000.0 \",1.5\n").unwrap();
    let german = CellRules { thousands: Some('.'), decimal: ',', ..CellRules::default() };
    let english = CellRules { thousands: Some(','), ..CellRules::default() };
    let bare =
        Source::new(path.to_str().unwrap()).with_public_types().declare("a", Kind::Integer).declare("b", Kind::Number);
    let source = bare.clone().spell("a", english).spell("b", german);
    let wide = |column: &str| Clip { upper: 1 << 20, ..clip(column, Missing::Drop) };
    let query = |column: &str| Query { values: vec![wide(column)], ..Query::default() };
    let engine = FileEngine::open(&source).unwrap();
    assert_eq!(all_answers(&engine, &query("a")), [[3], [1_234 + 999 + 2_000]]);
    assert_eq!(all_answers(&engine, &query("b")), [[3], [1_234 + 7]]);
    let engine = FileEngine::open(&bare).unwrap();
    assert_eq!(all_answers(&engine, &query("a")), [[1], [999]]);
    let both = CellRules { thousands: Some(','), decimal: ',', ..CellRules::default() };
    let refused = FileEngine::open(&bare.spell("a", both)).err().expect("one separator for two things");
    assert_eq!(refused.to_string(), "declared: column `a` must not have one separator for decimals and thousands");
}

/// A key that no row can have is a mistake of the question, not a count of 0.
#[test]
fn keys_that_no_row_can_have_are_refused() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    csv(&path, &rows(53, 10));
    let engine = open(&path);
    for key in [" CA", "NA", "", " "] {
        let query = Query { keys: Some(keys(["state"], [[text(key)]])), ..Query::default() };
        let refused = engine.check(&query).unwrap_err().to_string();
        assert!(refused.starts_with(&format!("keys: no row can have the key `{key}` of `state`")), "{refused}");
    }
    let query = Query { keys: Some(keys(["code"], [[KeyValue::Integer(-99)]])), ..Query::default() };
    assert!(engine.check(&query).is_err());
    let exact =
        Source::new(path.to_str().unwrap()).with_public_types().spell("state", CellRules { trim: false, ..rules() });
    let engine = FileEngine::open(&exact).unwrap();
    let query = Query { keys: Some(keys(["state"], [[text(" CA")], [text("   ")]])), ..Query::default() };
    assert!(engine.check(&query).is_ok());
}
