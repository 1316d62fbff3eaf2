//! What tells the cells of a level, or of a margin, apart.

use std::fmt;

/// How finely cells are told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Granularity {
    /// A level of a hierarchy, by its name in the plan.
    Level(String),
    /// A margin of a table, by its columns; without any it is the total.
    Margin(Vec<String>),
}

impl Granularity {
    /// Whether both tell the same cells apart: the columns of a margin have no order.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Level(one), Self::Level(other)) => one == other,
            (Self::Margin(one), Self::Margin(other)) => {
                one.len() == other.len() && one.iter().all(|column| other.contains(column))
            }
            (Self::Level(_), Self::Margin(_)) | (Self::Margin(_), Self::Level(_)) => false,
        }
    }

    /// The name of a level.
    pub fn level(&self) -> Option<&str> {
        match self {
            Self::Level(level) => Some(level),
            Self::Margin(_) => None,
        }
    }

    /// The columns of a margin.
    pub fn margin(&self) -> Option<&[String]> {
        match self {
            Self::Level(_) => None,
            Self::Margin(columns) => Some(columns),
        }
    }
}

/// In words: `level county`, `margin region, sex`, `total`.
impl fmt::Display for Granularity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Level(level) => write!(formatter, "level {level}"),
            Self::Margin(columns) if columns.is_empty() => formatter.write_str("total"),
            Self::Margin(columns) => write!(formatter, "margin {}", columns.join(", ")),
        }
    }
}
