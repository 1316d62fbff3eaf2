//! Why a bundle was not written. The destination is then as it was.

use std::{io, path::PathBuf};

use thiserror::Error;

/// A bundle that was not written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BundleError {
    /// Something stands where the bundle should go.
    #[error("`{}` exists; a bundle is never overwritten: choose another folder or move that one away", .path.display())]
    Exists {
        /// The destination.
        path: PathBuf,
    },
    /// A file or folder could not be written.
    #[error("cannot write the bundle at `{}`: {source}", .path.display())]
    Write {
        /// File or folder that failed.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A table could not be encoded.
    #[error("cannot encode the bundle's table {table}: {problem}")]
    Encode {
        /// Name of the table.
        table: &'static str,
        /// The encoder's message about these public values.
        problem: String,
    },
}

/// An error of an encoder of tables.
pub(crate) fn unencoded(table: &'static str, problem: impl ToString) -> BundleError {
    BundleError::Encode { table, problem: problem.to_string() }
}
