//! The reading of a unit, which the first release decides for all.

use std::path::Path;

use inbounds_core::Neighbours;
use inbounds_ledger::{Aspect, Deed, Ledger, LedgerError, Mismatch, Reservation, SCHEMA, Subject, UnitReading, Work};
use rusqlite::Connection;

use crate::{new, nothing, number, request, reserve};

fn reading(kind: &str, quote: Option<&str>) -> UnitReading {
    let layout = quote.map(|quote| (Aspect::Quote, quote.to_owned()));
    let typed = (Aspect::Type("patient".into()), kind.to_owned());
    UnitReading::new([(Aspect::Reader, "1".to_owned()), typed].into_iter().chain(layout))
}

fn ask(path: &Path, name: &str, read: UnitReading) -> Result<Reservation, LedgerError> {
    let mut asked = request(path.parent().expect("a folder"), name, "0.1", None);
    if let Work::Plan { unit, .. } = &mut asked.work {
        *unit = Some(read);
    }
    Ledger::open(path)?.reserve(asked, Some(&number("0.1")), "ada")
}

fn refused(path: &Path, read: UnitReading) -> (u64, String) {
    let error = ask(path, "refused", read).expect_err("another unit");
    let LedgerError::Mismatch(Mismatch::Reading { entry, differences, .. }) = error else { panic!("{error}") };
    (entry, differences.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
}

#[test]
fn the_first_release_decides_and_every_later_one_agrees_with_all() {
    let (_folder, path) = new("10");
    drop(ask(&path, "a", reading("text", Some("\""))).expect("the first"));
    drop(ask(&path, "b", reading("text", Some("\""))).expect("the same"));
    // A file without a layout, and then another layout: each is compared with every release.
    drop(ask(&path, "c", reading("text", None)).expect("a file that has no quotes"));
    assert_eq!(
        refused(&path, reading("text", Some("'"))),
        (1, "`quote` of [data] is \" there and ' in the plan".into())
    );
    let (entry, said) = refused(&path, reading("integer", None));
    assert_eq!((entry, said.as_str()), (1, "`type` of `patient` is text there and integer in the plan"));
    // A program names no unit, and nothing is said of it.
    drop(reserve(&path, "d", "0.1").expect("nothing to hold against"));
}

#[test]
fn what_is_voided_decides_nothing() {
    let (_folder, path) = new("10");
    drop(ask(&path, "a", reading("integer", None)).expect("the first"));
    refused(&path, reading("text", None));
    let mut ledger = Ledger::open(&path).expect("opens");
    ledger.void(1, "a mistake in the plan", &nothing, "ada").expect("voids");
    drop(ask(&path, "b", reading("text", None)).expect("the first that counts"));
    refused(&path, reading("integer", None));
}

#[test]
fn a_person_can_say_that_another_reading_names_the_same_units() {
    let (_folder, path) = new("10");
    drop(ask(&path, "a", reading("text", None)).expect("the first"));
    let mut ledger = Ledger::open(&path).expect("opens");
    let terms = ledger.history().expect("reads").terms().clone();
    let (neighbours, unit) = (terms.neighbours, terms.unit.clone());
    let subject = Subject { name: Some("stays".into()), path: None, unit, neighbours };
    let other = Subject { neighbours: Neighbours::Substitute, ..subject.clone() };
    assert!(ledger.same_unit(&other, reading("integer", None), "no", "ada").is_err());
    ledger.same_unit(&subject, reading("integer", None), "ids are whole numbers", "ada").expect("writes");
    drop(ask(&path, "b", reading("integer", None)).expect("said to be the same"));
    drop(ask(&path, "c", reading("text", None)).expect("the first reading"));
    refused(&path, reading("number", None));
    let history = ledger.history().expect("reads");
    assert!(matches!(&history.entries()[2].deed, Deed::SameUnit { reason, .. } if reason.contains("whole numbers")));
}

#[test]
fn another_name_is_one_of_the_same_rows() {
    let (_folder, path) = new("10");
    let mut ledger = Ledger::open(&path).expect("opens");
    let terms = ledger.history().expect("reads").terms().clone();
    let subject = |name: &str| {
        let (unit, neighbours) = (terms.unit.clone(), terms.neighbours);
        Subject { name: Some(name.into()), path: None, unit, neighbours }
    };
    assert!(ledger.history().expect("reads").admit(&subject("patients")).is_err());
    ledger.name("patients", "one file a month", "ada").expect("writes");
    let history = ledger.history().expect("reads");
    assert_eq!(history.admit(&subject("patients")), Ok(()));
    assert_eq!(history.admit(&subject("stays")), Ok(()));
    assert!(history.admit(&subject("births")).is_err());
}

/// A ledger from before readings were held is read, tells its entries, and is one of today from its next entry on.
#[test]
fn an_older_ledger_gets_its_reading_with_its_next_release() {
    let (_folder, path) = new("10");
    drop(reserve(&path, "a", "0.1").expect("an entry without a reading"));
    let version = || -> i64 {
        let file = Connection::open(&path).expect("opens");
        file.pragma_query_value(None, "user_version", |row| row.get(0)).expect("reads")
    };
    Connection::open(&path).expect("opens").pragma_update(None, "user_version", 1).expect("writes");
    assert_eq!(Ledger::open(&path).expect("opens").history().expect("reads").without_reading(), [1]);
    assert_eq!(version(), 1, "looking changes nothing");
    drop(ask(&path, "b", reading("text", None)).expect("the first with a reading"));
    assert_eq!(version(), SCHEMA);
    refused(&path, reading("integer", None));
    let history = Ledger::open(&path).expect("opens").history().expect("the chain holds");
    assert_eq!((history.entries().len(), history.without_reading()), (3, vec![1]));
}
