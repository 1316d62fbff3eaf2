//! Many numbers at once, in and out.

use pyo3::{
    buffer::{Element, PyBuffer},
    prelude::*,
    types::PyBytes,
};

use crate::fault::shielded;

/// Whole numbers: an array of 64 bits each, as those of NumPy, or a list of any size.
#[derive(FromPyObject)]
pub(crate) enum Whole {
    Array(PyBuffer<i64>),
    List(Vec<i128>),
}

impl Whole {
    /// A copy of them.
    pub(crate) fn numbers(&self, py: Python<'_>) -> PyResult<Vec<i128>> {
        Ok(match self {
            Self::Array(array) => copied(py, array)?.into_iter().map(i128::from).collect(),
            Self::List(list) => list.clone(),
        })
    }
}

/// A copy of the numbers of an array, which belongs to another library.
pub(crate) fn copied<T: Element>(py: Python<'_>, array: &PyBuffer<T>) -> PyResult<Vec<T>> {
    shielded(py, || array.to_vec(py))
}

/// Doubles as the bytes of an array, which `memoryview` and NumPy read without a copy.
pub(crate) fn bytes<'py>(py: Python<'py>, numbers: &[f64]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, bytemuck::cast_slice(numbers))
}
