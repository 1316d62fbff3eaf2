//! Why a release did not happen. In every case nothing was published; of a ledger something was spent in one case
//! alone.

use std::path::PathBuf;

use inbounds_bundle::{BundleError, RowsAre};
use inbounds_data::DataError;
use inbounds_figures::FiguresError;
use inbounds_input::document::{DocumentErrors, Mistake};
use inbounds_ledger::LedgerError;
use inbounds_mechanisms::{account::OverBudget, sampler::EntropyError};
use inbounds_report::ReportError;
use thiserror::Error;

use crate::{codebook::CodebookError, plan::Plan};

/// A release that did not happen.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// The plan has mistakes; each has its place.
    #[error(transparent)]
    Plan(#[from] DocumentErrors),
    /// The codebook of a first plan cannot be read, or is another file's.
    #[error(transparent)]
    Codebook(#[from] CodebookError),
    /// A first plan shall use a column that the data have not.
    #[error(
        "the data have no column `{column}`{}: names of columns are those of the first line or of the schema", hint(.nearest)
    )]
    NoColumn {
        /// The name that was given.
        column: String,
        /// The name that is like it.
        nearest: Option<String>,
    },
    /// The data could not be opened or read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The statistics cost more than the plan grants.
    #[error(transparent)]
    Budget(#[from] OverBudget),
    /// No entropy.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
    /// The public number of rows in the plan is not that of the data.
    #[error(
        "the plan says rows = {planned}, but the data has {found} {rows}; under substitution the number of {rows} is public \
         and must be right: correct `rows` in the plan",
        rows = rows_are.word()
    )]
    Rows {
        /// Meaning of a row.
        rows_are: RowsAre,
        /// Rows in the plan.
        planned: u64,
        /// Rows in the data, which the relation makes public.
        found: i128,
    },
    /// The plan, or a public file that it names, is not the approved one.
    #[error(
        "this plan was not approved: the approved digest is {approved}, and that of the plan with its public files is \
         {found}; have it approved as it is now (`inbounds check --out approval.html`), or release the plan that was"
    )]
    NotApproved {
        /// Digest that was approved.
        approved: String,
        /// Digest of the plan.
        found: String,
    },
    /// The bundle could not be written.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// The ledger of the plan cannot pay, or cannot be used.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The noise had been drawn, so the ledger counts the price although nothing was published.
    #[error(
        "{source}\nNothing was published, but noise had been drawn, so entry {entry} of the ledger counts as spent. If nobody saw a \
         number of this run, take it back: inbounds ledger void {} {entry} --reason \"...\"", .ledger.display()
    )]
    Reserved {
        /// The failure.
        source: Box<ReleaseError>,
        /// Number of the reservation.
        entry: u64,
        /// The ledger.
        ledger: PathBuf,
    },
    /// The page of the bundle could not be drawn.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The figures of the plan could not be written.
    #[error(transparent)]
    Figures(#[from] FiguresError),
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |nearest| format!("; did you mean `{nearest}`?"))
}

/// Why a plan is no release, before mistakes have their lines.
pub(crate) enum Refused {
    Mistakes(Vec<Mistake>),
    Other(ReleaseError),
}

impl Refused {
    /// The error of the release, with mistakes at their lines of the plan.
    pub(crate) fn into_error(self, plan: &Plan) -> ReleaseError {
        match self {
            Self::Mistakes(mistakes) => plan.errors(mistakes).into(),
            Self::Other(error) => error,
        }
    }
}

impl<E: Into<ReleaseError>> From<E> for Refused {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}
