//! Message about a file, with the place of the mistake.

use std::path::Path;

use inbounds_input::{Format, line_at};

use crate::error::{Place, Problem, ReconcileError};

/// An error at a place of a file: first byte in CSV, number of the row in Parquet.
pub(crate) fn wrong(path: &Path, place: u64, problem: Problem) -> ReconcileError {
    let (format, number) = match Format::from_path(path) {
        Some(Format::Parquet) => (Format::Parquet, place),
        _ => (Format::Csv, line_at(path, place)),
    };
    ReconcileError::Row { file: path.to_owned(), place: Place { format, number }, problem: Box::new(problem) }
}

/// An error of the decoder of Parquet.
#[cfg(feature = "parquet")]
pub(super) fn damaged(path: &Path, error: &dyn ToString) -> ReconcileError {
    ReconcileError::Damaged { file: path.to_owned(), problem: error.to_string() }
}
