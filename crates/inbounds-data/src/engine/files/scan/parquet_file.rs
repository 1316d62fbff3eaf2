//! Parquet: a chunk is a range of rows of one row group. Text columns are read as views, or as dictionaries where they
//! are key columns and every page is dictionary-encoded: then each distinct value is looked up once and no string is
//! copied. The footer is the one that was read when the table was opened. Page headers are looked at before they are
//! believed.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Field, Schema};
use arrow::error::Result;
use inbounds_input::{ParquetFile, is_stored};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection, RowSelector,
};

use super::super::program::Program;
use super::batch::BATCH;
use crate::Kind;
use crate::schema::{ParquetSchema, Table, TableFile};

/// Fewest rows that are worth a chunk of their own.
const MIN_CHUNK_ROWS: usize = 1 << 17;
/// Chunks for each thread, so that no thread waits long for the last one.
const CHUNKS_PER_THREAD: usize = 4;

/// The chunks of all files.
pub(super) struct ParquetChunks<'a> {
    table: &'a Table,
    files: Vec<FileColumns>,
    chunks: Vec<GroupRows>,
    next: AtomicUsize,
}

/// Plan for reading one file.
struct FileColumns {
    metadata: ArrowReaderMetadata,
    mask: ProjectionMask,
    /// Places of the columns in a batch of the file.
    order: Vec<usize>,
    /// True if row groups are divided; not those of an object, whose bytes would be fetched for each part.
    is_divided: bool,
}

/// Rows of one row group.
struct GroupRows {
    file: usize,
    group: usize,
    skip: usize,
    rows: usize,
    /// True if these are all rows of the group.
    is_full_group: bool,
}

impl<'a> ParquetChunks<'a> {
    /// The columns at these places.
    pub(super) fn new(table: &'a Table, columns: &[usize], (program, threads): (&Program<'_>, usize)) -> Result<Self> {
        let parquet = || table.files.iter().filter_map(|file| file.parquet.as_ref());
        let is_dictionary = |&column: &usize| {
            let name = &table.columns[column].name;
            program.is_key(column) && parquet().all(|file| file.is_dictionary(name))
        };
        let dictionaries: Vec<usize> = columns.iter().copied().filter(is_dictionary).collect();
        let file = |file: &TableFile| {
            let columns = FileColumns::new(file.parquet.as_ref()?, table, columns, &dictionaries);
            Some(columns.map(|columns| FileColumns { is_divided: !is_stored(file.path()), ..columns }))
        };
        let files = table.files.iter().filter_map(file).collect::<Result<Vec<_>>>()?;
        Ok(Self { table, chunks: chunks(&files, threads), files, next: AtomicUsize::new(0) })
    }

    /// Reads the next chunk, batch by batch, with the place of its file; false if there is none.
    pub(super) fn next(
        &self,
        stop: &AtomicBool,
        each: &mut impl FnMut(usize, &RecordBatch) -> Result<()>,
    ) -> Result<bool> {
        let Some(chunk) = self.chunks.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return Ok(false) };
        let columns = &self.files[chunk.file];
        let mut file = self.table.files[chunk.file].location.open()?;
        file.fetch(&columns.bytes_of(chunk.group))?;
        columns.read(ParquetFile::known(file)?, chunk, stop, &mut |batch| each(chunk.file, batch))?;
        Ok(true)
    }
}

impl FileColumns {
    fn new(file: &ParquetSchema, table: &Table, columns: &[usize], dictionaries: &[usize]) -> Result<Self> {
        let names: Vec<&str> = dictionaries.iter().map(|&column| table.columns[column].name.as_str()).collect();
        let field = |field: &Arc<Field>| match Kind::from_data_type(field.data_type()) {
            Kind::Text if names.contains(&field.name().as_str()) => {
                let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
                Arc::new(field.as_ref().clone().with_data_type(dictionary))
            }
            Kind::Text => Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8View)),
            _ => field.clone(),
        };
        let known = file.metadata.schema();
        let fields: Vec<_> = known.fields().iter().map(field).collect();
        let schema = Arc::new(Schema::new_with_metadata(fields, known.metadata().clone()));
        let options = ArrowReaderOptions::new().with_schema(schema);
        let metadata = ArrowReaderMetadata::try_new(file.metadata.metadata().clone(), options)?;
        let place = |&column: &usize| known.index_of(&table.columns[column].name);
        let places = columns.iter().map(place).collect::<Result<Vec<_>>>()?;
        let mut sorted = places.clone();
        sorted.sort_unstable();
        let order = places.iter().map(|place| sorted.binary_search(place).expect("one of them")).collect();
        let mask = ProjectionMask::roots(metadata.parquet_schema(), places);
        Ok(Self { metadata, mask, order, is_divided: true })
    }

    /// Where the columns of a row group stand in the file.
    fn bytes_of(&self, group: usize) -> Vec<Range<u64>> {
        let column_chunks = self.metadata.metadata().row_group(group).columns().iter().enumerate();
        let read = column_chunks.filter(|(leaf, _)| self.mask.leaf_included(*leaf));
        read.map(|(_, column_chunk)| column_chunk.byte_range())
            .map(|(begin, bytes)| begin..begin.saturating_add(bytes))
            .collect()
    }

    fn read(
        &self,
        file: ParquetFile,
        chunk: &GroupRows,
        stop: &AtomicBool,
        each: &mut impl FnMut(&RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
            .with_row_groups(vec![chunk.group])
            .with_projection(self.mask.clone())
            .with_batch_size(BATCH);
        // A whole row group is read faster without a selection.
        if !chunk.is_full_group {
            let selection = vec![RowSelector::skip(chunk.skip), RowSelector::select(chunk.rows)];
            builder = builder.with_row_selection(RowSelection::from(selection));
        }
        for batch in builder.build()? {
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            each(&batch?.project(&self.order)?)?;
        }
        Ok(())
    }
}

/// The row groups, divided where there are few of them.
fn chunks(files: &[FileColumns], threads: usize) -> Vec<GroupRows> {
    let rows_of = |group: &parquet::file::metadata::RowGroupMetaData| usize::try_from(group.num_rows()).unwrap_or(0);
    let groups = files.iter().enumerate().flat_map(|(file, columns)| {
        let rows = columns.metadata.metadata().row_groups().iter().map(rows_of);
        rows.enumerate().map(move |(group, rows)| (file, group, rows))
    });
    let groups: Vec<(usize, usize, usize)> = groups.collect();
    let all: usize = groups.iter().map(|(_, _, rows)| rows).sum();
    let most = all.div_ceil(threads * CHUNKS_PER_THREAD).max(MIN_CHUNK_ROWS);
    let mut chunks = Vec::new();
    for (file, group, rows) in groups {
        let parts = if files[file].is_divided { rows.div_ceil(most) } else { 1 };
        chunks.extend((0..parts).map(|part| {
            let skip = rows * part / parts;
            GroupRows { file, group, skip, rows: rows * (part + 1) / parts - skip, is_full_group: parts == 1 }
        }));
    }
    chunks
}
