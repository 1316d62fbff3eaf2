//! Measurements from Parquet, a batch of columns at a time.

use std::{fs::File, path::Path};

use arrow::{
    array::{Array, ArrayRef, AsArray, Float64Array, RecordBatch, StringArray},
    compute::cast,
    datatypes::{DataType, Float64Type},
    error::ArrowError,
};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::{
    super::{
        error::{Problem, ReconcileError},
        row::{Fixed, Row},
        sheet::Sheet,
    },
    layout::{COLUMNS, Column, Layout},
};

/// Rows decoded at a time.
const BATCH: usize = 1 << 16;

pub(super) fn read(path: &Path, mut sheet: Sheet) -> Result<Sheet, ReconcileError> {
    let file = File::open(path).map_err(|source| ReconcileError::Unreadable { file: path.to_owned(), source })?;
    let damaged = |error: &dyn ToString| ReconcileError::Damaged { file: path.to_owned(), problem: error.to_string() };
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| damaged(&error))?;
    let fields = builder.schema().fields().clone();
    let layout = Layout::of(path, fields.iter().map(|field| field.name().as_str()))?;
    sheet.states_parents = layout.position(Column::Parent).is_some();
    for (name, column) in COLUMNS {
        let Some(position) = layout.position(column) else { continue };
        let kind = fields[position].data_type();
        if !suits(column, kind) {
            let problem = format!("the column `{name}` holds {kind}, which is no {}", noun(column));
            return Err(ReconcileError::Columns { file: path.to_owned(), problem });
        }
    }
    let mut first = 1;
    for batch in builder.with_batch_size(BATCH).build().map_err(|error| damaged(&error))? {
        let batch = batch.map_err(|error| damaged(&error))?;
        let columns = Columns::of(&batch, layout).map_err(|error| damaged(&error))?;
        for index in 0..batch.num_rows() {
            let place = first + index as u64;
            let row = columns.row(place, index).map_err(|problem| sheet.wrong(place, problem))?;
            sheet.add(&row)?;
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
    value: Option<Float64Array>,
    variance: Option<Float64Array>,
    scale: Option<Float64Array>,
    lower: Option<Float64Array>,
    upper: Option<Float64Array>,
}

impl Columns {
    fn of(batch: &RecordBatch, layout: Layout) -> Result<Self, ArrowError> {
        let cast_to = |column: Column, kind: DataType| -> Result<Option<ArrayRef>, ArrowError> {
            layout.position(column).map(|position| cast(batch.column(position), &kind)).transpose()
        };
        let text = |column| -> Result<Option<StringArray>, ArrowError> {
            Ok(cast_to(column, DataType::Utf8)?.map(|array| array.as_string::<i32>().clone()))
        };
        let number = |column| -> Result<Option<Float64Array>, ArrowError> {
            Ok(cast_to(column, DataType::Float64)?.map(|array| array.as_primitive::<Float64Type>().clone()))
        };
        Ok(Self {
            node: text(Column::Node)?,
            parent: text(Column::Parent)?,
            law: text(Column::Law)?,
            fixed: text(Column::Fixed)?,
            value: number(Column::Value)?,
            variance: number(Column::Variance)?,
            scale: number(Column::Scale)?,
            lower: number(Column::Lower)?,
            upper: number(Column::Upper)?,
        })
    }

    fn row(&self, place: u64, index: usize) -> Result<Row<'_>, Problem> {
        let node = text(self.node.as_ref(), index);
        Ok(Row {
            place,
            node,
            parent: text(self.parent.as_ref(), index),
            value: number(self.value.as_ref(), index),
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
