//! Tables of a folder, read as CSV by the names of their columns.

use std::{collections::BTreeMap, fs, path::PathBuf};

use csv::{Reader, StringRecord};

use crate::FiguresError;

/// Values by column.
pub(crate) type Key = BTreeMap<String, String>;

/// A table whose header is read.
pub(crate) struct Table {
    path: PathBuf,
    reader: Reader<fs::File>,
    header: StringRecord,
}

impl Table {
    pub(crate) fn open(path: PathBuf) -> Result<Self, FiguresError> {
        let fail = |error: csv::Error| FiguresError::Table { path: path.clone(), problem: error.to_string() };
        let mut reader = Reader::from_path(&path).map_err(fail)?;
        let header = reader.headers().map_err(fail)?.clone();
        Ok(Self { path, reader, header })
    }

    /// The place of a column.
    pub(crate) fn column(&self, name: &str) -> Result<usize, FiguresError> {
        let place = self.header.iter().position(|known| known == name);
        place.ok_or_else(|| self.wrong(format!("there is no column `{name}`")))
    }

    /// Places of the grouping columns, with their names.
    pub(crate) fn keys(&self) -> Vec<(usize, String)> {
        let named = |(place, name): (usize, &str)| Some((place, name.strip_prefix("by_")?.to_owned()));
        self.header.iter().enumerate().filter_map(named).collect()
    }

    pub(crate) fn wrong(&self, problem: String) -> FiguresError {
        FiguresError::Table { path: self.path.clone(), problem }
    }

    pub(crate) fn records(&mut self) -> Result<Vec<StringRecord>, FiguresError> {
        let records: Result<Vec<StringRecord>, csv::Error> = self.reader.records().collect();
        records.map_err(|error| self.wrong(error.to_string()))
    }
}

/// The key of a row, of the columns that it has a value in.
pub(crate) fn key_of(record: &StringRecord, keys: &[(usize, String)]) -> Key {
    let value = |(place, name): &(usize, String)| {
        let value = record.get(*place).filter(|value| !value.is_empty())?;
        Some((name.clone(), value.to_owned()))
    };
    keys.iter().filter_map(value).collect()
}
