//! Tables in Parquet where it was left out of the build: none is written.

use std::ops::Range;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use crate::{BundleError, ColumnSink, FileEntry, PartialBundle};

/// No table.
pub(crate) struct ParquetTable;

impl ParquetTable {
    pub(crate) fn create(_: &PartialBundle, _: &'static str, _: SchemaRef) -> Result<Self, BundleError> {
        Ok(Self)
    }

    pub(crate) fn write(&mut self, _: &RecordBatch) -> Result<(), BundleError> {
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<Option<FileEntry>, BundleError> {
        Ok(None)
    }
}

pub(crate) fn write_columns(
    _: &PartialBundle,
    _: &'static str,
    _: &SchemaRef,
    _: usize,
    _: &impl Fn(Range<usize>, &mut dyn ColumnSink),
) -> Result<Option<FileEntry>, BundleError> {
    Ok(None)
}
