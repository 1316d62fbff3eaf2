//! Public tables.

use std::{fs::File, path::PathBuf};

use arrow::{
    array::{Array, AsArray, RecordBatch},
    compute::{cast, concat_batches},
    datatypes::{DataType, Decimal128Type, Float64Type, Int64Type, Schema, SchemaRef, UInt64Type},
};
use inbounds_data::parquet::arrow::{ArrowWriter, arrow_writer::ArrowWriterOptions};
use inbounds_input::{ParquetFile, guarded};
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    types::{PyCapsule, PyDict, PyList},
};

use crate::{failure::Failure, fault::shielded, stream, work};

/// A public table, such as the estimates of a bundle. Whatever takes an Arrow C stream takes it.
#[pyclass(frozen, module = "inbounds._inbounds")]
pub(crate) struct Table {
    pub(crate) schema: SchemaRef,
    pub(crate) batch: RecordBatch,
}

#[pymethods]
impl Table {
    /// The table as an Arrow C stream.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A producer may answer a request with its own types, and the consumer casts.
        let _ = requested_schema;
        shielded(py, || stream::capsule(py, self.schema.clone(), vec![self.batch.clone()]))
    }

    /// Names of the columns.
    #[getter]
    fn columns(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        shielded(py, || Ok(self.names()))
    }

    /// The cells of a column: text, numbers, booleans and None.
    fn column<'py>(&self, py: Python<'py>, name: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        shielded(py, || {
            let columns = self.names().join(", ");
            let Ok(name) = name.extract::<String>() else {
                let message = format!("name must be a text, the name of a column: one of {columns}");
                return Err(Failure::Parameter(message).raise(py));
            };
            let unknown =
                || Failure::Parameter(format!("there is no column \"{name}\"; there are {columns}")).raise(py);
            list(py, self.batch.column_by_name(&name).ok_or_else(unknown)?)
        })
    }

    /// The rows, each a dictionary of its cells.
    fn to_dicts<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        shielded(py, || {
            let rows: Vec<_> = (0..self.batch.num_rows()).map(|_| PyDict::new(py)).collect();
            for (name, cells) in self.names().iter().zip(self.batch.columns()) {
                for (row, cell) in rows.iter().zip(list(py, cells)?) {
                    row.set_item(name, cell)?;
                }
            }
            Ok(rows)
        })
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        shielded(py, || Ok(self.batch.num_rows()))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        shielded(py, || Ok(format!("<Table of {} rows: {}>", self.batch.num_rows(), self.names().join(", "))))
    }
}

impl Table {
    fn names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }
}

/// Cells as objects of Python.
fn list<'py>(py: Python<'py>, cells: &dyn Array) -> PyResult<Bound<'py, PyList>> {
    let odd = || PyTypeError::new_err(format!("cells of type {} have no form in Python here", cells.data_type()));
    let cast = |to: &DataType| cast(cells, to).map_err(|_| odd());
    match cells.data_type() {
        DataType::Boolean => PyList::new(py, cells.as_boolean().iter()),
        DataType::Decimal128(_, 0) => PyList::new(py, cells.as_primitive::<Decimal128Type>().iter()),
        DataType::UInt64 => PyList::new(py, cells.as_primitive::<UInt64Type>().iter()),
        integer if integer.is_integer() => PyList::new(py, cast(&DataType::Int64)?.as_primitive::<Int64Type>().iter()),
        real if real.is_floating() => PyList::new(py, cast(&DataType::Float64)?.as_primitive::<Float64Type>().iter()),
        _ => PyList::new(py, cast(&DataType::Utf8)?.as_string::<i32>().iter()),
    }
}

/// Reads a table of a bundle, in Parquet.
#[pyfunction]
pub(crate) fn read_table(py: Python<'_>, path: PathBuf) -> PyResult<Table> {
    let unreadable = |why: String| Failure::Data(format!("cannot read `{}`: {why}", path.display()));
    let decode = || {
        let file = File::open(&path).map_err(|error| unreadable(error.to_string()))?;
        let builder = ParquetFile::reader(file).map_err(|error| unreadable(error.to_string()))?;
        // What Parquet says beside the columns is not part of the table.
        let schema: SchemaRef = Schema::new(builder.schema().fields().clone()).into();
        let batches = builder.build().map_err(|error| unreadable(error.to_string()))?;
        let batches = batches.collect::<Result<Vec<_>, _>>().map_err(|error| unreadable(error.to_string()))?;
        let bare = batches.into_iter().map(|batch| batch.with_schema(schema.clone())).collect::<Result<Vec<_>, _>>();
        let batch = bare.and_then(|batches| concat_batches(&schema, &batches));
        Ok(Table { batch: batch.map_err(|error| unreadable(error.to_string()))?, schema })
    };
    let damaged = || Err(unreadable("the file is damaged: it does not hold what its headers say".to_owned()));
    let read = || guarded(decode).unwrap_or_else(damaged);
    work::apart(py, read)
}

/// Writes a public table of anything that gives an Arrow C stream into a new Parquet file.
#[pyfunction]
pub(crate) fn write_parquet(table: &Bound<'_, PyAny>, path: PathBuf) -> PyResult<()> {
    let py = table.py();
    let (schema, batches) = shielded(py, || stream::read(table))?;
    let unwritten = |why: String| Failure::Write(format!("cannot write `{}`: {why}", path.display()));
    let write = || {
        let file = File::create_new(&path).map_err(|error| unwritten(error.to_string()))?;
        // Texts are read back as texts, whichever of Arrow's layouts they had.
        let options = ArrowWriterOptions::new().with_skip_arrow_metadata(true);
        let writer = ArrowWriter::try_new_with_options(file, schema, options);
        let written = writer.and_then(|mut writer| {
            batches.iter().try_for_each(|batch| writer.write(batch))?;
            writer.close()
        });
        written.map(|_| ()).map_err(|error| unwritten(error.to_string()))
    };
    work::apart(py, write)
}
