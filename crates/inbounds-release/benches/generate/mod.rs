//! Rows for benchmarks: counties, states and incomes, the same for the same number of rows.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt32Array};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use crate::common::numbers;

/// Number of counties.
pub(crate) const COUNTIES: u64 = 3_204;
/// Number of states; county `c` lies in state `c % STATES`.
pub(crate) const STATES: u64 = 51;

/// The five-digit code of a county.
pub(crate) fn county(index: u64) -> String {
    format!("{:05}", 1_001 + index * 17)
}

/// The name of a state.
pub(crate) fn state(index: u64) -> String {
    format!("State {index:02}")
}

/// Writes `rows` rows with the columns `county`, `state`, `income` and `person` (two rows each on average) in random
/// order, snappy-compressed, a million rows to the row group.
pub(crate) fn write(path: &Path, rows: u64) {
    let counties: Vec<String> = (0..COUNTIES).map(county).collect();
    let states: Vec<String> = (0..STATES).map(state).collect();
    let mut next = numbers();
    let mut writer: Option<ArrowWriter<File>> = None;
    let mut left = rows;
    while left > 0 {
        let batch = left.min(100_000);
        left -= batch;
        let drawn: Vec<u64> = (0..batch).map(|_| next() % COUNTIES).collect();
        let columns: [(&str, ArrayRef); 4] = [
            ("county", Arc::new(StringArray::from_iter_values(drawn.iter().map(|&c| &counties[c as usize])))),
            ("state", Arc::new(StringArray::from_iter_values(drawn.iter().map(|&c| &states[(c % STATES) as usize])))),
            (
                "income",
                Arc::new(Float64Array::from_iter_values(drawn.iter().map(|_| (next() % 20_000_000) as f64 / 100.0))),
            ),
            ("person", Arc::new(UInt32Array::from_iter_values(drawn.iter().map(|_| (next() % (rows / 2 + 1)) as u32)))),
        ];
        let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
        let writer = writer.get_or_insert_with(|| {
            let properties = WriterProperties::builder()
                .set_compression(Compression::SNAPPY)
                .set_max_row_group_row_count(Some(1_000_000))
                .build();
            let file = File::create(path).expect("the path can be written");
            ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("supported types")
        });
        writer.write(&batch).expect("the disk has room");
    }
    writer.expect("at least one row").close().expect("the disk has room");
}
