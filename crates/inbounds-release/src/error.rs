//! Why a release did not happen. In every case nothing was published and nothing was spent.

use inbounds_bundle::BundleError;
use inbounds_data::DataError;
use inbounds_input::document::DocumentErrors;
use inbounds_mechanisms::{account::OverBudget, sampler::EntropyError};
use inbounds_report::ReportError;
use thiserror::Error;

/// A release that did not happen.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// The plan has mistakes; each has its place.
    #[error(transparent)]
    Plan(#[from] DocumentErrors),
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
        "the plan says rows = {planned}, but the data has {found} rows; under substitution the number of rows is public \
         and must be right: correct `rows` in the plan"
    )]
    Rows {
        /// Rows in the plan.
        planned: u64,
        /// Rows in the data, which the relation makes public.
        found: i128,
    },
    /// The bundle could not be written.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// The page of the bundle could not be drawn.
    #[error(transparent)]
    Report(#[from] ReportError),
}
