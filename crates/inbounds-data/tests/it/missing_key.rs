//! The missing cell as a key, against a plain loop over cells as they stand in files of each format.

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Int64Array, StringArray, UInt64Array};
use inbounds_data::{CellRules, FileEngine, KeyValue, Keys, Kind, Query, Source};
use tempfile::tempdir;

use crate::{all_answers, keys, partitions, text, write};

/// Cells of three columns, and what is read in them.
type Read = (&'static str, KeyValue);

fn texts() -> Vec<Read> {
    let missing = ["", "  ", "NA"].map(|cell| (cell, KeyValue::Missing));
    // The word itself is a text as others are.
    let known = ["a", " a ", "b", "missing"].map(|cell| (cell, text(cell.trim())));
    missing.into_iter().chain(known).collect()
}

fn integers() -> Vec<Read> {
    let missing = ["", "x", "1.5", "NA"].map(|cell| (cell, KeyValue::Missing));
    missing
        .into_iter()
        .chain([("1", KeyValue::Integer(1)), ("2.0", KeyValue::Integer(2)), ("3", KeyValue::Integer(3))])
        .collect()
}

fn truths() -> Vec<Read> {
    let missing = ["", "maybe", "7"].map(|cell| (cell, KeyValue::Missing));
    missing.into_iter().chain([("yes", KeyValue::Boolean(true)), ("0", KeyValue::Boolean(false))]).collect()
}

fn listed() -> Keys {
    let sexes = [text("a"), KeyValue::Missing, text("missing")];
    let codes = [KeyValue::Missing, KeyValue::Integer(1), KeyValue::Integer(2)];
    let flags = [KeyValue::Boolean(true), KeyValue::Missing];
    let all = sexes.iter().flat_map(|sex| codes.iter().map(move |code| (sex, code)));
    let all = all.flat_map(|(sex, code)| flags.iter().map(move |flag| [sex.clone(), code.clone(), flag.clone()]));
    keys(["sex", "code", "flag"], all)
}

#[test]
fn rows_without_a_value_are_in_the_cell_of_the_missing_key() {
    let folder = tempdir().unwrap();
    let (mut csv, mut json) = ("sex,code,flag\n".to_owned(), String::new());
    let (mut counts, mut columns) = (HashMap::<Vec<KeyValue>, i128>::new(), [const { Vec::new() }; 3]);
    for (sex, code, flag) in (0..4_000).map(|row| {
        let pick = |cells: Vec<Read>, step: usize| cells[(row * step + row / 7) % cells.len()].clone();
        (pick(texts(), 1), pick(integers(), 3), pick(truths(), 5))
    }) {
        csv += &format!("{},{},{}\n", sex.0, code.0, flag.0);
        json += &format!("{}\n", serde_json::json!({"sex": sex.0, "code": code.0, "flag": flag.0}));
        columns.iter_mut().zip([&sex, &code, &flag]).for_each(|(column, read)| column.push(read.1.clone()));
        *counts.entry(vec![sex.1, code.1, flag.1]).or_default() += 1;
    }
    let expected: Vec<i128> = listed().rows().map(|key| counts.get(&key.to_vec()).copied().unwrap_or(0)).collect();
    assert!(expected.iter().all(|count| *count > 0), "{expected:?}");
    fs::write(folder.path().join("rows.csv"), csv).unwrap();
    fs::write(folder.path().join("rows.jsonl"), json).unwrap();
    stored(&folder.path().join("rows.parquet"), &columns);
    let query = Query { keys: Some(listed()), ..Query::default() };
    for name in ["rows.csv", "rows.jsonl", "rows.parquet"] {
        let source = Source::new(folder.path().join(name).to_str().unwrap());
        let rules = CellRules { missing: vec!["NA".to_owned()], ..CellRules::default() };
        let source = ["sex", "code", "flag"].into_iter().fold(source, |source, name| source.spell(name, rules.clone()));
        let source = source.declare("sex", Kind::Text).declare("code", Kind::Integer).declare("flag", Kind::Boolean);
        for threads in [1, 3] {
            let engine = partitions(FileEngine::open(&source).unwrap(), threads);
            assert_eq!(all_answers(&engine, &query)[0], expected, "{name}");
        }
    }
}

/// The same values as a file with types has them.
fn stored(path: &std::path::Path, columns: &[Vec<KeyValue>; 3]) {
    let texts = columns[0].iter().map(|value| if let KeyValue::Text(text) = value { Some(text.clone()) } else { None });
    let codes = columns[1].iter().map(|value| if let KeyValue::Integer(code) = value { Some(*code) } else { None });
    let flags = columns[2].iter().map(|value| if let KeyValue::Boolean(flag) = value { Some(*flag) } else { None });
    let columns: [(&str, ArrayRef); 3] = [
        ("sex", Arc::new(texts.collect::<StringArray>())),
        ("code", Arc::new(codes.collect::<Int64Array>())),
        ("flag", Arc::new(flags.collect::<BooleanArray>())),
    ];
    write::columns(path, columns.to_vec());
}

/// A number that 64 bits with a sign do not hold is a value that no list has, and is not missing.
#[test]
fn a_number_that_is_too_large_is_not_missing() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    let codes: UInt64Array = [Some(u64::MAX), None, Some(7), Some(1 << 63)].into_iter().collect();
    write::columns(&path, vec![("code", Arc::new(codes))]);
    let engine = FileEngine::open(&Source::new(path.to_str().unwrap()).declare("code", Kind::Integer)).unwrap();
    let listed = keys(["code"], [[KeyValue::Integer(7)], [KeyValue::Missing], [KeyValue::Integer(i64::MAX)]]);
    let query = Query { keys: Some(listed), ..Query::default() };
    assert_eq!(all_answers(&engine, &query)[0], [1, 1, 0]);
}
