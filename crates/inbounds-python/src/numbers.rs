//! Many numbers at once, in and out.

use pyo3::{buffer::PyBuffer, prelude::*, types::PyBytes};

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
            Self::Array(array) => array.to_vec(py)?.into_iter().map(i128::from).collect(),
            Self::List(list) => list.clone(),
        })
    }
}

/// Doubles as the bytes of an array, which `memoryview` and NumPy read without a copy.
pub(crate) fn bytes<'py>(py: Python<'py>, numbers: &[f64]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, bytemuck::cast_slice(numbers))
}
