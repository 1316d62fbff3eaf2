//! Columns whose cells are the names of folders: one value for all rows of a file.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::error::Result;

use super::batch::{behind, repeated};
use crate::schema::Table;

/// The columns of folders that are read.
pub(super) struct FolderColumns {
    names: Vec<String>,
    /// For each file, the one value of each column; it is remembered as a dictionary, so it is looked up once.
    values: Vec<Vec<FolderValue>>,
}

/// The cell of a folder, or none if it is missing.
struct FolderValue {
    is_known: bool,
    array: Arc<StringArray>,
}

impl FolderColumns {
    /// The columns at these places of the table.
    pub(super) fn new(table: &Table, columns: &[usize]) -> Self {
        let of_file = |file: &crate::schema::TableFile| {
            let value = |&column: &usize| {
                let value = file.folders[column - table.stored].as_deref().filter(|cell| !cell.is_empty());
                let array = Arc::new(StringArray::from(vec![value.unwrap_or_default()]));
                FolderValue { is_known: value.is_some(), array }
            };
            columns.iter().map(value).collect()
        };
        Self {
            names: columns.iter().map(|&column| table.columns[column].name.clone()).collect(),
            values: table.files.iter().map(of_file).collect(),
        }
    }

    /// No columns.
    pub(super) fn none() -> Self {
        Self { names: Vec::new(), values: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// A batch of a file with these columns behind its own.
    pub(super) fn behind(&self, batch: &RecordBatch, file: usize) -> Result<RecordBatch> {
        let one = |FolderValue { is_known, array }: &FolderValue| repeated(array, *is_known, batch.num_rows());
        let added = self.values[file].iter().map(one).collect::<Result<Vec<ArrayRef>>>()?;
        behind(batch, self.names.iter().zip(added))
    }
}
