//! One row for each unit, made of all rows of the unit.

use crate::{Clip, Kind};

/// One row for each unit, before anything is asked. Public.
///
/// A unit is a value of the column `unit`, which is of integers or texts; rows without one are left out. From the rows
/// of a unit, and from them alone, each of `columns` takes one cell. So one unit is one row of what results, and a
/// question about that table has the sensitivity of a question in which each unit has one row, however many rows it has
/// in the files.
///
/// No cell depends on the order of the rows, the number of files or the number of threads.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PerUnit {
    /// Column that names the unit: integer or text.
    pub unit: String,
    /// The columns of the new table.
    pub columns: Vec<UnitColumn>,
}

/// A column with one cell for each unit.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct UnitColumn {
    /// Its name.
    pub name: String,
    /// Quantity taken from the rows of a unit.
    pub take: UnitTake,
    /// The rows that take part; `None` for all. See [`Query::filter`](crate::Query::filter).
    pub filter: Option<String>,
}

/// Quantity taken from those rows of a unit that take part.
///
/// | what | from columns of | it is | of no cell |
/// |---|---|---|---|
/// | [`Rows`](Self::Rows) | | the number of rows | 0 |
/// | [`Sum`](Self::Sum) | numbers or truth values | the sum of the clipped cells | 0 |
/// | [`Mean`](Self::Mean) | numbers or truth values | that sum by the number of cells | missing |
/// | [`Min`](Self::Min), [`Max`](Self::Max) | any kind | the least or the greatest cell | missing |
/// | [`First`](Self::First), [`Last`](Self::Last) | any kind | the cell of the row with the least or greatest `order` | missing |
/// | [`Any`](Self::Any) | truth values | whether one is true | false |
/// | [`All`](Self::All) | truth values | whether none is false | missing |
///
/// Missing cells take no part, nor do rows whose `order` is missing. Texts are in the order of their code points, dates
/// in that of the calendar, and false comes before true. Of rows with the same `order`, `First` takes the least cell
/// and `Last` the greatest.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum UnitTake {
    /// The number of rows.
    Rows,
    /// The sum of clipped cells. It is a whole number if the grid is that of whole numbers.
    Sum(Clip),
    /// The mean of clipped cells.
    Mean(Clip),
    /// The least cell of a column.
    Min(String),
    /// The greatest cell of a column.
    Max(String),
    /// The cell of `column` in the row that is first by `order`.
    First {
        /// The column that is taken.
        column: String,
        /// Column of integers, numbers or dates.
        order: String,
    },
    /// The cell of `column` in the row that is last by `order`.
    Last {
        /// The column that is taken.
        column: String,
        /// Column of integers, numbers or dates.
        order: String,
    },
    /// True if any truth value is true.
    Any(String),
    /// True if all truth values are true.
    All(String),
}

impl UnitTake {
    /// The column that is taken; `None` for rows.
    pub fn column(&self) -> Option<&str> {
        match self {
            Self::Rows => None,
            Self::Sum(clip) | Self::Mean(clip) => Some(&clip.column),
            Self::Min(column) | Self::Max(column) | Self::Any(column) | Self::All(column) => Some(column),
            Self::First { column, .. } | Self::Last { column, .. } => Some(column),
        }
    }

    /// The kind of what is taken from a column of kind `column_kind`.
    pub(crate) fn kind(&self, column_kind: Kind) -> Kind {
        match self {
            Self::Rows => Kind::Integer,
            Self::Sum(clip) if clip.grid.exponent() == 0 => Kind::Integer,
            Self::Sum(_) | Self::Mean(_) => Kind::Number,
            Self::Min(_) | Self::Max(_) | Self::First { .. } | Self::Last { .. } => column_kind,
            Self::Any(_) | Self::All(_) => Kind::Boolean,
        }
    }
}
