//! The data set and the unit that a ledger is about.

use std::{
    fmt,
    path::{Path, PathBuf},
};

/// A data set, as a ledger and a plan both name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataSet {
    /// A file, folder or glob, with symbolic links followed, or an `s3://` URL as it is written.
    Path(PathBuf),
    /// A name, for rows that move or have no file.
    Name(String),
}

impl DataSet {
    /// The data set at a path, with symbolic links followed as far as there are files: two paths to one file are one
    /// data set.
    pub fn at(path: &Path) -> Self {
        if inbounds_input::is_stored(path) {
            return Self::Path(path.to_owned());
        }
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let mut rest = Vec::new();
        let mut stands = absolute.as_path();
        // What is not there, such as the stars of a glob, is kept as it is written.
        loop {
            if let Ok(canonical) = stands.canonicalize() {
                return Self::Path(rest.iter().rev().fold(canonical, |path: PathBuf, part| path.join(part)));
            }
            match (stands.parent(), stands.file_name()) {
                (Some(parent), Some(name)) => {
                    rest.push(name.to_owned());
                    stands = parent;
                }
                _ => return Self::Path(absolute),
            }
        }
    }
}

impl fmt::Display for DataSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.display().fmt(formatter),
            Self::Name(name) => name.fmt(formatter),
        }
    }
}

/// The privacy unit of a ledger: who is protected by all releases together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LedgerUnit {
    /// One row.
    Row,
    /// All rows with one value of a column. How many of them a release uses is its own affair.
    Column(String),
    /// Any group of at most this many rows, where no column names the unit.
    Rows(u64),
}

impl fmt::Display for LedgerUnit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row => formatter.write_str("one row"),
            Self::Column(column) => write!(formatter, "all rows with the same `{column}`"),
            Self::Rows(1) => formatter.write_str("any one row"),
            Self::Rows(rows) => write!(formatter, "any {rows} rows"),
        }
    }
}
