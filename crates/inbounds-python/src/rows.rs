//! Private rows, handed over by Python.

use std::sync::Arc;

use arrow::{
    array::{ArrayRef, RecordBatch, RecordBatchOptions},
    datatypes::{Field, Schema},
};
use inbounds_data::MemoryRows;
use pyo3::{exceptions::PyTypeError, prelude::*};

use crate::{column, failure::Failure, stream};

/// What messages call rows in memory.
pub(crate) const NAME: &str = "rows in memory";

/// Private rows in memory. Nothing shows them: they have no `repr`, no attributes, and cannot be pickled.
#[pyclass(frozen, module = "inbounds._inbounds")]
pub(crate) struct Rows {
    pub(crate) rows: MemoryRows,
}

#[pymethods]
impl Rows {
    /// The rows of anything that gives an Arrow C stream.
    #[staticmethod]
    fn from_stream(stream: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (schema, batches) = stream::read(stream)?;
        let rows = MemoryRows::new(NAME, schema, &batches);
        Ok(Self { rows: rows.map_err(|error| Failure::from(error).raise(stream.py()))? })
    }

    /// The rows of columns by name: each a buffer of numbers, or a list of texts or None.
    #[staticmethod]
    fn from_columns(py: Python<'_>, columns: Vec<(String, String, Bound<'_, PyAny>)>) -> PyResult<Self> {
        let read = |(name, kind, cells): (String, String, Bound<'_, PyAny>)| Ok((name, column::array(&kind, &cells)?));
        let columns = columns.into_iter().map(read).collect::<PyResult<Vec<(String, ArrayRef)>>>()?;
        let lengths = || columns.iter().map(|(_, cells)| cells.len());
        if let (Some(least), Some(most)) = (lengths().min(), lengths().max())
            && least != most
        {
            return Err(PyTypeError::new_err("all columns must have the same number of rows"));
        }
        let field = |(name, cells): &(String, ArrayRef)| Field::new(name, cells.data_type().clone(), true);
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let options = RecordBatchOptions::new().with_row_count(Some(lengths().next().unwrap_or(0)));
        let cells = columns.into_iter().map(|(_, cells)| cells).collect();
        let batch = RecordBatch::try_new_with_options(schema.clone(), cells, &options);
        let batch = batch.map_err(|_| PyTypeError::new_err("the columns make no table"))?;
        let rows = MemoryRows::new(NAME, schema, &[batch]);
        Ok(Self { rows: rows.map_err(|error| Failure::from(error).raise(py))? })
    }

    fn __repr__(&self) -> &'static str {
        "<private rows>"
    }
}
