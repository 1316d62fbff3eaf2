//! Locks: whether the file system has them, and which releases still run.
//!
//! A release holds a lock on a file of its own beside the ledger for as long as it runs, and the system lets go of it
//! when the run dies, however it dies. So a reservation whose file is not locked has no run any more.

use std::{
    ffi::OsString,
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    process,
};

use crate::LedgerError;

/// A run that holds its lock.
#[derive(Debug)]
pub(crate) struct RunLock {
    path: PathBuf,
    /// Unlocked when it is closed.
    _file: File,
}

impl RunLock {
    /// Takes the lock of the run with the reservation `number`, and tries whether it holds.
    pub(crate) fn take(ledger: &Path, number: u64) -> Result<Self, LedgerError> {
        let path = run_file(ledger, number);
        let file = locked(ledger, &path)?;
        Ok(Self { path, _file: file })
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // What is left of it is removed by the next check.
        let _ = fs::remove_file(&self.path);
    }
}

/// The file that the run of a reservation locks.
fn run_file(ledger: &Path, number: u64) -> PathBuf {
    beside(ledger, &format!("{RUN}{number}"))
}

const RUN: &str = ".run-";
const LOCK_TEST: &str = ".lock-test-";

fn beside(ledger: &Path, ending: &str) -> PathBuf {
    let mut name = ledger.file_name().map_or_else(OsString::new, OsString::from);
    name.push(ending);
    ledger.with_file_name(name)
}

/// `true` if the run of a reservation still holds its lock.
pub(crate) fn is_running(ledger: &Path, number: u64) -> bool {
    is_locked(&run_file(ledger, number))
}

/// Only a lock that was given, or a file that is not there, shows that no process holds it.
///
/// Looking takes a shared lock for an instant. Others who look are not in its way, and a run that takes its own lock
/// just then would be: so a process that looks either has the right to write, which a run needs before it takes its
/// lock ([`stray`]), or looks at the lock of a run whose reservation stands, which was taken before that
/// ([`is_running`]).
fn is_locked(path: &Path) -> bool {
    match File::open(path) {
        Ok(file) => file.try_lock_shared().is_err(),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

/// Refuses a file system on which a second lock is given while the first one is held.
pub(crate) fn try_locks(ledger: &Path) -> Result<(), LedgerError> {
    let path = beside(ledger, &format!("{LOCK_TEST}{}", process::id()));
    let tried = locked(ledger, &path).map(drop);
    // What is left of it is removed by the next check.
    let _ = fs::remove_file(&path);
    tried
}

/// A file with a lock that a second handle was refused.
fn locked(ledger: &Path, path: &Path) -> Result<File, LedgerError> {
    let open = || {
        let unwritable =
            |source: io::Error| LedgerError::Unwritable { path: ledger.to_owned(), problem: source.to_string() };
        File::options().read(true).write(true).create(true).truncate(false).open(path).map_err(unwritable)
    };
    let (first, second) = (open()?, open()?);
    verdict(first.try_lock(), || second.try_lock())
        .map_err(|problem| LedgerError::NoLocks { path: ledger.to_owned(), problem })?;
    Ok(first)
}

/// Verdict on a file system from two attempts at one lock.
fn verdict(first: Result<(), TryLockError>, second: impl FnOnce() -> Result<(), TryLockError>) -> Result<(), String> {
    match first {
        Err(TryLockError::Error(error)) => Err(error.to_string()),
        // Another run of this very number would be a fault of the program; it is told like a lock that cannot be had.
        Err(TryLockError::WouldBlock) => Err("another program holds the lock of this run".to_owned()),
        Ok(()) => match second() {
            Err(TryLockError::WouldBlock) => Ok(()),
            Err(TryLockError::Error(error)) => Err(error.to_string()),
            Ok(()) => Err("a lock was given twice".to_owned()),
        },
    }
}

/// Files of runs and of lock tests beside a ledger that no process holds any more. Only for a process that has the
/// right to write.
pub(crate) fn stray(ledger: &Path) -> Vec<PathBuf> {
    files(ledger).into_iter().filter(|path| !is_locked(path)).collect()
}

/// Files of runs and of lock tests beside a ledger, by their names alone.
pub(crate) fn files(ledger: &Path) -> Vec<PathBuf> {
    let Some(name) = ledger.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    let folder = ledger.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let is_ours = |path: &PathBuf| {
        let rest = path
            .file_name()
            .and_then(|name_of_file| name_of_file.to_str())
            .and_then(|name_of_file| name_of_file.strip_prefix(name));
        let digits = rest.and_then(|rest| rest.strip_prefix(RUN).or_else(|| rest.strip_prefix(LOCK_TEST)));
        digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_ours).collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_is_given_twice_or_never_is_none() {
        let unsupported = || TryLockError::Error(io::ErrorKind::Unsupported.into());
        assert_eq!(verdict(Ok(()), || Err(TryLockError::WouldBlock)), Ok(()));
        assert_eq!(verdict(Ok(()), || Ok(())), Err("a lock was given twice".to_owned()));
        assert!(verdict(Err(unsupported()), || Ok(())).is_err());
        assert!(verdict(Ok(()), || Err(unsupported())).is_err());
    }

    #[test]
    fn a_run_is_seen_for_as_long_as_it_holds_its_lock() {
        let folder = tempfile::tempdir().expect("folder");
        let ledger = folder.path().join("a.ledger");
        assert!(!is_running(&ledger, 3));
        let run = RunLock::take(&ledger, 3).expect("locks");
        assert!(is_running(&ledger, 3) && !is_running(&ledger, 4));
        assert!(stray(&ledger).is_empty());
        drop(run);
        assert!(!is_running(&ledger, 3));
        fs::write(folder.path().join("a.ledger.run-7"), "").expect("writes");
        fs::write(folder.path().join("a.ledger.run-x"), "").expect("writes");
        fs::write(folder.path().join("b.ledger.run-7"), "").expect("writes");
        assert_eq!(stray(&ledger), [folder.path().join("a.ledger.run-7")]);
        try_locks(&ledger).expect("a temporary folder has locks");
    }

    #[test]
    #[cfg(unix)]
    fn a_lock_that_cannot_be_looked_at_counts_as_held() {
        let folder = tempfile::tempdir().expect("folder");
        let ledger = folder.path().join("a.ledger");
        // A link to itself cannot be opened by any user.
        let run = run_file(&ledger, 9);
        std::os::unix::fs::symlink(&run, &run).expect("links");
        assert!(is_running(&ledger, 9));
        assert!(stray(&ledger).is_empty());
    }
}
