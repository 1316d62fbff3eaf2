//! Which statistics say nothing of a population.

use thiserror::Error;

/// Why a statistic has no interval for the population that its rows are a sample of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NoInterval {
    /// It estimates no parameter of a population.
    #[error("this statistic describes its rows and estimates no parameter of a population")]
    NoParameter,
    /// A sample of one row.
    #[error("one row says nothing of a population")]
    OneRow,
    /// A mean over a private number of rows.
    #[error("a mean has one only over a public number of rows: ask for a variance, which brings its mean")]
    MeanOfPrivateRows,
    /// Covariances over a private number of rows.
    #[error("covariances have them only over a public number of rows")]
    CovariancesOfPrivateRows,
    /// A covariance matrix measured as one vector.
    #[error("a covariance matrix that is measured as a whole has none: measure its entries")]
    WholeMatrix,
}

impl NoInterval {
    /// Refuses a number of rows that is known to be too small.
    pub(crate) fn judge_rows(rows: Option<u64>) -> Result<(), Self> {
        if rows.is_some_and(|rows| rows < 2) { Err(Self::OneRow) } else { Ok(()) }
    }
}
