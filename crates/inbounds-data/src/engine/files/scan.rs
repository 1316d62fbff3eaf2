//! The rows in batches, for several threads at once: our own list of files, our own types, no inference.
//!
//! **Parquet.** A piece is some rows of one row group; threads take pieces in turn. Text columns are read as views, or as
//! dictionaries where they are key columns and every page is dictionary-encoded: then each distinct value is looked up once
//! and no string is copied. The footer is the one that was read when the table was opened.
//!
//! **CSV.** Every column is text. Threads take blocks in turn, of whole records: [`super::csv_blocks`] cuts them.

use std::fs::File;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::RecordBatch;
use arrow::csv::ReaderBuilder;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::error::Result;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection, RowSelector,
};

use super::csv_blocks::{CsvBlocks, EmptyLines, Records};
use super::program::Program;
use crate::schema::{ParquetSchema, Table};
use crate::text::Dialect;
use crate::{Kind, RowFormat};

/// Rows in a batch: its columns stay inside the L2 cache.
const BATCH: usize = 16_384;
/// Fewest rows that are worth a piece of their own.
const PIECE: usize = 1 << 17;
/// Pieces for each thread, so that none waits long for the last one.
const PIECES: usize = 4;

/// The rows of a table, in the columns that a program reads.
pub(super) struct Scan<'a> {
    table: &'a Table,
    /// Places in the table, in order.
    pub(super) columns: Vec<usize>,
    rows: Rows,
}

enum Rows {
    Csv { schema: SchemaRef, dialect: Dialect, blocks: Mutex<CsvBlocks> },
    Parquet { files: Vec<ParquetFile>, pieces: Vec<Piece>, next: AtomicUsize },
}

/// How one file is to be read.
struct ParquetFile {
    metadata: ArrowReaderMetadata,
    mask: ProjectionMask,
    /// Places of the columns in a batch of the file.
    order: Vec<usize>,
}

/// Rows of one row group.
struct Piece {
    file: usize,
    group: usize,
    skip: usize,
    rows: usize,
    /// Whether these are all rows of the group.
    whole: bool,
}

impl<'a> Scan<'a> {
    pub(super) fn new(table: &'a Table, program: &Program<'_>, threads: usize) -> Result<Self> {
        let columns = program.columns();
        let rows = match table.format {
            RowFormat::Csv | RowFormat::Tsv => {
                let field = |column: &crate::Column| Field::new(&column.name, DataType::Utf8View, true);
                let schema = Schema::new(table.columns.iter().map(field).collect::<Vec<_>>());
                let paths = table.files.iter().map(|file| file.path.clone()).collect();
                let dialect = table.text.dialect(table.format);
                let empty_lines = if table.columns.len() == 1 { EmptyLines::Cells } else { EmptyLines::Nothing };
                let blocks = CsvBlocks::new(paths, table.text.encoding, Records { dialect, empty_lines });
                Rows::Csv { schema: Arc::new(schema), dialect, blocks: Mutex::new(blocks) }
            }
            RowFormat::Parquet => {
                let parquet = || table.files.iter().filter_map(|file| file.parquet.as_ref());
                let is_dictionary = |&column: &usize| {
                    let name = &table.columns[column].name;
                    program.is_key(column) && parquet().all(|file| file.is_dictionary(name))
                };
                let dictionaries: Vec<usize> = columns.iter().copied().filter(is_dictionary).collect();
                let file = |file| ParquetFile::new(file, table, &columns, &dictionaries);
                let files = parquet().map(file).collect::<Result<Vec<_>>>()?;
                Rows::Parquet { pieces: pieces(&files, threads), files, next: AtomicUsize::new(0) }
            }
        };
        Ok(Self { table, columns, rows })
    }

    /// Hands batches to `each` until there are no more, or `stop` is set. Any number of threads may call this at once: each
    /// batch goes to one of them.
    pub(super) fn for_each(&self, stop: &AtomicBool, mut each: impl FnMut(&RecordBatch) -> Result<()>) -> Result<()> {
        while !stop.load(Ordering::Relaxed) {
            let more = match &self.rows {
                Rows::Csv { schema, dialect, blocks } => self.csv_block(schema, *dialect, blocks, &mut each)?,
                Rows::Parquet { files, pieces, next } => match pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
                    None => false,
                    Some(piece) => {
                        let file = File::open(&self.table.files[piece.file].path)?;
                        files[piece.file].read(file, piece, stop, &mut each)?;
                        true
                    }
                },
            };
            if !more {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Reads the next block; false if there is none.
    fn csv_block(
        &self,
        schema: &SchemaRef,
        dialect: Dialect,
        blocks: &Mutex<CsvBlocks>,
        each: &mut impl FnMut(&RecordBatch) -> Result<()>,
    ) -> Result<bool> {
        let block = blocks.lock().unwrap_or_else(PoisonError::into_inner).next_block()?;
        let Some(block) = block else { return Ok(false) };
        let mut decoder = ReaderBuilder::new(schema.clone())
            .with_header(false)
            .with_delimiter(dialect.separator)
            .with_quote(dialect.quote_or_never())
            .with_batch_size(BATCH)
            .with_projection(self.columns.clone())
            .build_decoder();
        // An empty line, so that a byte order mark at the beginning of a block is a letter like any other.
        decoder.decode(b"\n")?;
        let mut rest = &block[..];
        loop {
            // Zero bytes are taken at the end of the block and when the batch is full.
            while let taken @ 1.. = decoder.decode(rest)? {
                rest = &rest[taken..];
            }
            match decoder.flush()? {
                Some(batch) => each(&batch)?,
                None => return Ok(true),
            }
        }
    }
}

impl ParquetFile {
    fn new(file: &ParquetSchema, table: &Table, columns: &[usize], dictionaries: &[usize]) -> Result<Self> {
        let names: Vec<&str> = dictionaries.iter().map(|&column| table.columns[column].name.as_str()).collect();
        let field = |field: &Arc<Field>| match Kind::of(field.data_type()) {
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
        Ok(Self { metadata, mask, order })
    }

    fn read(
        &self,
        file: File,
        piece: &Piece,
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

/// Row groups, divided where there are few of them.
fn pieces(files: &[ParquetFile], threads: usize) -> Vec<Piece> {
    let rows_of = |group: &parquet::file::metadata::RowGroupMetaData| usize::try_from(group.num_rows()).unwrap_or(0);
    let groups = || files.iter().map(|file| file.metadata.metadata().row_groups());
    let all: usize = groups().flatten().map(rows_of).sum();
    let most = all.div_ceil(threads * PIECES).max(PIECE);
    let mut pieces = Vec::new();
    for (file, groups) in groups().enumerate() {
        for (group, rows) in groups.iter().map(rows_of).enumerate() {
            let parts = rows.div_ceil(most);
            pieces.extend((0..parts).map(|part| {
                let skip = rows * part / parts;
                Piece { file, group, skip, rows: rows * (part + 1) / parts - skip, whole: parts == 1 }
            }));
        }
    }
    pieces
}
