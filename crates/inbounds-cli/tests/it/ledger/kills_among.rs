//! Killed with -9 where dead runs have left something, and once more while the first kill is mended: no price comes
//! back while noisy numbers can be read, nothing is spent without an entry, and no entry is lost.

use std::{collections::BTreeSet, fs, os::unix::fs::PermissionsExt as _, path::Path};

use inbounds_ledger::{History, Ledger, Standing};

use super::{
    checked, manifest,
    scenes::{Left, Scene, VOID, partials, release},
    shim, shown,
};

const CHECK: [&str; 3] = ["ledger", "check", "rows.ledger"];

/// A folder, and what stood in its ledger.
struct Watch<'s> {
    scene: &'s Scene,
    /// Hashes of the entries that were seen, in their order.
    seen: Vec<String>,
    /// Reservations that were voided before anything was killed here.
    voided_before: BTreeSet<u64>,
    kills: usize,
}

impl<'s> Watch<'s> {
    fn new(scene: &'s Scene) -> Self {
        scene.put_back();
        let mut watch = Self { scene, seen: Vec::new(), voided_before: BTreeSet::new(), kills: 0 };
        let history = watch.history();
        watch.seen = hashes(&history);
        watch.voided_before = voided(&history);
        watch
    }

    fn history(&self) -> History {
        Ledger::open(&self.scene.bench.path("rows.ledger")).expect("opens").history().expect("in order")
    }

    /// Kills a command at a step; it may end before.
    fn kill(&mut self, step: usize, arguments: &[&str]) {
        let ended = shim::run(&self.scene.bench, &[("SHIM_KILL_AT", step.to_string())], arguments);
        assert!(!ended.err.contains("panicked"), "{}", ended.err);
        self.kills += 1;
    }

    /// What must hold however the last command ended.
    fn holds(&mut self, how: &str) {
        let history = self.history();
        let now = hashes(&history);
        assert_eq!(now.get(..self.seen.len()), Some(self.seen.as_slice()), "{how}: an entry was lost");
        self.seen = now;
        let bench = &self.scene.bench;
        for folder in partials(bench) {
            let mode = fs::metadata(&folder).expect("stands").permissions().mode() & 0o777;
            assert_eq!(mode, 0o700, "{how}: others can read {}", folder.display());
            let has_numbers = fs::read_dir(&folder).expect("a folder").next().is_some();
            let reservations: Vec<u64> = reservations_in(&history, &folder);
            let counts = |number: &u64| history.standing(*number) == Some(Standing::Open);
            let is_old = |number: &u64| self.voided_before.contains(number);
            assert!(
                !has_numbers || reservations.iter().any(|number| counts(number) || is_old(number)),
                "{how}: numbers without a price"
            );
        }
        for bundle in bundles(&self.scene.bench) {
            assert_eq!(fs::read_dir(bench.path(&bundle)).expect("a bundle").count(), 7, "{how}: half a bundle");
            let paid = &manifest(bench, &bundle)["guarantee"]["ledger"];
            let number = paid["entry"].as_u64().expect("a number");
            assert_eq!(paid["entry_sha256"], self.seen[usize::try_from(number).expect("small")], "{how}: no entry");
            assert!(!voided(&history).contains(&number), "{how}: the price of a bundle came back");
        }
    }

    /// Mends what was killed, and looks what is left.
    fn mend(&mut self, how: &str) {
        let bench = &self.scene.bench;
        for dead in checked(bench)["dead"].as_array().expect("a list") {
            let entry = dead.to_string();
            assert_eq!(
                bench.run(&["ledger", "void", "rows.ledger", &entry, "--reason", "nobody looked"]).code,
                0,
                "{how}"
            );
        }
        self.holds(how);
        let bundles = bundles(&self.scene.bench).len();
        assert_eq!(
            shown(&self.scene.bench)["spent"]["epsilon"],
            bundles.to_string(),
            "{how}: not what the bundles cost"
        );
        for folder in partials(&self.scene.bench) {
            assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0, "{how}: numbers are left");
        }
    }
}

fn hashes(history: &History) -> Vec<String> {
    history.entries().iter().map(|entry| entry.hash.clone()).collect()
}

fn voided(history: &History) -> BTreeSet<u64> {
    let is_voided = |number: &u64| matches!(history.standing(*number), Some(Standing::Voided(_)));
    history.reservations().map(|(entry, _)| entry.number).filter(is_voided).collect()
}

/// Reservations whose bundle grew in a folder.
fn reservations_in(history: &History, folder: &Path) -> Vec<u64> {
    let name = folder.file_name();
    let grew = |partial: &Path| partial.file_name() == name;
    let matching =
        history.reservations().filter(|(_, request)| request.bundle().is_some_and(|bundle| grew(&bundle.partial)));
    matching.map(|(entry, _)| entry.number).collect()
}

fn bundles(bench: &crate::workbench::Workbench) -> Vec<String> {
    bench.names().into_iter().filter(|name| name.starts_with("bundle-")).collect()
}

/// Kills every command at `most` of its steps among what is left of each kind, and the check after it at one of its
/// own.
fn kill(most: usize) -> usize {
    let mut kills = 0;
    for left in Left::ALL {
        let scene = Scene::new(left);
        // Where a bundle stands, its place is taken.
        let out = if left == Left::Bundle { "bundle-3" } else { "bundle-1" };
        let mending = scene.steps(&CHECK).len();
        for command in [&release(out)[..], &VOID, &CHECK] {
            let steps = scene.steps(command);
            let at = most.min(steps.len());
            for index in 0..at {
                let step = index * steps.len() / at;
                let how = format!("{:?}, {command:?} killed at step {step}, {}", scene.left, steps[step]);
                let mut watch = Watch::new(&scene);
                watch.kill(step, command);
                watch.holds(&how);
                watch.kill(step % mending.max(1), &CHECK);
                watch.holds(&format!("{how}, and the check after it"));
                watch.mend(&how);
                kills += watch.kills;
            }
        }
    }
    kills
}

#[test]
fn no_price_comes_back_while_numbers_can_be_read() {
    let kills = kill(2);
    assert!(kills >= 50, "{kills}");
}

#[test]
#[ignore = "more than 1,000 kills take minutes"]
#[expect(clippy::print_stdout, reason = "how many there were is what a long run is for")]
fn no_price_comes_back_in_a_thousand_kills() {
    let kills = kill(usize::MAX);
    println!("kills among leftovers: {kills}");
    assert!(kills >= 1_000, "{kills}");
}
