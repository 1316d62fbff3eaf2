//! Parquet: a piece is some rows of one row group. Text columns are read as views, or as dictionaries where they are
//! key columns and every page is dictionary-encoded: then each distinct value is looked up once and no string is
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

/// Fewest rows that are worth a piece of their own.
const PIECE: usize = 1 << 17;
/// Pieces for each thread, so that none waits long for the last one.
const PIECES: usize = 4;

/// The pieces of all files.
pub(super) struct ParquetPieces<'a> {
    table: &'a Table,
    files: Vec<FileColumns>,
    pieces: Vec<GroupRows>,
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
    whole: bool,
}

impl<'a> ParquetPieces<'a> {
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
        Ok(Self { table, pieces: pieces(&files, threads), files, next: AtomicUsize::new(0) })
    }

    /// Reads the next piece, batch by batch, with the place of its file; false if there is none.
    pub(super) fn next(
        &self,
        stop: &AtomicBool,
        each: &mut impl FnMut(usize, &RecordBatch) -> Result<()>,
    ) -> Result<bool> {
        let Some(piece) = self.pieces.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return Ok(false) };
        let columns = &self.files[piece.file];
        let mut file = self.table.files[piece.file].location.open()?;
        file.fetch(&columns.bytes_of(piece.group))?;
        columns.read(ParquetFile::known(file)?, piece, stop, &mut |batch| each(piece.file, batch))?;
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
        let chunks = self.metadata.metadata().row_group(group).columns().iter().enumerate();
        let read = chunks.filter(|(leaf, _)| self.mask.leaf_included(*leaf));
        read.map(|(_, chunk)| chunk.byte_range()).map(|(begin, bytes)| begin..begin.saturating_add(bytes)).collect()
    }

    fn read(
        &self,
        file: ParquetFile,
        piece: &GroupRows,
        stop: &AtomicBool,
        each: &mut impl FnMut(&RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
            .with_row_groups(vec![piece.group])
            .with_projection(self.mask.clone())
            .with_batch_size(BATCH);
        // A whole row group is read faster without a selection.
        if !piece.whole {
            let selection = vec![RowSelector::skip(piece.skip), RowSelector::select(piece.rows)];
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
fn pieces(files: &[FileColumns], threads: usize) -> Vec<GroupRows> {
    let rows_of = |group: &parquet::file::metadata::RowGroupMetaData| usize::try_from(group.num_rows()).unwrap_or(0);
    let groups = files.iter().enumerate().flat_map(|(file, columns)| {
        let rows = columns.metadata.metadata().row_groups().iter().map(rows_of);
        rows.enumerate().map(move |(group, rows)| (file, group, rows))
    });
    let groups: Vec<(usize, usize, usize)> = groups.collect();
    let all: usize = groups.iter().map(|(_, _, rows)| rows).sum();
    let most = all.div_ceil(threads * PIECES).max(PIECE);
    let mut pieces = Vec::new();
    for (file, group, rows) in groups {
        let parts = if files[file].is_divided { rows.div_ceil(most) } else { 1 };
        pieces.extend((0..parts).map(|part| {
            let skip = rows * part / parts;
            GroupRows { file, group, skip, rows: rows * (part + 1) / parts - skip, whole: parts == 1 }
        }));
    }
    pieces
}
