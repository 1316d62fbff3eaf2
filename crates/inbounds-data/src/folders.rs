//! Columns that are names of folders: `year=2020/state=CA/rows.parquet`, as Hive and everything after it writes them.

use std::path::{Component, Path, PathBuf};

use percent_encoding::percent_decode_str;

/// What stands for a missing value.
const MISSING: &str = "__HIVE_DEFAULT_PARTITION__";

/// A file with rows, and the columns that its folders name, from the outermost on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundFile {
    pub(crate) path: PathBuf,
    /// Names of columns, each with its cell unless that is missing.
    pub(crate) folders: Vec<(String, Option<String>)>,
}

impl FoundFile {
    /// A file at or below `base`; folders above it name no column.
    pub(crate) fn below(base: &Path, path: PathBuf) -> Self {
        let parent = path.parent().and_then(|parent| parent.strip_prefix(base).ok());
        let folders = parent.into_iter().flat_map(Path::components).filter_map(|component| match component {
            Component::Normal(name) => column(name.to_str()?),
            _ => None,
        });
        Self { folders: folders.collect(), path }
    }

    /// The columns that the folders name.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &str> {
        self.folders.iter().map(|(name, _)| name.as_str())
    }
}

/// The part of a glob in which nothing stands for several names: no column is named above.
pub(crate) fn base_of(pattern: &str) -> PathBuf {
    let is_fixed =
        |component: &Component| !component.as_os_str().to_str().is_some_and(|name| name.contains(['*', '?', '[']));
    Path::new(pattern).components().take_while(is_fixed).collect()
}

/// Whether a folder names a column.
pub(crate) fn is_column(folder: &Path) -> bool {
    folder.file_name().and_then(|name| name.to_str()).and_then(column).is_some()
}

fn column(folder: &str) -> Option<(String, Option<String>)> {
    let (name, cell) = folder.split_once('=').filter(|(name, _)| !name.is_empty())?;
    // Signs that a path cannot have are written as `%3A`.
    let plain = |text: &str| percent_decode_str(text).decode_utf8().map_or_else(|_| text.to_owned(), Into::into);
    Some((plain(name), (cell != MISSING).then(|| plain(cell))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(base: &str, path: &str) -> Vec<(String, Option<String>)> {
        FoundFile::below(Path::new(base), path.into()).folders
    }

    #[test]
    fn folders_name_columns_and_cells() {
        let cell = |name: &str, cell: &str| (name.to_owned(), Some(cell.to_owned()));
        let missing = ("state".to_owned(), None);
        assert_eq!(folders("rows", "rows/year=2020/state=CA/a.parquet"), [cell("year", "2020"), cell("state", "CA")]);
        assert_eq!(folders("rows/year=2020", "rows/year=2020/state=CA/a.parquet"), [cell("state", "CA")]);
        assert_eq!(folders("rows", &format!("rows/state={MISSING}/a.parquet")), [missing]);
        assert_eq!(
            folders("", "at=12%3A30/b=%zz/c=/a.parquet"),
            [cell("at", "12:30"), cell("b", "%zz"), cell("c", "")]
        );
        assert_eq!(folders("rows", "rows/2020/=CA/a=b.parquet"), []);
        assert_eq!(base_of("rows/year=2020/state=*/*.parquet"), Path::new("rows/year=2020"));
        assert_eq!(base_of("/data/**/*.csv"), Path::new("/data"));
    }
}
