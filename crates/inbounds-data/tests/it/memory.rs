//! Rows in memory give the integers of the same rows in a file, however they lie there.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arrow::array::{Array, ArrayRef, DictionaryArray, Int64Array, RecordBatch, StringArray, UInt32Array};
use arrow::compute::{cast, take_record_batch};
use arrow::datatypes::{DataType, Field, Int8Type, Int32Type, Schema, SchemaRef};
use inbounds_data::{
    ContributionBound, DataError, Engine, FileEngine, KeyValue, Kind, LearnKeys, MemoryRows, Query, Questions,
    RowFormat, Source,
};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tempfile::tempdir;

use crate::random::{Random, STATES};
use crate::{all_answers, filtered, income, keys, open, partitions, text, write};

fn questions() -> Vec<Query> {
    let by_state = keys(["state"], STATES.into_iter().map(|state| [text(state)]));
    let by_both = keys(["member", "age"], (0..90).map(|age| [KeyValue::Boolean(age % 2 == 0), KeyValue::Integer(age)]));
    let bound = Some(ContributionBound::of_rows("person", 3));
    vec![
        Query::default(),
        Query { keys: Some(by_state.clone()), values: vec![income()], products: vec![(0, 0)], ..Query::default() },
        Query { keys: Some(by_both), bound: bound.clone(), values: vec![income()], ..Query::default() },
        Query { keys: Some(by_state), bound, ..Query::default() },
        filtered("age >= 30 AND (income < 1000.5 OR member) AND state <> 'CA'"),
        filtered("state IS NULL OR income IS NULL"),
    ]
}

/// The batches with every text in another layout.
fn with_texts(batches: &[RecordBatch], layout: &DataType) -> (SchemaRef, Vec<RecordBatch>) {
    let one = |batch: &RecordBatch| {
        let relaid = |array: &ArrayRef| match array.data_type() {
            DataType::Utf8 => cast(array, layout).unwrap(),
            _ => array.clone(),
        };
        let arrays: Vec<ArrayRef> = batch.columns().iter().map(relaid).collect();
        let named = batch.schema();
        let fields = named.fields().iter().zip(&arrays);
        let fields: Vec<Field> =
            fields.map(|(field, array)| Field::new(field.name(), array.data_type().clone(), true)).collect();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap()
    };
    let batches: Vec<RecordBatch> = batches.iter().map(one).collect();
    (batches[0].schema(), batches)
}

fn in_memory((schema, batches): (SchemaRef, Vec<RecordBatch>)) -> FileEngine {
    let rows = MemoryRows::new("rows", schema, &batches).unwrap();
    FileEngine::open(&Source::in_memory("rows", rows).with_public_types()).unwrap()
}

#[test]
fn memory_and_parquet_agree_in_every_layout() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    // More rows than one chunk, so that chunks are cut.
    write::parquet(&path, &Random::new(5).rows(140_000, 900));
    let file = open(&path);
    let expected: Vec<_> = questions().iter().map(|query| all_answers(&file, query)).collect();
    let batches = |size: usize| -> Vec<RecordBatch> {
        let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
        builder.with_batch_size(size).build().unwrap().map(Result::unwrap).collect()
    };
    let dictionary = |keys| DataType::Dictionary(Box::new(keys), Box::new(DataType::Utf8));
    let layouts = [
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        dictionary(DataType::Int32),
        dictionary(DataType::UInt32),
    ];
    for layout in layouts {
        for (size, threads) in [(140_000, 3), (999, 1)] {
            let engine = partitions(in_memory(with_texts(&batches(size), &layout)), threads);
            assert_eq!(engine.format(), RowFormat::Memory);
            for (query, expected) in questions().iter().zip(&expected) {
                assert_eq!(all_answers(&engine, query), *expected, "{layout}, {size}, {query:?}");
            }
        }
    }
}

#[test]
fn texts_in_memory_are_read_as_what_is_declared() {
    let cells: ArrayRef = Arc::new(StringArray::from(vec![Some("7"), Some(" 7.0 "), Some("x"), None]));
    let batch = RecordBatch::try_from_iter([("n", cells)]).unwrap();
    let rows = MemoryRows::new("rows", batch.schema(), &[batch]).unwrap();
    let declared = Source::in_memory("rows", rows.clone()).with_public_types().declare("n", Kind::Integer);
    let engine = FileEngine::open(&declared).unwrap();
    assert_eq!(all_answers(&engine, &filtered("n = 7")), [vec![2]]);
    let wrong = FileEngine::open(&Source::in_memory("rows", rows).with_public_types().declare("m", Kind::Integer));
    assert!(matches!(wrong, Err(DataError::NoSuchColumn { .. })));
}

#[test]
fn nothing_but_the_columns_of_rows_in_memory_is_shown() {
    let batch = || {
        let cells: ArrayRef = Arc::new(StringArray::from(vec!["canary"]));
        RecordBatch::try_from_iter([("name", cells)]).unwrap()
    };
    let rows = MemoryRows::new("rows", batch().schema(), &[batch()]).unwrap();
    assert_eq!(format!("{rows:?}"), r#"MemoryRows { columns: ["name"], .. }"#);
    assert!(!format!("{:?}", Source::in_memory("rows", rows).with_public_types()).contains("canary"));
    let other: ArrayRef = Arc::new(Int64Array::from(vec![8_675_309]));
    let other = RecordBatch::try_from_iter([("name", other)]).unwrap();
    let error = MemoryRows::new("rows", batch().schema(), &[batch(), other]).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("8675309"), "{error}");
    let bare = Source { format: Some(RowFormat::Memory), ..Source::new("rows") };
    let error = FileEngine::open(&bare).err().unwrap();
    assert!(error.to_string().contains("write the rows to a file"), "{error}");
}

#[test]
fn an_engine_that_is_stopped_has_no_answer() {
    let folder = tempdir().unwrap();
    let rows = Random::new(6).rows(5_000, 40);
    for name in ["rows.parquet", "rows.csv"] {
        let path = folder.path().join(name);
        if name == "rows.csv" {
            write::csv(&path, &rows)
        } else {
            write::parquet(&path, &rows)
        }
        let engine = open(&path);
        for query in questions() {
            let asked = |stop: &AtomicBool| {
                engine.answer(&Questions { queries: vec![&query], stop: Some(stop), ..Questions::default() })
            };
            assert!(matches!(asked(&AtomicBool::new(true)).err(), Some(DataError::Stopped)), "{name}, {query:?}");
            assert!(asked(&AtomicBool::new(false)).is_ok());
        }
    }
}

/// An empty text that a dictionary holds is missing, as a unit and as a key, in whatever order rows stand.
#[test]
fn an_empty_text_in_a_dictionary_is_missing() {
    let cells = [Some("x"), None, Some("a text of more than twelve bytes"), Some("x"), Some("")];
    let int8: DictionaryArray<Int8Type> = cells.iter().copied().collect();
    let int32: DictionaryArray<Int32Type> = cells.iter().copied().collect();
    for array in [Arc::new(int8) as ArrayRef, Arc::new(int32)] {
        let schema = Arc::new(Schema::new(vec![Field::new("unit", array.data_type().clone(), true)]));
        let rows = RecordBatch::try_new(schema, vec![array]).unwrap();
        for (order, expected) in [(vec![0, 1, 2, 3, 4], 2), (vec![4, 3, 2, 1, 0], 2), (vec![4], 0), (vec![0, 3], 1)] {
            let rows = take_record_batch(&rows, &UInt32Array::from(order)).unwrap();
            let memory = MemoryRows::new("rows", rows.schema(), &[rows]).unwrap();
            let source = Source::in_memory("rows", memory).declare("unit", Kind::Text);
            let query = Query { bound: Some(ContributionBound::of_rows("unit", 1)), ..Query::default() };
            let tally = FileEngine::open(&source).unwrap().tally(&query).unwrap();
            assert_eq!(tally.counts.private_steps(), [expected], "an empty text is no unit");
            let learned = FileEngine::open(&source).unwrap().learn(&LearnKeys::from_columns(&["unit"]), None).unwrap();
            assert_eq!(learned.counts.private_steps().len() as i128, expected, "an empty text is no key");
        }
    }
}
