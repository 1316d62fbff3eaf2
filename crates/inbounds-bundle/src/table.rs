//! Tidy tables, as Arrow with units and descriptions in the field metadata.

use std::{collections::HashMap, sync::Arc};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_csv::Writer;
use arrow_schema::{Field, Schema};

use crate::{BundleError, FileEntry, PartialBundle, error::unencoded, parquet::ParquetTable};

/// A table of a bundle, or a block of its rows.
pub struct TidyTable {
    /// File name without extension.
    name: &'static str,
    rows: RecordBatch,
}

/// Columns under construction: fields with metadata, arrays of equal length.
pub struct TidyColumns {
    name: &'static str,
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
}

impl TidyColumns {
    /// No column yet of the table of this name.
    pub fn new(name: &'static str) -> Self {
        Self { name, fields: Vec::new(), arrays: Vec::new() }
    }

    /// Adds a column; an empty unit or description is left out.
    pub fn push(&mut self, name: &str, unit: &str, description: &str, array: ArrayRef, nullable: bool) {
        let metadata = [("unit", unit), ("description", description)]
            .into_iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(key, text)| (key.to_owned(), text.to_owned()))
            .collect::<HashMap<_, _>>();
        self.fields.push(Field::new(name, array.data_type().clone(), nullable).with_metadata(metadata));
        self.arrays.push(array);
    }

    /// The table.
    ///
    /// # Errors
    /// [`BundleError::Encode`] if the columns differ in length, or one that may have no gaps has one.
    pub fn finish(self) -> Result<TidyTable, BundleError> {
        let rows = RecordBatch::try_new(Arc::new(Schema::new(self.fields)), self.arrays);
        let rows = rows.map_err(|error| unencoded(self.name, error))?;
        Ok(TidyTable { name: self.name, rows })
    }
}

impl TidyTable {
    /// Writes the table as CSV with a header line.
    ///
    /// # Errors
    /// [`BundleError::Encode`] or [`BundleError::Write`].
    pub fn write_csv(&self, partial: &PartialBundle) -> Result<FileEntry, BundleError> {
        let mut text = Writer::new(partial.create(format!("{}.csv", self.name))?);
        text.write(&self.rows).map_err(|error| unencoded(self.name, error))?;
        text.into_inner().finish()
    }

    /// Writes the table as CSV with a header line and, with the feature `parquet`, as Parquet with its Arrow schema, metadata
    /// included.
    ///
    /// # Errors
    /// [`BundleError::Encode`] or [`BundleError::Write`].
    pub fn write(self, partial: &PartialBundle) -> Result<Vec<FileEntry>, BundleError> {
        write_blocks(partial, self, std::iter::empty())
    }
}

/// Writes a table as [`TidyTable::write`] does, block by block, so that it is never whole in memory. All blocks have
/// the columns of the first.
///
/// # Errors
/// Those of the blocks, [`BundleError::Encode`] or [`BundleError::Write`].
pub fn write_blocks(
    partial: &PartialBundle,
    first: TidyTable,
    others: impl IntoIterator<Item = Result<TidyTable, BundleError>>,
) -> Result<Vec<FileEntry>, BundleError> {
    let name = first.name;
    let mut text = Writer::new(partial.create(format!("{name}.csv"))?);
    let mut columns = ParquetTable::create(partial, name, first.rows.schema())?;
    for block in std::iter::once(Ok(first)).chain(others) {
        let block = block?;
        text.write(&block.rows).map_err(|error| unencoded(name, error))?;
        columns.write(&block.rows)?;
    }
    Ok([text.into_inner().finish()?].into_iter().chain(columns.finish()?).collect())
}
