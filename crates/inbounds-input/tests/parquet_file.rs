//! Parquet files whose headers are damaged.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::File;
use std::io::Write;
use std::sync::Arc;

use inbounds_input::ParquetFile;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::column::writer::ColumnWriter;
use parquet::file::{properties::WriterProperties, writer::SerializedFileWriter};
use parquet::schema::parser::parse_message_type;

/// A file of two columns, in pages of a hundred rows.
fn written() -> Vec<u8> {
    let schema = "message rows { required int64 number; optional binary text (UTF8); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = WriterProperties::builder().set_data_page_row_count_limit(100).set_write_batch_size(100);
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties.build())).unwrap();
    for _ in 0..2 {
        let mut group = writer.next_row_group().unwrap();
        while let Some(mut column) = group.next_column().unwrap() {
            match column.untyped() {
                ColumnWriter::Int64ColumnWriter(numbers) => {
                    let values: Vec<i64> = (0..1_000).map(|row| row * row).collect();
                    numbers.write_batch(&values, None, None).unwrap();
                }
                ColumnWriter::ByteArrayColumnWriter(texts) => {
                    let values: Vec<_> = (0..500).map(|row| format!("text {row}").as_str().into()).collect();
                    let levels: Vec<i16> = (0..1_000).map(|row| row % 2).collect();
                    texts.write_batch(&values, Some(&levels), None).unwrap();
                }
                _ => unreachable!("a column of another type"),
            }
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.close().unwrap();
    bytes
}

fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

/// A file with nothing but this footer.
fn footer(footer: &[u8]) -> Vec<u8> {
    let size = u32::try_from(footer.len()).unwrap().to_le_bytes();
    [b"PAR1", footer, &size, b"PAR1"].concat()
}

#[test]
fn a_sound_file_reads_as_it_does_without_the_walk() {
    let bytes = written();
    let with = ParquetFile::reader(file(&bytes)).unwrap();
    let without = ParquetRecordBatchReaderBuilder::try_new(file(&bytes)).unwrap();
    let (with, without) = (with.build().unwrap(), without.build().unwrap());
    let rows = with.zip(without).map(|(with, without)| {
        let (with, without) = (with.unwrap(), without.unwrap());
        assert_eq!(with, without);
        with.num_rows()
    });
    assert_eq!(rows.sum::<usize>(), 2_000);
}

#[test]
fn no_list_of_a_footer_has_more_elements_than_bytes() {
    let many = [0xff, 0xff, 0xff, 0xff, 0x07];
    // Field 15, a list of 2^31 - 1: booleans, integers, structures; a map of as many; a text as long; of 4 booleans.
    for (kind, rest) in [(9, vec![0xf1]), (9, vec![0xf5]), (9, vec![0xfc]), (11, vec![]), (8, vec![])] {
        let damaged = [vec![0xf0 | kind], rest, many.to_vec(), vec![0x11, 0]].concat();
        assert!(ParquetFile::open(file(&footer(&damaged))).is_err(), "{damaged:x?}");
    }
    assert!(ParquetFile::open(file(&footer(&[0xf9, 0x41, 1, 1, 1, 1, 0]))).is_err());
    assert!(ParquetFile::open(file(&footer(&[0xf9, 0x43, 1, 1, 1, 1, 0]))).is_ok());
    // A number of rows that says it is a list: the library would read it as a number, and what follows as it comes.
    assert!(ParquetFile::open(file(&footer(&[0x39, 0x13, 1, 0]))).is_err());
    assert!(ParquetFile::open(file(&footer(&[0x36, 1, 0]))).is_ok());
    let deep = [vec![0x1c; 65], vec![0; 66]].concat();
    assert!(ParquetFile::open(file(&footer(&deep))).is_err());
    assert!(ParquetFile::open(file(b"PAR1")).is_err());
}

#[test]
fn a_damaged_page_header_is_an_error() {
    let bytes = written();
    // The first page begins behind the mark of the file. A list of 2^31 - 1 booleans takes the place of its first
    // field.
    let mut damaged = bytes.clone();
    damaged[4..11].copy_from_slice(&[0xf9, 0xf1, 0xff, 0xff, 0xff, 0xff, 0x07]);
    let builder = ParquetFile::reader(file(&damaged)).unwrap();
    let error = builder.build().unwrap().find_map(std::result::Result::err).unwrap();
    assert!(error.to_string().contains("states more than the file holds"), "{error}");
}
