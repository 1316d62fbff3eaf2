//! The plan's account of the place of the rows.

use inbounds_core::Rational;
use inbounds_data::{ColumnTypes, Longer, RowFormat, TextLayout};
use inbounds_input::document::Spanned;

use super::{Missing, Plan};

/// The `[data]` table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Data {
    /// File, folder or glob as written; see [`Plan::locate`](super::Plan::locate).
    pub path: Spanned<String>,
    /// Name of the data set, for ledgers that know it by a name.
    pub name: Option<String>,
    /// Format of the files, as written or told from the extension.
    pub format: RowFormat,
    /// Who says of which type columns are, where the data have types.
    pub types: ColumnTypes,
    /// Layout of text.
    pub text: TextLayout,
    /// The separator of decimals in every column that has none of its own.
    pub decimal: Option<Spanned<char>>,
    /// Least and largest number of rows that the curator expects, if the plan says so. Public; it changes no number,
    /// and the measured numbers of rows are compared with it.
    pub expect_rows: Option<Spanned<(u64, u64)>>,
    /// Codes of a missing value in every column that has no such list of its own.
    pub missing_values: Vec<Spanned<String>>,
    /// The column that says how many rows each row stands for.
    pub frequency: Option<Spanned<String>>,
    /// Columns of the files that are gathered in one, so that a row becomes several.
    pub longer: Option<Spanned<Longer>>,
}

/// Number of rows that each row stands for, as the plan describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frequency<'p> {
    /// The column.
    pub(crate) column: &'p Spanned<String>,
    /// The least and the largest number: what lies beyond is clipped.
    pub(crate) bounds: (i64, i64),
    /// The number of a row that does not say; none for a row that is left out.
    pub(crate) missing: Option<i64>,
}

impl Frequency<'_> {
    /// Most rows that one row may stand for.
    pub(crate) const MOST: i64 = 1 << 31;

    /// Its rule, in words.
    pub(crate) fn sentence(&self) -> String {
        let (column, (lower, upper)) = (&self.column.value, self.bounds);
        let missing = match self.missing {
            Some(rows) => format!("a row without a readable number stands for {rows}"),
            None => "a row without a readable number is left out".to_owned(),
        };
        format!(
            "Each row stands for as many equal rows as its `{column}` says, clipped to {lower} to {upper}; {missing}."
        )
    }
}

impl Plan {
    /// Number of rows that each row stands for, if that is not one.
    pub(crate) fn frequency(&self) -> Option<Frequency<'_>> {
        let column = self.data.frequency.as_ref()?;
        let described = self.row_column(&column.value)?;
        let bounds = described.bounds.as_ref()?;
        let integer = |number: &Rational| i64::try_from(number.parts().0.clone()).ok();
        let missing = match &described.missing {
            Some(Missing::Impute(rows)) => integer(rows),
            Some(Missing::Drop) | None => None,
        };
        Some(Frequency { column, bounds: (integer(&bounds.lower.value)?, integer(&bounds.upper.value)?), missing })
    }
}

impl Data {
    /// `true` if cells have a point before decimals too, beside this separator: data of declared types store some
    /// numbers as numbers, whose text has a point, and others as texts, depending on other rows.
    pub(crate) fn reads_either(&self, decimal: Option<char>) -> bool {
        self.format.has_types() && !self.has_public_types() && decimal == Some(',')
    }

    /// `true` if the data state the types of their columns, and the plan warrants that no row can change them.
    pub(crate) fn has_public_types(&self) -> bool {
        self.types.are_in(self.format)
    }
}

/// The reason why the plan has to say of which type a column is.
pub(super) fn why_untyped(format: RowFormat) -> String {
    if format.has_types() {
        format!("types in {format} data may follow from the rows")
    } else {
        format!("{format} data carries no types")
    }
}

/// The other remedy, where there is one.
pub(super) fn or_public(format: RowFormat) -> &'static str {
    if format.has_types() { "; or types = \"public\" in [data], if no row can change the schema" } else { "" }
}
