//! Columns from buffers and lists.

use std::sync::Arc;

use arrow::{
    array::{
        Array, ArrayRef, BooleanArray, Float32Array, Float64Array, Int8Array, Int16Array, Int32Array, Int64Array,
        LargeStringBuilder, TimestampMicrosecondArray, UInt8Array, UInt16Array, UInt32Array, UInt64Array,
        new_empty_array,
    },
    compute::concat,
};
use pyo3::{
    buffer::{Element, PyBuffer},
    exceptions::PyTypeError,
    prelude::*,
    types::{PyList, PyString},
};

use crate::{failure::Failure, stream};

/// The cells of a column: `kind` is `text` for a list of texts and None, `boolean` for bytes of 0 and 1, `time` for
/// microseconds since 1970 of which the least number is missing, `stream` for what gives an Arrow C stream of one
/// column, and the name of a type of NumPy for numbers.
///
/// # Errors
/// `TypeError` for another kind, or cells that are not of it.
pub(crate) fn array(kind: &str, cells: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    Ok(match kind {
        "text" => texts(cells.cast::<PyList>()?)?,
        "stream" => streamed(cells)?,
        "boolean" => Arc::new(BooleanArray::from_iter(values::<u8>(cells)?.into_iter().map(|cell| Some(cell != 0)))),
        "time" => {
            let known = |time: i64| (time != i64::MIN).then_some(time);
            Arc::new(TimestampMicrosecondArray::from_iter(values::<i64>(cells)?.into_iter().map(known)))
        }
        "int8" => Arc::new(Int8Array::from(values::<i8>(cells)?)),
        "int16" => Arc::new(Int16Array::from(values::<i16>(cells)?)),
        "int32" => Arc::new(Int32Array::from(values::<i32>(cells)?)),
        "int64" => Arc::new(Int64Array::from(values::<i64>(cells)?)),
        "uint8" => Arc::new(UInt8Array::from(values::<u8>(cells)?)),
        "uint16" => Arc::new(UInt16Array::from(values::<u16>(cells)?)),
        "uint32" => Arc::new(UInt32Array::from(values::<u32>(cells)?)),
        "uint64" => Arc::new(UInt64Array::from(values::<u64>(cells)?)),
        "float32" => Arc::new(Float32Array::from(values::<f32>(cells)?)),
        "float64" => Arc::new(Float64Array::from(values::<f64>(cells)?)),
        other => return Err(PyTypeError::new_err(format!("a column cannot be of {other}"))),
    })
}

/// Texts, or None for what is missing. A lone surrogate has no UTF-8: it is spelled out, so that two texts stay two.
fn texts(cells: &Bound<'_, PyList>) -> PyResult<ArrayRef> {
    let mut made = LargeStringBuilder::with_capacity(cells.len(), 0);
    for cell in cells {
        if cell.is_none() {
            made.append_null();
            continue;
        }
        let cell = cell.cast::<PyString>()?;
        match cell.to_cow() {
            Ok(text) => made.append_value(text),
            Err(_) => {
                let spelled = cell.call_method1("encode", ("utf-8", "backslashreplace"))?;
                made.append_value(spelled.call_method1("decode", ("utf-8",))?.extract::<String>()?);
            }
        }
    }
    Ok(Arc::new(made.finish()))
}

/// The first column of a stream.
fn streamed(cells: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let (schema, batches) = stream::read(cells)?;
    let broken = || Failure::Data("a stream of one column gave none".to_owned()).raise(cells.py());
    let kind = schema.fields().first().ok_or_else(broken)?.data_type().clone();
    let pieces: Vec<&dyn Array> = batches.iter().map(|batch| batch.column(0).as_ref()).collect();
    match pieces[..] {
        [] => Ok(new_empty_array(&kind)),
        _ => concat(&pieces).map_err(|_| broken()),
    }
}

/// A copy of a buffer of one dimension.
fn values<T: Element>(cells: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    PyBuffer::<T>::get(cells)?.to_vec(cells.py())
}
