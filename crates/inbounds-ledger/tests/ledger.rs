//! A ledger as programs use it: created, spent from, damaged, and used by several at once.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};

use inbounds_core::{Cells, Epsilon, Guarantee, Limit, Neighbours, Rational, Region};
use inbounds_ledger::{
    Bundle, Charge, Damage, DataSet, Deed, Dispute, Ledger, LedgerError, LedgerUnit, Mismatch, Paid, Permanence,
    Request, Standing, Subject, Terms,
};
use inbounds_mechanisms::account::Cost;
use rusqlite::Connection;
use tempfile::TempDir;

fn number(text: &str) -> Rational {
    text.parse().expect("number")
}

fn pure(epsilon: &str) -> Guarantee {
    Guarantee::Pure { epsilon: Epsilon::new(number(epsilon)).expect("positive") }
}

fn terms(epsilon: &str) -> Terms {
    let data = DataSet::Name("stays".into());
    Terms {
        data,
        unit: LedgerUnit::Row,
        neighbours: Neighbours::AddRemove,
        permanence: Permanence::Fixed,
        granted: pure(epsilon),
    }
}

fn request(folder: &Path, name: &str, epsilon: &str, ages: Option<&str>) -> Request {
    let limit = |span: &str| Limit {
        column: "age".into(),
        read: "integer".into(),
        cells: Cells::Numbers(vec![span.parse().expect("a span")]),
    };
    let rows = Region::new(ages.map(limit).into_iter().collect());
    Request {
        title: None,
        plan_sha256: "0".repeat(64),
        charges: vec![Charge { rows, cost: Cost::Pure { epsilon: number(epsilon) } }],
        bundle: Bundle { folder: folder.join(name), partial: folder.join(format!(".{name}.partial-1")) },
    }
}

fn new(epsilon: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("stays.ledger");
    Ledger::create(&path, terms(epsilon), "ada").expect("creates");
    (folder, path)
}

fn reserve(path: &Path, name: &str, epsilon: &str) -> Result<inbounds_ledger::Reservation, LedgerError> {
    let folder = path.parent().expect("a folder");
    Ledger::open(path)?.reserve(request(folder, name, epsilon, None), &number(epsilon), "ada")
}

fn left(path: &Path) -> String {
    Ledger::open(path).expect("opens").history().expect("reads").balance().left().to_string()
}

fn nothing(_: &Path) -> Option<Paid> {
    None
}

#[test]
fn a_price_counts_from_its_reservation_on_and_is_published_once() {
    let (_folder, path) = new("1");
    let mut reservation = reserve(&path, "a", "0.4").expect("affordable");
    assert_eq!(left(&path), "epsilon = 0.6");
    reservation.confirm().expect("stands").publish(&"1".repeat(64), "ada").expect("writes");
    let number = reservation.entry().number;
    assert!(matches!(reservation.confirm(), Err(LedgerError::NotOpen { .. })), "once");
    drop(reservation);
    let history = Ledger::open(&path).expect("opens").history().expect("reads");
    assert_eq!(history.standing(number), Some(Standing::Published(2)));
    assert_eq!(left(&path), "epsilon = 0.6");
    let refused = Ledger::open(&path).expect("opens").void(number, "none", &nothing, "ada");
    assert!(matches!(refused, Err(LedgerError::NotOpen { .. })), "{refused:?}");
    assert_eq!(fs::read_dir(path.parent().expect("folder")).expect("folder").count(), 1, "nothing but the ledger");
}

#[test]
fn what_does_not_fit_is_refused_with_what_would() {
    let (_folder, path) = new("1");
    drop(reserve(&path, "a", "0.7").expect("affordable"));
    let error = reserve(&path, "b", "0.5").expect_err("too much").to_string();
    assert_eq!(
        error,
        "the release costs epsilon = 0.5, and the ledger has epsilon = 0.3 left; the largest epsilon with which this plan \
         would fit is 0.3. Nothing was spent"
    );
    drop(reserve(&path, "b", "0.3").expect("to the last digit"));
    assert!(reserve(&path, "c", "1e-30").is_err());
}

#[test]
fn a_dead_reservation_counts_until_a_person_voids_it() {
    let (_folder, path) = new("1");
    let running = reserve(&path, "a", "0.7").expect("affordable");
    let number = running.entry().number;
    let mut ledger = Ledger::open(&path).expect("opens");
    let refused = ledger.void(number, "none", &nothing, "ada").expect_err("it runs").to_string();
    assert_eq!(refused, "entry 1 belongs to a release that still runs; wait until it ends");
    assert_eq!(ledger.check(&[], &nothing, "ada").expect("in order").running, [number]);
    drop(running);
    assert_eq!(ledger.check(&[], &nothing, "ada").expect("in order").dead, [number]);
    assert_eq!(left(&path), "epsilon = 0.3");
    ledger.void(number, "the disk was full, and nothing was written", &nothing, "ada").expect("voids");
    assert_eq!(left(&path), "epsilon = 1");
    assert!(ledger.void(number, "again", &nothing, "ada").is_err());
    let history = ledger.history().expect("reads");
    let Deed::Voided { reason, .. } = &history.entries()[2].deed else { panic!("voided") };
    assert!(reason.starts_with("the disk was full"));
}

#[test]
fn a_bundle_that_stands_is_entered_and_leftovers_are_removed() {
    let (folder, path) = new("1");
    let reservation = reserve(&path, "a", "0.5").expect("affordable");
    let entry = reservation.entry().clone();
    std::mem::drop(reservation);
    let partial = folder.path().join(".a.partial-1");
    fs::create_dir(&partial).expect("creates");
    fs::write(partial.join("measurements.csv"), "1\n").expect("writes");
    fs::write(folder.path().join("stays.ledger.run-1"), "").expect("writes");
    let bundle = folder.path().join("a");
    let mut ledger = Ledger::open(&path).expect("opens");
    let id = ledger.history().expect("reads").id().to_owned();
    let paid = Paid { ledger: id, reservation: entry.clone(), manifest_sha256: "2".repeat(64) };
    let reads = |place: &Path| (place == bundle).then(|| paid.clone());
    let refused = ledger.void(entry.number, "none", &reads, "ada").expect_err("its bundle stands").to_string();
    assert!(refused.contains("has its bundle in its place"), "{refused}");
    let found = ledger.check(&[], &reads, "ada").expect("in order");
    assert_eq!((found.settled.len(), found.dead.len(), found.removed.len()), (1, 0, 2), "{found:?}");
    assert!(!partial.exists());
    let again = ledger.check(&[], &reads, "ada").expect("in order");
    assert_eq!((again.settled.len(), again.removed.len()), (0, 0));
    assert_eq!(left(&path), "epsilon = 0.5");

    let mut dispute = |paid: &Paid| match ledger.check(std::slice::from_ref(&bundle), &|_| Some(paid.clone()), "ada") {
        Err(LedgerError::Disputed { dispute, .. }) => Some(dispute),
        Err(error) => panic!("{error}"),
        Ok(_) => None,
    };
    assert_eq!(dispute(&paid), None);
    assert_eq!(dispute(&Paid { manifest_sha256: "3".repeat(64), ..paid.clone() }), Some(Dispute::Changed { entry: 1 }));
    assert_eq!(dispute(&Paid { ledger: "4".repeat(64), ..paid.clone() }), Some(Dispute::Elsewhere));
}

#[test]
fn what_a_voided_reservation_left_is_removed_and_its_bundle_reported() {
    let (folder, path) = new("1");
    let reservation = reserve(&path, "a", "0.5").expect("affordable");
    let entry = reservation.entry().clone();
    drop(reservation);
    let partial = folder.path().join(".a.partial-1");
    fs::create_dir(&partial).expect("creates");
    let mut ledger = Ledger::open(&path).expect("opens");
    ledger.void(entry.number, "a test", &nothing, "ada").expect("voids");
    // The same name again, by a run that still works.
    let running = reserve(&path, "a", "0.5").expect("affordable");
    assert!(ledger.check(&[], &nothing, "ada").expect("in order").removed.is_empty() && partial.is_dir());
    drop(running);
    ledger.check(&[], &nothing, "ada").expect("in order");
    assert!(!partial.exists());
    fs::create_dir(&partial).expect("creates");
    ledger.void(3, "a test", &nothing, "ada").expect("voids");
    assert!(!ledger.check(&[], &nothing, "ada").expect("in order").removed.is_empty() && !partial.exists());
    let id = ledger.history().expect("reads").id().to_owned();
    let paid = Paid { ledger: id, reservation: entry, manifest_sha256: "2".repeat(64) };
    let said = ledger.check(&[folder.path().join("a")], &|_| Some(paid.clone()), "ada").expect_err("voided");
    assert!(matches!(said, LedgerError::Disputed { dispute: Dispute::Voided { entry: 1 }, .. }), "{said}");
}

#[test]
fn budgets_and_names_that_cannot_be_stated_are_refused_and_what_is_left_is_rounded_down() {
    let (folder, path) = new("1");
    let huge = Ledger::create(&folder.path().join("huge"), terms("1e400"), "ada");
    assert!(matches!(huge, Err(LedgerError::Boundless)), "{huge:?}");
    drop(reserve(&path, "a", "1e-30").expect("affordable"));
    let error = reserve(&path, "b", "1").expect_err("too much").to_string();
    assert!(error.contains("the ledger has epsilon = 9.999999999999999e-1 left"), "{error}");
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        let mut asked = request(folder.path(), "b", "0.1", None);
        asked.bundle.folder = folder.path().join(std::ffi::OsStr::from_bytes(b"b\xff"));
        let refused = Ledger::open(&path).expect("opens").reserve(asked, &number("0.1"), "ada");
        assert!(matches!(refused, Err(LedgerError::NotText { .. })), "{refused:?}");
    }
}

#[test]
fn no_other_folder_is_ever_removed() {
    let (folder, path) = new("1");
    let precious = folder.path().join("thesis");
    fs::create_dir(&precious).expect("creates");
    let mut asked = request(folder.path(), "a", "0.5", None);
    asked.bundle.partial.clone_from(&precious);
    drop(Ledger::open(&path).expect("opens").reserve(asked, &number("0.5"), "ada").expect("affordable"));
    let found = Ledger::open(&path).expect("opens").check(&[], &nothing, "ada").expect("in order");
    assert!(found.removed.is_empty() && precious.is_dir());
}

#[test]
fn disjoint_rows_share_a_budget_where_a_unit_is_one_row() {
    let (folder, path) = new("1");
    let ask = |name: &str, epsilon: &str, ages| {
        let ledger = Ledger::open(&path).expect("opens");
        ledger.reserve(request(folder.path(), name, epsilon, Some(ages)), &number(epsilon), "ada")
    };
    drop(ask("a", "0.8", "[0, 18)").expect("affordable"));
    let second = ask("b", "0.7", "[18, inf)").expect("other rows");
    assert_eq!(second.after().spent.to_string(), "epsilon = 0.8");
    drop(second);
    let history = Ledger::open(&path).expect("opens").history().expect("reads");
    let Deed::Reserved { apart, .. } = &history.entries()[2].deed else { panic!("reserved") };
    assert_eq!(*apart, [(1, "age".to_owned())]);
    assert!(ask("c", "0.4", "[10, 20]").is_err());
    assert!(ask("d", "0.3", "[18, 20]").is_ok());

    // A row that changes may be among both, but not within a release.
    let path = folder.path().join("changing.ledger");
    Ledger::create(&path, Terms { permanence: Permanence::MayChange, ..terms("1") }, "ada").expect("creates");
    let mut both = request(folder.path(), "a", "0.6", Some("[0, 18)"));
    both.charges.extend(request(folder.path(), "a", "0.5", Some("[18, inf)")).charges);
    let reserved =
        Ledger::open(&path).expect("opens").reserve(both.clone(), &number("1.1"), "ada").expect("affordable");
    assert_eq!(reserved.after().spent.to_string(), "epsilon = 0.6");
    drop(reserved);
    assert!(Ledger::open(&path).expect("opens").reserve(both, &number("1.1"), "ada").is_err());

    // A person with several rows may be among both.
    let path = folder.path().join("people.ledger");
    let people = Terms { unit: LedgerUnit::Column("person".into()), ..terms("1") };
    Ledger::create(&path, people, "ada").expect("creates");
    let ask = |name: &str, ages| {
        let ledger = Ledger::open(&path).expect("opens");
        ledger.reserve(request(folder.path(), name, "0.6", Some(ages)), &number("0.6"), "ada")
    };
    drop(ask("a", "[0, 18)").expect("affordable"));
    assert!(ask("b", "[18, inf)").is_err());
}

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
    connection.pragma_update(None, "user_version", 2).expect("writes");
    assert!(matches!(refused(&path), LedgerError::Newer { found: 2, known: 1, .. }));
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

#[test]
fn many_at_once_spend_no_more_than_there_is() {
    let (_folder, path) = new("1");
    let tries: Vec<_> = (0..16)
        .map(|index| {
            let path = path.clone();
            thread::spawn(move || match reserve(&path, &format!("bundle-{index}"), "0.13") {
                Ok(mut reservation) => {
                    let publication = reservation.confirm().expect("stands");
                    publication.publish(&"1".repeat(64), "ada").expect("writes");
                    1
                }
                Err(LedgerError::Over { .. }) => 0,
                Err(other) => panic!("{other}"),
            })
        })
        .collect();
    let spent: usize = tries.into_iter().map(|tried| tried.join().expect("ends")).sum();
    assert_eq!(spent, 7);
    assert_eq!(left(&path), "epsilon = 0.09");
    assert_eq!(Ledger::open(&path).expect("opens").history().expect("reads").entries().len(), 15);
}

#[test]
fn a_ledger_is_about_one_data_set_unit_and_relation() {
    let (folder, _) = new("1");
    let rows = folder.path().join("rows.csv");
    fs::write(&rows, "id\n1\n").expect("writes");
    let subject = Subject {
        name: Some("stays".into()),
        path: Some(rows.clone()),
        unit: LedgerUnit::Row,
        neighbours: Neighbours::AddRemove,
    };
    let named = terms("1");
    assert_eq!(named.admit(&subject), Ok(()));
    let other = Subject { name: Some("births".into()), ..subject.clone() };
    assert!(matches!(named.admit(&other), Err(Mismatch::Data { .. })));
    let unnamed = Subject { name: None, ..subject.clone() };
    assert!(matches!(named.admit(&unnamed), Err(Mismatch::Unnamed { .. })));
    let other = Subject { unit: LedgerUnit::Column("id".into()), ..subject.clone() };
    assert!(matches!(named.admit(&other), Err(Mismatch::Unit { .. })));
    let other = Subject { neighbours: Neighbours::Substitute, ..subject.clone() };
    assert!(matches!(named.admit(&other), Err(Mismatch::Neighbours { .. })));

    let at_path = Terms { data: DataSet::at(&rows), ..terms("1") };
    assert_eq!(at_path.admit(&unnamed), Ok(()));
    let roundabout = folder.path().join(".").join("rows.csv");
    assert_eq!(at_path.admit(&Subject { path: Some(roundabout), ..unnamed.clone() }), Ok(()));
    let in_memory = Subject { path: None, ..unnamed.clone() };
    assert!(matches!(at_path.admit(&in_memory), Err(Mismatch::Unlocated { .. })));
    assert_eq!(named.admit(&Subject { path: None, ..subject.clone() }), Ok(()));
    let elsewhere = folder.path().join("other.csv");
    assert!(matches!(at_path.admit(&Subject { path: Some(elsewhere), ..unnamed }), Err(Mismatch::Data { .. })));
}

/// Line by line, the statement has the balance that the ledger had.
#[test]
fn a_statement_ends_at_the_balance_whatever_is_voided() {
    for permanence in [Permanence::Fixed, Permanence::MayChange] {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("stays.ledger");
        let mut ledger = Ledger::create(&path, Terms { permanence, ..terms("100") }, "ada").expect("creates");
        for index in 0..30u64 {
            let ages = [None, Some("[0, 18)"), Some("[18, inf)")][index as usize % 3];
            let asked = request(folder.path(), &format!("{index}"), "0.7", ages);
            let reservation = Ledger::open(&path).expect("opens").reserve(asked, &number("0.7"), "ada");
            let number = reservation.expect("affordable").entry().number;
            if index % 4 == 0 {
                ledger.void(number, "a test", &nothing, "ada").expect("voids");
            }
            let history = ledger.history().expect("reads");
            let last = history.statement().last().expect("a line").left.clone();
            assert_eq!(last, history.balance().left(), "{permanence:?} {index}");
        }
    }
}
