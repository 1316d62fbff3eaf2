//! Which statistics say something of a population.

use thiserror::Error;

use super::{Interval, KnownVariance, Measured, interval};
use crate::{Component, StatisticError};

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

/// What one measured number says of a population.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Parameter {
    /// Its mean, from that of so many rows of a column within bounds.
    Mean { rows: u64, bounds: (f64, f64) },
    /// A proportion, from that of so many rows.
    Proportion { rows: u64 },
    /// Its variance, from that of so many rows of a column within bounds.
    Variance { rows: u64, bounds: (f64, f64) },
}

impl Parameter {
    /// Refuses samples that are too small.
    pub(crate) fn judge(&self) -> Result<(), NoInterval> {
        let (Self::Mean { rows, .. } | Self::Proportion { rows } | Self::Variance { rows, .. }) = self;
        NoInterval::judge_rows(Some(*rows))
    }

    /// The interval that a measured number of steps gives.
    pub(crate) fn interval(&self, component: &Component, steps: i128, level: f64) -> Result<Interval, StatisticError> {
        let measured = Measured { component, steps };
        match *self {
            Self::Mean { rows, bounds } => interval::mean(&measured, rows, bounds, KnownVariance::Bounds, level),
            Self::Proportion { rows } => interval::proportion(&measured, rows, level),
            Self::Variance { rows, bounds } => interval::variance(&measured, rows, bounds, level),
        }
    }
}

impl NoInterval {
    /// Refuses a number of rows that is known to be too small.
    pub(crate) fn judge_rows(rows: Option<u64>) -> Result<(), Self> {
        if rows.is_some_and(|rows| rows < 2) { Err(Self::OneRow) } else { Ok(()) }
    }
}
