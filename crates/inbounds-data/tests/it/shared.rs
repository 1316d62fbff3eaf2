//! The suite once more: whatever it asks of one table of CSV or Parquet it asks of shares of its rows too, and the
//! integers are the same. And what is no share, or one too many, is found.

use std::cell::Cell;
use std::fs::File;
use std::sync::Arc;

use arrow::array::UInt32Array;
use arrow::array::{Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, RecordBatchIterator, StringArray};
use arrow::compute::{filter_record_batch, take_record_batch};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use inbounds_data::{
    Answers, Asked, ContributionBound, DataError, Engine, FileEngine, Kind, LearnKeys, LearnedCells, MemoryRows, Part,
    PerUnit, Query, Questions, RowFormat, SealedShare, ShareError, ShareQuestion, SharedEngine, Shares, Source,
    TextLayout, UnitColumn, UnitMemory, UnitTake, nfc,
};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::numbers;

/// Parts of the rows.
const PARTS: u16 = 3;

/// The rows of one file of a plain layout: CSV as texts, and Parquet as it is stored.
fn batch_of(engine: &FileEngine) -> Option<RecordBatch> {
    let source = engine.source();
    if !std::path::Path::new(&source.path).is_file() || engine.columns_of_files().is_empty() {
        return None;
    }
    match engine.format() {
        RowFormat::Parquet => {
            let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&source.path).ok()?).ok()?.build().ok()?;
            let batches = reader.collect::<Result<Vec<_>, _>>().ok()?;
            let schema: SchemaRef = batches.first()?.schema();
            arrow::compute::concat_batches(&schema, &batches).ok()
        }
        RowFormat::Csv if source.text == TextLayout::default() && source.path.ends_with(".csv") => {
            let mut reader = csv::Reader::from_path(&source.path).ok()?;
            let names: Vec<String> = reader.headers().ok()?.iter().map(|name| nfc(name).into_owned()).collect();
            let records = reader.records().collect::<Result<Vec<_>, _>>().ok()?;
            let cells = |place: usize| -> ArrayRef {
                Arc::new(
                    records
                        .iter()
                        .map(|record| Some(record[place].to_owned()).filter(|cell| !cell.is_empty()))
                        .collect::<StringArray>(),
                )
            };
            // A file of one column has rows that another reader takes for empty lines.
            let is_name = |(place, name): (usize, &String)| !name.is_empty() && !names[..place].contains(name);
            let is_plain = names.len() > 1 && names.iter().enumerate().all(is_name);
            is_plain.then(|| batch(names.iter().enumerate().map(|(place, name)| (name.as_str(), cells(place)))))
        }
        _ => None,
    }
}

fn batch<'n>(columns: impl IntoIterator<Item = (&'n str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true))).unwrap()
}

fn of_elsewhere(engine: &FileEngine, batch: &RecordBatch, asked: Asked) -> (FileEngine, ShareQuestion) {
    let rows = Some(MemoryRows::elsewhere(batch.schema()));
    let source = Source { rows, format: Some(RowFormat::Memory), path: "rows".to_owned(), ..engine.source().clone() };
    let engine = FileEngine::open(&source).unwrap_or_else(|error| panic!("{error}"));
    let question = ShareQuestion::new(&engine, asked).unwrap_or_else(|error| panic!("{error}"));
    (engine, question)
}

fn groups(question: &ShareQuestion, batch: &RecordBatch) -> Vec<Option<u16>> {
    question.groups(&MemoryRows::new("rows", batch.schema(), std::slice::from_ref(batch)).unwrap()).unwrap()
}

/// The rows of a part: those of some groups of units, or every third one.
fn part_of(question: &ShareQuestion, batch: &RecordBatch, part: u16) -> RecordBatch {
    let mine: BooleanArray = match question.unit() {
        Some(_) => {
            let groups = groups(question, batch);
            groups.iter().map(|group| Some(group.unwrap_or(2) % PARTS == part)).collect()
        }
        None => (0..batch.num_rows()).map(|row| Some(row % usize::from(PARTS) == usize::from(part))).collect(),
    };
    filter_record_batch(batch, &mine).unwrap()
}

/// A share of these rows, in memory or as a stream of small batches, made from the bytes of the question.
fn share(question: &ShareQuestion, batch: &RecordBatch, part: u64) -> SealedShare {
    let there = ShareQuestion::from_bytes(&question.to_bytes()).unwrap();
    let rows = if part.is_multiple_of(2) {
        MemoryRows::new("rows", batch.schema(), std::slice::from_ref(batch)).unwrap()
    } else {
        let slices: Vec<RecordBatch> =
            (0..batch.num_rows()).step_by(7).map(|row| batch.slice(row, 7.min(batch.num_rows() - row))).collect();
        MemoryRows::once(Box::new(RecordBatchIterator::new(slices.into_iter().map(Ok), batch.schema())))
    };
    let share = there.share(&rows, Part::Number(part), &UnitMemory::default(), None);
    share.unwrap_or_else(|error| panic!("{error}"))
}

thread_local! {
    /// How often the test of this thread has asked.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

/// The rows of an engine, known by shares; none if they are in no plain file. Of the questions of a test the first
/// six are asked, and then one in sixteen.
fn elsewhere(engine: &FileEngine, asked: Asked) -> Option<SharedEngine> {
    let number = ASKED.replace(ASKED.get() + 1);
    if number >= 6 && !number.is_multiple_of(16) {
        return None;
    }
    let batch = batch_of(engine)?;
    // Some tests ask for two sorts of units at once.
    let units = asked.queries.iter().filter_map(|query| query.bound.as_ref());
    let mut units =
        units.chain(asked.surveys.iter().filter_map(|survey| survey.bound.as_ref())).map(|bound| &bound.unit);
    if let Some(first) = units.next().filter(|first| units.any(|unit| unit != *first)) {
        assert!(!first.is_empty());
        return None;
    }
    let (here, question) = of_elsewhere(engine, &batch, asked);
    let mut shares = Shares::new(question.clone());
    for part in (0..PARTS).rev() {
        let share = share(&question, &part_of(&question, &batch, part), part.into()).into_bytes();
        assert!(shares.add(&share).unwrap());
        assert!(!shares.add(&share).unwrap(), "a share counts once");
    }
    Some(here.with_shares(shares.into()))
}

/// What shares learn.
pub(crate) fn learn(engine: &FileEngine, asked: &LearnKeys) -> Option<LearnedCells> {
    let elsewhere = elsewhere(engine, Asked::new(&Questions::default(), [asked.clone()]));
    elsewhere.map(|engine| engine.learn(asked, None).unwrap_or_else(|error| panic!("{error}")))
}

/// Holds the answers of an engine against those of shares.
pub(crate) fn agree(engine: &FileEngine, questions: &Questions<'_>, here: &Answers) {
    let Some(there) = elsewhere(engine, Asked::new(questions, [])) else { return };
    let there = there.answer(questions).unwrap_or_else(|error| panic!("{error}"));
    let all = |answers: &Answers| answers.tallies.iter().map(numbers).collect::<Vec<_>>();
    assert!(all(here) == all(&there), "shares count otherwise");
    let surveys = |answers: &Answers| answers.surveys.iter().map(|answer| answer.private_steps().to_vec()).collect();
    let [here, there]: [Vec<Vec<i128>>; 2] = [surveys(here), surveys(&there)];
    assert!(here == there, "shares survey otherwise");
}

/// Visits of persons whose names have blanks around them, in an order of its own.
fn visits() -> RecordBatch {
    let persons: StringArray = (0..600)
        .map(|row| Some(format!("{}P{}{}", [" ", ""][row % 2], row * 7 % 90, ["", "  "][row % 3 % 2])))
        .collect();
    let ages: Int64Array = (0..600).map(|row| Some(row * 13 % 101)).collect();
    batch([("person", Arc::new(persons) as ArrayRef), ("age", Arc::new(ages))])
}

fn at_most_two() -> Query {
    Query { bound: Some(ContributionBound::of_rows("person", 2)), ..Query::default() }
}

/// An engine of the rows, and a question about them as of rows that are elsewhere.
fn engines(batch: &RecordBatch, query: &Query) -> (FileEngine, FileEngine, ShareQuestion) {
    let rows = MemoryRows::new("rows", batch.schema(), std::slice::from_ref(batch)).unwrap();
    let source = Source::in_memory("rows", rows).declare("age", Kind::Integer);
    let here = FileEngine::open(&source).unwrap();
    let asked = Asked::new(&Questions { queries: vec![query], ..Questions::default() }, []);
    let (there, question) = of_elsewhere(&here, batch, asked);
    (here, there, question)
}

#[test]
fn a_unit_is_one_however_it_is_spelled_and_its_rows_must_meet() {
    let (rows, query) = (visits(), at_most_two());
    let (here, there, question) = engines(&rows, &query);
    assert_eq!((question.unit(), question.columns().collect::<Vec<_>>()), (Some("person"), vec!["person"]));
    assert_eq!(here.tally(&query).unwrap().counts.private_steps(), [180]);
    let of_rows = groups(&question, &rows);
    let trimmed =
        |row: usize| rows.column(0).as_any().downcast_ref::<StringArray>().unwrap().value(row).trim().to_owned();
    for row in 0..600 {
        let of_one = (0..600).filter(|&other| trimmed(other) == trimmed(row));
        assert!(
            of_one.into_iter().all(|other| of_rows[other] == of_rows[row]),
            "the group is that of the unit as it is read"
        );
    }
    let mut shares = Shares::new(question.clone());
    (0..PARTS).for_each(|part| {
        shares.add(&share(&question, &part_of(&question, &rows, part), part.into()).into_bytes()).unwrap();
    });
    assert_eq!(there.with_shares(shares.into()).tally(&query).unwrap().counts.private_steps(), [180]);
    // Of rows that are cut anywhere more would count: 4 rows of a person in two parts.
    let mut apart = Shares::new(question.clone());
    apart.add(&share(&question, &rows.slice(0, 300), 0).into_bytes()).unwrap();
    let refused = apart.add(&share(&question, &rows.slice(300, 300), 1).into_bytes());
    assert!(matches!(refused, Err(ShareError::UnitsApart)));
    // The other key of another question gives other groups.
    let (.., other) = engines(&rows, &query);
    assert!(groups(&other, &rows) != of_rows);
}

#[test]
fn a_part_that_is_read_again_counts_once_and_one_that_changed_is_refused() {
    let (rows, query) = (visits(), Query::default());
    let (_, there, question) = engines(&rows, &query);
    let mut shares = Shares::new(question.clone());
    let first = share(&question, &rows.slice(0, 250), 0);
    assert!(shares.add(&first.clone().into_bytes()).unwrap());
    assert!(shares.add(&share(&question, &rows.slice(250, 350), 1).into_bytes()).unwrap());
    // The same bytes; another attempt, in another order of rows; and other rows of the same part.
    assert!(!shares.add(&first.into_bytes()).unwrap());
    let backwards = take_record_batch(&rows.slice(0, 250), &UInt32Array::from_iter_values((0..250).rev())).unwrap();
    assert!(!shares.add(&share(&question, &backwards, 0).into_bytes()).unwrap());
    let changed = shares.add(&share(&question, &rows.slice(0, 249), 0).into_bytes());
    assert!(matches!(changed, Err(ShareError::Differs { part: Some(0) })));
    assert_eq!(shares.parts(), 2);
    assert_eq!(there.with_shares(shares.into()).tally(&query).unwrap().counts.private_steps(), [600]);
}

#[test]
fn shares_answer_their_own_question_alone() {
    let (rows, query) = (visits(), at_most_two());
    let (_, there, question) = engines(&rows, &query);
    let (_, _, other) = engines(&rows, &query);
    let ours = share(&question, &rows, 0).into_bytes();
    assert!(matches!(Shares::new(other).add(&ours), Err(ShareError::OtherQuestion)));
    let mut shares = Shares::new(question.clone());
    assert!(matches!(shares.add(b"nothing"), Err(ShareError::NoShare)));
    assert!(shares.add(&ours).unwrap());
    let shared = there.with_shares(shares.into());
    let refused = shared.tally(&Query::default()).err();
    assert!(matches!(refused, Some(DataError::Share(ShareError::NoAnswer))));
    // Nothing in its bytes is a name, and nothing shows it.
    assert!(!ours.windows(2).any(|bytes| bytes == b"P7"), "names of units are in no share");
    assert_eq!(
        (format!("{question:?}"), format!("{:?}", share(&question, &rows, 0))),
        ("ShareQuestion { .. }".into(), "SealedShare { .. }".into())
    );
}

#[test]
fn rows_of_other_columns_make_no_share() {
    let (rows, query) = (visits(), at_most_two());
    let (_, _, question) = engines(&rows, &query);
    let refused = |batch: &RecordBatch| {
        let rows = MemoryRows::new("rows", batch.schema(), std::slice::from_ref(batch)).unwrap();
        question.share(&rows, Part::Number(0), &UnitMemory::default(), None).expect_err("other columns").to_string()
    };
    let without = rows.project(&[1]).unwrap();
    assert!(refused(&without).contains("`person` is not there"), "{}", refused(&without));
    let twice =
        Schema::new(vec![Field::new("person", DataType::Utf8, true), Field::new("person", DataType::Utf8, true)]);
    let twice = RecordBatch::try_new(twice.into(), vec![rows.column(0).clone(), rows.column(0).clone()]).unwrap();
    assert!(refused(&twice).contains("`person` is there twice"), "{}", refused(&twice));
    // A column that is not read need not be there.
    let alone = rows.project(&[0]).unwrap();
    assert!(
        question
            .share(
                &MemoryRows::new("rows", alone.schema(), std::slice::from_ref(&alone)).unwrap(),
                Part::unnumbered().unwrap(),
                &UnitMemory::default(),
                None
            )
            .is_ok()
    );
    let mut altered = question.to_bytes();
    altered.truncate(altered.len() - 1);
    assert!(matches!(ShareQuestion::from_bytes(&altered), Err(ShareError::NoQuestion)));
    let version = altered.iter().position(|&byte| byte == b'.').unwrap();
    altered[version] = b'-';
    assert!(matches!(ShareQuestion::from_bytes(&altered), Err(ShareError::Program { .. })));
}

#[test]
fn two_sorts_of_units_make_no_question() {
    let rows = visits();
    let second = Query { bound: Some(ContributionBound::of_rows("age", 1)), ..Query::default() };
    let (here, ..) = engines(&rows, &at_most_two());
    let first = at_most_two();
    let both = Asked::new(&Questions { queries: vec![&first, &second], ..Questions::default() }, []);
    let refused = ShareQuestion::new(&here, both).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(refused.contains("`person` and `age`"), "{refused}");
}

#[test]
fn rows_that_are_elsewhere_are_answered_from_shares_alone() {
    let (rows, query) = (visits(), Query::default());
    let (_, there, question) = engines(&rows, &query);
    assert!(matches!(there.tally(&query), Err(DataError::Elsewhere)));
    let learned = there.learn(&LearnKeys::from_columns(&["person"]), None);
    assert!(matches!(learned, Err(DataError::Elsewhere)));
    // No share is a share of no rows.
    let empty = there.with_shares(Shares::new(question).into());
    assert_eq!(empty.tally(&query).unwrap().counts.private_steps(), [0]);
}

#[test]
fn a_stream_is_read_once_whatever_it_is_asked_in_one_reading() {
    let rows = visits();
    let stream = || {
        let slices: Vec<_> = (0..6).map(|slice| Ok(rows.slice(slice * 100, 100))).collect();
        MemoryRows::once(Box::new(RecordBatchIterator::new(slices, rows.schema())))
    };
    let source = || Source::in_memory("rows", stream()).declare("age", Kind::Integer);
    let (here, ..) = engines(&rows, &at_most_two());
    // Rows of units, which are in no order, and a table of units.
    let streamed = FileEngine::open(&source()).unwrap();
    assert_eq!(numbers(&streamed.tally(&at_most_two()).unwrap()), numbers(&here.tally(&at_most_two()).unwrap()));
    assert!(matches!(streamed.tally(&at_most_two()), Err(DataError::ReadOnce)));
    let columns = vec![UnitColumn { name: "visits".to_owned(), take: UnitTake::Rows, filter: None }];
    let per_unit = PerUnit { unit: "person".to_owned(), columns };
    let of_units = FileEngine::open(&Source { per_unit: Some(per_unit), ..source() }).unwrap();
    assert_eq!(of_units.tally(&Query::default()).unwrap().counts.private_steps(), [90]);
    // Learned keys are refused before a row is read, so the rows are still there.
    let streamed = FileEngine::open(&source()).unwrap();
    assert!(matches!(streamed.check_keys(&LearnKeys::from_columns(&["person"])), Err(DataError::LearnedOfStream)));
    assert!(matches!(streamed.learn(&LearnKeys::from_columns(&["person"]), None), Err(DataError::LearnedOfStream)));
    assert_eq!(streamed.tally(&Query::default()).unwrap().counts.private_steps(), [600]);
}
