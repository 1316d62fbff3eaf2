//! A ledger, open.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use chrono::{DateTime, SecondsFormat};
use inbounds_mechanisms::account::Cost;
use rusqlite::{Connection, Transaction};

use crate::{
    Damage, DataSet, Deed, EntryId, History, LedgerError, Paid, Standing, Subject, Terms, UnitReading, leftover, locks,
    price::parts, record::Draft, store,
};

/// A ledger, open. Everything that it says was read from its file at that moment.
///
/// # Example
/// ```
/// use inbounds_core::{Epsilon, Guarantee, Neighbours};
/// use inbounds_ledger::{DataSet, Ledger, LedgerUnit, Permanence, Terms, price::price_of};
/// let folder = tempfile::tempdir().expect("a folder");
/// let granted = Guarantee::Pure { epsilon: Epsilon::new("2".parse()?)? };
/// let terms = Terms {
///     data: DataSet::Name("stays".into()),
///     unit: LedgerUnit::Column("patient".into()),
///     neighbours: Neighbours::AddRemove,
///     permanence: Permanence::MayChange,
///     granted: granted.clone(),
/// };
/// let mut ledger = Ledger::create(&folder.path().join("stays.ledger"), terms, "ada").expect("creates");
/// let spent = Guarantee::Pure { epsilon: Epsilon::new("0.5".parse()?)? };
/// let cost = price_of("before", spent, &granted).expect("priced");
/// ledger.record(cost, "the report of 2025", "ada").expect("writes");
/// assert_eq!(ledger.history().expect("reads").balance().left().to_string(), "epsilon = 1.5");
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug)]
pub struct Ledger {
    pub(crate) path: PathBuf,
    pub(crate) connection: Connection,
}

impl Ledger {
    /// Makes a new ledger.
    ///
    /// # Errors
    /// [`LedgerError`], also where something stands at `path` or its file system has no locks.
    pub fn create(path: &Path, terms: Terms, by: &str) -> Result<Self, LedgerError> {
        if parts(&Cost::from(&terms.granted)).iter().any(|part| part.to_f64_up().is_infinite()) {
            return Err(LedgerError::Boundless);
        }
        if let DataSet::Path(data) = &terms.data
            && data.to_str().is_none()
        {
            return Err(LedgerError::NotText { path: data.clone() });
        }
        if fs::symlink_metadata(path).is_ok() {
            return Err(LedgerError::Exists { path: path.to_owned() });
        }
        locks::try_locks(path)?;
        store::create(path, &Draft { at: &now(), by, deed: &Deed::Opened(terms) })?;
        Self::open(path)
    }

    /// Opens a ledger.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn open(path: &Path) -> Result<Self, LedgerError> {
        let (path, connection) = store::open(path)?;
        Ok(Self { path, connection })
    }

    /// Its file, with symbolic links followed.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The whole history, verified.
    ///
    /// # Errors
    /// [`LedgerError::Damaged`], or another one if it cannot be read.
    pub fn history(&self) -> Result<History, LedgerError> {
        // Entries and the note of the last one are read in one state.
        let reading = self.connection.unchecked_transaction().map_err(store::storage(&self.path))?;
        Self::verified(&self.path, &reading)
    }

    pub(crate) fn verified(path: &Path, connection: &Connection) -> Result<History, LedgerError> {
        let (entries, last) = store::read(path, connection)?;
        History::verified(&entries, &last).map_err(|damage| LedgerError::Damaged { path: path.to_owned(), damage })
    }

    /// Enters that nothing of a reservation was published, so that its price counts no more. `paid` reads a bundle. The
    /// unfinished bundle of the run can hold noisy numbers, so it is removed before the entry is made.
    ///
    /// # Errors
    /// [`LedgerError::NotOpen`] unless the reservation is open, its run has ended, and no bundle of it stands at its
    /// place; [`LedgerError::File`] where the unfinished bundle cannot be looked for or removed. The price then still
    /// counts.
    pub fn void(
        &mut self,
        reservation: u64,
        reason: &str,
        paid: &dyn Fn(&Path) -> Option<Paid>,
        by: &str,
    ) -> Result<EntryId, LedgerError> {
        self.add(by, |path, history| {
            let refuse = |problem| Err(LedgerError::NotOpen { entry: reservation, problem });
            match history.standing(reservation) {
                None => refuse("is no reservation"),
                Some(Standing::Published(_)) => {
                    refuse("is published: its numbers are known, and no word takes them back")
                }
                Some(Standing::Voided(_)) => refuse("was voided before"),
                Some(Standing::Open) if locks::is_running(path, reservation) => {
                    refuse("belongs to a release that still runs; wait until it ends")
                }
                Some(Standing::Open) if history.stands(reservation, paid) => {
                    refuse("has its bundle in its place: `inbounds ledger check` enters it, and its price counts")
                }
                Some(Standing::Open) => {
                    let removed = leftover::clear(path, history, reservation)?;
                    Ok(Deed::Voided { reservation, reason: reason.to_owned(), removed })
                }
            }
        })
    }

    /// Enters that the rows of the ledger are also those of plans that give them this name, as files of another month
    /// that are of the same people.
    ///
    /// # Errors
    /// [`LedgerError`] if it cannot be written.
    pub fn name(&mut self, name: &str, reason: &str, by: &str) -> Result<EntryId, LedgerError> {
        self.add(by, |_, _| Ok(Deed::Named { name: name.to_owned(), reason: reason.to_owned() }))
    }

    /// Enters that the unit of a plan, made and read as `unit` says, names the same units as before.
    ///
    /// # Errors
    /// [`LedgerError::Mismatch`] where the plan is about other rows, another unit by its name, or another relation; or
    /// another one, if it cannot be written.
    pub fn same_unit(
        &mut self,
        subject: &Subject,
        unit: UnitReading,
        reason: &str,
        by: &str,
    ) -> Result<EntryId, LedgerError> {
        self.add(by, |_, history| {
            history.admit(subject)?;
            Ok(Deed::SameUnit { unit, reason: reason.to_owned() })
        })
    }

    /// Enters something that was spent elsewhere. It may exceed what is left: what is true is entered.
    ///
    /// # Errors
    /// [`LedgerError`] if it cannot be written.
    pub fn record(&mut self, cost: Cost, reason: &str, by: &str) -> Result<EntryId, LedgerError> {
        self.add(by, |_, _| Ok(Deed::Recorded { cost, reason: reason.to_owned() }))
    }

    /// Adds an entry that is decided while no other program can write.
    pub(crate) fn add(
        &mut self,
        by: &str,
        decide: impl FnOnce(&Path, &History) -> Result<Deed, LedgerError>,
    ) -> Result<EntryId, LedgerError> {
        let Self { path, connection } = self;
        let transaction = store::begin(path, connection)?;
        locks::try_locks(path)?;
        let history = Self::verified(path, &transaction)?;
        let deed = decide(path, &history)?;
        let entry = append(path, &transaction, &history, by, &deed)?;
        transaction.commit().map_err(store::storage(path))?;
        Ok(entry)
    }

    /// Checks that the storage finds nothing wrong with its file.
    pub(crate) fn check_file(&self) -> Result<(), LedgerError> {
        match store::problem(&self.path, &self.connection)? {
            None => Ok(()),
            Some(problem) => Err(LedgerError::Damaged { path: self.path.clone(), damage: Damage::File { problem } }),
        }
    }

    /// Removes an unused journal, and files of locks that no process holds. While this has the right to write, no run
    /// can begin.
    pub(crate) fn sweep(&mut self) -> Result<Vec<PathBuf>, LedgerError> {
        let Self { path, connection } = self;
        let journal = store::sweep_journal(path, connection)?;
        if locks::files(path).is_empty() {
            return Ok(journal.into_iter().collect());
        }
        let _transaction = store::begin(path, connection)?;
        let stray = locks::stray(path);
        for file in &stray {
            fs::remove_file(file).map_err(|source| LedgerError::File { path: file.clone(), source })?;
        }
        Ok(stray.into_iter().chain(journal).collect())
    }
}

fn append(
    path: &Path,
    transaction: &Transaction,
    history: &History,
    by: &str,
    deed: &Deed,
) -> Result<EntryId, LedgerError> {
    let entries = history.entries();
    let previous = entries.last().map(|entry| entry.hash.as_str()).unwrap_or_default();
    store::append(path, transaction, entries.len() as u64, previous, &Draft { at: &now(), by, deed })
}

/// Who runs the program, as the system calls them: what entries say of who made them.
pub fn current_user() -> String {
    let names = ["LOGNAME", "USER", "USERNAME"].into_iter().filter_map(|name| std::env::var(name).ok());
    names.map(|name| name.trim().to_owned()).find(|name| !name.is_empty()).unwrap_or_else(number_of_user)
}

/// A user without a name, as on servers.
#[cfg(unix)]
fn number_of_user() -> String {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata("/proc/self").map_or_else(|_| "unknown".to_owned(), |about| format!("user {}", about.uid()))
}

#[cfg(not(unix))]
fn number_of_user() -> String {
    "unknown".to_owned()
}

/// The time by the clock of the machine, in UTC. Nothing depends on it.
pub(crate) fn now() -> String {
    let seconds = match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_secs()).ok(),
        Err(before) => i64::try_from(before.duration().as_secs()).ok().map(|seconds| -seconds),
    };
    let time = seconds.and_then(|seconds| DateTime::from_timestamp(seconds, 0)).unwrap_or_default();
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}
