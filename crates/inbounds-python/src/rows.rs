//! Private rows, handed over by Python.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use arrow::{
    array::{ArrayRef, NullArray, RecordBatch, RecordBatchIterator, RecordBatchOptions, RecordBatchReader},
    datatypes::{DataType, Field, FieldRef, Schema, SchemaRef},
    error::ArrowError,
    ffi_stream::ArrowArrayStreamReader,
};
use inbounds_data::{DataError, MemoryRows};
use pyo3::prelude::*;

use crate::{column, failure::Failure, fault::shielded, stream, work};

/// Name of rows in memory in messages.
pub(crate) const NAME: &str = "rows in memory";

/// All batches of a stream, which can be read once. Nothing shows them, as nothing shows [`Rows`].
#[pyclass(frozen, module = "inbounds._inbounds")]
pub(crate) struct Batches {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

#[pymethods]
impl Batches {
    /// Those of anything that gives an Arrow C stream.
    #[staticmethod]
    #[pyo3(name = "of")]
    fn from_stream(stream: &Bound<'_, PyAny>) -> PyResult<Self> {
        shielded(stream.py(), || {
            let (schema, batches) = stream::read(stream)?;
            Ok(Self { schema, batches })
        })
    }

    /// The rows with the cells of the columns in `read`; `others` are names of columns that the stream was made
    /// without.
    fn rows(&self, py: Python<'_>, read: Vec<String>, others: Vec<String>) -> PyResult<Rows> {
        work::apart(py, || Ok(Rows { rows: selected(&self.schema, self.batches.clone(), &read, others)? }))
    }

    /// No rows, but those of whoever has them elsewhere, in these columns.
    fn elsewhere(&self, py: Python<'_>, read: Vec<String>, others: Vec<String>) -> PyResult<Rows> {
        work::apart(py, || {
            let selection = Selection::new(&self.schema, &read, others)?;
            Ok(Rows { rows: MemoryRows::elsewhere(selection.schema) })
        })
    }

    /// The columns with what Arrow calls their types; of nested ones without the names in them.
    fn columns(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        work::apart(py, || Ok(described(&self.schema)))
    }

    fn __repr__(&self) -> &'static str {
        "<private rows>"
    }
}

/// Private rows in memory: the columns that a plan reads with their cells, and the names of the others. Nothing shows
/// them: they have no `repr`, no attributes, and cannot be pickled.
#[pyclass(frozen, module = "inbounds._inbounds")]
pub(crate) struct Rows {
    pub(crate) rows: MemoryRows,
}

#[pymethods]
impl Rows {
    /// As many rows as `rows` says, of columns by name: each a buffer of numbers, a list of texts or None, or a stream
    /// of one column. `others` are names of columns without their cells.
    #[staticmethod]
    fn from_columns(
        py: Python<'_>,
        columns: Vec<(String, String, Bound<'_, PyAny>)>,
        others: Vec<String>,
        rows: usize,
    ) -> PyResult<Self> {
        shielded(py, || {
            let read =
                |(name, kind, cells): (String, String, Bound<'_, PyAny>)| Ok((name, column::array(&kind, &cells)?));
            let columns = columns.into_iter().map(read).collect::<PyResult<Vec<(String, ArrayRef)>>>()?;
            let rows = of_columns(columns, others, rows);
            Ok(Self { rows: rows.map_err(|failure| failure.raise(py))? })
        })
    }

    fn __repr__(&self) -> &'static str {
        "<private rows>"
    }
}

/// A stream that has not been read: its batches can be read once, and none is kept. Nothing shows them.
#[pyclass(frozen, module = "inbounds._inbounds")]
pub(crate) struct Stream {
    schema: SchemaRef,
    /// None once it was made into rows.
    stream: Mutex<Option<ArrowArrayStreamReader>>,
}

#[pymethods]
impl Stream {
    /// That of anything that gives an Arrow C stream.
    #[staticmethod]
    #[pyo3(name = "of")]
    fn from_stream(stream: &Bound<'_, PyAny>) -> PyResult<Self> {
        shielded(stream.py(), || {
            let stream = stream::open(stream)?;
            Ok(Self { schema: stream.schema(), stream: Mutex::new(Some(stream)) })
        })
    }

    /// Its rows, once, with the cells of the columns in `read`.
    fn rows(&self, py: Python<'_>, read: Vec<String>) -> PyResult<Rows> {
        work::apart(py, || {
            let stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner).take();
            let stream = stream.ok_or_else(|| Failure::from(DataError::ReadOnce))?;
            let selection = Selection::new(&self.schema, &read, Vec::new())?;
            let schema = selection.schema.clone();
            let batches = stream.map(move |batch| batch.and_then(|batch| selection.select(&batch)));
            Ok(Rows { rows: MemoryRows::once(Box::new(RecordBatchIterator::new(batches, schema))) })
        })
    }

    /// The columns, as [`Batches::columns`].
    fn columns(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        work::apart(py, || Ok(described(&self.schema)))
    }

    fn __repr__(&self) -> &'static str {
        "<private rows>"
    }
}

fn of_columns(columns: Vec<(String, ArrayRef)>, others: Vec<String>, rows: usize) -> Result<MemoryRows, Failure> {
    let field = |(name, cells): &(String, ArrayRef)| Field::new(name, cells.data_type().clone(), true);
    let schema: SchemaRef = Schema::new(columns.iter().map(field).collect::<Vec<_>>()).into();
    let read: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let cells = columns.into_iter().map(|(_, cells)| cells).collect();
    let batch = RecordBatch::try_new_with_options(schema.clone(), cells, &options);
    let batch = batch.map_err(|_| Failure::Data("all columns of rows in memory must have one length".to_owned()))?;
    selected(&schema, vec![batch], &read, others)
}

/// The columns in `read` with their cells, and every other one as a name.
fn selected(
    schema: &SchemaRef,
    batches: Vec<RecordBatch>,
    read: &[String],
    others: Vec<String>,
) -> Result<MemoryRows, Failure> {
    let selection = Selection::new(schema, read, others)?;
    let batches = batches.iter().map(|batch| selection.select(batch)).collect::<Result<Vec<_>, _>>();
    let batches =
        batches.map_err(|_| Failure::Data("the batches of rows in memory are not of one schema".to_owned()))?;
    Ok(MemoryRows::new(NAME, selection.schema, &batches)?)
}

/// Columns with their cells, and the names of others.
struct Selection {
    schema: SchemaRef,
    places: Vec<usize>,
}

impl Selection {
    fn new(schema: &SchemaRef, read: &[String], others: Vec<String>) -> Result<Self, Failure> {
        let is_read = |field: &FieldRef| read.contains(field.name());
        let places: Vec<usize> =
            schema.fields().iter().enumerate().filter(|(_, field)| is_read(field)).map(|(place, _)| place).collect();
        let mut seen = HashSet::new();
        if let Some(name) = places.iter().map(|&place| schema.field(place).name()).find(|name| !seen.insert(*name)) {
            let message = format!("two columns of the rows in memory are called `{name}`: rename or drop one of them");
            return Err(Failure::Data(message));
        }
        let unread = schema.fields().iter().filter(|field| !is_read(field)).map(|field| field.name().clone());
        // A name without cells is enough to suggest a column of a similar name.
        let mut unread: Vec<String> = unread.chain(others).filter(|name| !read.contains(name)).collect();
        unread.sort();
        unread.dedup();
        let fields = places.iter().map(|&place| schema.fields()[place].clone());
        let names = unread.iter().map(|name| Arc::new(Field::new(name, DataType::Null, true)));
        let schema: SchemaRef = Schema::new(fields.chain(names).collect::<Vec<FieldRef>>()).into();
        Ok(Self { schema, places })
    }

    fn select(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let rows = batch.num_rows();
        let cells = batch.project(&self.places)?.columns().to_vec();
        let none = (self.places.len()..self.schema.fields().len()).map(|_| Arc::new(NullArray::new(rows)) as ArrayRef);
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema.clone(), cells.into_iter().chain(none).collect(), &options)
    }
}

/// Names of columns with what Arrow calls their types; of nested ones without the names in them.
fn described(schema: &SchemaRef) -> Vec<(String, String)> {
    let kind = |data_type: &DataType| match data_type {
        nested if nested.is_nested() => "nested".to_owned(),
        DataType::Dictionary(_, values) => values.to_string(),
        plain => plain.to_string(),
    };
    let one = |field: &FieldRef| (field.name().clone(), kind(field.data_type()));
    schema.fields().iter().map(one).collect()
}
