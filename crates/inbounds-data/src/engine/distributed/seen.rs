//! The files of a source, as far as two machines can tell without their rows that they see the same ones.

use std::path::Path;
use std::time::UNIX_EPOCH;

use inbounds_input::{FileLocation, is_stored};

use super::WorkerError;
use super::messages::FileSeen;
use crate::{DataError, FileEngine};

/// The files, in the order of the table.
pub(super) fn files(engine: &FileEngine) -> Result<Vec<FileSeen>, DataError> {
    engine.files_and_parts().map(|(location, parts)| file(location, parts)).collect()
}

fn file(location: &FileLocation, parts: usize) -> Result<FileSeen, DataError> {
    let unreadable = |source| DataError::Unreadable { file: location.path().to_path_buf(), source };
    let whole = whole(location.path())?;
    let state = location.state().map_err(unreadable)?;
    let changed = state.changed.duration_since(UNIX_EPOCH).unwrap_or_default();
    let changed = (changed.as_secs(), changed.subsec_nanos());
    Ok(FileSeen { path: whole, bytes: state.bytes, changed, tag: state.tag, parts })
}

/// A path that does not depend on the folder in which a program runs.
pub(super) fn whole(path: &Path) -> Result<String, DataError> {
    let absolute = if is_stored(path) { Ok(path.to_path_buf()) } else { std::path::absolute(path) };
    let absolute = absolute.map_err(|source| DataError::Unreadable { file: path.to_path_buf(), source })?;
    let told = absolute.into_os_string().into_string();
    told.map_err(|_| WorkerError::Path { file: path.to_path_buf() }.into())
}
