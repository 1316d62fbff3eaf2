//! Tables in Parquet.

use std::{ops::Range, vec};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Schema, SchemaRef};
use parquet::{
    arrow::{
        ArrowWriter,
        arrow_writer::{ArrowColumnChunk, ArrowColumnWriter, compute_leaves},
    },
    errors::ParquetError,
    file::properties::DEFAULT_MAX_ROW_GROUP_ROW_COUNT,
};

use crate::{BundleError, ColumnSink, FileEntry, PartialBundle, PartialFile, dictionary::values, error::unencoded};

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

/// Writes the same file as a [`ParquetTable`] of one block, with one column in memory at a time beside what the others
/// were encoded to.
pub(crate) fn write_columns(
    partial: &PartialBundle,
    name: &'static str,
    schema: &SchemaRef,
    rows: usize,
    fill: &impl Fn(Range<usize>, &mut dyn ColumnSink),
) -> Result<Option<FileEntry>, BundleError> {
    let writer = ParquetTable::create(partial, name, schema.clone())?.writer;
    let write = || {
        let (mut file, columns) = writer.into_serialized_writer()?;
        let begins = (0..rows).step_by(DEFAULT_MAX_ROW_GROUP_ROW_COUNT).enumerate();
        let group = |(index, begin)| {
            let rows = begin..rows.min(begin + DEFAULT_MAX_ROW_GROUP_ROW_COUNT);
            Ok(Group { rows, columns: columns.create_column_writers(index)?.into_iter(), encoded: Vec::new() })
        };
        let groups = begins.map(group).collect::<Result<_, ParquetError>>()?;
        let mut encoder = Encoder { schema, next: 0, groups, failed: None };
        fill(0..rows, &mut encoder);
        if let Some(error) = encoder.failed {
            return Err(error);
        }
        for group in encoder.groups {
            let mut rows = file.next_row_group()?;
            group.encoded.into_iter().try_for_each(|column| column.append_to_row_group(&mut rows))?;
            rows.close()?;
        }
        file.into_inner()
    };
    let file = write().map_err(|error: ParquetError| unencoded(name, error))?;
    file.finish().map(Some)
}

/// A group of rows of a file.
struct Group {
    rows: Range<usize>,
    /// The columns to come.
    columns: vec::IntoIter<ArrowColumnWriter>,
    encoded: Vec<ArrowColumnChunk>,
}

/// Takes columns, each of which has one leaf.
struct Encoder<'s> {
    schema: &'s Schema,
    /// The place of the next column.
    next: usize,
    groups: Vec<Group>,
    failed: Option<ParquetError>,
}

impl Encoder<'_> {
    fn take(&mut self, name: &str, array: &ArrayRef) -> Result<(), ParquetError> {
        let field = self.schema.fields().get(self.next).filter(|field| field.name() == name);
        let changed = || ParquetError::General(format!("the columns change at `{name}`"));
        let field = field.filter(|field| field.data_type() == values(array.data_type())).ok_or_else(changed)?;
        self.next += 1;
        for group in &mut self.groups {
            let mut column = group.columns.next().ok_or_else(changed)?;
            // Where pages end depends on whether there is a gap in any group, so that a group has to be part of the
            // whole column.
            for leaf in compute_leaves(field, &array.slice(group.rows.start, group.rows.len()))? {
                column.write(&leaf)?;
            }
            group.encoded.push(column.close()?);
        }
        Ok(())
    }
}

impl ColumnSink for Encoder<'_> {
    fn push(&mut self, name: &str, _unit: &str, _description: &str, array: ArrayRef, _nullable: bool) {
        if self.failed.is_none() {
            self.failed = self.take(name, &array).err();
        }
    }
}
