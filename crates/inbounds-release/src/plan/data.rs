//! What the plan says about where the rows are.

use inbounds_data::{ColumnTypes, RowFormat, TextLayout};
use inbounds_input::document::Spanned;

/// The `[data]` table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Data {
    /// File, folder or glob as written; see [`Plan::locate`](super::Plan::locate).
    pub path: Spanned<String>,
    /// What the data set is called, for ledgers that know it by a name.
    pub name: Option<String>,
    /// Format of the files, as written or told from the extension.
    pub format: RowFormat,
    /// Who says of which type columns are, where the data have types.
    pub types: ColumnTypes,
    /// How text is laid out.
    pub text: TextLayout,
    /// The separator of decimals in every column that has none of its own.
    pub decimal: Option<Spanned<char>>,
    /// Least and largest number of rows that the curator expects, if the plan says so. Public; it changes no number, and the
    /// measured numbers of rows are held against it.
    pub expect_rows: Option<Spanned<(u64, u64)>>,
    /// What stands for a missing value in every column that has no such list of its own.
    pub missing_values: Vec<Spanned<String>>,
}

impl Data {
    /// Whether the data say of which type their columns are, and the plan warrants that no row can change it.
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
