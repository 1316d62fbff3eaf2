//! Why a scan failed, in our own words.
//!
//! The message of a reader may quote a cell and seldom names the file, so it is looked at only for its kind. The files
//! are then read once more for their form alone, which finds the file and, for CSV, the line.

use std::fs::File;
use std::path::{Path, PathBuf};

use arrow::error::ArrowError;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::schema::Table;
use crate::{DataError, RowFormat, text};

/// What stopped a scan.
pub(super) enum Failure {
    /// An error of a reader.
    Reader(ArrowError),
    /// A panic of a reader on what it does not expect.
    Panic,
}

/// The error to report for a failure of a scan.
pub(super) fn explain(failure: &Failure, table: &Table) -> DataError {
    let damage = table.files.iter().find_map(|file| match table.format {
        RowFormat::Csv | RowFormat::Tsv => {
            text::damage(&file.path, table.text.encoding).or_else(|| csv_damage(&file.path, table))
        }
        RowFormat::Parquet => parquet_damage(&file.path),
    });
    damage.unwrap_or_else(|| DataError::Engine { path: table.path.clone(), stage: stage(failure) })
}

/// The first line of a CSV file that has not as many fields as the header, or is not UTF-8.
fn csv_damage(path: &Path, table: &Table) -> Option<DataError> {
    let (file, expected): (PathBuf, _) = (path.to_path_buf(), table.columns.len());
    let text = match text::open(path, table.text.encoding) {
        Ok(text) => text,
        Err(source) => return Some(DataError::Unreadable { file, source }),
    };
    let mut reader = table.text.dialect(table.format).reader(text);
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
        let begin = record.position().map_or(0, csv::Position::byte);
        let line = || text::line_in(path, table.text.encoding, begin);
        if record.len() != expected {
            return Some(DataError::Ragged { file, line: line(), expected, found: record.len() });
        }
        if std::str::from_utf8(record.as_slice()).is_err() {
            return Some(DataError::NotUtf8 { file, line: line() });
        }
    }
}

/// Whether a Parquet file can be opened and all its pages be decoded.
fn parquet_damage(path: &Path) -> Option<DataError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(source) => return Some(DataError::Unreadable { file: path.to_path_buf(), source }),
    };
    let decodes = || {
        let mut batches = ParquetRecordBatchReaderBuilder::try_new(file).ok()?.build().ok()?;
        batches.all(|batch| batch.is_ok()).then_some(())
    };
    // The decoder may panic on what it does not expect; on a thread of its own that is one more sign of damage.
    let decoded = std::thread::scope(|scope| scope.spawn(decodes).join());
    match decoded {
        Ok(Some(())) => None,
        _ => Some(DataError::DamagedParquet { file: path.to_path_buf() }),
    }
}

fn stage(failure: &Failure) -> &'static str {
    match failure {
        Failure::Reader(ArrowError::IoError(..)) => "reading from the disk",
        Failure::Reader(ArrowError::ParquetError(_)) => "decoding Parquet",
        Failure::Reader(_) => "decoding batches",
        Failure::Panic => "computing",
    }
}
