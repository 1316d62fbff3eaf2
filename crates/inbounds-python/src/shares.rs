//! The question to rows that are elsewhere, and their shares.

use std::{path::PathBuf, sync::Arc};

use arrow::{
    array::{Int32Array, RecordBatch},
    datatypes::{DataType, Field, Schema},
};
use inbounds_release::{Part, Progress, ShareError, ShareQuestion as Asked, Shares, UnitMemory};
use pyo3::{prelude::*, types::PyBytes};

use crate::{failure::Failure, fault::shielded, rows::Rows, table::Table, work};

/// A plan's question to rows that are elsewhere, with the key of their shares. Nothing shows it.
#[pyclass(frozen, module = "inbounds._inbounds")]
pub(crate) struct Question {
    pub(crate) question: Asked,
}

impl Question {
    /// Sum of these shares.
    ///
    /// # Errors
    /// What is no share of this question.
    pub(crate) fn counted(&self, shares: &[&[u8]]) -> Result<Shares, Failure> {
        let mut counted = Shares::new(self.question.clone());
        for share in shares {
            counted.add(share)?;
        }
        Ok(counted)
    }
}

#[pymethods]
impl Question {
    /// That of its bytes.
    #[staticmethod]
    #[pyo3(name = "of")]
    fn from_bytes(py: Python<'_>, packed: &[u8]) -> PyResult<Self> {
        work::apart(py, || Ok(Self { question: Asked::from_bytes(packed)? }))
    }

    /// Bytes that hold the key.
    fn packed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        shielded(py, || Ok(PyBytes::new(py, &self.question.to_bytes())))
    }

    /// Names of the columns that are read.
    fn columns(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        shielded(py, || Ok(self.question.columns().map(str::to_owned).collect()))
    }

    /// Names of those that the unit is read from.
    fn columns_of_unit(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        shielded(py, || Ok(self.question.columns_of_unit().map(str::to_owned).collect()))
    }

    /// The column that names units whose rows must meet, if there is one.
    fn unit(&self, py: Python<'_>) -> PyResult<Option<String>> {
        shielded(py, || Ok(self.question.unit().map(str::to_owned)))
    }

    /// `True` if rows are held in memory, because they are read more than once.
    fn reads_twice(&self, py: Python<'_>) -> PyResult<bool> {
        shielded(py, || Ok(self.question.reads_twice()))
    }

    /// Share of these rows: sealed bytes. `part` is their number among the parts.
    #[pyo3(signature = (rows, part=None, memory=(None, None)))]
    fn share<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'_, Rows>,
        part: Option<u64>,
        memory: (Option<u64>, Option<PathBuf>),
    ) -> PyResult<Bound<'py, PyBytes>> {
        let rows = rows.get().rows.clone();
        let memory = UnitMemory { limit: memory.0, spill: memory.1 };
        let share = work::run(py, None, "nothing was published", |watch| {
            let part = part.map_or_else(Part::unnumbered, |part| Ok(Part::Number(part)))?;
            Ok(self.question.share(&rows, part, &memory, watch.stop())?)
        })?;
        Ok(PyBytes::new(py, &share.into_bytes()))
    }

    /// The group of each row's unit, in a table of one column `group`.
    fn groups(&self, py: Python<'_>, rows: &Bound<'_, Rows>) -> PyResult<Table> {
        let rows = &rows.get().rows;
        work::apart(py, || {
            let groups = self.question.groups(rows)?.into_iter().map(|group| group.map(i32::from));
            let groups: Int32Array = groups.collect();
            let schema = Arc::new(Schema::new(vec![Field::new("group", DataType::Int32, true)]));
            let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(groups)]);
            Ok(Table { schema, batch: batch.expect("one column") })
        })
    }

    fn __repr__(&self) -> &'static str {
        "<question>"
    }
}

impl From<ShareError> for Failure {
    fn from(error: ShareError) -> Self {
        match error {
            ShareError::Entropy => Self::Entropy(error.to_string()),
            _ => Self::Data(error.to_string()),
        }
    }
}
