//! Loss of power: after every call that changes a file, with everything lost, everything kept, and any part of what was
//! not synchronised. What is left is opened by the program, which must find no half bundle, nothing spent without an
//! entry, and every entry that was confirmed.

mod disk;
mod recorder;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use self::{
    disk::{Change, Disk, Luck},
    recorder::record,
};
use super::{
    bench, checked, clear, json,
    scenes::{Left, Scene, VOID, partials},
    shown,
};
use crate::workbench::Workbench;

const RELEASE: [&str; 5] = ["release", "plan.toml", "--out", "bundle", "--quiet"];

/// A run that succeeded, and the folder before it.
struct Run {
    bench: Workbench,
    before: Disk,
    changes: Vec<Change>,
}

impl Run {
    /// Runs the program on what stands in the folder.
    fn new(bench: Workbench, arguments: &[&str]) -> Self {
        let before = Disk::from_folder(&bench.path(""));
        let (changes, code) = record(&bench, arguments);
        assert_eq!(code, 0, "{arguments:?}");
        assert!(changes.iter().any(|change| matches!(change, Change::Sync(_))), "{changes:?}");
        Self { bench, before, changes }
    }

    /// The folder after a loss of power behind each `every`-th change and behind the last, in each of these ways.
    fn states(&self, every: usize, drawn: u64, mut holds: impl FnMut(&State)) -> usize {
        let (mut disk, mut states) = (self.before.clone(), 0);
        for done in 0..=self.changes.len() {
            if done > 0 {
                disk.apply(&self.changes[done - 1]);
            }
            if done % every != 0 && done != self.changes.len() {
                continue;
            }
            let draws = (0..drawn).map(|draw| Luck::Drawn((done as u64) << 32 | draw));
            for luck in [Luck::None, Luck::All].into_iter().chain(draws) {
                clear(&self.bench.path(""));
                disk.leave(&self.bench.path(""), luck);
                let last = done.checked_sub(1).map(|last| short(&self.changes[last]));
                let how = format!("power lost after {done} of {} changes, {last:?}, {luck:?}", self.changes.len());
                holds(&State { done, is_last: done == self.changes.len(), luck, how });
                states += 1;
            }
        }
        states
    }

    /// The place behind the first change of which this is true.
    fn after(&self, is_wanted: impl Fn(&Change) -> bool) -> usize {
        self.changes.iter().position(is_wanted).expect("such a change") + 1
    }

    /// Where everything is safe that happened before a place: behind the next synchronisation of the folder itself.
    fn safe_after(&self, place: usize) -> usize {
        let is_sync = |change: &Change| *change == Change::Sync(PathBuf::from("."));
        place + self.changes[place..].iter().position(is_sync).expect("the folder is synchronised") + 1
    }
}

/// What a loss of power left in the folder.
struct State {
    /// Changes before it.
    done: usize,
    /// Whether the program had ended.
    is_last: bool,
    luck: Luck,
    how: String,
}

fn short(change: &Change) -> String {
    match change {
        Change::Write { path, at, bytes } => format!("write {} at {at}, {} bytes", path.display(), bytes.len()),
        other => format!("{other:?}"),
    }
}

/// The files of a folder with their bytes.
fn files(folder: PathBuf) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    entries
        .map(|entry| (entry.file_name().into_string().expect("UTF-8"), fs::read(entry.path()).expect("a file")))
        .collect()
}

fn entries(ledger: &Value) -> Vec<Value> {
    ledger["entries"].as_array().expect("entries").clone()
}

/// Holds what must be true of a release against what each loss of power leaves, and returns how many there were.
fn of_a_release(every: usize, drawn: u64) -> usize {
    let bench = bench("10");
    let first = entries(&shown(&bench));
    let run = Run::new(bench, &RELEASE);
    let (bundle, after) = (files(run.bench.path("bundle")), entries(&shown(&run.bench)));
    let is_drawn = |change: &Change| matches!(change, Change::Write { path, .. } if path.starts_with(partial(&run)));
    let drawn_at = run.after(is_drawn);
    let placed_at = run.after(|change| matches!(change, Change::Rename { to, .. } if to == Path::new("bundle")));
    let stands_at = run.safe_after(placed_at);
    run.states(every, drawn, |State { done, is_last, how, .. }| {
        let report = checked(&run.bench);
        let now = entries(&report["ledger"]);
        assert_eq!(now[0]["sha256"], first[0]["sha256"], "{how}: an entry was lost");
        let is_reserved = now.len() > 1;
        assert!(!is_reserved || now[1]["sha256"] == after[1]["sha256"], "{how}: another entry");
        assert!(is_reserved || *done < drawn_at, "{how}: noise without a price");
        assert_eq!(report["ledger"]["spent"]["epsilon"], if is_reserved { "1" } else { "0" }, "{how}");
        let stands = run.bench.path("bundle").exists();
        assert!(stands || *done < stands_at, "{how}: a bundle that stood is gone");
        if stands {
            assert!(files(run.bench.path("bundle")) == bundle, "{how}: half a bundle");
            assert!(is_reserved, "{how}: spent without an entry");
        }
        let settled = report["settled"].as_array().expect("a list").len();
        let published = now.iter().filter(|entry| entry["deed"] == "published").count();
        assert_eq!(published, usize::from(stands), "{how}: {report}");
        assert!(!is_last || settled == 0, "{how}: a confirmed entry was lost");
        let (dead, removed) = (&report["dead"], report["removed"].as_array().expect("a list").len());
        assert_eq!(dead.as_array().expect("a list").len(), usize::from(is_reserved && !stands), "{how}: {removed}");
        for name in run.bench.names() {
            let is_known = ["plan.toml", "rows.csv", "rows.ledger", "bundle"].contains(&name.as_str());
            // Before its price was reserved nothing is in it, and no entry knows of it.
            let is_empty = || !is_reserved && files(run.bench.path(&name)).is_empty();
            assert!(is_known || is_empty(), "{how}: {name} is left");
        }
    })
}

/// The hidden folder in which the bundle grew.
fn partial(run: &Run) -> PathBuf {
    let made = run.changes.iter().find_map(|change| match change {
        Change::Folder(path) => Some(path.clone()),
        _ => None,
    });
    made.expect("a folder is made")
}

/// Holds what must be true of one more entry, and of a ledger that is created.
fn of_commands(every: usize, drawn: u64) -> usize {
    let bench = bench("10");
    let before = entries(&shown(&bench));
    let run = Run::new(bench, &["ledger", "record", "rows.ledger", "--epsilon", "1", "--reason", "a test"]);
    let after = entries(&shown(&run.bench));
    let recorded = run.states(every, drawn, |State { is_last, how, .. }| {
        let now = entries(&checked(&run.bench)["ledger"]);
        let hashes = |entries: &[Value]| entries.iter().map(|entry| entry["sha256"].clone()).collect::<Vec<_>>();
        assert!(hashes(&now) == hashes(&after) || !is_last && hashes(&now) == hashes(&before), "{how}");
        assert_eq!(run.bench.names(), ["plan.toml", "rows.csv", "rows.ledger"], "{how}");
    });
    let create =
        ["ledger", "create", "new.ledger", "--data", "rows.csv", "--unit", "row", "--neighbours", "add-remove"];
    let run = Run::new(Workbench::new(), &[&create[..], &["--epsilon", "3"]].concat());
    let created = run.states(every, drawn, |State { is_last, how, .. }| {
        let said = run.bench.run(&["ledger", "show", "new.ledger", "--json"]);
        match said.code {
            0 => assert_eq!(json(&said.out)["left"]["epsilon"], "3", "{how}"),
            _ => {
                let is_told = ["there is no ledger at", "the creation of the ledger was interrupted"];
                assert!(!is_last && said.code == 9, "{how}: {}", said.err);
                assert!(is_told.iter().any(|told| said.err.contains(told)), "{how}: {}", said.err);
            }
        }
    });
    recorded + created
}

/// A check enters a bundle that stands and removes what a dead run left; power is lost once more while it does.
fn of_a_check(every: usize, drawn: u64) -> usize {
    let run = Run::new(bench("10"), &RELEASE);
    let is_run = |change: &Change| matches!(change, Change::Remove(path) if path.to_string_lossy().contains(".run-"));
    let placed = run.after(|change| matches!(change, Change::Rename { .. }));
    let (mut disk, mut states) = (run.before.clone(), 0);
    for (done, change) in run.changes.iter().enumerate() {
        disk.apply(change);
        // Behind the first file of the bundle, when it was put into its place, and at the end.
        let is_filled = matches!(change, Change::Sync(path) if path.ends_with("plan.toml"));
        if !(is_filled || done + 1 == placed || is_run(change)) {
            continue;
        }
        clear(&run.bench.path(""));
        disk.leave(&run.bench.path(""), Luck::All);
        let mut checking = Disk::from_folder(&run.bench.path(""));
        let (again, _) = record(&run.bench, &["ledger", "check", "rows.ledger"]);
        let wanted = entries(&shown(&run.bench)).len();
        for place in 0..=again.len() {
            if place > 0 {
                checking.apply(&again[place - 1]);
            }
            let draws = (0..drawn).map(|draw| Luck::Drawn((place as u64) << 32 | draw));
            for luck in [Luck::None, Luck::All].into_iter().chain(draws).filter(|_| place % every == 0) {
                clear(&run.bench.path(""));
                checking.leave(&run.bench.path(""), luck);
                let now = entries(&checked(&run.bench)["ledger"]);
                assert_eq!(now.len(), wanted, "checked after {done} changes, power lost after {place}, {luck:?}");
                let names = run.bench.names();
                assert!(!names.iter().any(|name| name.contains("partial") || name.contains(".run-")), "{names:?}");
                states += 1;
            }
        }
    }
    states
}

/// The numbers of a dead run are gone from the disk before its price comes back.
fn of_a_void(every: usize, drawn: u64) -> usize {
    let run = Run::new(Scene::new(Left::Numbers).bench, &VOID);
    run.states(every, drawn, |State { is_last, how, .. }| {
        let ledger = shown(&run.bench);
        let is_voided = ledger["entries"][1]["standing"]["state"] == "voided";
        assert!(is_voided || !is_last, "{how}: a confirmed entry was lost");
        let numbers = partials(&run.bench).iter().any(|folder| !files(folder.clone()).is_empty());
        assert!(!is_voided || !numbers, "{how}: the price came back, and the numbers too");
        assert_eq!(ledger["spent"]["epsilon"], if is_voided { "0" } else { "1" }, "{how}");
    })
}

#[test]
fn a_price_that_came_back_has_no_numbers_after_a_loss_of_power() {
    assert!(of_a_void(2, 4) > 30);
}

#[test]
fn a_loss_of_power_loses_no_budget_and_spends_none_unseen() {
    assert!(of_a_release(4, 3) > 100);
}

#[test]
fn a_loss_of_power_leaves_a_whole_ledger() {
    assert!(of_commands(4, 2) > 30);
}

#[test]
fn a_second_loss_of_power_while_the_first_is_mended_changes_nothing() {
    assert!(of_a_check(6, 1) > 10);
}

#[test]
#[ignore = "10,000 losses of power take many minutes"]
#[expect(clippy::print_stdout, reason = "how many there were is what a long run is for")]
fn power_is_lost_ten_thousand_times() {
    let counts = [of_a_release(1, 90), of_commands(1, 30), of_a_check(1, 10), of_a_void(1, 30)];
    let [release, commands, check, void] = counts;
    println!("losses of power: release {release}, record and create {commands}, check {check}, void {void}");
    assert!(counts.iter().sum::<usize>() >= 10_000, "{counts:?}");
}

/// A program that synchronises nothing is caught.
#[test]
fn a_release_without_synchronisation_is_caught() {
    let mut run = Run::new(bench("10"), &RELEASE);
    let (hidden, folder) = (partial(&run), PathBuf::from("."));
    run.changes.retain(|change| !matches!(change, Change::Sync(path) if path.starts_with(&hidden) || *path == folder));
    let bundle = files(run.bench.path("bundle"));
    let mut half = 0;
    run.states(8, 6, |State { luck, .. }| {
        let place = run.bench.path("bundle");
        half += usize::from(*luck != Luck::All && place.exists() && files(place) != bundle);
    });
    assert!(half > 0, "the disk forgets nothing");
}
