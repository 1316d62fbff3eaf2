//! The rows in batches, for several threads at once: our own list of files, our own types, no inference.
//!
//! There is one file here for each way in which rows are stored. Each hands out batches of the columns that a program
//! reads, and threads take them in turn; columns that are names of folders come behind.

mod arrow_file;
mod batch;
mod folders;
mod json;
mod longer;
mod parquet_file;
mod stream;
mod text;
mod units;

use std::sync::atomic::{AtomicBool, Ordering};

use arrow::array::RecordBatch;
use arrow::error::Result;

use self::arrow_file::ArrowBatches;
pub(super) use self::arrow_file::usual;
pub(super) use self::batch::BATCH;
use self::folders::FolderColumns;
pub(super) use self::json::fields;
pub use self::json::first_names;
use self::longer::LongerRows;
use self::parquet_file::ParquetChunks;
use self::stream::StreamBatches;
use self::text::TextRows;
use self::units::UnitBatches;
use super::failure::Failure;
use super::program::Program;
use crate::memory::Held;
use crate::schema::Table;
use crate::{MemoryRows, RowForm};

/// The rows of a table, in the columns that a program reads.
pub(super) struct Scan<'a> {
    /// Places in the table, in order.
    pub(super) columns: Vec<usize>,
    rows: Rows<'a>,
    folders: FolderColumns,
    /// The reshaping from wide to long format, where columns are gathered.
    longer: Option<LongerRows>,
}

enum Rows<'a> {
    Text(Box<TextRows>),
    Arrow(ArrowBatches<'a>),
    Parquet(ParquetChunks<'a>),
    Stream(StreamBatches),
    Units(UnitBatches),
}

impl<'a> Scan<'a> {
    /// The columns that a program reads. Of rows that can be read once this is where they are taken.
    pub(super) fn new(table: &'a Table, program: &Program<'_>, threads: usize) -> std::result::Result<Self, Failure> {
        let columns = program.columns();
        // Columns of folders are the last ones of a table.
        let (stored, behind) = columns.split_at(columns.partition_point(|&column| column < table.stored));
        // Then what columns are gathered in.
        let gathered = table.gathered.as_ref().map_or(usize::MAX, |gathered| gathered.names);
        let (folders, made) = behind.split_at(behind.partition_point(|&column| column < gathered));
        let (longer, read) = match &table.gathered {
            None => (None, stored.to_vec()),
            Some(gathered) => {
                let (rows, read) = LongerRows::new(table, gathered, stored, made);
                (Some(rows), read)
            }
        };
        let stored = &read[..];
        let rows = match table.format.form() {
            RowForm::Delimited | RowForm::JsonLines => Rows::Text(Box::new(TextRows::new(table, stored))),
            RowForm::Memory => match table.memory().map(MemoryRows::held) {
                Some(Held::Elsewhere(_)) => return Err(Failure::Elsewhere),
                Some(Held::Once(stream)) => {
                    let stream = stream.take().ok_or(Failure::ReadOnce)?;
                    Rows::Stream(StreamBatches::new(stream, table, stored).map_err(Failure::Reader)?)
                }
                Some(Held::Chunks(_)) | None => Rows::Arrow(ArrowBatches::new(table, stored)),
            },
            RowForm::Arrow => Rows::Arrow(ArrowBatches::new(table, stored)),
            RowForm::Parquet => {
                Rows::Parquet(ParquetChunks::new(table, stored, (program, threads)).map_err(Failure::Reader)?)
            }
        };
        Ok(Self { rows, folders: FolderColumns::new(table, folders), longer, columns })
    }

    /// The rows that units were made into.
    pub(super) fn of_units(batches: Vec<RecordBatch>, program: &Program<'_>) -> Self {
        let columns = program.columns();
        let rows = Rows::Units(UnitBatches::new(batches, &columns));
        Self { rows, folders: FolderColumns::none(), longer: None, columns }
    }

    /// Hands batches to `each` until there are no more, or `stop` is set. Any number of threads may call this at once:
    /// each batch goes to one of them.
    pub(super) fn for_each(&self, stop: &AtomicBool, mut each: impl FnMut(&RecordBatch) -> Result<()>) -> Result<()> {
        let mut one = |batch: &RecordBatch| match &self.longer {
            None => each(batch),
            Some(rows) => rows.each(batch, &mut each),
        };
        let mut with_folders = |file: usize, batch: &RecordBatch| {
            if self.folders.is_empty() { one(batch) } else { one(&self.folders.behind(batch, file)?) }
        };
        let mut open = None;
        while !stop.load(Ordering::Relaxed) {
            let more = match &self.rows {
                Rows::Text(text) => text.next(&mut with_folders)?,
                Rows::Arrow(batches) => batches.next(&mut open, stop, &mut with_folders)?,
                Rows::Parquet(chunks) => chunks.next(stop, &mut with_folders)?,
                Rows::Stream(stream) => stream.next(stop, &mut with_folders)?,
                Rows::Units(batches) => batches.next(&mut with_folders)?,
            };
            if !more {
                return Ok(());
            }
        }
        Ok(())
    }
}
