//! Ledgers: any bytes as the file, and any texts as the entries of a file whose hashes are right.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use inbounds_bundle::digest::sha256;
use inbounds_core::{Epsilon, Guarantee, Neighbours, Rational};
use inbounds_ledger::{DataSet, History, Ledger, LedgerUnit, Permanence, Terms};
use inbounds_report::{ledger_csv, ledger_page};
use rusqlite::{Connection, params};
use serde_json::Value;

use crate::scratch::Scratch;

/// Stands in an entry for the hash of the one before.
const PREVIOUS: &str = "PREVIOUS";

/// Opens, shows, exports and checks a file of any bytes.
///
/// # Panics
/// If an error says nothing.
pub fn ledger(bytes: &[u8]) {
    let scratch = Scratch::new();
    let path = scratch.write("a.ledger", bytes);
    match Ledger::open(&path) {
        Ok(opened) => look(opened),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Texts, one a line, as the entries of a ledger. Hashes and numbers of rows are made to fit, so that what an entry
/// says is reached.
///
/// # Panics
/// If an error says nothing.
pub fn entries(bytes: &[u8]) {
    let scratch = Scratch::new();
    let path = scratch.write("a.ledger", &EMPTY);
    if fill(&path, &String::from_utf8_lossy(bytes)).is_err() {
        return;
    }
    if let Ok(opened) = Ledger::open(&path) {
        look(opened);
    }
}

fn look(mut ledger: Ledger) {
    match ledger.history() {
        Ok(history) => told(&history),
        Err(error) => return assert!(!error.to_string().is_empty()),
    }
    let none = |_: &Path| None;
    if let Err(error) = ledger.check(&[PathBuf::from("/nonexistent")], &none, "fuzz") {
        assert!(!error.to_string().is_empty());
    }
}

fn told(history: &History) {
    let statement = history.statement();
    assert_eq!(statement.len(), history.entries().len());
    let _ = history.balance().left().to_string();
    let _ = ledger_csv(history).expect("written to memory");
    assert!(!ledger_page(history).is_empty());
}

/// A ledger file without an entry.
static EMPTY: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let scratch = Scratch::new();
    let path = scratch.path("a.ledger");
    let terms = Terms {
        data: DataSet::Name("rows".to_owned()),
        unit: LedgerUnit::Row,
        neighbours: Neighbours::AddRemove,
        permanence: Permanence::Fixed,
        granted: Guarantee::Pure { epsilon: Epsilon::new(Rational::ONE).expect("positive") },
    };
    Ledger::create(&path, terms, "fuzz").expect("a new ledger");
    let connection = Connection::open(&path).expect("opens");
    // Without the trigger that keeps entries, which would keep this one.
    let empty = "DROP TRIGGER entry_is_kept; DELETE FROM entry; DELETE FROM last;";
    connection.execute_batch(empty).expect("empties");
    drop(connection);
    fs::read(&path).expect("reads")
});

fn fill(path: &Path, text: &str) -> rusqlite::Result<()> {
    let connection = Connection::open(path)?;
    connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN")?;
    let mut previous = String::new();
    for (number, line) in (0_i64..).zip(text.lines()) {
        let content = line.replace(PREVIOUS, &previous);
        let hash = sha256(content.as_bytes());
        let add = "INSERT INTO entry (number, ends, content, hash) VALUES (?1, ?2, ?3, ?4)";
        connection.execute(add, params![number, ends(&content), content, hash])?;
        let note = "INSERT OR REPLACE INTO last (only, number, hash) VALUES (1, ?1, ?2)";
        connection.execute(note, params![number, hash])?;
        previous = hash;
    }
    connection.execute_batch("COMMIT; PRAGMA journal_mode = DELETE")
}

/// The reservation that an entry says it ends.
fn ends(content: &str) -> Option<i64> {
    let value: Value = serde_json::from_str(content).ok()?;
    let deed = value.get("deed")?;
    deed.get("published").or_else(|| deed.get("voided"))?.get("reservation")?.as_i64()
}
