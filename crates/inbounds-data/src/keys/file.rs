//! Key lists from files. These files are public, so messages may quote them.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use arrow::array::{Array, AsArray};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, Float64Type, Int64Type};

use inbounds_core::Rational;

use crate::{
    DataError, KeyValue, Keys, Kind, RowFormat, TextEncoding, TextLayout,
    cell_rules::{CellReader, truth, whole_double},
    text,
};
use inbounds_input::{Format, ParquetFile, guarded, is_stored, line_at};

use super::KeyColumn;

/// Reads public group keys from a CSV or Parquet file, distinguished by the extension.
///
/// `columns` names the key columns, their kinds (integer, text or boolean) and how their cells are spelled, in the
/// order the keys will have; other columns of the file are not read. The first line of a CSV file is its header.
///
/// # Errors
/// [`DataError::KeyFile`] if a column is absent, a value is missing or not of its kind, a key is listed twice (naming
/// both lines) or the file has no key; [`DataError::Unreadable`], [`DataError::CsvHeader`] and
/// [`DataError::DamagedParquet`] if it cannot be read.
pub fn read_keys(path: &Path, columns: &[KeyColumn]) -> Result<Keys, DataError> {
    let rows = distinct_rows(path, columns, columns.len())?;
    Keys::new(columns.iter().map(|column| column.name.clone()).collect(), rows)
}

/// A row of a public file that is looked up: values of its key columns, and what they stand for, which is nothing for
/// the word `missing`.
pub type LookupRow = (Vec<KeyValue>, Option<KeyValue>);

/// Reads a public file that says what combinations of values stand for: for each of `keys` one of `value`, in the order
/// of the file. The value is also read as a number, exactly, where its column is declared as one: then it is a text
/// that is a decimal number.
///
/// # Errors
/// Those of [`read_keys`]; a combination of `keys` that stands there twice is refused with both lines, whatever it
/// stands for.
///
/// # Panics
/// Without keys.
pub fn read_lookup(path: &Path, keys: &[KeyColumn], value: &KeyColumn) -> Result<Vec<LookupRow>, DataError> {
    assert!(!keys.is_empty(), "keys to look up");
    let columns: Vec<KeyColumn> = keys.iter().chain([value]).cloned().collect();
    let rows = distinct_rows(path, &columns, keys.len())?;
    let split = |mut row: Vec<KeyValue>| {
        let value = row.pop().filter(|value| *value != KeyValue::Missing);
        (row, value)
    };
    Ok(rows.into_iter().map(split).collect())
}

/// The rows of a public file, which are apart in their first columns.
fn distinct_rows(path: &Path, columns: &[KeyColumn], apart: usize) -> Result<Vec<Vec<KeyValue>>, DataError> {
    for (place, KeyColumn { name, kind, .. }) in columns.iter().enumerate() {
        let is_value = place >= apart && *kind == Kind::Number;
        if !matches!(kind, Kind::Integer | Kind::Text | Kind::Boolean) && !is_value {
            return Err(refuse(path, None, format!("column `{name}` must be integer, text or boolean, got {kind}")));
        }
    }
    if is_stored(path) {
        return Err(refuse(
            path,
            None,
            "lists of keys are read from this machine only; copy it beside the plan".to_owned(),
        ));
    }
    let format = Format::from_path(path).ok_or_else(|| DataError::UnknownFormat { file: path.to_path_buf() })?;
    let rows = match format {
        Format::Csv => csv_rows(path, columns)?,
        Format::Parquet => {
            let damaged = || Err(DataError::DamagedParquet { file: path.to_path_buf() });
            guarded(|| parquet_rows(path, columns)).unwrap_or_else(damaged)?
        }
    };
    if rows.is_empty() {
        return Err(refuse(path, None, "there is no key in it".to_owned()));
    }
    let line = |place: u64| match format {
        Format::Csv => line_at(path, place),
        Format::Parquet => place,
    };
    let mut seen = HashMap::with_capacity(rows.len());
    for (place, row) in &rows {
        if let Some(earlier) = seen.insert(&row[..apart], *place) {
            let problem = format!("the same key as in line {}: {}", line(earlier), super::shown(&row[..apart]));
            return Err(refuse(path, Some(line(*place)), problem));
        }
    }
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

/// Where a key stands (byte in a CSV file, row in a Parquet file), and the key.
type PlacedKey = (u64, Vec<KeyValue>);

fn refuse(path: &Path, line: Option<u64>, problem: String) -> DataError {
    DataError::KeyFile { file: path.to_path_buf(), line, problem }
}

/// Positions of the key columns among the columns of the file.
fn positions(path: &Path, columns: &[KeyColumn], header: &[String]) -> Result<Vec<usize>, DataError> {
    let position = |name: &String| {
        header.iter().position(|column| column == name).ok_or_else(|| {
            let hint = inbounds_input::nearest(name, header.iter().map(String::as_str));
            let hint = hint.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            refuse(path, None, format!("no column `{name}`{hint}"))
        })
    };
    columns.iter().map(|column| position(&column.name)).collect()
}

fn csv_rows(path: &Path, columns: &[KeyColumn]) -> Result<Vec<PlacedKey>, DataError> {
    // Key files are written for the plan: with commas, in UTF-8.
    let layout = TextLayout { separator: Some(b','), encoding: TextEncoding::Utf8, ..TextLayout::default() };
    let header = text::header(&path.into(), &layout, RowFormat::Csv)?.names;
    let positions = positions(path, columns, &header)?;
    let unreadable = |source| DataError::Unreadable { file: path.to_path_buf(), source };
    let file = File::open(path).map_err(unreadable)?;
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(file);
    let readers: Vec<_> = columns.iter().map(|column| (column, CellReader::new(&column.cells))).collect();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map(|position| line_at(path, position.byte()));
            match error.into_kind() {
                csv::ErrorKind::Io(source) => unreadable(source),
                _ => refuse(path, line, "not UTF-8 text".to_owned()),
            }
        })?;
        let start = record.position().map_or(0, csv::Position::byte);
        if record.len() != header.len() {
            let (length, expected) = (record.len(), header.len());
            return Err(refuse(
                path,
                Some(line_at(path, start)),
                format!("not as many fields as the header: {length} instead of {expected}"),
            ));
        }
        let value = |(&position, (column, reader)): (&usize, &(&KeyColumn, CellReader))| {
            let text = record.get(position).expect("as many fields as the header");
            parse(text, column.kind, reader).ok_or_else(|| {
                let problem = format!("column `{}`: `{text}` is not {}", column.name, noun(column.kind));
                refuse(path, Some(line_at(path, start)), problem)
            })
        };
        rows.push((start, positions.iter().zip(&readers).map(value).collect::<Result<_, _>>()?));
    }
    Ok(rows)
}

impl KeyColumn {
    /// The key that a row with this cell has; `None` if the cell cannot be one.
    pub fn read(&self, cell: &str) -> Option<KeyValue> {
        parse(cell, self.kind, &CellReader::new(&self.cells))
    }
}

/// The key that a row with this cell has. The missing cell is a word: an empty field would be a slip more often than a
/// key.
fn parse(cell: &str, kind: Kind, reader: &CellReader) -> Option<KeyValue> {
    match KeyValue::of_word(cell.trim()) {
        Some(KeyValue::Missing) => return Some(KeyValue::Missing),
        Some(text) if kind == Kind::Text => return Some(text),
        _ => {}
    }
    match kind {
        // Exactly, for a key that no row can have is a mistake.
        Kind::Integer => reader.unit(cell).and_then(|unit| i64::try_from(unit).ok()).map(KeyValue::Integer),
        Kind::Boolean => reader.boolean(cell).map(KeyValue::Boolean),
        Kind::Text => reader.text(cell).map(|text| KeyValue::Text(text.into_owned())),
        Kind::Number => decimal(reader, cell).map(KeyValue::Text),
        Kind::Date | Kind::Other => None,
    }
}

/// A finite number as its exact decimal text.
fn decimal(reader: &CellReader, cell: &str) -> Option<String> {
    reader.number(cell).filter(|number| number.is_finite())?;
    let text = cell.trim();
    text.parse::<Rational>().is_ok().then(|| text.to_owned())
}

fn noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Integer => "an integer",
        Kind::Boolean => "true or false",
        Kind::Number => "a decimal number",
        _ => "a text that a row can have",
    }
}

fn parquet_rows(path: &Path, columns: &[KeyColumn]) -> Result<Vec<PlacedKey>, DataError> {
    let file = File::open(path).map_err(|source| DataError::Unreadable { file: path.to_path_buf(), source })?;
    let damaged = || DataError::DamagedParquet { file: path.to_path_buf() };
    let builder = ParquetFile::reader(file).map_err(|_| damaged())?;
    let fields = builder.schema().fields().clone();
    let header: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
    let positions = positions(path, columns, &header)?;
    for (&position, KeyColumn { name, kind, .. }) in positions.iter().zip(columns) {
        let actual = Kind::from_data_type(fields[position].data_type());
        if !kind.reads(actual) {
            return Err(refuse(path, None, format!("column `{name}` is {actual}, but {kind} is wanted")));
        }
    }
    let mut rows = Vec::new();
    for batch in builder.build().map_err(|_| damaged())? {
        let batch = batch.map_err(|_| damaged())?;
        let first = rows.len() as u64 + 1;
        let mut keys: Vec<Vec<KeyValue>> = vec![Vec::with_capacity(columns.len()); batch.num_rows()];
        for (&position, KeyColumn { name, kind, cells }) in positions.iter().zip(columns) {
            let values = key_values(batch.column(position), *kind, &CellReader::new(cells)).ok_or_else(damaged)?;
            for (index, value) in values.into_iter().enumerate() {
                let line = Some(first + index as u64);
                let null = || refuse(path, line, format!("column `{name}` is missing or too large"));
                keys[index].push(value.ok_or_else(null)?);
            }
        }
        rows.extend((first..).zip(keys));
    }
    Ok(rows)
}

/// The key of each row; none where a cell is missing.
fn key_values(array: &dyn Array, kind: Kind, reader: &CellReader) -> Option<Vec<Option<KeyValue>>> {
    let cast = |target| cast_with_options(array, &target, &CastOptions { safe: true, ..CastOptions::default() }).ok();
    Some(match (kind, Kind::from_data_type(array.data_type())) {
        (_, Kind::Text) => {
            let texts = cast(DataType::Utf8)?;
            texts.as_string::<i32>().iter().map(|cell| parse(cell?, kind, reader)).collect()
        }
        (Kind::Integer, Kind::Integer) => {
            let integers = cast(DataType::Int64)?;
            let known = |integer: &i64| !reader.is_whole_code(*integer);
            let key = |integer: Option<i64>| integer.filter(known).map(KeyValue::Integer);
            integers.as_primitive::<Int64Type>().iter().map(key).collect()
        }
        (_, Kind::Integer | Kind::Number) => {
            let numbers = cast(DataType::Float64)?;
            let key = |number: f64| match kind {
                Kind::Boolean => truth(number).map(KeyValue::Boolean),
                Kind::Number => number.is_finite().then(|| KeyValue::Text(number.to_string())),
                _ => whole_double(number).filter(|_| number.is_finite()).map(KeyValue::Integer),
            };
            let known = |number: &f64| !reader.is_code(*number);
            numbers.as_primitive::<Float64Type>().iter().map(|number| key(number.filter(known)?)).collect()
        }
        _ => {
            let booleans = cast(DataType::Boolean)?;
            booleans.as_boolean().iter().map(|value| value.map(KeyValue::Boolean)).collect()
        }
    })
}
