//! Folders and globs of object stores, which have neither: names of objects are taken for paths, by the rules of paths.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use glob::{MatchOptions, Pattern};
use inbounds_input::{FileLocation, GLOB_SIGNS};

use crate::DataError;
use crate::folders;

/// Stars stand for no slash, as in globs of paths.
const GLOB: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: false };

/// The folder above which no folder names a column, and the objects below a URL, or those that it is a glob of.
pub(crate) fn files(url: &str) -> Result<(PathBuf, Vec<FileLocation>), DataError> {
    let is_glob = url.contains(GLOB_SIGNS);
    let base = if is_glob { fixed_part(url) } else { url.trim_end_matches('/') };
    let unreadable = |source| DataError::Unreadable { file: PathBuf::from(url), source };
    let mut files = FileLocation::stored_below(base).map_err(unreadable)?;
    if is_glob {
        let malformed = |error: glob::PatternError| DataError::Glob {
            pattern: url.to_owned(),
            position: error.pos,
            problem: error.msg,
        };
        let pattern = Pattern::new(url).map_err(malformed)?;
        files.retain(|file| pattern.matches_path_with(file.path(), GLOB) && !is_hidden(file.path()));
    } else {
        files.retain(|file| !is_left_out(Path::new(base), file.path()));
        refuse_subfolders(Path::new(base), &files)?;
    }
    Ok((PathBuf::from(base), files))
}

/// The folders of a glob in which nothing stands for several names.
fn fixed_part(url: &str) -> &str {
    let first = url.find(GLOB_SIGNS).unwrap_or(url.len());
    url[..first].rfind('/').map_or(url, |slash| &url[..slash])
}

/// As of folders of paths: objects lie directly in a folder, or in folders that all name a column, and never in both.
fn refuse_subfolders(base: &Path, files: &[FileLocation]) -> Result<(), DataError> {
    let holders: BTreeSet<&Path> = files.iter().filter_map(|file| file.path().parent()).collect();
    for file in files {
        for folder in folders_below(base, file.path()) {
            let above = folder.parent().unwrap_or(base);
            if !folders::is_column(folder) || holders.contains(above) {
                return Err(DataError::Subfolder { folder: above.to_path_buf(), subfolder: folder.to_path_buf() });
            }
        }
    }
    Ok(())
}

/// `true` if a file, or a folder around it that names no column, begins with a sign of content not meant to be read.
fn is_left_out(base: &Path, file: &Path) -> bool {
    is_hidden(file) || folders_below(base, file).any(|folder| is_hidden(folder) && !folders::is_column(folder))
}

/// The folders of a file, from its own up to the one directly in the base.
fn folders_below<'a>(base: &'a Path, file: &'a Path) -> impl Iterator<Item = &'a Path> {
    file.ancestors().skip(1).take_while(move |folder| *folder != base)
}

pub(crate) fn is_hidden(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(['.', '_']))
}
