//! Public files of the combinations of values that can occur: what they lack is no cell.

use inbounds_bundle::FileEntry;
use inbounds_input::document::Spanned;

/// A public file that lists every combination of some grouping columns that a row can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PossibleFile {
    /// The file, by the name that it has in the plan, and the digest of what was read.
    pub file: Spanned<FileEntry>,
    /// The columns.
    pub columns: Vec<String>,
    /// The line of each combination, and its values as they are written.
    pub rows: Vec<(u64, Vec<String>)>,
}

impl PossibleFile {
    /// The digests of files, by which those of two statistics are the same.
    pub(crate) fn digests(files: &[Self]) -> Vec<&str> {
        files.iter().map(|file| file.file.value.sha256.as_str()).collect()
    }
}
