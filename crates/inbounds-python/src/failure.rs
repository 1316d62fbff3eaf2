//! Failures, and the exception of the package for each.

use inbounds_advise::{AdviseError, design::DesignFailure};
use inbounds_core::CoreError;
use inbounds_data::DataError;
use inbounds_figures::FiguresError;
use inbounds_ledger::LedgerError;
use inbounds_mechanisms::{calibrate::CalibrationError, sampler::EntropyError};
use inbounds_reconcile::ReconcileError;
use inbounds_release::{ReleaseError, plan::DocumentErrors};
use inbounds_report::ReportError;
use inbounds_statistics::StatisticError;
use pyo3::prelude::*;

/// A failure, by the exception that it becomes. No text holds a cell, because none of the crates below has one in its
/// errors.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Mistakes in a plan, each with its place.
    Plan(DocumentErrors),
    /// Mistakes in constraints, each with its place.
    Constraints(DocumentErrors),
    /// Mistakes in figures, each with its place.
    Figures(DocumentErrors),
    /// Data that cannot be read, or contradict what is said of them.
    Data(String),
    /// A parameter outside its admissible set.
    Parameter(String),
    /// A bundle that cannot be written.
    Write(String),
    /// Constraints that no numbers satisfy: nodes and what is required of each.
    Infeasible { message: String, conflict: Vec<(String, String)> },
    /// No randomness.
    Entropy(String),
    /// A ledger that cannot pay, or cannot be used.
    Ledger(String),
    /// An end that was asked for.
    Stopped,
    /// A fault of this program, by its place in the code.
    Broken(String),
}

impl Failure {
    /// The exception.
    pub(crate) fn raise(self, py: Python<'_>) -> PyErr {
        self.exception(py).unwrap_or_else(|error| error)
    }

    fn exception(self, py: Python<'_>) -> PyResult<PyErr> {
        let errors = py.import("inbounds._errors")?;
        let documented = |class: &str, errors_of: DocumentErrors| {
            let DocumentErrors { name, mistakes, more, .. } = errors_of;
            let mistakes = mistakes.into_iter().map(|mistake| {
                (mistake.message, mistake.help, (mistake.span.start, mistake.span.end), (mistake.line, mistake.column))
            });
            errors.getattr(class)?.call_method1("of", (name, mistakes.collect::<Vec<_>>(), more))
        };
        let said = |class: &str, message: String| errors.getattr(class)?.call1((message,));
        let exception = match self {
            Self::Plan(problems) => documented("PlanError", problems)?,
            Self::Constraints(problems) => documented("ConstraintsError", problems)?,
            Self::Figures(problems) => documented("FiguresError", problems)?,
            Self::Data(message) => said("DataError", message)?,
            Self::Parameter(message) => said("ParameterError", message)?,
            Self::Write(message) => said("WriteError", message)?,
            Self::Infeasible { message, conflict } => errors.getattr("InfeasibleError")?.call1((message, conflict))?,
            Self::Entropy(message) => said("EntropyError", message)?,
            Self::Ledger(message) => said("LedgerError", message)?,
            Self::Stopped => said("Error", "stopped before anything was published".to_owned())?,
            Self::Broken(place) => {
                let message = format!("inbounds failed at {place}; this is a fault of the program, please report it");
                said("InternalError", message)?
            }
        };
        Ok(PyErr::from_value(exception))
    }
}

impl From<DocumentErrors> for Failure {
    fn from(errors: DocumentErrors) -> Self {
        Self::Plan(errors)
    }
}

impl From<ReleaseError> for Failure {
    fn from(error: ReleaseError) -> Self {
        let message = error.to_string();
        match error {
            ReleaseError::Plan(errors) => Self::Plan(errors),
            ReleaseError::Budget(_) | ReleaseError::NotApproved { .. } => Self::Parameter(message),
            ReleaseError::Ledger(_) | ReleaseError::Reserved { .. } => Self::Ledger(message),
            ReleaseError::Data(DataError::Stopped) => Self::Stopped,
            ReleaseError::Codebook(_)
            | ReleaseError::NoColumn { .. }
            | ReleaseError::Data(_)
            | ReleaseError::Rows { .. } => Self::Data(message),
            ReleaseError::Entropy(_) => Self::Entropy(message),
            _ => Self::Write(message),
        }
    }
}

impl From<ReconcileError> for Failure {
    fn from(error: ReconcileError) -> Self {
        let message = error.to_string();
        match error {
            ReconcileError::Bundle(_) | ReconcileError::Report(_) => Self::Write(message),
            ReconcileError::Stopped => Self::Stopped,
            ReconcileError::Constraints(errors) => Self::Constraints(errors),
            ReconcileError::Infeasible { conflict } => Self::Infeasible { message, conflict },
            ReconcileError::Replicates { .. }
            | ReconcileError::Level { .. }
            | ReconcileError::Fit
            | ReconcileError::TotalLabel { .. }
            | ReconcileError::TotalOfTree
            | ReconcileError::Matrix { .. }
            | ReconcileError::NotUnimodular { .. } => Self::Parameter(message),
            _ => Self::Data(message),
        }
    }
}

impl From<FiguresError> for Failure {
    fn from(error: FiguresError) -> Self {
        let message = error.to_string();
        match error {
            FiguresError::Document(errors) => Self::Figures(errors),
            FiguresError::Bundle(_) => Self::Write(message),
            FiguresError::Refused { .. } | FiguresError::NotComparable { .. } | FiguresError::Level { .. } => {
                Self::Parameter(message)
            }
            _ => Self::Data(message),
        }
    }
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        Self::Data(error.to_string())
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        let message = error.to_string();
        if matches!(error, ReportError::Unwritable { .. }) { Self::Write(message) } else { Self::Data(message) }
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error.to_string())
    }
}

impl From<EntropyError> for Failure {
    fn from(error: EntropyError) -> Self {
        Self::Entropy(error.to_string())
    }
}

/// Errors of parameters alone.
macro_rules! parameters {
    ($($error:ty),*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::Parameter(error.to_string())
            }
        })*
    };
}

parameters!(AdviseError, DesignFailure, CoreError, CalibrationError, StatisticError);
