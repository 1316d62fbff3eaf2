//! JSON lines: one object in each line, read as text, so that its cells are those of CSV.
//!
//! A column is a name that the source declares; whatever else a line holds is left out. A text is itself, a number and
//! a truth value are as they are spelled, and everything else (`null`, a list, an object, a name that is not there) is
//! missing. Of a name that occurs twice the last value counts.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::io::{BufRead, BufReader};
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, StringViewBuilder};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::error::{ArrowError, Result};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::{DataError, FittingEncodings, RowFormat, Source, nfc, text};

/// The columns that are read, and how.
pub(super) struct JsonColumns {
    places: HashMap<String, usize>,
    /// For each column, what stands for the point in numbers that are spelled out: texts and numbers are then read
    /// alike.
    decimals: Vec<char>,
    schema: SchemaRef,
}

impl JsonColumns {
    /// Columns by name, each with its separator of decimals.
    pub(super) fn new<'a>(columns: impl Iterator<Item = (&'a str, char)>) -> Self {
        let (names, decimals): (Vec<&str>, Vec<char>) = columns.unzip();
        let fields: Vec<Field> = names.iter().map(|name| Field::new(*name, DataType::Utf8View, true)).collect();
        let places = names.iter().enumerate().map(|(place, name)| (nfc(name).into_owned(), place)).collect();
        Self { places, decimals, schema: Arc::new(Schema::new(fields)) }
    }

    /// The rows of whole lines, in batches of at most `rows`.
    pub(super) fn batches(
        &self,
        block: &[u8],
        rows: usize,
        each: &mut impl FnMut(&RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let text = std::str::from_utf8(block).map_err(|_| broken())?;
        let mut lines = text.split('\n').map(str::trim).filter(|line| !line.is_empty()).peekable();
        while lines.peek().is_some() {
            each(&self.batch(&mut lines.by_ref().take(rows))?)?;
        }
        Ok(())
    }

    fn batch(&self, lines: &mut dyn Iterator<Item = &str>) -> Result<RecordBatch> {
        let mut builders: Vec<StringViewBuilder> = self.decimals.iter().map(|_| StringViewBuilder::new()).collect();
        let mut rows = 0;
        for line in lines {
            let mut cells: Vec<Option<&RawValue>> = vec![None; builders.len()];
            fields(line, |name, value| {
                if let Some(&place) = self.places.get(&*nfc(name)) {
                    cells[place] = Some(value);
                }
            })
            .ok_or_else(broken)?;
            for ((builder, cell), &decimal) in builders.iter_mut().zip(cells).zip(&self.decimals) {
                builder.append_option(cell.and_then(|cell| spelled(cell.get(), decimal)));
            }
            rows += 1;
        }
        let arrays = builders.iter_mut().map(|builder| Arc::new(builder.finish()) as ArrayRef).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)
    }
}

/// The names in the first line of JSON lines that is not empty; none for other formats, whose files say what columns
/// they have. No value is read.
///
/// # Errors
/// As [`FileEngine::open`](crate::FileEngine::open); and the first line is no object.
pub fn first_names(source: &Source) -> std::result::Result<Option<Vec<String>>, DataError> {
    let (files, format) = source.files()?;
    if format != RowFormat::JsonLines {
        return Ok(None);
    }
    let (location, layout) = (&files[0].location, &source.text);
    let file = location.path().to_path_buf();
    let unreadable = |error| {
        text::damage(location, layout, format).unwrap_or(DataError::Unreadable { file: file.clone(), source: error })
    };
    let lines = BufReader::new(text::open(location, layout, format).map_err(unreadable)?).split(b'\n');
    for (line, record) in (1..).zip(lines) {
        let record = record.map_err(unreadable)?;
        let Ok(record) = std::str::from_utf8(&record) else {
            // Of this line alone: no other is read.
            let fitting = FittingEncodings::of_lines([record]);
            return Err(DataError::NotUtf8 { file, line, fitting });
        };
        let record = record.trim_start_matches('\u{feff}').trim();
        if record.is_empty() {
            continue;
        }
        let mut names: Vec<String> = files[0].columns().map(str::to_owned).collect();
        let known = fields(record, |name, _| {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        });
        return known.map(|()| Some(names)).ok_or(DataError::NotJson { file: file.clone(), line });
    }
    Ok(Some(Vec::new()))
}

/// Does not name the line: `failure.rs` finds it.
fn broken() -> ArrowError {
    ArrowError::JsonError("not JSON lines".to_owned())
}

/// Spelling of a value as a cell of text.
fn spelled(value: &str, decimal: char) -> Option<String> {
    match value.as_bytes().first()? {
        // Escapes can spell half of a letter: such a cell is none.
        b'"' => serde_json::from_str(value).ok().filter(|text: &String| !text.is_empty()),
        b't' | b'f' => Some(value.to_owned()),
        b'-' | b'0'..=b'9' if decimal == '.' => Some(value.to_owned()),
        b'-' | b'0'..=b'9' => Some(value.replace('.', &decimal.to_string())),
        _ => None,
    }
}

/// Hands every field of a line to `each`; nothing if the line is no JSON object.
pub(in super::super) fn fields<'a>(line: &'a str, each: impl FnMut(&str, &'a RawValue)) -> Option<()> {
    let mut json = serde_json::Deserializer::from_str(line);
    (&mut json).deserialize_map(Fields(each)).ok()?;
    json.end().ok()
}

struct Fields<F>(F);

impl<'a, F: FnMut(&str, &'a RawValue)> Visitor<'a> for Fields<F> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<M: MapAccess<'a>>(mut self, mut map: M) -> std::result::Result<(), M::Error> {
        while let Some(name) = map.next_key::<&'a RawValue>()? {
            let value = map.next_value::<&'a RawValue>()?;
            if let Some(name) = name_of(name.get()) {
                (self.0)(&name, value);
            }
        }
        Ok(())
    }
}

/// The name that a string of JSON spells. Escapes can spell half of a letter, which is in no name of a column.
fn name_of(spelled: &str) -> Option<Cow<'_, str>> {
    let bare = spelled.strip_prefix('"')?.strip_suffix('"')?;
    if bare.contains('\\') { serde_json::from_str(spelled).ok().map(Cow::Owned) } else { Some(Cow::Borrowed(bare)) }
}
