//! Noisy counts of the rows that statistics leave out.

use inbounds_mechanisms::registry::Entry;
use serde::{Deserialize, Serialize};

use crate::{CountEntry, Exact, Id};

/// Noisy counts of the rows that meet the condition of some statistics and are in none of their numbers, each for one
/// reason. They cost nothing beside the statistics: a row is in the numbers or it is left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeftOutEntry {
    /// The statistics, all of which leave out the same rows.
    pub statistics: Vec<String>,
    /// Columns of which a row needs a value.
    pub columns: Vec<String>,
    /// Columns of which a row needs a listed key.
    pub by: Vec<String>,
    /// The epsilon of the statistics together, to which the counts are calibrated, exact. Not spent a second time.
    pub epsilon: Exact,
    /// Registered name of the mechanism.
    pub mechanism: Id<&'static Entry>,
    /// Exact inverse scale of the discrete Laplace noise of each count, per row.
    pub inverse_scale: Option<Exact>,
    /// Rows with a cell in one of `columns` that cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<CountEntry>,
    /// Rows without a value of one of `columns`, all of whose cells can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<CountEntry>,
    /// Rows without a listed key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unlisted: Option<CountEntry>,
}

/// Why rows are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Reason {
    /// A cell of one of these columns is neither missing nor of the type of the column.
    Unreadable {
        /// The columns.
        columns: Vec<String>,
    },
    /// A cell of one of these columns is empty, or listed as missing.
    Missing {
        /// The columns.
        columns: Vec<String>,
    },
    /// The key of these columns is not listed.
    Unlisted {
        /// The columns.
        by: Vec<String>,
    },
}
