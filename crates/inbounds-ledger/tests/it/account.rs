//! What is spent, and of what.

use std::fs;

use inbounds_core::{Cells, Limit, Neighbours, Region};
use inbounds_ledger::{
    Bundle, DataSet, Deed, Ledger, LedgerError, LedgerUnit, Mismatch, Permanence, Subject, Terms, Work,
};

use crate::{new, nothing, number, request, reserve, terms};

#[test]
fn disjoint_rows_share_a_budget_where_a_unit_is_one_row() {
    let (folder, path) = new("1");
    let ask = |name: &str, epsilon: &str, ages| {
        let ledger = Ledger::open(&path).expect("opens");
        ledger.reserve(request(folder.path(), name, epsilon, Some(ages)), Some(&number(epsilon)), "ada")
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
        Ledger::open(&path).expect("opens").reserve(both.clone(), Some(&number("1.1")), "ada").expect("affordable");
    assert_eq!(reserved.after().spent.to_string(), "epsilon = 0.6");
    drop(reserved);
    assert!(Ledger::open(&path).expect("opens").reserve(both, Some(&number("1.1")), "ada").is_err());

    // A person with several rows may be among both.
    let path = folder.path().join("people.ledger");
    let people = Terms { unit: LedgerUnit::Column("person".into()), ..terms("1") };
    Ledger::create(&path, people, "ada").expect("creates");
    let ask = |name: &str, ages| {
        let ledger = Ledger::open(&path).expect("opens");
        ledger.reserve(request(folder.path(), name, "0.6", Some(ages)), Some(&number("0.6")), "ada")
    };
    drop(ask("a", "[0, 18)").expect("affordable"));
    assert!(ask("b", "[18, inf)").is_err());
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
            let reservation = Ledger::open(&path).expect("opens").reserve(asked, Some(&number("0.7")), "ada");
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

/// Of ages first, then of heights, in two halves each.
#[test]
fn an_entry_says_what_of_its_price_was_added_to_what_is_spent() {
    let (folder, path) = new("1");
    let half = |column: &str, span: &str, epsilon: &str| {
        let mut asked = request(folder.path(), column, epsilon, Some(span));
        let cells = Cells::Numbers(vec![span.parse().expect("a span")]);
        asked.charges[0].rows = Region::new(vec![Limit { column: column.into(), read: "integer".into(), cells }]);
        drop(Ledger::open(&path).expect("opens").reserve(asked, Some(&number(epsilon)), "ada").expect("affordable"));
    };
    half("age", "[0, 18)", "0.3");
    half("age", "[18, inf)", "0.2");
    half("height", "[0, 1)", "0.1");
    half("height", "[1, inf)", "0.1");
    let history = Ledger::open(&path).expect("opens").history().expect("reads");
    let lines = history.statement();
    let added: Vec<String> = lines.iter().filter_map(|line| Some(line.added.as_ref()?.to_string())).collect();
    assert_eq!(added, ["epsilon = 0.3", "epsilon = 0", "epsilon = 0.1", "epsilon = 0.1"]);
    assert_eq!(history.balance().spent.to_string(), "epsilon = 0.5", "the sum of what was added");
    assert!(
        lines[2].what.contains("So epsilon = 0 was added to what is spent, and not epsilon = 0.2"),
        "{}",
        lines[2].what
    );
    // By height the bound would be 0.6.
    assert!(lines[4].what.contains("its whole price was added to what is spent"), "{}", lines[4].what);
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
        let place = folder.path().join(std::ffi::OsStr::from_bytes(b"b\xff"));
        let bundle = Bundle { folder: place.clone(), partial: place };
        asked.work = Work::Plan { sha256: String::new(), bundle, unit: None };
        let refused = Ledger::open(&path).expect("opens").reserve(asked, Some(&number("0.1")), "ada");
        assert!(matches!(refused, Err(LedgerError::NotText { .. })), "{refused:?}");
    }
}
