//! Why a scan failed, in our own words.
//!
//! The message of a reader may quote a cell and seldom names the file, so it is looked at only for its kind. The files
//! are then read once more for their form alone, which finds the file and, for CSV, the line.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use arrow::error::ArrowError;
use arrow::ipc::reader::FileReader;
use inbounds_input::{FileLocation, OpenedFile, ParquetFile, guarded};

use super::scan::fields;
use crate::arrow_sizes::ArrowSizes;
use crate::schema::Table;
use crate::{DataError, RowForm, text};

/// Cause of a stopped scan.
pub(super) enum Failure {
    /// An error of a reader.
    Reader(ArrowError),
    /// A panic of a reader on what it does not expect.
    Panic,
    /// The caller.
    Stopped,
    /// Rows that can be read once, and have been.
    ReadOnce,
    /// Rows that are not here.
    Elsewhere,
    /// Units that take more memory than the limit.
    UnitMemory { limit: u64 },
    /// A disk that does not take the rows of units, or does not give them back.
    Spill { folder: PathBuf, source: std::io::Error },
}

/// The error to report for a failure of a scan.
pub(super) fn explain(failure: Failure, table: &Table) -> DataError {
    let stage = match failure {
        Failure::Stopped => return DataError::Stopped,
        Failure::ReadOnce => return DataError::ReadOnce,
        Failure::Elsewhere => return DataError::Elsewhere,
        Failure::UnitMemory { limit } => return DataError::UnitMemory { limit },
        Failure::Spill { folder, source } => return DataError::Spill { folder, source },
        Failure::Reader(ArrowError::IoError(..)) => "reading from the disk",
        Failure::Reader(ArrowError::ParquetError(_)) => "decoding Parquet",
        Failure::Reader(_) => "decoding batches",
        Failure::Panic => "computing",
    };
    // What could not be fetched is not damaged.
    let unfetched = table.files.iter().find_map(|file| {
        let source = file.location.failure()?;
        Some(DataError::Unreadable { file: file.path().to_path_buf(), source })
    });
    let damage =
        || {
            table.files.iter().find_map(|file| match table.format.form() {
                RowForm::Delimited => text::damage(&file.location, &table.text, table.format)
                    .or_else(|| csv_damage(&file.location, table)),
                RowForm::JsonLines => text::damage(&file.location, &table.text, table.format)
                    .or_else(|| json_damage(&file.location, table)),
                RowForm::Arrow => typed_damage(&file.location, arrow_decodes, |file| DataError::DamagedArrow { file }),
                RowForm::Parquet => {
                    typed_damage(&file.location, parquet_decodes, |file| DataError::DamagedParquet { file })
                }
                RowForm::Memory => None,
            })
        };
    unfetched.or_else(damage).unwrap_or_else(|| DataError::Engine { path: table.path.clone(), stage })
}

/// The first line of a CSV file that has not as many fields as the header, or is not UTF-8.
fn csv_damage(location: &FileLocation, table: &Table) -> Option<DataError> {
    let (file, expected): (PathBuf, _) = (location.path().to_path_buf(), table.stored);
    let text::RowText { text: rows, begin: before, .. } = match text::open_rows(location, &table.text, table.format) {
        Ok(rows) => rows,
        Err(source) => return Some(DataError::Unreadable { file, source }),
    };
    // The header has as many fields as it has, and what is left out below it may have any number.
    let mut left_out = 1 + u64::from(table.text.skip_rows);
    let mut reader = table.text.dialect(table.format).reader(rows);
    let mut record = csv::ByteRecord::new();
    loop {
        match reader.read_byte_record(&mut record) {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) => match error.into_kind() {
                csv::ErrorKind::Io(source) => return Some(DataError::Unreadable { file, source }),
                _ => return None,
            },
        }
        let begin = before + record.position().map_or(0, csv::Position::byte);
        let line = || text::line_in(location, &table.text, table.format, begin);
        let is_row = left_out == 0;
        left_out = left_out.saturating_sub(1);
        if is_row && record.len() != expected {
            return Some(DataError::Ragged { file, line: line(), expected, found: record.len() });
        }
        if std::str::from_utf8(record.as_slice()).is_err() {
            return Some(DataError::NotUtf8 { file, line: line(), fitting: text::fitting(location) });
        }
    }
}

/// The first line of a file of JSON lines that is not UTF-8, or no object.
fn json_damage(location: &FileLocation, table: &Table) -> Option<DataError> {
    let file = location.path().to_path_buf();
    let lines = match text::open(location, &table.text, table.format) {
        Ok(lines) => lines,
        Err(source) => return Some(DataError::Unreadable { file, source }),
    };
    for (line, bytes) in (1..).zip(BufReader::new(lines).split(b'\n')) {
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(source) => return Some(DataError::Unreadable { file, source }),
        };
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").filter(|_| line == 1).unwrap_or(&bytes);
        let Ok(line_text) = std::str::from_utf8(bytes) else {
            return Some(DataError::NotUtf8 { file, line, fitting: text::fitting(location) });
        };
        let line_text = line_text.trim();
        if !line_text.is_empty() && fields(line_text, |_, _| ()).is_none() {
            return Some(DataError::NotJson { file, line });
        }
    }
    None
}

/// Damage of a file whose decoder may panic on unexpected content. On a thread of its own a panic is one more sign of
/// damage.
fn typed_damage(
    location: &FileLocation,
    decodes: fn(OpenedFile) -> Option<bool>,
    damaged: fn(PathBuf) -> DataError,
) -> Option<DataError> {
    let named = || location.path().to_path_buf();
    let file = match location.open() {
        Ok(file) => file,
        Err(source) => return Some(DataError::Unreadable { file: named(), source }),
    };
    match guarded(|| decodes(file)).flatten() {
        Some(true) => None,
        _ => Some(damaged(named())),
    }
}

/// Tests that all pages of a Parquet file can be decoded.
fn parquet_decodes(file: OpenedFile) -> Option<bool> {
    Some(ParquetFile::reader(file).ok()?.build().ok()?.all(|batch| batch.is_ok()))
}

/// Tests that all batches of an Arrow file can be decoded.
fn arrow_decodes(file: OpenedFile) -> Option<bool> {
    ArrowSizes::open(file.try_clone().ok()?).and_then(|mut sizes| sizes.check_all()).ok()?;
    Some(FileReader::try_new(file, None).ok()?.all(|batch| batch.is_ok()))
}
