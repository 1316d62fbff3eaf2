//! A plan, checked and released.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use inbounds_cli::text;
use inbounds_core::{Approval, CoreError, Epsilon};
use inbounds_explore::{StandaloneError, standalone};
use inbounds_release::{
    Approvable, AssumedRows, OpenedPlan, PlanDraft as Draft, Randomness, UnitMemory, approvable,
    check::check,
    plan::{self, Plan as ReleasePlan},
    release_within, unfinished_beside,
};
use pyo3::{prelude::*, types::PyBytes};

use crate::{failure::Failure, fault::shielded, rows::Rows, shares::Question, work};

/// A plan, and the rows in memory if it is of such. It shows neither, and cannot be pickled.
#[pyclass(frozen, module = "inbounds._inbounds")]
pub(crate) struct Plan {
    pub(crate) plan: ReleasePlan,
}

/// A plan whose text is read, right or wrong, and whose rows are not handed over yet.
#[pyclass(frozen, module = "inbounds._inbounds")]
pub(crate) struct PlanDraft {
    /// None once it is finished.
    draft: Mutex<Option<Draft>>,
}

#[pymethods]
impl PlanDraft {
    /// Reads a plan file.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        work::apart(py, || Ok(Self { draft: Mutex::new(Some(Draft::read(&path))) }))
    }

    /// Reads a plan from its text, with paths relative to `folder`.
    #[staticmethod]
    fn parse(py: Python<'_>, text: &str, name: &str, folder: PathBuf) -> PyResult<Self> {
        work::apart(py, || Ok(Self { draft: Mutex::new(Some(Draft::parse(name, text, &folder))) }))
    }

    /// Names of the columns that it can read, each once.
    fn columns_read(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        shielded(py, || {
            let draft = self.draft.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(draft.as_ref().map(Draft::columns_read).unwrap_or_default())
        })
    }

    /// The plan, once; `rows` take the place of those at its path.
    #[pyo3(signature = (rows=None))]
    fn finish(&self, py: Python<'_>, rows: Option<Bound<'_, Rows>>) -> PyResult<Plan> {
        let rows = rows.map(|rows| rows.get().rows.clone());
        let draft = self.draft.lock().unwrap_or_else(PoisonError::into_inner).take();
        work::apart(py, || {
            let draft = draft.ok_or_else(|| Failure::Parameter("a draft makes one plan".to_owned()))?;
            Ok(Plan { plan: draft.finish(rows).map_err(Failure::Plan)? })
        })
    }

    fn __repr__(&self) -> &'static str {
        "<draft of a plan>"
    }
}

#[pymethods]
impl Plan {
    /// The text of the plan, in TOML.
    fn text(&self, py: Python<'_>) -> PyResult<&str> {
        shielded(py, || Ok(self.plan.text()))
    }

    /// Cost and expected accuracy of the plan, without reading a row: as JSON, and as the command prints it.
    #[pyo3(signature = (rows=None, group_sizes=None, columns=100))]
    fn check(
        &self,
        py: Python<'_>,
        rows: Option<u64>,
        group_sizes: Option<Vec<u64>>,
        columns: usize,
    ) -> PyResult<(String, String)> {
        let assumed = match (rows, group_sizes) {
            (Some(rows), _) => AssumedRows::Rows(rows),
            (None, Some(sizes)) if !sizes.is_empty() => AssumedRows::GroupSizes(sizes),
            (None, _) => AssumedRows::Usual,
        };
        work::run(py, None, "nothing was published", |_| {
            let report = check(&self.plan, &assumed)?;
            let json = serde_json::to_string(&report).expect("strings, numbers and lists serialise");
            Ok((json, text::check(&report, columns)))
        })
    }

    /// The digest of the plan that a person approves, and the page for it, with errors at these epsilons.
    fn approvable(&self, py: Python<'_>, epsilons: Vec<String>) -> PyResult<(String, String)> {
        work::run(py, None, "nothing was published", |_| {
            let epsilons: Vec<Epsilon> =
                epsilons.iter().map(|epsilon| Epsilon::new(epsilon.parse()?)).collect::<Result<_, CoreError>>()?;
            let Approvable { sha256, page } = approvable(&self.plan, &epsilons, &AssumedRows::Usual)?;
            Ok((sha256, page))
        })
    }

    /// The page of the plan as one file, with numbers at some epsilons, without reading a row.
    fn explore(&self, py: Python<'_>) -> PyResult<String> {
        work::run(py, None, "nothing was published", |_| {
            standalone("plan.toml", &self.plan).map_err(|error| match error {
                StandaloneError::Release(error) => error.into(),
                other => Failure::Parameter(other.to_string()),
            })
        })
    }

    /// Releases the plan into a new folder: privately, or from a seed, which protects nobody. Returns what there is to
    /// say beside the numbers, of the ledger of the plan and of unfinished bundles that stood beside the folder.
    /// `memory` is most memory for units, and a folder for what does not fit; `shares` are of rows that are elsewhere,
    /// with their question; `approval` is a digest, who approved it, and why.
    #[pyo3(signature = (out, seed=None, memory=(None, None), progress=None, shares=None, approval=None))]
    #[expect(clippy::too_many_arguments, reason = "one argument for each key of the function in Python")]
    fn release(
        &self,
        py: Python<'_>,
        out: PathBuf,
        seed: Option<u64>,
        memory: (Option<u64>, Option<PathBuf>),
        progress: Option<Bound<'_, PyAny>>,
        shares: Option<(Bound<'_, Question>, Vec<Bound<'_, PyBytes>>)>,
        approval: Option<(String, String, String)>,
    ) -> PyResult<Option<String>> {
        let approve = |(sha256, approver, reason): (String, String, String)| Approval::new(&sha256, &approver, &reason);
        let approval = work::apart(py, || Ok(approval.map(approve).transpose()?))?;
        let shares = shares.map(|(question, shares)| {
            let bytes: Vec<&[u8]> = shares.iter().map(|share| share.as_bytes()).collect();
            let question = question.get();
            work::apart(py, || question.counted(&bytes))
        });
        let shares = shares.transpose()?;
        let randomness = seed.map_or(Randomness::Secure, Randomness::Seeded);
        let memory = UnitMemory { limit: memory.0, spill: memory.1 };
        let done = format!("the bundle is complete in {}", out.display());
        let mut plan = self.plan.clone();
        plan.shares = shares.map(Arc::new);
        plan.approval = approval;
        work::run(py, progress.as_ref(), &done, |watch| {
            let unfinished = unfinished_beside(&out);
            let of_ledger = release_within(&memory, &plan, Path::new(&out), randomness, watch)?.entered.sentence();
            let said: Vec<String> = unfinished.iter().map(|left| left.sentence()).chain(of_ledger).collect();
            Ok((!said.is_empty()).then(|| said.join(" ")))
        })
    }

    /// The plan's question to rows that are elsewhere, for one release.
    fn question(&self, py: Python<'_>) -> PyResult<Question> {
        work::apart(py, || Ok(Question { question: OpenedPlan::question(&self.plan)? }))
    }

    fn __repr__(&self) -> &'static str {
        "<plan>"
    }
}

/// The kinds of statistics in the words of plans, each with the keys that not all kinds have.
#[pyfunction]
pub(crate) fn kinds(py: Python<'_>) -> PyResult<Vec<(&'static str, Vec<&'static str>)>> {
    work::apart(py, || Ok(plan::kinds()))
}
