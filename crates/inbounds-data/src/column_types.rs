//! Who says of which kind a column is.

use crate::RowFormat;

/// Who says of which kind the columns of typed data are: Parquet, Arrow, and rows in memory. Public.
///
/// Programs that read text into tables infer a type from the cells: one cell that is no whole number makes a column of
/// numbers of all others, and one missing cell does so in pandas. Such a type is a function of private rows. If it
/// chose the grid of the noise, one release could show that a single row is there, whatever epsilon is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum ColumnTypes {
    /// The source [declares](crate::Source::declared) them, and a column that it does not declare is text. Each cell is
    /// read by what it says and by the declared kind, whatever type it is stored in, and no stored type raises an error
    /// but a nested one.
    #[default]
    Declared,
    /// The schema of the data, which the author of the source warrants to be the same for any rows, as that of a
    /// database is. A declaration takes precedence, and must be one in which the stored cells can be
    /// [read](crate::Kind::reads).
    Public,
}

impl ColumnTypes {
    /// `true` where the kinds of columns that data of a format state may be used.
    pub fn are_in(self, format: RowFormat) -> bool {
        format.has_types() && self == Self::Public
    }

    /// The word for it in plans and manifests.
    pub fn word(self) -> &'static str {
        match self {
            Self::Declared => "declared",
            Self::Public => "public",
        }
    }
}
