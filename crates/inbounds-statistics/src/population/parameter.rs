//! Inference from a measured number to a population.

use super::{Interval, KnownVariance, Measured, NoInterval, interval};
use crate::{Component, StatisticError};

/// Parameter of a population that one measured number estimates.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Parameter {
    /// Its mean, from that of this many rows of a column within bounds.
    Mean { rows: u64, bounds: (f64, f64) },
    /// A proportion, from that of this many rows.
    Proportion { rows: u64 },
    /// Its variance, from that of this many rows of a column within bounds.
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
