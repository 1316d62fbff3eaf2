//! CSV, TSV and JSON lines: every column is text. Threads take blocks in turn, of whole records, which
//! [`super::super::blocks`] cuts.

use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::RecordBatch;
use arrow::csv::ReaderBuilder;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::error::Result;

use super::super::blocks::{EmptyLines, FirstLine, Records, TextBlocks};
use super::batch::BATCH;
use super::json::JsonColumns;
use crate::Kind;
use crate::schema::Table;
use crate::text::Dialect;

/// Text, and how its records are decoded.
pub(super) struct TextRows {
    blocks: Mutex<TextBlocks>,
    decoder: Decoder,
}

enum Decoder {
    /// Fields between separators: all columns of the files, and the places of those that are read.
    Delimited {
        schema: SchemaRef,
        dialect: Dialect,
        columns: Vec<usize>,
    },
    Json(JsonColumns),
}

impl TextRows {
    /// The columns at these places.
    pub(super) fn new(table: &Table, columns: &[usize]) -> Self {
        let dialect = table.text.dialect(table.format);
        let stored = &table.columns[..table.stored];
        let (decoder, records) = if table.format.is_delimited() {
            let fields = stored.iter().map(|column| Field::new(&column.name, DataType::Utf8View, true));
            let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
            let empty_lines = if stored.len() == 1 { EmptyLines::Cells } else { EmptyLines::Nothing };
            let records =
                Records { dialect, first_line: FirstLine::Header { skip_rows: table.text.skip_rows }, empty_lines };
            (Decoder::Delimited { schema, dialect, columns: columns.to_vec() }, records)
        } else {
            // A number in a column of texts is the text that it is spelled as.
            let decimal = |place: usize| match stored[place].kind {
                Kind::Integer | Kind::Number | Kind::Boolean => table.reader(place).decimal(),
                _ => '.',
            };
            let named = |&place: &usize| (stored[place].name.as_str(), decimal(place));
            let dialect = Dialect { separator: b'\n', quote: None, comment: None };
            let records = Records { dialect, first_line: FirstLine::Record, empty_lines: EmptyLines::Nothing };
            (Decoder::Json(JsonColumns::new(columns.iter().map(named))), records)
        };
        let locations = table.files.iter().map(|file| file.location.clone()).collect();
        Self { blocks: Mutex::new(TextBlocks::new(locations, table.text.clone(), table.format, records)), decoder }
    }

    /// Reads the next block, batch by batch, with the place of its file; false if there is none.
    pub(super) fn next(&self, each: &mut impl FnMut(usize, &RecordBatch) -> Result<()>) -> Result<bool> {
        let block = self.blocks.lock().unwrap_or_else(PoisonError::into_inner).next_block()?;
        let Some((file, block)) = block else { return Ok(false) };
        let mut each = |batch: &RecordBatch| each(file, batch);
        match &self.decoder {
            Decoder::Json(columns) => columns.batches(&block, BATCH, &mut each)?,
            Decoder::Delimited { schema, dialect, columns } => {
                delimited(&block, schema, *dialect, columns, &mut each)?;
            }
        }
        Ok(true)
    }
}

fn delimited(
    block: &[u8],
    schema: &SchemaRef,
    dialect: Dialect,
    columns: &[usize],
    each: &mut impl FnMut(&RecordBatch) -> Result<()>,
) -> Result<()> {
    let mut decoder = ReaderBuilder::new(schema.clone())
        .with_header(false)
        .with_delimiter(dialect.separator)
        .with_quote(dialect.quote_or_never())
        .with_batch_size(BATCH)
        .with_projection(columns.to_vec())
        .build_decoder();
    // An empty line, so that a byte order mark at the beginning of a block is a letter like any other.
    decoder.decode(b"\n")?;
    let mut rest = block;
    loop {
        // Zero bytes are taken at the end of the block and when the batch is full.
        while let taken @ 1.. = decoder.decode(rest)? {
            rest = &rest[taken..];
        }
        match decoder.flush()? {
            Some(batch) => each(&batch)?,
            None => return Ok(()),
        }
    }
}
