//! The declared kind alone decides how a column is read. Programs infer its type from the cells, so two tables that
//! differ in one row may store all other rows in another type: every answer, and every error, must be the same.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BooleanArray, Decimal128Array, DictionaryArray, Float64Array, Int8Array, Int64Array, ListArray,
    RecordBatch, StringArray, UInt64Array,
};
use arrow::datatypes::{Int8Type, Int64Type};
use inbounds_core::Grid;
use inbounds_data::{
    Bins, Bounded, Clip, ContributionBound, DataError, Engine, FileEngine, KeyValue, Kind, MemoryRows, Missing, Query,
    Source, Survey,
};
use tempfile::tempdir;

use crate::{all_answers, filtered, keys, text, write};

const KINDS: [Kind; 5] = [Kind::Integer, Kind::Number, Kind::Text, Kind::Boolean, Kind::Date];

/// The cells 1, 0, 3 and a missing one, in every type in which a reader may store them.
fn stored() -> Vec<ArrayRef> {
    let cells = [Some(1), Some(0), Some(3), None];
    let decimal = |scale: u32| -> Decimal128Array {
        cells.iter().map(|cell| cell.map(|cell: i64| i128::from(cell) * 10i128.pow(scale))).collect()
    };
    let typed = |scale: u32| decimal(scale).with_precision_and_scale(20, scale as i8).unwrap();
    let texts = ["1", "0", "3"].map(Some).into_iter().chain([None]);
    vec![
        Arc::new(Int64Array::from(cells.to_vec())),
        Arc::new(cells.iter().map(|cell| cell.map(|cell| cell as i8)).collect::<Int8Array>()),
        Arc::new(cells.iter().map(|cell| cell.map(|cell| cell as u64)).collect::<UInt64Array>()),
        Arc::new(cells.iter().map(|cell| cell.map(|cell| cell as f64)).collect::<Float64Array>()),
        Arc::new(typed(0)),
        Arc::new(typed(3)),
        Arc::new(texts.clone().collect::<StringArray>()),
        Arc::new(texts.collect::<DictionaryArray<Int8Type>>()),
    ]
}

fn in_memory(cells: &ArrayRef) -> Source {
    let other: ArrayRef = Arc::new(Int64Array::from_iter_values(0..cells.len() as i64));
    let batch = RecordBatch::try_from_iter_with_nullable([("x", cells.clone(), true), ("i", other, false)]).unwrap();
    Source::in_memory("rows", MemoryRows::new("rows", batch.schema(), &[batch]).unwrap()).declare("i", Kind::Integer)
}

/// What can be asked of a column: sums on coarse and fine grids, keys of each kind, bins, conditions, limits on units.
fn questions() -> Vec<Query> {
    let clip = |exponent, missing| {
        let grid = Grid::power_of_two(exponent).unwrap();
        Clip { column: "x".to_owned(), lower: -5, upper: 1 << 40, grid, missing }
    };
    let sum = |exponent, missing| Query { values: vec![clip(exponent, missing)], ..Query::default() };
    let by = |list: Vec<KeyValue>| Query {
        keys: Some(keys(["x"], list.into_iter().map(|key| [key]).collect::<Vec<_>>())),
        ..Query::default()
    };
    let bins = Bins::new("x", vec![0.0, 0.5, 2.0, 4.0], Missing::Drop).unwrap();
    vec![
        sum(0, Missing::Drop),
        sum(-30, Missing::Impute(7)),
        by(vec![KeyValue::Integer(1), KeyValue::Integer(3)]),
        by(vec![text("1"), text("3"), text("1.0")]),
        by(vec![KeyValue::Boolean(true), KeyValue::Boolean(false)]),
        Query { bins: Some(bins), ..Query::default() },
        Query { bound: Some(ContributionBound::of_rows("x", 1)), ..Query::default() },
        filtered("x IS NULL"),
        filtered("x = 1 OR x > 2.5"),
        filtered("x IN ('1', '3', '3.0')"),
        filtered("x LIKE '3%'"),
        filtered("x = '1970-01-01'"),
        filtered("x"),
        filtered("NOT x"),
    ]
}

/// All answers, and all errors in words.
fn outcome(source: &Source) -> Vec<Result<Vec<Vec<i128>>, String>> {
    let engine = FileEngine::open(source).unwrap();
    let asked = |query: &Query| match engine.check(query) {
        Ok(()) => Ok(all_answers(&engine, query)),
        Err(error) => Err(error.to_string()),
    };
    let mut all: Vec<_> = questions().iter().map(asked).collect();
    let bounded = Bounded { column: "x".to_owned(), lower: 0.5, upper: 2.0 };
    let survey = Survey { rows: true, bounded: vec![bounded], empty: true, ..Survey::default() };
    let outcome = engine.survey(&survey).map(|answer| vec![answer.private_steps().to_vec()]);
    all.push(outcome.map_err(|error| error.to_string()));
    all
}

#[test]
fn a_stored_type_changes_no_answer_and_no_error() {
    for kind in KINDS {
        let all: Vec<_> = stored()
            .iter()
            .map(|cells| (cells.data_type().clone(), outcome(&in_memory(cells).declare("x", kind))))
            .collect();
        assert!(all[0].1.iter().any(Result::is_ok), "{kind}");
        for (data_type, outcome) in &all[1..] {
            assert_eq!(*outcome, all[0].1, "{kind} stored as {data_type}");
        }
    }
    // A column that is not declared is text.
    assert_eq!(outcome(&in_memory(&stored()[0])), outcome(&in_memory(&stored()[3]).declare("x", Kind::Text)));
}

#[test]
fn truth_values_are_those_that_are_spelled() {
    let truths: ArrayRef = Arc::new(BooleanArray::from(vec![Some(true), Some(false), None]));
    let words: ArrayRef = Arc::new(StringArray::from(vec![Some("true"), Some("false"), None]));
    for kind in KINDS {
        let [stored, spelled] = [&truths, &words].map(|cells| outcome(&in_memory(cells).declare("x", kind)));
        assert_eq!(stored, spelled, "{kind}");
    }
}

/// One file of a folder has no missing cell, another has one: their writer stored integers and doubles.
#[test]
fn files_may_store_a_column_in_different_types() {
    let folder = tempdir().unwrap();
    let files: [(&str, ArrayRef); 3] = [
        ("a.parquet", Arc::new(Int64Array::from(vec![1, 3]))),
        ("b.parquet", Arc::new(Float64Array::from(vec![Some(1.0), None]))),
        ("c.parquet", Arc::new(StringArray::from(vec![Some("3"), Some("<5")]))),
    ];
    files.into_iter().for_each(|(name, cells)| write::columns(&folder.path().join(name), vec![("x", cells)]));
    let source = || Source::new(folder.path().to_str().unwrap());
    let engine = FileEngine::open(&source().declare("x", Kind::Integer)).unwrap();
    let by = keys(["x"], [[KeyValue::Integer(1)], [KeyValue::Integer(3)]]);
    assert_eq!(all_answers(&engine, &Query { keys: Some(by), ..Query::default() }), [[2, 2]]);
    let disagrees = FileEngine::open(&source().with_public_types().declare("x", Kind::Integer));
    assert!(matches!(disagrees, Err(DataError::SchemaDisagrees { .. })), "a public schema is one");
}

/// A list has no cells that could be read, and no reader makes one of a column of cells.
#[test]
fn nested_columns_are_refused_where_they_are_used() {
    let list: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>([Some(vec![Some(1)]), None]));
    let unused = FileEngine::open(&in_memory(&list)).unwrap();
    assert_eq!(all_answers(&unused, &filtered("i >= 0")), [[2]]);
    for kind in KINDS {
        let declared = FileEngine::open(&in_memory(&list).declare("x", kind));
        assert!(matches!(declared, Err(DataError::DeclaredKind { .. })), "{kind}");
    }
}
