//! Public numbers of a statistic.

use inbounds_bundle::FileEntry;
use inbounds_input::document::Spanned;

/// Public numbers of the cells of a level, of a margin, or of a margin at a level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicNumbers {
    /// The level, where there are levels.
    pub level: Option<Spanned<String>>,
    /// The columns of the margin; left out for the total.
    pub margin: Option<Spanned<Vec<Spanned<String>>>>,
    /// The numbers.
    pub cells: PublicCells,
}

/// Where public numbers come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublicCells {
    /// The plan, of one cell.
    Number(u64),
    /// A file.
    File {
        /// The file, by the name that it has in the plan, and the digest of what was read.
        file: FileEntry,
        /// Its columns but that of numbers.
        columns: Vec<String>,
        /// The line of each row, its cells in these columns, and its number.
        rows: Vec<(u64, Vec<String>, u64)>,
    },
}

impl PublicNumbers {
    /// The file that they stand in, if it is one.
    pub fn file(&self) -> Option<&FileEntry> {
        match &self.cells {
            PublicCells::Number(_) => None,
            PublicCells::File { file, .. } => Some(file),
        }
    }
}
