//! Noisy numbers made to add up.

use std::path::PathBuf;

use inbounds_reconcile::{Fit, Options, TotalLabels, WideColumns, reconcile as reconciled};
use pyo3::prelude::*;

use crate::{failure::Failure, work};

/// Options of a reconciliation.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    wide: Option<(String, Vec<String>, Option<String>)>,
    totals: (Vec<String>, bool),
    residuals: bool,
    constraints: Option<PathBuf>,
    integer: bool,
    fit: Option<String>,
    level: f64,
    replicates: usize,
    seed: u64,
}

/// Reconciles the measurements of a file into a new folder.
#[pyfunction]
#[pyo3(signature = (measurements, out, asked, progress=None))]
pub(crate) fn reconcile(
    py: Python<'_>,
    measurements: PathBuf,
    out: PathBuf,
    asked: Asked,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<()> {
    let done = format!("the bundle is complete in {}", out.display());
    work::run(py, progress.as_ref(), &done, |watch| {
        let fit =
            asked.fit.as_deref().map(|word| Fit::named(word).map_err(|known| Failure::Parameter(known.to_owned())));
        let wide = asked.wide.map(|(attribute, values, total)| WideColumns { attribute, values, total });
        let (named, usual) = asked.totals;
        let totals = TotalLabels { named, usual };
        let options = Options {
            wide,
            totals,
            residuals: asked.residuals,
            constraints: asked.constraints,
            integer: asked.integer,
            fit: fit.transpose()?,
            level: asked.level,
            replicates: asked.replicates,
            seed: asked.seed,
        };
        reconciled(&measurements, &options, &out, watch)?;
        Ok(())
    })
}
