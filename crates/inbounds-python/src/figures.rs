//! Figures of bundles.

use std::path::PathBuf;

use inbounds_figures::{FiguresFile, compare, figures};
use pyo3::prelude::*;

use crate::{failure::Failure, work};

/// Makes figures of a bundle, as a text asks for them, in a new folder.
#[pyfunction]
pub(crate) fn make_figures(py: Python<'_>, bundle: PathBuf, text: &str, out: PathBuf) -> PyResult<()> {
    let done = format!("the figures are complete in {}", out.display());
    work::run(py, None, &done, |_| {
        let file = FiguresFile::parse(text).map_err(Failure::Figures)?;
        figures(&bundle, &file, &out)?;
        Ok(())
    })
}

/// The change of every number from one release to another, in a new folder.
#[pyfunction]
pub(crate) fn compare_releases(py: Python<'_>, old: PathBuf, new: PathBuf, level: f64, out: PathBuf) -> PyResult<()> {
    let done = format!("the comparison is complete in {}", out.display());
    work::run(py, None, &done, |_| {
        compare(&old, &new, level, &out)?;
        Ok(())
    })
}
