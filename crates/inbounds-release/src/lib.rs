//! From a plan to a published bundle.
//!
//! The modules stand in the order of a release:
//!
//! - [`plan`]: what the user wants released, and everything that is wrong with it;
//! - [`OpenedPlan`]: the plan checked against the data's schema, every mechanism calibrated, no row read;
//! - [`check`](mod@check): what that will cost and how good it will be;
//! - [`release`]: rows to measurements to estimates, all or nothing; [`levels`](mod@levels): numbers that add up;
//! - [`bundle`]: the public files.
//! - [`peek`](mod@peek): exact numbers about the rows, for the curator's own eyes, of which nothing is published;
//! - [`predict`](mod@predict): what a released model says of rows;
//! - [`accounts`]: ledgers and the files that they are about.
//!
//! Only this crate draws secure randomness.

mod approval;
mod assumed_rows;
mod budget_split;
mod cell_keys;
mod chosen;
pub mod codebook;
mod coverage;
mod diagnostics;
mod draft;
mod entries;
mod epsilons;
mod error;
mod error_location;
mod estimated;
mod estimating;
mod grants;
mod init;
mod joint;
mod key;
mod keys;
mod labels;
mod learned;
mod left_out;
mod lines_asked;
mod measuring;
mod model_accuracy;
mod notices;
mod open_data;
mod opened_plan;
mod payment;
mod per_unit;
mod prepared_plan;
mod prepared_statistic;
mod preparing;
mod reading;
mod rehearsal;
mod released;
mod rounded;
mod run;
mod sample_sizes;
mod sharing;
mod threads;
mod totals;
mod unfinished;
mod unit_reading;
mod wants;
mod without_data;

use inbounds_reconcile::{progress, projection};

pub mod accounts;
mod alternatives;
pub mod bundle;
mod charged_rows;
pub mod check;
pub mod levels;
pub mod peek;
pub mod plan;
pub mod predict;

pub use approval::{Approvable, approvable};
pub use assumed_rows::AssumedRows;
pub use diagnostics::{CheckedDiagnostics, Diagnostics};
pub use draft::{PlanDraft, PlanText, parse_plan, read_plan};
pub use epsilons::{ErrorByEpsilon, by_epsilon};
pub use error::ReleaseError;
pub use grants::Grants;
pub use grants::Spent;
pub use inbounds_bundle::{DiagnosticsEntry, Notice};
pub use inbounds_data::{KeyValue, MemoryRows, Part, SealedShare, ShareError, ShareQuestion, Shares, UnitMemory};
pub use inbounds_reconcile::{Progress, Silent, Step};
pub use inbounds_statistics::{Estimate, population::Interval};
pub use init::{FirstAnswers, FirstLook, FirstNeighbours, FirstUnit, init};
pub use joint::Joint;
pub use key::Key;
pub use labels::{Label, Labels};
pub use learned::LearnedTable;
pub use measuring::{ExactAnswers, Measured};
pub use model_accuracy::{ExpectedModelAccuracy, ModelAccuracy};
pub use opened_plan::OpenedPlan;
pub use payment::LedgerState;
pub use prepared_statistic::{CalibratedStatistic, Ends, PreparedStatistic};
pub use released::{Entered, LEVEL, Randomness, Released};
pub use run::{Release, release, release_within};
pub use sample_sizes::{PopulationErrors, SampleSize, Sizes, sample_sizes};
pub use sharing::{Members, SharedNoise};
pub use totals::ListedTotals;
pub use unfinished::{Unfinished, unfinished_beside};
pub use without_data::SchemaAssumptions;

/// The example for Rust in a page for people.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/engines.md")]
struct Engines;
