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
use inbounds_input::caught;
use pyo3::{
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
/// What the object raises, which may quote a cell; [`Failure::Data`] if it gives no stream, or one that breaks off. The
/// words of the stream itself may quote a cell and are dropped.
pub(crate) fn read(object: &Bound<'_, PyAny>) -> PyResult<(SchemaRef, Vec<RecordBatch>)> {
    let reader = open(object)?;
    work::apart(object.py(), || {
        let schema = reader.schema();
        let batches = caught(|| reader.collect::<Result<Vec<_>, _>>()).map_err(|_| damaged())?;
        Ok((schema, batches.map_err(broken)?))
    })
}

/// The stream of an object that gives one, of which no batch has been read.
///
/// # Errors
/// Those of [`read`].
pub(crate) fn open(object: &Bound<'_, PyAny>) -> PyResult<ArrowArrayStreamReader> {
    let py = object.py();
    let unusable = || Failure::Data(format!("{METHOD} of the object gave no Arrow C stream")).raise(py);
    let capsule = object.call_method0(METHOD)?;
    let capsule = capsule.cast::<PyCapsule>().map_err(|_| unusable())?;
    let stream = capsule.pointer_checked(Some(STREAM)).map_err(|_| unusable())?;
    // SAFETY: a capsule of this name points to an initialised `ArrowArrayStream`, as the Arrow PyCapsule interface
    // demands, and the capsule lives until the end of this function. The stream is moved out of it and marked as
    // released there, so that the destructor of the capsule does not release it again.
    let reader = caught(|| unsafe { ArrowArrayStreamReader::from_raw(stream.as_ptr().cast::<FFI_ArrowArrayStream>()) });
    // A stream may be computed as it is read, by Python too: it takes the interpreter when it needs it. The reader does
    // not check what a stream promises of its pointers, and panics over some wrong ones.
    work::apart(py, || reader.map_err(|_| damaged())?.map_err(broken))
}

fn broken(_: ArrowError) -> Failure {
    let message = "the stream of rows could not be read to its end, or has a type of columns that is not known here";
    Failure::Data(message.to_owned())
}

fn damaged() -> Failure {
    Failure::Data("the stream of rows is damaged: it does not hold what it says".to_owned())
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
    // The reader that takes the stream out of the capsule marks it as released; otherwise it is released with the
    // capsule.
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), STREAM)
}
