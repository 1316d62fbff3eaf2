//! The file of a ledger: one SQLite database with a rollback journal.
//!
//! A transaction takes the right to write before it reads ([`TransactionBehavior::Immediate`]), so that nothing can be
//! spent twice. `synchronous = EXTRA` also synchronises the folder when the journal is gone: else a loss of power could
//! bring the journal back, and with it undo an entry after which noise was drawn.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior, params};

use crate::{
    Damage, EntryId, LedgerError,
    history::Stored,
    record::{self, Draft},
};

/// The version of the schema that this program writes and reads.
///
/// 2: reservations hold how their unit is made and read. 3: and the approval under which they are made, if there is
/// one. A file of an older schema is read, and becomes one of schema 3 with its next entry.
pub const SCHEMA: i64 = 3;

/// In the header of the file: "inbl".
const APPLICATION: i64 = 0x696e_626c;

/// Longest wait for other programs.
const PATIENCE: Duration = Duration::from_secs(120);

/// All that a ledger consists of, by name. A file that holds anything else could make SQLite compute whatever it likes.
const PARTS: [(&str, &str); 4] = [
    (
        "entry",
        "CREATE TABLE entry (
        number INTEGER PRIMARY KEY CHECK (number >= 0),
        ends INTEGER UNIQUE REFERENCES entry (number),
        content TEXT NOT NULL,
        hash TEXT NOT NULL UNIQUE
    ) STRICT",
    ),
    (
        "last",
        "CREATE TABLE last (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        number INTEGER NOT NULL,
        hash TEXT NOT NULL
    ) STRICT",
    ),
    (
        "entry_stays",
        "CREATE TRIGGER entry_stays BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END",
    ),
    (
        "entry_is_kept",
        "CREATE TRIGGER entry_is_kept BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'entries are never removed'); END",
    ),
];

/// Makes the file with its first entry.
pub(crate) fn create(path: &Path, first: &Draft) -> Result<Connection, LedgerError> {
    match fs::File::create_new(path) {
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            return Err(LedgerError::Exists { path: path.to_owned() });
        }
        Err(error) => return Err(LedgerError::Unwritable { path: path.to_owned(), problem: error.to_string() }),
    }
    let made = fill(path, first);
    if made.is_err() {
        // It has no entry; best effort, as the error that matters is at hand.
        let _ = fs::remove_file(path);
    }
    made
}

fn fill(path: &Path, first: &Draft) -> Result<Connection, LedgerError> {
    let failed = storage(path);
    let mut connection = connect(path)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&failed)?;
    PARTS.iter().try_for_each(|(_, part)| transaction.execute_batch(part)).map_err(&failed)?;
    transaction.pragma_update(None, "application_id", APPLICATION).map_err(&failed)?;
    insert(&transaction, 0, "", first).map_err(&failed)?;
    transaction.commit().map_err(&failed)?;
    // The name of the new file, as durable as its bytes.
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let _ = fs::File::open(folder).and_then(|folder| folder.sync_all());
    Ok(connection)
}

/// Opens a ledger, for writing if the system allows it, and returns the path with symbolic links followed.
pub(crate) fn open(path: &Path) -> Result<(PathBuf, Connection), LedgerError> {
    let file = |source| LedgerError::File { path: path.to_owned(), source };
    let real = match path.canonicalize() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(LedgerError::Missing { path: path.to_owned() });
        }
        canonical => canonical.map_err(file)?,
    };
    // Only looked at: closing a file that SQLite has open would lose its locks.
    let about = fs::metadata(&real).map_err(file)?;
    if !about.is_file() {
        return Err(LedgerError::NotALedger { path: real });
    }
    if about.len() == 0 {
        return Err(LedgerError::Empty { path: real });
    }
    let links = names(&about);
    if links > 1 {
        return Err(LedgerError::Names { path: real, links });
    }
    let connection = connect(&real)?;
    let failed = storage(&real);
    let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    if pragma("application_id").map_err(&failed)? != APPLICATION {
        // What an interrupted creation had written is undone by now.
        if fs::metadata(&real).is_ok_and(|about| about.len() == 0) {
            return Err(LedgerError::Empty { path: real });
        }
        return Err(LedgerError::NotALedger { path: real });
    }
    let schema = pragma("user_version").map_err(&failed)?;
    if schema > SCHEMA {
        return Err(LedgerError::Newer { path: real, found: schema, known: SCHEMA });
    }
    if !has_the_parts(&connection).map_err(&failed)? {
        let problem = "its tables are not those of a ledger".to_owned();
        return Err(LedgerError::Damaged { path: real, damage: Damage::File { problem } });
    }
    Ok((real, connection))
}

/// `true` if the tables are those of a ledger, and nothing stands beside them but what SQLite itself made.
fn has_the_parts(connection: &Connection) -> rusqlite::Result<bool> {
    let mut statement = connection.prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")?;
    let parts = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let parts: Vec<(String, String)> = parts.collect::<rusqlite::Result<_>>()?;
    let is_part = |(name, sql): &(String, String)| PARTS.iter().any(|(known, part)| known == name && part == sql);
    let has = |table: &&str| parts.iter().any(|(name, _)| name == table);
    Ok(parts.iter().all(is_part) && ["entry", "last"].iter().all(has))
}

#[cfg(unix)]
fn names(about: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(about)
}

#[cfg(not(unix))]
fn names(_: &fs::Metadata) -> u64 {
    1
}

fn connect(path: &Path) -> Result<Connection, LedgerError> {
    let failed = storage(path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(&failed)?;
    connection.busy_timeout(PATIENCE).map_err(&failed)?;
    connection.pragma_update(None, "trusted_schema", false).map_err(&failed)?;
    connection.pragma_update(None, "synchronous", "EXTRA").map_err(&failed)?;
    Ok(connection)
}

/// The right to write, which one program has at a time. Others wait.
pub(crate) fn begin<'c>(path: &Path, connection: &'c mut Connection) -> Result<Transaction<'c>, LedgerError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(storage(path))?;
    // Another mode of the journal has other rules for crashes and locks.
    let mode: String = transaction.pragma_query_value(None, "journal_mode", |row| row.get(0)).map_err(storage(path))?;
    if mode != "delete" {
        let problem = format!("its journal mode was changed to {mode}; change it back to delete");
        return Err(LedgerError::Storage { path: path.to_owned(), problem });
    }
    Ok(transaction)
}

/// All entries, and the last one as it was noted beside them.
pub(crate) fn read(path: &Path, connection: &Connection) -> Result<(Vec<Stored>, EntryId), LedgerError> {
    let failed = storage(path);
    let mut statement =
        connection.prepare("SELECT number, ends, content, hash FROM entry ORDER BY number").map_err(&failed)?;
    let rows = statement.query_map([], |row| {
        Ok(Stored { number: row.get(0)?, ends: row.get(1)?, text: row.get(2)?, hash: row.get(3)? })
    });
    let entries = rows.and_then(Iterator::collect).map_err(&failed)?;
    let last = connection
        .query_row("SELECT number, hash FROM last", [], |row| Ok(EntryId { number: row.get(0)?, hash: row.get(1)? }));
    Ok((entries, last.map_err(&failed)?))
}

/// Adds an entry after the one with the hash `previous`, and returns its name.
pub(crate) fn append(
    path: &Path,
    transaction: &Transaction,
    number: u64,
    previous: &str,
    draft: &Draft,
) -> Result<EntryId, LedgerError> {
    insert(transaction, number, previous, draft).map_err(storage(path))
}

fn insert(transaction: &Transaction, number: u64, previous: &str, draft: &Draft) -> rusqlite::Result<EntryId> {
    let content = record::text(number, previous, draft);
    let id = EntryId { number, hash: record::hash(&content) };
    let add = "INSERT INTO entry (number, ends, content, hash) VALUES (?1, ?2, ?3, ?4)";
    transaction.execute(add, params![number, draft.deed.ends(), content, id.hash])?;
    let note = "INSERT OR REPLACE INTO last (only, number, hash) VALUES (1, ?1, ?2)";
    transaction.execute(note, params![number, id.hash])?;
    // A program that knows older entries alone must not add to this one.
    transaction.pragma_update(None, "user_version", SCHEMA)?;
    Ok(id)
}

/// Removes a journal that was begun and never counted: the next transaction that writes does, so one is made that
/// changes nothing.
pub(crate) fn sweep_journal(path: &Path, connection: &mut Connection) -> Result<Option<PathBuf>, LedgerError> {
    let mut name = path.as_os_str().to_owned();
    name.push("-journal");
    let journal = PathBuf::from(name);
    if !journal.exists() {
        return Ok(None);
    }
    let transaction = begin(path, connection)?;
    transaction.pragma_update(None, "user_version", SCHEMA).map_err(storage(path))?;
    transaction.commit().map_err(storage(path))?;
    Ok((!journal.exists()).then_some(journal))
}

/// Problem that SQLite finds with its file; `None` if there is none.
pub(crate) fn problem(path: &Path, connection: &Connection) -> Result<Option<String>, LedgerError> {
    let said: String =
        connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(storage(path))?;
    Ok((said != "ok").then_some(said))
}

/// An error of SQLite in the words of the ledger.
pub(crate) fn storage(path: &Path) -> impl Fn(rusqlite::Error) -> LedgerError + use<> {
    let path = path.to_owned();
    move |error| {
        let (path, problem) = (path.clone(), error.to_string());
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                LedgerError::Busy { path, seconds: PATIENCE.as_secs() }
            }
            Some(ErrorCode::DiskFull) => LedgerError::Unwritable { path, problem: "the disk is full".to_owned() },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
                LedgerError::Unwritable { path, problem }
            }
            Some(ErrorCode::NotADatabase) => LedgerError::NotALedger { path },
            Some(ErrorCode::DatabaseCorrupt) => LedgerError::Damaged { path, damage: Damage::File { problem } },
            Some(ErrorCode::FileLockingProtocolFailed | ErrorCode::NoLargeFileSupport) => {
                LedgerError::NoLocks { path, problem }
            }
            _ => LedgerError::Storage { path, problem },
        }
    }
}
