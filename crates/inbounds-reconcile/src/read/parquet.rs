//! Measurements from Parquet, a batch of columns at a time.

use std::{fs::File, path::Path};

use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, StringArray, cast::AsArray, types::Float64Type};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType};
use inbounds_input::{ParquetFile, guarded};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::{
    header::positions,
    layout::{COLUMNS, Column, Layout},
    place::{damaged, wrong},
};
use crate::{
    cells::Cells,
    error::{Problem, ReconcileError},
    options::Options,
    row::{Fixed, Row},
    sheet::Sheet,
};

/// Message for a file over which the library panics.
const PANIC: &str = "it does not hold what its headers say";

/// Rows decoded at a time.
const BATCH: usize = 1 << 16;

pub(super) fn read(path: &Path, options: &Options, sheet: Sheet) -> Result<Sheet, ReconcileError> {
    guarded(|| read_batches(path, options, sheet)).unwrap_or_else(|| Err(damaged(path, &PANIC)))
}

fn read_batches(path: &Path, options: &Options, mut sheet: Sheet) -> Result<Sheet, ReconcileError> {
    let file = File::open(path).map_err(|source| ReconcileError::Unreadable { file: path.to_owned(), source })?;
    let builder = ParquetFile::reader(file).map_err(|error| damaged(path, &error))?;
    let fields = builder.schema().fields().clone();
    let layout = Layout::from_header(path, fields.iter().map(|field| field.name().as_str()), options)?;
    sheet.states_parents = layout.position(Column::Parent).is_some();
    sheet.tell_cells(layout.attributes(), &options.totals, layout.has_places());
    for (name, column) in COLUMNS {
        let Some(position) = layout.position(column) else { continue };
        let kind = fields[position].data_type();
        if !suits(column, kind) {
            let problem = format!("the column `{name}` holds {kind}, which is no {}", noun(column));
            return Err(ReconcileError::Columns { file: path.to_owned(), problem });
        }
    }
    for (position, name) in layout.values().into_iter().filter_map(|(position, name)| Some((position?, name?))) {
        let kind = fields[position].data_type();
        if !suits(Column::Value, kind) {
            let problem = format!("the column of `{name}` holds {kind}, which is no {}", noun(Column::Value));
            return Err(ReconcileError::Columns { file: path.to_owned(), problem });
        }
    }
    for (position, name) in &layout.attributes {
        let kind = fields[*position].data_type();
        if !suits(Column::Node, kind) {
            let problem = format!("the column `{name}` holds {kind}, which is no text or whole number");
            return Err(ReconcileError::Columns { file: path.to_owned(), problem });
        }
    }
    let values = layout.values();
    let mut first = 1;
    for batch in builder.with_batch_size(BATCH).build().map_err(|error| damaged(path, &error))? {
        let batch = batch.map_err(|error| damaged(path, &error))?;
        let columns = Columns::from_batch(&batch, &layout).map_err(|error| damaged(path, &error))?;
        for index in 0..batch.num_rows() {
            let place = first + index as u64;
            for (value, (_, label)) in columns.values.iter().zip(&values) {
                let known = columns.attributes.iter().map(|values| text(Some(values), index));
                let cell = sheet.read_cell(known.chain(*label));
                let at = columns.node.as_ref().map(|node| text(Some(node), index));
                let name = Cells::name_of_row(at, &cell);
                let row = columns.row(place, index, name.as_deref(), value.as_ref());
                let row = row.map_err(|problem| sheet.wrong(place, problem))?;
                sheet.add(&row, &cell)?;
            }
        }
        first += batch.num_rows() as u64;
    }
    Ok(sheet)
}

fn noun(column: Column) -> &'static str {
    match column {
        Column::Node | Column::Parent => "text or whole number",
        Column::Law => "text",
        Column::Fixed => "boolean, number or text",
        _ => "number",
    }
}

fn suits(column: Column, kind: &DataType) -> bool {
    let kind = match kind {
        DataType::Dictionary(_, values) => values,
        plain => plain,
    };
    let text = matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null);
    match column {
        Column::Node | Column::Parent => text || kind.is_integer(),
        Column::Law => text,
        Column::Fixed => text || kind.is_numeric() || *kind == DataType::Boolean,
        _ => kind.is_numeric() || *kind == DataType::Null,
    }
}

/// The columns of a batch; those that the file does not have are none.
struct Columns {
    node: Option<StringArray>,
    parent: Option<StringArray>,
    law: Option<StringArray>,
    fixed: Option<StringArray>,
    /// One array for each column of measurements.
    values: Vec<Option<Float64Array>>,
    variance: Option<Float64Array>,
    scale: Option<Float64Array>,
    lower: Option<Float64Array>,
    upper: Option<Float64Array>,
    attributes: Vec<StringArray>,
}

impl Columns {
    fn from_batch(batch: &RecordBatch, layout: &Layout) -> Result<Self, ArrowError> {
        let cast_to = |column: Column, kind: DataType| -> Result<Option<ArrayRef>, ArrowError> {
            layout.position(column).map(|position| cast(batch.column(position), &kind)).transpose()
        };
        let text = |column| -> Result<Option<StringArray>, ArrowError> {
            Ok(cast_to(column, DataType::Utf8)?.map(|array| array.as_string::<i32>().clone()))
        };
        let number = |column| -> Result<Option<Float64Array>, ArrowError> {
            Ok(cast_to(column, DataType::Float64)?.map(|array| array.as_primitive::<Float64Type>().clone()))
        };
        let measured = |position: Option<usize>| -> Result<Option<Float64Array>, ArrowError> {
            let Some(position) = position else { return Ok(None) };
            Ok(Some(cast(batch.column(position), &DataType::Float64)?.as_primitive::<Float64Type>().clone()))
        };
        Ok(Self {
            node: text(Column::Node)?,
            parent: text(Column::Parent)?,
            law: text(Column::Law)?,
            fixed: text(Column::Fixed)?,
            values: layout.values().into_iter().map(|(position, _)| measured(position)).collect::<Result<_, _>>()?,
            variance: number(Column::Variance)?,
            scale: number(Column::Scale)?,
            lower: number(Column::Lower)?,
            upper: number(Column::Upper)?,
            attributes: layout
                .attributes
                .iter()
                .map(|(position, _)| Ok(cast(batch.column(*position), &DataType::Utf8)?.as_string::<i32>().clone()))
                .collect::<Result<_, ArrowError>>()?,
        })
    }

    fn row<'a>(
        &'a self,
        place: u64,
        index: usize,
        name: Option<&'a str>,
        value: Option<&Float64Array>,
    ) -> Result<Row<'a>, Problem> {
        let at = text(self.node.as_ref(), index);
        let node = name.unwrap_or(at);
        Ok(Row {
            place,
            node,
            at,
            parent: text(self.parent.as_ref(), index),
            value: number(value, index),
            variance: number(self.variance.as_ref(), index),
            law: text(self.law.as_ref(), index),
            scale: number(self.scale.as_ref(), index),
            fixed: Fixed::parse(text(self.fixed.as_ref(), index), node)?,
            lower: number(self.lower.as_ref(), index),
            upper: number(self.upper.as_ref(), index),
        })
    }
}

fn text(array: Option<&StringArray>, index: usize) -> &str {
    array.filter(|array| array.is_valid(index)).map_or("", |array| array.value(index))
}

fn number(array: Option<&Float64Array>, index: usize) -> Option<f64> {
    array.filter(|array| array.is_valid(index)).map(|array| array.value(index))
}

/// A file of a few columns of text.
pub(super) struct ParquetText(Box<ParquetRecordBatchReaderBuilder<ParquetFile>>);

impl ParquetText {
    pub(super) fn open(path: &Path, file: File) -> Result<Self, ReconcileError> {
        let opened = guarded(|| ParquetFile::reader(file)).ok_or_else(|| damaged(path, &PANIC))?;
        opened.map(|builder| Self(Box::new(builder))).map_err(|error| damaged(path, &error))
    }

    /// Hands each row to `take` with its number, from 1.
    pub(super) fn each<const N: usize>(
        self,
        path: &Path,
        columns: [&'static str; N],
        mut take: impl FnMut(u64, [&str; N]) -> Result<(), Problem>,
    ) -> Result<(), ReconcileError> {
        let builder = *self.0;
        let fields = builder.schema().fields().clone();
        let positions = positions(path, columns, fields.iter().map(|field| field.name().as_str()))?;
        let mut place = 0;
        let mut batches = builder.build().map_err(|error| damaged(path, &error))?;
        while let Some(batch) = guarded(|| batches.next()).ok_or_else(|| damaged(path, &PANIC))? {
            let batch: RecordBatch = batch.map_err(|error| damaged(path, &error))?;
            let text = |position: usize| cast(batch.column(position), &DataType::Utf8);
            let arrays: Vec<_> = positions
                .iter()
                .map(|&position| text(position))
                .collect::<Result<_, _>>()
                .map_err(|error| damaged(path, &error))?;
            for row in 0..batch.num_rows() {
                place += 1;
                let entry = |column: usize| {
                    let array = arrays[column].as_string::<i32>();
                    if array.is_valid(row) { array.value(row) } else { "" }
                };
                take(place, std::array::from_fn(entry)).map_err(|problem| wrong(path, place, problem))?;
            }
        }
        Ok(())
    }
}
