//! Granularity of the cells of a level, or of a margin.

use std::fmt;

use crate::plan;

/// Granularity of cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Granularity {
    /// A level of a hierarchy, by its name in the plan.
    Level(String),
    /// A margin of a table, by its columns; without any it is the total.
    Margin(Vec<String>),
    /// A margin of the tables of a level.
    Both {
        /// The level.
        level: String,
        /// The columns of the margin.
        margin: Vec<String>,
    },
}

impl Granularity {
    /// `true` if it is the other one, or part of it: a margin of the tables of a level is part of the level and of the
    /// margin. The columns of a margin have no order.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let is_level = other.level().is_none_or(|level| self.level() == Some(level));
        let same = |one: &[String], other: &[String]| {
            one.len() == other.len() && one.iter().all(|column| other.contains(column))
        };
        let is_margin = other.margin().is_none_or(|other| self.margin().is_some_and(|one| same(one, other)));
        is_level && is_margin
    }

    /// The name of the level.
    pub fn level(&self) -> Option<&str> {
        match self {
            Self::Level(level) | Self::Both { level, .. } => Some(level),
            Self::Margin(_) => None,
        }
    }

    /// The columns of the margin.
    pub fn margin(&self) -> Option<&[String]> {
        match self {
            Self::Level(_) => None,
            Self::Margin(columns) | Self::Both { margin: columns, .. } => Some(columns),
        }
    }

    /// `true` if it is one cell with all rows.
    pub(crate) fn is_whole(&self) -> bool {
        let is_all = self.level().is_none_or(|level| level == plan::Levels::ALL);
        is_all && self.margin().is_none_or(<[String]>::is_empty)
    }
}

/// In words: `level county`, `margin region, sex`, `total`, `level county, margin sex`, `level county, total`.
impl fmt::Display for Granularity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Level(level) => write!(formatter, "level {level}"),
            Self::Margin(columns) if columns.is_empty() => formatter.write_str("total"),
            Self::Margin(columns) => write!(formatter, "margin {}", columns.join(", ")),
            Self::Both { level, margin } if margin.is_empty() => write!(formatter, "level {level}, total"),
            Self::Both { level, margin } => write!(formatter, "level {level}, margin {}", margin.join(", ")),
        }
    }
}
