//! Tables in Parquet.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;

use crate::{BundleError, FileEntry, PartialBundle, PartialFile, error::unencoded};

/// A table that is being written.
pub(crate) struct ParquetTable {
    name: &'static str,
    writer: ArrowWriter<PartialFile>,
}

impl ParquetTable {
    pub(crate) fn create(partial: &PartialBundle, name: &'static str, schema: SchemaRef) -> Result<Self, BundleError> {
        let file = partial.create(format!("{name}.parquet"))?;
        let writer = ArrowWriter::try_new(file, schema, None).map_err(|error| unencoded(name, error))?;
        Ok(Self { name, writer })
    }

    pub(crate) fn write(&mut self, rows: &RecordBatch) -> Result<(), BundleError> {
        self.writer.write(rows).map_err(|error| unencoded(self.name, error))
    }

    pub(crate) fn finish(self) -> Result<Option<FileEntry>, BundleError> {
        let file = self.writer.into_inner().map_err(|error| unencoded(self.name, error))?;
        file.finish().map(Some)
    }
}
