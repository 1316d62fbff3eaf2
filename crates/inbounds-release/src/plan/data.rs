//! What the plan says about where the rows are.

use inbounds_data::{RowFormat, TextLayout};
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
