//! Reading and writing alone: the same files in and out, by the same library, and nothing between.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
};

use arrow::{array::RecordBatch, csv};
use parquet::arrow::{ArrowWriter, arrow_reader::ParquetRecordBatchReaderBuilder};

use super::{Clock, blocks::writer};

/// Rows decoded at a time.
const BATCH: usize = 1 << 16;

/// All rows of a Parquet file.
pub(crate) fn batches(path: &Path) -> impl Iterator<Item = RecordBatch> {
    let file = File::open(path).expect("the file is there");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
    reader.with_batch_size(BATCH).build().expect("Parquet").map(|batch| batch.expect("Parquet"))
}

/// Reads a Parquet file.
pub(crate) fn read(path: &Path) {
    assert!(batches(path).map(|batch| batch.num_rows()).sum::<usize>() > 0);
}

/// Reads a Parquet file and writes it again.
pub(crate) fn copy(from: &Path, to: &Path) {
    let mut batches = batches(from).peekable();
    let mut file = writer(to, batches.peek().expect("rows"));
    batches.for_each(|batch| file.write(&batch).expect("the disk has room"));
    file.close().expect("the disk has room");
}

/// Writes a table of a bundle as CSV and as Parquet; what it takes to have the table is not on the clock.
pub(crate) fn write_table(table: &Path, into: &Path, clock: &mut Clock) {
    let mut rows = batches(table);
    let first = rows.next().expect("rows");
    let create =
        |extension| BufWriter::with_capacity(1 << 18, File::create(into.with_extension(extension)).expect("creates"));
    let mut text = csv::Writer::new(create("csv"));
    let mut columns = ArrowWriter::try_new(create("parquet"), first.schema(), None).expect("supported types");
    for batch in std::iter::once(first).chain(rows) {
        clock.run(|| {
            text.write(&batch).expect("the disk has room");
            columns.write(&batch).expect("the disk has room");
        });
    }
    clock.run(|| {
        columns.close().expect("the disk has room");
        text.into_inner().flush().expect("the disk has room");
    });
}
