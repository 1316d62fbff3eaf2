//! Prices that are reserved, published and voided, also by several at once.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use inbounds_ledger::{Bundle, Deed, Dispute, Ledger, LedgerError, Paid, Request, Standing, Work};

use crate::{left, new, nothing, number, request, reserve};

#[test]
fn a_price_counts_from_its_reservation_on_and_is_published_once() {
    let (_folder, path) = new("1");
    let mut reservation = reserve(&path, "a", "0.4").expect("affordable");
    assert_eq!(left(&path), "epsilon = 0.6");
    reservation.confirm().expect("stands").publish(Some(&"1".repeat(64)), "ada").expect("writes");
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
    let findings = ledger.check(&[], &reads, "ada").expect("in order");
    assert_eq!((findings.settled.len(), findings.dead.len(), findings.removed.len()), (1, 0, 2), "{findings:?}");
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
    fs::write(partial.join("measurements.csv"), "1\n").expect("writes");
    ledger.void(entry.number, "a test", &nothing, "ada").expect("voids");
    let Deed::Voided { removed, .. } = &ledger.history().expect("reads").entries()[2].deed.clone() else { panic!() };
    assert!(removed.as_ref() == Some(&partial) && !partial.exists());
    // The same name again, by a run that still works.
    let running = reserve(&path, "a", "0.5").expect("affordable");
    fs::create_dir(&partial).expect("creates");
    assert!(ledger.check(&[], &nothing, "ada").expect("in order").removed.is_empty() && partial.is_dir());
    drop(running);
    ledger.check(&[], &nothing, "ada").expect("in order");
    assert!(!partial.exists());
    ledger.void(3, "a test", &nothing, "ada").expect("nothing to remove");
    // An older version voided, and left it there.
    fs::create_dir(&partial).expect("creates");
    assert!(!ledger.check(&[], &nothing, "ada").expect("in order").removed.is_empty() && !partial.exists());
    let id = ledger.history().expect("reads").id().to_owned();
    let paid = Paid { ledger: id, reservation: entry, manifest_sha256: "2".repeat(64) };
    let said = ledger.check(&[folder.path().join("a")], &|_| Some(paid.clone()), "ada").expect_err("voided");
    assert!(matches!(said, LedgerError::Disputed { dispute: Dispute::Voided { entry: 1 }, .. }), "{said}");
}

/// A run began where the folder of a dead one had been: what stands there is of the run that works.
#[test]
fn the_folder_of_a_run_that_works_stays_when_a_dead_one_of_its_name_is_voided() {
    let (folder, path) = new("1");
    drop(reserve(&path, "a", "0.4").expect("affordable"));
    let running = reserve(&path, "a", "0.4").expect("affordable");
    let partial = folder.path().join(".a.partial-1");
    fs::create_dir(&partial).expect("creates");
    Ledger::open(&path).expect("opens").void(1, "it died", &nothing, "ada").expect("nothing of it is there");
    assert!(partial.is_dir());
    drop(running);
}

#[test]
fn no_other_folder_is_ever_removed() {
    let (folder, path) = new("1");
    let precious = folder.path().join("thesis");
    fs::create_dir(&precious).expect("creates");
    let mut asked = request(folder.path(), "a", "0.5", None);
    let bundle = Bundle { folder: folder.path().join("a"), partial: precious.clone() };
    asked.work = Work::Plan { sha256: String::new(), bundle, unit: None };
    drop(Ledger::open(&path).expect("opens").reserve(asked, Some(&number("0.5")), "ada").expect("affordable"));
    let findings = Ledger::open(&path).expect("opens").check(&[], &nothing, "ada").expect("in order");
    assert!(findings.removed.is_empty() && precious.is_dir());
    let refused = Ledger::open(&path).expect("opens").void(1, "none", &nothing, "ada").expect_err("look first");
    assert!(refused.to_string().contains("look what it is"), "{refused}");
    assert!(precious.is_dir());
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
                    publication.publish(Some(&"1".repeat(64)), "ada").expect("writes");
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

/// A look at locks takes them for an instant, and never from a run that begins.
#[test]
fn a_check_is_in_no_way_of_a_run_that_begins() {
    let (_folder, path) = new("1000");
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    Ledger::open(&path).expect("opens").check(&[], &nothing, "ada").expect("in order");
                }
            });
        }
        let reserved: Vec<_> = (0..40).map(|_| reserve(&path, "a", "1").map(drop)).collect();
        is_done.store(true, Ordering::Relaxed);
        assert!(reserved.iter().all(Result::is_ok), "{reserved:?}");
    });
}

#[test]
fn work_without_a_plan_is_reserved_and_done_and_leaves_nothing_to_look_for() {
    let (folder, path) = new("1");
    let ask = |epsilon: &str| {
        let plan = request(folder.path(), "a", epsilon, None);
        let asked = Request { title: Some("two means".into()), work: Work::Program, ..plan };
        Ledger::open(&path).expect("opens").reserve(asked, None, "ada")
    };
    let mut done = ask("0.4").expect("affordable");
    done.confirm().expect("stands").publish(None, "ada").expect("writes");
    drop(done);
    drop(ask("0.5").expect("affordable"));
    assert!(ask("0.2").expect_err("too much").to_string().contains("“two means” costs epsilon = 0.2"));
    let findings = Ledger::open(&path).expect("opens").check(&[], &nothing, "ada").expect("in order");
    assert_eq!((findings.dead.as_slice(), findings.removed.len()), (&[3][..], 0));
    let said: Vec<String> = findings.history.statement().into_iter().map(|line| line.what).collect();
    assert_eq!(said[1], "Reserved for “two means”, by a program without a plan. Published, by entry 2.");
    assert_eq!(said[2], "The work of entry 1 is done.");
    Ledger::open(&path).expect("opens").void(3, "it crashed before it drew", &nothing, "ada").expect("voids");
    assert_eq!(left(&path), "epsilon = 0.6");
}
