//! Formats of files, by their names.

use std::{fmt, path::Path};

/// The format of a file with a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated text with a header line, `"` as quote, UTF-8.
    Csv,
    /// Apache Parquet.
    Parquet,
}

impl Format {
    /// The format that a file's extension stands for, upper or lower case.
    pub fn from_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "csv" => Some(Self::Csv),
            "parquet" => Some(Self::Parquet),
            _ => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Csv => "CSV",
            Self::Parquet => "Parquet",
        })
    }
}
