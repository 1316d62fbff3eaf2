//! The public description of a statistic.

use inbounds_core::{Delta, Epsilon, Grid, Guarantee, Rational};
use inbounds_mechanisms::registry::Entry;

/// What is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Number of rows.
    Count,
    /// Sum of a clipped column.
    Sum,
    /// Mean of a clipped column.
    Mean,
    /// Share of a public number of rows that a filter selects, or that belong to a key.
    Proportion,
}

impl Kind {
    /// The name used in plans and manifests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Proportion => "proportion",
        }
    }
}

/// What a missing value (null, NaN, or text that is no number) stands for. There is no default: either choice can make a
/// statistic mislead, and only who knows the data can choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// The row is left out of the statistic, so that the number of rows that count is private, also where that of all
    /// rows is public.
    Drop,
    /// The row counts with this value.
    Impute(Rational),
}

/// Public bounds on a column, to which every row is clipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnBounds {
    /// Smallest value kept as it is.
    pub lower: Rational,
    /// Largest value kept as it is.
    pub upper: Rational,
    /// Whether the column holds whole numbers, so that sums are exact on the integers.
    pub integer: bool,
    /// The rule for missing values.
    pub missing: Missing,
}

/// The range in which estimates are published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputRange {
    /// The range that follows from the kind, the bounds and the design.
    Natural,
    /// No range: estimates are the raw, unbiased measurements.
    Unbounded,
    /// The natural range cut to declared public bounds.
    Declared {
        /// Lower end, if declared.
        lower: Option<Rational>,
        /// Upper end, if declared.
        upper: Option<Rational>,
    },
}

/// A statistic with its share of the privacy budget.
#[derive(Debug, Clone)]
pub struct Statistic {
    /// What is computed.
    pub kind: Kind,
    /// Bounds of the column that a sum or mean reads.
    pub column: Option<ColumnBounds>,
    /// Number of public cells: 1 for a whole, the number of keys for a grouped statistic.
    pub cells: u64,
    /// Whether rows are grouped by public keys (rows of unlisted keys count nowhere).
    pub grouped: bool,
    /// Whether a filter selects rows.
    pub filtered: bool,
    /// Which mechanism measures it.
    pub mechanism: &'static Entry,
    /// Where its estimates must lie.
    pub range: OutputRange,
    /// Its part of epsilon.
    pub epsilon: Epsilon,
    /// Its part of delta, which only some mechanisms spend.
    pub delta: Delta,
}

impl Statistic {
    /// What its mechanism is calibrated to when it is given all that the statistic may spend.
    pub fn guarantee(&self) -> Guarantee {
        self.mechanism.guarantee(self.epsilon.clone(), self.delta.clone())
    }
}

/// What a missing value does in the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClipMissing {
    /// The row is left out.
    Drop,
    /// The row counts with this many steps.
    Impute(i64),
}

/// How the engine turns a value into an integer: nearest grid point, then clipped to `[lower, upper]` steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clip {
    /// Grid of the answer.
    pub grid: Grid,
    /// Smallest contribution in steps.
    pub lower: i64,
    /// Largest contribution in steps.
    pub upper: i64,
    /// The rule for missing values.
    pub missing: ClipMissing,
}
