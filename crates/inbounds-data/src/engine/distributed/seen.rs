//! The files of a source, as far as two machines can tell without their rows that they see the same ones.

use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use super::WorkerError;
use super::messages::FileSeen;
use crate::{DataError, FileEngine};

/// The files, in the order of the table.
pub(super) fn files(engine: &FileEngine) -> Result<Vec<FileSeen>, DataError> {
    engine.files_and_parts().map(|(path, parts)| file(path, parts)).collect()
}

fn file(path: &Path, parts: usize) -> Result<FileSeen, DataError> {
    let unreadable = |source| DataError::Unreadable { file: path.to_path_buf(), source };
    let whole = whole(path)?;
    let found = fs::metadata(path).map_err(unreadable)?;
    let changed = found.modified().map_err(unreadable)?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(FileSeen { path: whole, bytes: found.len(), changed: (changed.as_secs(), changed.subsec_nanos()), parts })
}

/// A path that does not depend on the folder in which a program runs.
pub(super) fn whole(path: &Path) -> Result<String, DataError> {
    let absolute = std::path::absolute(path);
    let absolute = absolute.map_err(|source| DataError::Unreadable { file: path.to_path_buf(), source })?;
    let told = absolute.into_os_string().into_string();
    told.map_err(|_| WorkerError::Path { file: path.to_path_buf() }.into())
}
