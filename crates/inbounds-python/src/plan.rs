//! A plan, checked and released.

use std::{
    fs,
    path::{Path, PathBuf},
};

use inbounds_cli::text;
use inbounds_release::{
    Assumed, PlanText, Randomness, UnitMemory,
    check::check,
    parse_plan,
    plan::{self, Plan as ReleasePlan},
    read_plan, release_within, unfinished_beside,
};
use pyo3::prelude::*;

use crate::{failure::Failure, rows::Rows, work};

/// A plan, and the rows in memory if it is of such. It shows neither, and cannot be pickled.
#[pyclass(frozen, module = "inbounds._inbounds")]
pub(crate) struct Plan {
    plan: ReleasePlan,
}

#[pymethods]
impl Plan {
    /// Reads a plan file; `rows` take the place of those at its path.
    #[staticmethod]
    #[pyo3(signature = (path, rows=None))]
    fn read(py: Python<'_>, path: PathBuf, rows: Option<Bound<'_, Rows>>) -> PyResult<Self> {
        let rows = rows.map(|rows| rows.get().rows.clone());
        let read = || match (rows, fs::read_to_string(&path)) {
            (Some(rows), Ok(text)) => {
                let (name, folder) = (path.display().to_string(), path.parent().unwrap_or(Path::new("")));
                parse_plan(PlanText { text: &text, name: &name, folder, rows: Some(rows) })
            }
            // What is no text is refused with the reason.
            _ => read_plan(&path),
        };
        Ok(Self { plan: py.detach(read).map_err(|errors| Failure::Plan(errors).raise(py))? })
    }

    /// Reads a plan from its text, with paths relative to `folder`; `rows` take the place of those at its path.
    #[staticmethod]
    #[pyo3(signature = (text, name, folder, rows=None))]
    fn parse(py: Python<'_>, text: &str, name: &str, folder: PathBuf, rows: Option<Bound<'_, Rows>>) -> PyResult<Self> {
        let rows = rows.map(|rows| rows.get().rows.clone());
        let parsed = py.detach(|| parse_plan(PlanText { text, name, folder: &folder, rows }));
        Ok(Self { plan: parsed.map_err(|errors| Failure::Plan(errors).raise(py))? })
    }

    /// The text of the plan, in TOML.
    fn text(&self) -> &str {
        self.plan.text()
    }

    /// What the plan costs and how accurate it will be, without reading a row: as JSON, and as the command prints it.
    #[pyo3(signature = (rows=None, group_sizes=None, columns=100))]
    fn check(
        &self,
        py: Python<'_>,
        rows: Option<u64>,
        group_sizes: Option<Vec<u64>>,
        columns: usize,
    ) -> PyResult<(String, String)> {
        let assumed = match (rows, group_sizes) {
            (Some(rows), _) => Assumed::Rows(rows),
            (None, Some(sizes)) if !sizes.is_empty() => Assumed::GroupSizes(sizes),
            (None, _) => Assumed::Usual,
        };
        work::run(py, None, "nothing was published", |_| {
            let report = check(&self.plan, &assumed)?;
            let json = serde_json::to_string(&report).expect("strings, numbers and lists serialise");
            Ok((json, text::check(&report, columns)))
        })
    }

    /// Releases the plan into a new folder: privately, or from a seed, which protects nobody. Returns what there is to
    /// say beside the numbers, of the ledger of the plan and of unfinished bundles that stood beside the folder.
    /// `memory` is most memory for units, and a folder for what does not fit.
    #[pyo3(signature = (out, seed=None, memory=(None, None), progress=None))]
    fn release(
        &self,
        py: Python<'_>,
        out: PathBuf,
        seed: Option<u64>,
        memory: (Option<u64>, Option<PathBuf>),
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Option<String>> {
        let randomness = seed.map_or(Randomness::Secure, Randomness::Seeded);
        let memory = UnitMemory { limit: memory.0, spill: memory.1 };
        let done = format!("the bundle is complete in {}", out.display());
        let unfinished = unfinished_beside(&out);
        work::run(py, progress.as_ref(), &done, |watch| {
            let of_ledger = release_within(&memory, &self.plan, Path::new(&out), randomness, watch)?.entered.sentence();
            let said: Vec<String> = unfinished.iter().map(|left| left.sentence()).chain(of_ledger).collect();
            Ok((!said.is_empty()).then(|| said.join(" ")))
        })
    }

    fn __repr__(&self) -> &'static str {
        "<plan>"
    }
}

/// The kinds of statistics in the words of plans, each with the keys that not all kinds have.
#[pyfunction]
pub(crate) fn kinds() -> Vec<(&'static str, Vec<&'static str>)> {
    plan::kinds()
}
