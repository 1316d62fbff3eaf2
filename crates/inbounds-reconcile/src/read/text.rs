//! A few columns of a file as text, for small tables beside the measurements.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use ::csv::{ErrorKind, Reader, ReaderBuilder, StringRecord};
use inbounds_input::Format;

use super::{header::positions, parquet::ParquetText, place::wrong};
use crate::error::{Problem, ReconcileError};

/// A file with just these columns, in any order.
pub(crate) struct Text<const N: usize> {
    path: PathBuf,
    columns: [&'static str; N],
    source: Source,
}

enum Source {
    Csv(Box<Reader<File>>),
    Parquet(ParquetText),
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
        let format = Format::from_path(path).ok_or_else(|| ReconcileError::UnknownFormat { file: path.to_owned() })?;
        let file = File::open(path).map_err(|source| ReconcileError::Unreadable { file: path.to_owned(), source })?;
        let source = match format {
            Format::Csv => Source::Csv(Box::new(ReaderBuilder::new().flexible(true).from_reader(file))),
            Format::Parquet => Source::Parquet(ParquetText::open(path, file)?),
        };
        Ok(Self { path: path.to_owned(), columns, source })
    }

    /// Hands each row to `take` with its place.
    pub(crate) fn each(self, take: impl FnMut(u64, [&str; N]) -> Result<(), Problem>) -> Result<(), ReconcileError> {
        match self.source {
            Source::Csv(reader) => each_of_csv(&self.path, self.columns, *reader, take),
            Source::Parquet(text) => text.each(&self.path, self.columns, take),
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
