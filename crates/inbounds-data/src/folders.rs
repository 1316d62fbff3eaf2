//! Columns that are names of folders: `year=2020/state=CA/rows.parquet`, as Hive and everything after it writes them.

use std::path::{Component, Path, PathBuf};

use inbounds_input::{FileLocation, GLOB_SIGNS};
use percent_encoding::percent_decode_str;

use crate::DataError;

/// Name that stands for a missing value.
const MISSING: &str = "__HIVE_DEFAULT_PARTITION__";

/// A file with rows, and the columns that its folders name, from the outermost on.
#[derive(Debug, Clone)]
pub(crate) struct FoundFile {
    pub(crate) location: FileLocation,
    /// Names of columns, each with its cell unless that is missing.
    pub(crate) folders: Vec<(String, Option<String>)>,
}

impl FoundFile {
    /// A file at or below `base`; folders above it name no column.
    ///
    /// # Errors
    /// The path does not lead from `base` down to the file, so that its columns are not known.
    pub(crate) fn below(base: &Path, location: FileLocation) -> Result<Self, DataError> {
        let path = location.path();
        let parent = plain(path.parent().unwrap_or(path));
        let below = parent.strip_prefix(plain(base)).ok();
        let below = below.filter(|below| below.components().all(|part| matches!(part, Component::Normal(_))));
        let Some(below) = below else {
            return Err(DataError::NotBelow { file: path.to_path_buf(), base: base.to_path_buf() });
        };
        let folders = below.iter().filter_map(|name| column(name.to_str()?)).collect();
        Ok(Self { folders, location })
    }

    /// The path, as messages show it.
    pub(crate) fn path(&self) -> &Path {
        self.location.path()
    }

    /// The columns that the folders name.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &str> {
        self.folders.iter().map(|(name, _)| name.as_str())
    }
}

/// The same path without `.`, which a glob leaves out of what it finds.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|component| *component != Component::CurDir).collect()
}

/// The part of a glob in which nothing stands for several names: no column is named above.
pub(crate) fn base_of(pattern: &str) -> PathBuf {
    let is_fixed =
        |component: &Component| !component.as_os_str().to_str().is_some_and(|name| name.contains(GLOB_SIGNS));
    Path::new(pattern).components().take_while(is_fixed).collect()
}

/// The part of a glob above its first `**`, if it has one.
pub(crate) fn above_all(pattern: &str) -> Option<String> {
    let is_all = |component: &Component| component.as_os_str() == "**";
    Path::new(pattern).components().find(is_all)?;
    let above: PathBuf = Path::new(pattern).components().take_while(|component| !is_all(component)).collect();
    let above = above.to_str()?;
    Some(if above.is_empty() { "." } else { above }.to_owned())
}

/// `true` if a folder names a column.
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
        FoundFile::below(Path::new(base), Path::new(path).into()).expect("a file below").folders
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

    /// A plan may be named `./plan.toml`, and a glob leaves the first component out.
    #[test]
    fn folders_are_found_whatever_way_leads_to_them() {
        let state = [("state".to_owned(), Some("CA".to_owned()))];
        for (base, path) in [
            ("./rows", "rows/state=CA/a.csv"),
            ("rows", "./rows/state=CA/a.csv"),
            ("./rows/./", "./rows/state=CA/a.csv"),
            ("", "./state=CA/a.csv"),
            (".", "state=CA/a.csv"),
            ("./", "./state=CA/a.csv"),
            ("../rows", "../rows/state=CA/a.csv"),
            ("/rows", "/rows/state=CA/a.csv"),
        ] {
            assert_eq!(folders(base, path), state, "{base} {path}");
        }
        for (base, path) in [("rows", "other/state=CA/a.csv"), ("rows", "rows/state=NV/../state=CA/a.csv")] {
            assert!(
                matches!(FoundFile::below(Path::new(base), Path::new(path).into()), Err(DataError::NotBelow { .. })),
                "{path}"
            );
        }
    }

    #[test]
    fn what_stands_above_all_folders() {
        let above = |pattern| above_all(pattern);
        assert_eq!(above("rows/*/*.csv"), None);
        for (pattern, expected) in
            [("**/*.csv", "."), ("rows/**", "rows"), ("./a*/**/b/**/*", "./a*"), ("/**/*.csv", "/"), ("./**/x", ".")]
        {
            assert_eq!(above(pattern).as_deref(), Some(expected), "{pattern}");
        }
    }
}
