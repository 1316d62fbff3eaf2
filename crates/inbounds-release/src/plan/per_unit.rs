//! The plan's rule for the one row that is made of all rows of a unit.

use inbounds_bundle::{PerUnitWord, RowsAre};
use inbounds_data::Kind;
use inbounds_input::document::{Mistake, Spanned, key, shorten};

use super::Plan;

/// The type of what is taken from a column of a type; `None` where that is not known.
pub(crate) fn kind(take: PerUnitWord, column_kind: Option<Kind>) -> Option<Kind> {
    match take {
        PerUnitWord::Rows => Some(Kind::Integer),
        PerUnitWord::Mean => Some(Kind::Number),
        PerUnitWord::Any | PerUnitWord::All => Some(Kind::Boolean),
        PerUnitWord::Sum => column_kind.map(|kind| if kind == Kind::Number { Kind::Number } else { Kind::Integer }),
        PerUnitWord::Min | PerUnitWord::Max | PerUnitWord::First | PerUnitWord::Last => column_kind,
    }
}

/// Name of the table of a column in messages.
pub(super) fn header(name: &str) -> String {
    format!("[per_unit.{}]", key(name))
}

/// Mistake of a column that adds fractional numbers of another, neither of which has bounds.
pub(crate) fn adds_without_bounds(column: &Spanned<String>, from: &str) -> Mistake {
    let header = header(&column.value);
    let message = format!("{header} adds numbers of `{}`, and neither of the two has bounds", shorten(from));
    Mistake::at(&column.span, message, Some(format!("add `lower` and `upper` to {header}")))
}

/// Where the one cell of a unit is taken from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TakenPerUnit {
    /// Number or value taken.
    pub take: Spanned<PerUnitWord>,
    /// The column of the data that it is taken from; `None` for a number of rows.
    pub from: Option<Spanned<String>>,
    /// The column that says which row is first.
    pub order: Option<Spanned<String>>,
    /// A condition on the rows that take part.
    pub filter: Option<Spanned<String>>,
}

impl Plan {
    /// Meaning of a row in the table that statistics read.
    pub(crate) fn rows_are(&self) -> RowsAre {
        if self.per_unit.is_some() { RowsAre::Units } else { RowsAre::Rows }
    }

    /// The columns of units with their types, given those of the rows; `None` where the rows are not made into one. A
    /// type that is not known is left out.
    pub(crate) fn schema_of_units(&self, of_rows: &[(String, Kind)]) -> Option<Vec<(String, Kind)>> {
        let kind = |name: &Spanned<String>| {
            let stored = of_rows.iter().find(|(column, _)| *column == name.value).map(|(_, kind)| *kind);
            let declared = self.row_column(&name.value);
            let declared = declared.and_then(|column| column.column_type.as_ref()).map(|kind| kind.value);
            declared.or(stored)
        };
        let of_unit = |column: &super::Column| {
            let taken = column.per_unit.as_ref()?;
            let kind = self::kind(taken.take.value, taken.from.as_ref().and_then(kind))?;
            Some((column.name.value.clone(), kind))
        };
        Some(self.per_unit.as_ref()?.iter().filter_map(of_unit).collect())
    }
}
