//! Several releases of one share, by the rule of the paper.

use inbounds_statistics::proportion::combine;
use pyo3::{buffer::PyBuffer, prelude::*};

use crate::{failure::Failure, numbers::copied, work};

/// Mean, variance, degrees of freedom and interval of several releases of one share of so many rows.
#[pyfunction]
pub(crate) fn combine_releases(
    py: Python<'_>,
    releases: PyBuffer<f64>,
    rows: u64,
    level: f64,
) -> PyResult<(f64, f64, f64, (f64, f64))> {
    let releases = copied(py, &releases)?;
    work::apart(py, || {
        if releases.len() < 2 {
            return Err(Failure::Parameter("one release says nothing of its own spread: give two or more".to_owned()));
        }
        if rows == 0 || !releases.iter().all(|share| share.is_finite()) {
            return Err(Failure::Parameter("releases must be finite numbers, of one row or more".to_owned()));
        }
        let combined = combine(&releases, rows as f64);
        Ok((combined.estimate, combined.variance, combined.freedom, combined.interval(level)))
    })
}
