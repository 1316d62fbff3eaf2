//! What the plan asks for.

use inbounds_core::Rational;
use inbounds_mechanisms::registry::Entry;
use inbounds_statistics::OutputRange;

use super::Spanned;

/// One `[[statistic]]` table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistic {
    /// Unique name of ASCII letters, digits, `_` and `-`.
    pub name: Spanned<String>,
    /// What is computed in each cell.
    pub kind: StatisticKind,
    /// Grouping columns, in order; empty for one number over all rows.
    pub by: Vec<Spanned<String>>,
    /// Public file that lists the cells, relative to the plan's folder; `None` if the columns list their values.
    pub keys: Option<Spanned<String>>,
    /// SQL condition on rows, as written; whether it is valid SQL is for the engine to say.
    pub filter: Option<Spanned<String>>,
    /// Part of the whole epsilon; given on all statistics or on none.
    pub share: Option<Spanned<Rational>>,
    /// How the noisy value is kept inside its range; placed at the name where the plan leaves it out.
    pub mechanism: Spanned<&'static Entry>,
    /// Range of the published value; placed at the name where the plan leaves it out.
    pub range: Spanned<OutputRange>,
}

impl Statistic {
    /// The column that is summed or averaged; `None` for a count.
    pub fn column(&self) -> Option<&Spanned<String>> {
        match &self.kind {
            StatisticKind::Count => None,
            StatisticKind::Sum { column } | StatisticKind::Mean { column } => Some(column),
        }
    }
}

/// What is computed of the rows of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatisticKind {
    /// Number of rows.
    Count,
    /// Sum of the clipped values of a column.
    Sum {
        /// The column.
        column: Spanned<String>,
    },
    /// Mean of the clipped values of a column.
    Mean {
        /// The column.
        column: Spanned<String>,
    },
}

impl StatisticKind {
    /// The name used in plans.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Sum { .. } => "sum",
            Self::Mean { .. } => "mean",
        }
    }
}
