//! Files that were changed, and files that are no ledger.

use std::{fs, path::Path};

use inbounds_ledger::{Damage, Ledger, LedgerError, Paid, SCHEMA};
use rusqlite::Connection;

use crate::{new, nothing, reserve, terms};

#[test]
fn an_edited_or_cut_history_is_noticed() {
    let spoil = |how: &str| {
        let (_folder, path) = new("1");
        drop(reserve(&path, "a", "0.25").expect("affordable"));
        drop(reserve(&path, "b", "0.5").expect("affordable"));
        let connection = Connection::open(&path).expect("opens");
        connection.execute_batch("DROP TRIGGER entry_stays; DROP TRIGGER entry_is_kept").expect("drops");
        connection.execute_batch(how).expect(how);
        drop(connection);
        let opened = Ledger::open(&path).expect("opens");
        let refused = reserve(&path, "c", "0.1").map(drop).expect_err(how);
        assert!(matches!(refused, LedgerError::Damaged { .. }), "{refused}");
        match opened.history().expect_err(how) {
            LedgerError::Damaged { damage, .. } => damage,
            other => panic!("{other}"),
        }
    };
    let cheaper = "UPDATE entry SET content = replace(content, '0.25', '0.15') WHERE number = 1";
    assert_eq!(spoil(cheaper), Damage::Changed { number: 1 });
    assert_eq!(spoil("UPDATE entry SET content = 'x' WHERE number = 2"), Damage::Changed { number: 2 });
    assert_eq!(spoil("DELETE FROM entry WHERE number = 1"), Damage::Broken { number: 2 });
    assert_eq!(spoil("DELETE FROM entry WHERE number = 2"), Damage::Cut { found: 2, last: 2 });
    assert_eq!(spoil("DELETE FROM entry"), Damage::Cut { found: 0, last: 2 });
    assert_eq!(
        spoil("UPDATE entry SET ends = 1 WHERE number = 2"),
        Damage::Contradiction { number: 2, problem: "it is stored as the end of another reservation" }
    );
}

/// A view in the place of a table could compute for ever.
#[test]
fn a_file_with_other_tables_is_refused() {
    for how in [
        "CREATE TABLE other (a)",
        "CREATE VIEW other AS SELECT 1",
        "CREATE INDEX other ON entry (hex(content))",
        "DROP TABLE last",
        "DROP TABLE last; CREATE VIEW last AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) \
         SELECT 1 AS only, x AS number, '' AS hash FROM n",
    ] {
        let (_folder, path) = new("1");
        Connection::open(&path).expect("opens").execute_batch(how).expect(how);
        let refused = Ledger::open(&path).expect_err(how).to_string();
        assert!(refused.contains("its tables are not those of a ledger"), "{how}: {refused}");
    }
}

#[test]
fn entries_cannot_be_changed_by_a_statement() {
    let (_folder, path) = new("1");
    let connection = Connection::open(&path).expect("opens");
    for how in ["UPDATE entry SET content = ''", "DELETE FROM entry"] {
        assert!(connection.execute_batch(how).expect_err(how).to_string().contains("entries are never"));
    }
}

#[test]
fn a_history_cut_with_care_is_noticed_by_its_bundles() {
    let (folder, path) = new("1");
    let copy = folder.path().join("copy");
    fs::copy(&path, &copy).expect("copies");
    let reservation = reserve(&path, "a", "0.5").expect("affordable");
    let ledger = reservation.ledger().history().expect("reads").id().to_owned();
    let paid = Paid { ledger, reservation: reservation.entry().clone(), manifest_sha256: "2".repeat(64) };
    drop(reservation);
    fs::rename(&copy, &path).expect("the old copy comes back");
    let bundle = folder.path().join("a");
    let error =
        Ledger::open(&path).expect("opens").check(&[bundle], &|_| Some(paid.clone()), "ada").expect_err("forgotten");
    assert!(error.to_string().contains("no such entry with its hash"), "{error}");
}

#[test]
fn other_files_newer_schemas_and_second_names_are_refused() {
    let (folder, path) = new("1");
    let other = folder.path().join("other");
    let refused = |path: &Path| Ledger::open(path).map(drop).expect_err("refused");
    assert!(matches!(refused(&other), LedgerError::Missing { .. }));
    fs::write(&other, "").expect("writes");
    assert!(matches!(refused(&other), LedgerError::Empty { .. }));
    fs::write(&other, "title = 'a plan'\n".repeat(100)).expect("writes");
    assert!(matches!(refused(&other), LedgerError::NotALedger { .. }));
    assert!(matches!(refused(folder.path()), LedgerError::NotALedger { .. }));
    fs::remove_file(&other).expect("removes");
    Connection::open(&other).expect("opens").execute_batch("CREATE TABLE a (b)").expect("another database");
    assert!(matches!(refused(&other), LedgerError::NotALedger { .. }));
    assert!(matches!(Ledger::create(&path, terms("1"), "ada"), Err(LedgerError::Exists { .. })));

    fs::hard_link(&path, folder.path().join("second")).expect("links");
    assert!(matches!(refused(&path), LedgerError::Names { links: 2, .. }));
    fs::remove_file(folder.path().join("second")).expect("removes");
    let connection = Connection::open(&path).expect("opens");
    connection.pragma_update(None, "user_version", SCHEMA + 1).expect("writes");
    assert!(matches!(refused(&path), LedgerError::Newer { found, known: SCHEMA, .. } if found == SCHEMA + 1));
}

#[test]
#[cfg(unix)]
fn a_symbolic_link_leads_to_the_one_ledger() {
    let (folder, path) = new("1");
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).expect("links");
    let running = reserve(&link, "a", "0.6").expect("affordable");
    assert!(reserve(&path, "b", "0.6").is_err());
    let mut ledger = Ledger::open(&path).expect("opens");
    assert_eq!(ledger.check(&[], &nothing, "ada").expect("in order").running, [running.entry().number]);
}
