//! The one row that is made of all rows of a privacy unit.

use inbounds_core::ids;
use serde::{Deserialize, Serialize};

use crate::{Id, figures::figure};

ids! {
    /// Quantity taken from the rows of a unit.
    PerUnitWord {
        /// The number of rows.
        Rows = "rows",
        /// The sum of clipped cells.
        Sum = "sum",
        /// The mean of clipped cells.
        Mean = "mean",
        /// The least cell.
        Min = "min",
        /// The greatest cell.
        Max = "max",
        /// The cell of the row that is first in an order.
        First = "first",
        /// The cell of the row that is last in an order.
        Last = "last",
        /// True where at least one is true.
        Any = "any",
        /// True where all are true.
        All = "all",
    }
}

impl PerUnitWord {
    /// `true` for a quantity that is one of the cells: facts about the cells hold for it too.
    pub fn is_cell(self) -> bool {
        match self {
            Self::Min | Self::Max | Self::First | Self::Last => true,
            Self::Rows | Self::Sum | Self::Mean | Self::Any | Self::All => false,
        }
    }

    /// `true` where cells are added, so that they need bounds.
    pub fn adds(self) -> bool {
        matches!(self, Self::Sum | Self::Mean)
    }

    /// `true` where the order of the rows matters.
    pub fn is_ordered(self) -> bool {
        matches!(self, Self::First | Self::Last)
    }

    /// `true` where a unit may lack it.
    pub fn may_be_missing(self) -> bool {
        self.why_never_missing().is_none()
    }

    /// Why no unit is without it, if none is.
    pub fn why_never_missing(self) -> Option<&'static str> {
        match self {
            Self::Rows => Some("every unit has a number of rows"),
            Self::Sum => Some("the sum of no cells is 0"),
            Self::Any => Some("where no cell is true, none is"),
            Self::Mean | Self::Min | Self::Max | Self::First | Self::Last | Self::All => None,
        }
    }
}

/// Reduction of all rows of each unit to one row, before anything was counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PerUnitEntry {
    /// The column that names the unit.
    pub unit: String,
    /// The columns of the row.
    pub columns: Vec<UnitColumnEntry>,
}

/// A column of the row that a unit is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnitColumnEntry {
    /// Its name.
    pub name: String,
    /// Quantity taken from the rows of a unit.
    pub take: Id<PerUnitWord>,
    /// The column from which it is taken; null for a number of rows.
    #[serde(default)]
    pub from: Option<String>,
    /// The column that says which row is first.
    #[serde(default)]
    pub order: Option<String>,
    /// The bounds to which each cell was clipped before it was added; null where cells are not added, or the rows have
    /// no bounds.
    #[serde(default)]
    pub clipped: Option<(f64, f64)>,
    /// Value added for a missing cell; null if the cell is left out.
    #[serde(default)]
    pub missing: Option<f64>,
    /// The rows that take part; null for all.
    #[serde(default, rename = "where")]
    pub filter: Option<String>,
}

impl PerUnitEntry {
    /// The reduction, in sentences.
    ///
    /// ```
    /// use inbounds_bundle::{Id, PerUnitEntry, PerUnitWord, UnitColumnEntry};
    ///
    /// let total = UnitColumnEntry {
    ///     name: "total".into(),
    ///     take: Id::Known(PerUnitWord::Sum),
    ///     from: Some("cost".into()),
    ///     order: None,
    ///     clipped: Some((0.0, 900.0)),
    ///     missing: None,
    ///     filter: Some("urgent".into()),
    /// };
    /// let entry = PerUnitEntry { unit: "patient".into(), columns: vec![total] };
    /// assert_eq!(
    ///     entry.sentence(),
    ///     "All rows of a `patient` are made into one row before anything is counted; rows without one are dropped. In that row, \
    ///      `total` is the sum of `cost`, clipped to 0 to 900, over its rows where urgent. What \
    ///      is said of rows elsewhere is said of these."
    /// );
    /// ```
    pub fn sentence(&self) -> String {
        let columns: Vec<String> = self.columns.iter().map(UnitColumnEntry::clause).collect();
        format!(
            "All rows of a `{}` are made into one row before anything is counted; rows without one are dropped. In that row, {}. What is \
             said of rows elsewhere is said of these.",
            self.unit,
            columns.join("; ")
        )
    }
}

impl UnitColumnEntry {
    /// Treatment of cells before they were added, in words.
    fn added(&self) -> String {
        let clipped = self.clipped.map(|(lower, upper)| format!(", clipped to {} to {}", figure(lower), figure(upper)));
        let missing = self.missing.map(|value| format!(", {} where it is missing,", figure(value)));
        let missing = missing.or_else(|| clipped.as_ref().map(|_| ",".to_owned()));
        format!("{}{}", clipped.unwrap_or_default(), missing.unwrap_or_default())
    }

    fn clause(&self) -> String {
        let Self { name, from, order, .. } = self;
        let cell = from.as_deref().unwrap_or_default();
        let order = order.as_deref().unwrap_or_default();
        let rows = match &self.filter {
            Some(filter) => format!("its rows where {filter}"),
            None => "its rows".to_owned(),
        };
        match &self.take {
            Id::Known(PerUnitWord::Rows) => format!("`{name}` is the number of {rows}"),
            Id::Known(PerUnitWord::Sum) => format!("`{name}` is the sum of `{cell}`{} over {rows}", self.added()),
            Id::Known(PerUnitWord::Mean) => format!("`{name}` is the mean of `{cell}`{} over {rows}", self.added()),
            Id::Known(PerUnitWord::Min) => format!("`{name}` is the least `{cell}` of {rows}"),
            Id::Known(PerUnitWord::Max) => format!("`{name}` is the greatest `{cell}` of {rows}"),
            Id::Known(PerUnitWord::First) => format!("`{name}` is the `{cell}` of the first of {rows} by `{order}`"),
            Id::Known(PerUnitWord::Last) => format!("`{name}` is the `{cell}` of the last of {rows} by `{order}`"),
            Id::Known(PerUnitWord::Any) => format!("`{name}` says whether `{cell}` is true in any of {rows}"),
            Id::Known(PerUnitWord::All) => format!("`{name}` says whether `{cell}` is true in all of {rows}"),
            Id::Unknown(word) => format!("`{name}` is taken in a way that this version does not know (“{word}”)"),
        }
    }
}
