//! Bundles.

use std::path::PathBuf;

use pyo3::prelude::*;

use crate::{failure::Failure, work};

/// The estimates of a statistic, drawn in SVG.
#[pyfunction]
pub(crate) fn draw_plot(py: Python<'_>, folder: PathBuf, statistic: &str) -> PyResult<String> {
    work::run(py, None, "nothing was written", |_| Ok(inbounds_report::plot(&folder, statistic)?))
}

/// The page of a bundle, and a warning if a file of it is not the one of its manifest.
#[pyfunction]
pub(crate) fn draw_page(py: Python<'_>, folder: PathBuf) -> PyResult<(String, Option<String>)> {
    work::run(py, None, "nothing was written", |_| {
        let drawn = inbounds_report::draw(&folder).map_err(Failure::from)?;
        Ok((drawn.page, drawn.warning))
    })
}
