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
    /// Levels at which a grouped count is measured, if it is to add up; `None` for cells by themselves.
    pub levels: Option<Levels>,
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

/// The levels of a grouped count, coarsest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels {
    /// [`Levels::ALL`], or the last column of the part of `by` that tells the cells of the level apart. The last level
    /// has the cells of the statistic.
    pub names: Vec<Spanned<String>>,
    /// How epsilon is divided; placed at the name of the statistic where the plan leaves it out.
    pub shares: Spanned<LevelShares>,
}

impl Levels {
    /// The level of the total over all listed cells.
    pub const ALL: &str = "all";
}

/// How a count's epsilon is divided among its levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LevelShares {
    /// Equal parts.
    Even,
    /// The parts of least expected squared error of the leaves.
    LeastError,
    /// Positive parts that add up to 1, one a level.
    Given(Vec<Rational>),
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
