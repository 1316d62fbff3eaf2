//! Leftovers of dead runs: above all the folder in which a bundle grew, with noisy numbers that must not be read
//! without a charge.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use inbounds_core::planted::{Defect, planted};

use crate::{History, LedgerError, Request, locks};

/// Something that a dead run left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leftover {
    /// The folder in which a bundle grew. It can hold noisy values of the reservation.
    Partial {
        /// Number of the reservation.
        reservation: u64,
        /// The folder.
        path: PathBuf,
    },
    /// A file for a lock, or a journal that never counted: neither holds a number.
    Empty {
        /// The file.
        path: PathBuf,
    },
}

/// `true` if the run of an open reservation may still work: it holds its lock beside the ledger, or its folder.
pub(crate) fn may_run(ledger: &Path, number: u64, request: &Request) -> bool {
    locks::is_running(ledger, number) || request.bundle().is_some_and(|bundle| is_held(&bundle.partial))
}

/// `true` if a program holds a folder. A run holds the one in which its bundle grows.
fn is_held(folder: &Path) -> bool {
    // Only a folder is opened: something else that stands there could make this wait.
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|about| about.is_dir());
    let looked = || File::open(folder).map(|folder| folder.try_lock_shared());
    is_folder && matches!(looked(), Ok(Err(TryLockError::WouldBlock)))
}

/// Removes the unfinished bundle of a reservation whose run has ended, and returns its folder; `None` where there is
/// none.
///
/// # Errors
/// [`LedgerError::NotOpen`] where the run may still work, or something else stands there; [`LedgerError::File`] where
/// the folder cannot be looked for or removed. The numbers may then be readable.
pub(crate) fn clear(ledger: &Path, history: &History, number: u64) -> Result<Option<PathBuf>, LedgerError> {
    let open = history.open();
    let bundle = open.iter().find(|(entry, _)| entry.number == number).and_then(|(_, request)| request.bundle());
    let Some(folder) = bundle.map(|bundle| &bundle.partial).filter(|_| !planted(Defect::PartialKept)) else {
        return Ok(None);
    };
    // A later run can use the same name, and began only where nothing stood: what stands there now is of that run.
    let is_another = open.iter().any(|(entry, other)| {
        let has_name = other.bundle().is_some_and(|bundle| bundle.partial == *folder);
        entry.number != number && has_name && locks::is_running(ledger, entry.number)
    });
    let refuse = |problem| Err(LedgerError::NotOpen { entry: number, problem });
    match fs::symlink_metadata(folder) {
        _ if is_another => Ok(None),
        Err(error) if is_nothing(&error) => Ok(None),
        Err(source) => Err(LedgerError::File { path: folder.clone(), source }),
        Ok(_) if !is_partial(folder) => refuse(
            "has something in the place of its unfinished bundle that no release made; look what it is and remove it, \
             and void the entry then",
        ),
        Ok(_) if is_held(folder) => {
            refuse("has an unfinished bundle that a program holds, which may be its release; wait until it ends")
        }
        Ok(_) => remove(folder).map(|()| Some(folder.clone())),
    }
}

/// `true` for an error because nothing stands at a path.
fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// `true` for a folder whose name is that of a growing bundle: nothing else is ever removed.
pub fn is_partial(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let digits = name.strip_prefix('.').and_then(|name| name.rsplit_once(".partial-")).map(|(_, digits)| digits);
    let is_named = digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
    is_named && fs::symlink_metadata(path).is_ok_and(|about| about.is_dir())
}

/// Removes a folder for good: after this a loss of power does not bring it back.
pub(crate) fn remove(path: &Path) -> Result<(), LedgerError> {
    let failed = |source| LedgerError::File { path: path.to_owned(), source };
    match fs::remove_dir_all(path) {
        // Another program removes it too, and may be in the middle of it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        done => done.map_err(failed)?,
    }
    if fs::symlink_metadata(path).is_ok() {
        return Err(failed(io::ErrorKind::DirectoryNotEmpty.into()));
    }
    sync(path.parent().unwrap_or(Path::new("/"))).map_err(failed)
}

#[cfg(unix)]
fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync(_: &Path) -> io::Result<()> {
    Ok(())
}
