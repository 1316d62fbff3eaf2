//! Options of a reconciliation, besides the files.

use std::path::PathBuf;

use inbounds_core::monte_carlo::rank;

use super::{cells::SUMMED, error::ReconcileError, totals::TotalLabels};
use crate::projection::{Fit, least_replicates};

/// A table with one column for each value of an attribute: its cells stand beside one another, and each row says the
/// other attributes and the noise of all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WideColumns {
    /// Name of the attribute.
    pub attribute: String,
    /// The columns with a measurement each, called like the values of the attribute.
    pub values: Vec<String>,
    /// The column with measurements of the sum over the attribute, if there is one.
    pub total: Option<String>,
}

impl WideColumns {
    /// The value of the attribute that a column is of; `*` for the sum over it.
    pub(super) fn value<'v>(&'v self, column: &str) -> Option<&'v str> {
        if self.total.as_deref() == Some(column) {
            return Some(SUMMED);
        }
        self.values.iter().map(String::as_str).find(|value| *value == column)
    }
}

/// Options of a reconciliation, besides the files.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Which columns of the measurements are values of one attribute; `None` if there is one column `value`.
    pub wide: Option<WideColumns>,
    /// Which values of attributes are labels of totals.
    pub totals: TotalLabels,
    /// True if the measurements of a table are residuals of its margins: the remainder of each margin once the mean
    /// along each of its attributes is taken away, with noise of one variance on each of its cells.
    pub residuals: bool,
    /// Constraints file, if there is one.
    pub constraints: Option<PathBuf>,
    /// True if estimates must be whole numbers.
    pub integer: bool,
    /// Least-squares problem that makes levels of a tree, or margins of a table, add up; [`Fit::TopDown`] if left out.
    /// Only for these alone.
    pub fit: Option<Fit>,
    /// Level of the intervals, between 0 and 1.
    pub level: f64,
    /// Number of fresh draws of the noise for bias, RMSE and intervals; zero for none of them.
    pub replicates: usize,
    /// Seed of these draws. They protect nothing, so it is public.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            wide: None,
            totals: TotalLabels::default(),
            residuals: false,
            constraints: None,
            integer: false,
            fit: None,
            level: 0.95,
            replicates: 200,
            seed: 0,
        }
    }
}

impl Options {
    /// Which of the sorted errors of the replicates is the half width of an interval; none without replicates.
    pub(super) fn rank(&self) -> Result<Option<usize>, ReconcileError> {
        let Self { level, replicates, .. } = *self;
        if !(level > 0.0 && level < 1.0) {
            return Err(ReconcileError::Level { level });
        }
        match rank(level, replicates) {
            Some(rank) if replicates > 1 => Ok(Some(rank)),
            _ if replicates == 0 => Ok(None),
            _ => Err(ReconcileError::Replicates { level, least: least_replicates(level).max(2), found: replicates }),
        }
    }
}
