//! A few columns of a file as text, for small tables beside the measurements.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use ::csv::{ErrorKind, Reader, ReaderBuilder, StringRecord};
use arrow::{
    array::{Array, AsArray, RecordBatch},
    compute::cast,
    datatypes::DataType,
};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use inbounds_input::{Format, line_at, nearest};

use super::super::error::{Place, Problem, ReconcileError};

/// A file with just these columns, in any order.
pub(crate) struct Text<const N: usize> {
    path: PathBuf,
    columns: [&'static str; N],
    source: Source,
}

enum Source {
    Csv(Box<Reader<File>>),
    Parquet(Box<ParquetRecordBatchReaderBuilder<File>>),
}

/// An error at a place of a file: first byte in CSV, number of the row in Parquet.
pub(crate) fn wrong(path: &Path, place: u64, problem: Problem) -> ReconcileError {
    let (format, number) = match Format::of(path) {
        Some(Format::Parquet) => (Format::Parquet, place),
        _ => (Format::Csv, line_at(path, place)),
    };
    ReconcileError::Row { file: path.to_owned(), place: Place { format, number }, problem: Box::new(problem) }
}

fn damaged(path: &Path, error: &dyn ToString) -> ReconcileError {
    ReconcileError::Damaged { file: path.to_owned(), problem: error.to_string() }
}

/// An error of the CSV reader.
fn unread(path: &Path, error: ::csv::Error) -> ReconcileError {
    let place = error.position().map_or(0, ::csv::Position::byte);
    match error.into_kind() {
        ErrorKind::Io(source) => ReconcileError::Unreadable { file: path.to_owned(), source },
        _ => wrong(path, place, Problem::NotUtf8),
    }
}

impl<const N: usize> Text<N> {
    pub(crate) fn open(path: &Path, columns: [&'static str; N]) -> Result<Self, ReconcileError> {
        let format = Format::of(path).ok_or_else(|| ReconcileError::UnknownFormat { file: path.to_owned() })?;
        let file = File::open(path).map_err(|source| ReconcileError::Unreadable { file: path.to_owned(), source })?;
        let source = match format {
            Format::Csv => Source::Csv(Box::new(ReaderBuilder::new().flexible(true).from_reader(file))),
            Format::Parquet => {
                let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| damaged(path, &error))?;
                Source::Parquet(Box::new(builder))
            }
        };
        Ok(Self { path: path.to_owned(), columns, source })
    }

    /// Hands each row to `take` with its place.
    pub(crate) fn each(self, take: impl FnMut(u64, [&str; N]) -> Result<(), Problem>) -> Result<(), ReconcileError> {
        match self.source {
            Source::Csv(reader) => each_of_csv(&self.path, self.columns, *reader, take),
            Source::Parquet(builder) => each_of_parquet(&self.path, self.columns, *builder, take),
        }
    }
}

fn each_of_csv<const N: usize>(
    path: &Path,
    columns: [&'static str; N],
    mut reader: Reader<File>,
    mut take: impl FnMut(u64, [&str; N]) -> Result<(), Problem>,
) -> Result<(), ReconcileError> {
    let header = reader.headers().map_err(|error| unread(path, error))?.clone();
    let positions = positions(path, columns, header.iter().map(|name| name.trim_start_matches('\u{feff}')))?;
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| unread(path, error))? {
        let place = record.position().map_or(0, ::csv::Position::byte);
        if record.len() != header.len() {
            return Err(wrong(path, place, Problem::Fields { found: record.len(), wanted: header.len() }));
        }
        let fields = positions.map(|position| record.get(position).unwrap_or_default());
        take(place, fields).map_err(|problem| wrong(path, place, problem))?;
    }
    Ok(())
}

fn each_of_parquet<const N: usize>(
    path: &Path,
    columns: [&'static str; N],
    builder: ParquetRecordBatchReaderBuilder<File>,
    mut take: impl FnMut(u64, [&str; N]) -> Result<(), Problem>,
) -> Result<(), ReconcileError> {
    let fields = builder.schema().fields().clone();
    let positions = positions(path, columns, fields.iter().map(|field| field.name().as_str()))?;
    let mut place = 0;
    for batch in builder.build().map_err(|error| damaged(path, &error))? {
        let batch: RecordBatch = batch.map_err(|error| damaged(path, &error))?;
        let text = |position: usize| cast(batch.column(position), &DataType::Utf8);
        let arrays: Vec<_> = positions
            .iter()
            .map(|&position| text(position))
            .collect::<Result<_, _>>()
            .map_err(|error| damaged(path, &error))?;
        for row in 0..batch.num_rows() {
            place += 1;
            let entry = |column: usize| {
                let array = arrays[column].as_string::<i32>();
                if array.is_valid(row) { array.value(row) } else { "" }
            };
            take(place, std::array::from_fn(entry)).map_err(|problem| wrong(path, place, problem))?;
        }
    }
    Ok(())
}

/// Where each column stands; no other may be there.
fn positions<'h, const N: usize>(
    path: &Path,
    columns: [&'static str; N],
    header: impl Iterator<Item = &'h str>,
) -> Result<[usize; N], ReconcileError> {
    let refuse = |problem: String| ReconcileError::Columns { file: path.to_owned(), problem };
    let mut found = [None; N];
    for (position, name) in header.enumerate() {
        let Some(index) = columns.iter().position(|column| *column == name) else {
            let near = nearest(name, columns).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Err(refuse(format!("unknown column `{name}`{near}; the columns are {}", columns.join(", "))));
        };
        if found[index].replace(position).is_some() {
            return Err(refuse(format!("the column `{name}` occurs twice")));
        }
    }
    if let Some(missing) = found.iter().position(Option::is_none) {
        return Err(refuse(format!("there is no column `{}`", columns[missing])));
    }
    Ok(found.map(|position| position.expect("all columns are there")))
}
