//! Tables in and out by the Arrow C stream, in a capsule as Python passes it (`__arrow_c_stream__`).
//!
//! The only file with `unsafe`: a capsule is a pointer, and what it points to is promised by its name alone.
#![allow(unsafe_code)]

use std::ffi::CStr;

use arrow::{
    array::{RecordBatch, RecordBatchIterator, RecordBatchReader},
    datatypes::SchemaRef,
    error::ArrowError,
    ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream},
};
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    types::{PyCapsule, PyCapsuleMethods},
};

use crate::{failure::Failure, work};

/// The name that the Arrow PyCapsule interface gives to a stream.
const STREAM: &CStr = c"arrow_array_stream";

/// The method by which an object gives a stream.
pub(crate) const METHOD: &str = "__arrow_c_stream__";

/// All batches of an object that gives a stream. No cell is copied where the producer copies none.
///
/// # Errors
/// What the object raises; [`Failure::Data`] if the stream breaks off. The producer's own words may quote a cell and are dropped.
pub(crate) fn read(object: &Bound<'_, PyAny>) -> PyResult<(SchemaRef, Vec<RecordBatch>)> {
    let capsule = object.call_method0(METHOD)?;
    let capsule = capsule.cast::<PyCapsule>().map_err(|_| PyTypeError::new_err(format!("{METHOD} gave no capsule")))?;
    let stream = capsule.pointer_checked(Some(STREAM))?;
    // SAFETY: a capsule of this name points to an initialised `ArrowArrayStream`, as the Arrow PyCapsule interface demands, and
    // the capsule lives until the end of this function. The stream is moved out of it and marked as released there, so that the
    // destructor of the capsule does not release it again.
    let reader = unsafe { ArrowArrayStreamReader::from_raw(stream.as_ptr().cast::<FFI_ArrowArrayStream>()) };
    let broken = |_: ArrowError| Failure::Data("the stream of rows could not be read to its end".to_owned());
    // A stream may be computed as it is read, by Python too: it takes the interpreter when it needs it.
    work::apart(object.py(), || {
        let reader = reader.map_err(broken)?;
        let schema = reader.schema();
        let batches = reader.collect::<Result<Vec<_>, _>>().map_err(broken)?;
        Ok((schema, batches))
    })
}

/// A capsule with a stream of batches.
///
/// # Errors
/// What Python raises when it makes a capsule.
pub(crate) fn capsule<'py>(
    py: Python<'py>,
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let batches = RecordBatchIterator::new(batches.into_iter().map(Ok), schema);
    // Whoever takes the stream out of the capsule marks it as released; otherwise it is released with the capsule.
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), STREAM)
}
