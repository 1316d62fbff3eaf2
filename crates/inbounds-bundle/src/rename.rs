//! Putting a folder into its place without replacing another.

use std::{fs, io, path::Path};

/// Renames a folder and fails if the target exists, even as an empty folder.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub(crate) fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Some file systems know no such rename; there the check before the release is what there is.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP) => {
            rename_if_absent(from, to)
        }
        outcome => Ok(outcome?),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(crate) fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    rename_if_absent(from, to)
}

fn rename_if_absent(from: &Path, to: &Path) -> io::Result<()> {
    if fs::symlink_metadata(to).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::rename(from, to)
}
