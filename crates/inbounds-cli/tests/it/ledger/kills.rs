//! Killed with -9 at every call that changes a file, and at any instant: never half a bundle at its place, never
//! something spent without an entry, never an entry lost or made twice.

use std::{
    collections::BTreeMap,
    fs,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{bench, checked, json, manifest, shim, shown};
use crate::workbench::Workbench;

/// Files of a bundle.
const FILES: usize = 7;

/// Holds a ledger and all that stands beside it together, before and after a check.
struct Watch {
    bench: Workbench,
    runs: u32,
    /// Entries that were seen, by number: they stay as they are.
    seen: BTreeMap<u64, String>,
}

impl Watch {
    fn new() -> Self {
        Self { bench: bench("1000000"), runs: 0, seen: BTreeMap::new() }
    }

    /// The name of the next bundle.
    fn next(&mut self) -> String {
        self.runs += 1;
        format!("bundle-{}", self.runs)
    }

    /// What must hold after a run that was to make `out`, however it ended.
    fn holds(&mut self, out: &str, how: &str) {
        let names = self.bench.names();
        let ledger = self.keeps(how);
        let entries = ledger["entries"].as_array().expect("entries");
        let reserved: Vec<&Value> = entries.iter().filter(|entry| entry["deed"] == "reserved").collect();
        // Noise is drawn when the hidden folder is filled, so the price must stand by then.
        let partial = names.iter().find(|name| name.starts_with(&format!(".{out}.partial-")));
        let partial = partial.map(|name| self.bench.path(name));
        let files = partial.as_ref().map_or(0, |partial| fs::read_dir(partial).expect("a folder").count());
        let stands = names.iter().any(|name| name == out);
        let open = reserved.iter().filter(|entry| entry["standing"]["state"] == "open").count();
        assert!(files == 0 || open > 0, "{how}: noise without a price");
        if stands {
            assert_eq!(fs::read_dir(self.bench.path(out)).expect("a bundle").count(), FILES, "{how}: half a bundle");
            let paid = &manifest(&self.bench, out)["guarantee"]["ledger"];
            let number = usize::try_from(paid["entry"].as_u64().expect("a number")).expect("small");
            assert_eq!(paid["entry_sha256"], entries[number]["sha256"], "{how}: spent without its entry");
        }
        let report = checked(&self.bench);
        if let Some(partial) = partial.filter(|partial| open == 0 && partial.exists()) {
            // No entry knows of it yet, and nothing is in it.
            fs::remove_dir(&partial).expect("an empty folder");
        }
        let settled = report["settled"].as_array().expect("a list").len() as u64;
        assert!(settled <= u64::from(stands), "{how}: {report}");
        // What has no bundle counts until a person says otherwise.
        for dead in report["dead"].as_array().expect("a list") {
            assert!(!stands || reserved.len() > 1, "{how}");
            let entry = dead.to_string();
            let void = ["ledger", "void", "rows.ledger", &entry, "--reason", "killed by a test, and nobody looked"];
            assert_eq!(self.bench.run(&void).code, 0, "{how}");
        }
        let ledger = self.keeps(how);
        let bundles: Vec<String> = self.bench.names().into_iter().filter(|name| name.starts_with("bundle-")).collect();
        assert_eq!(ledger["spent"]["epsilon"], bundles.len().to_string(), "{how}: not what the bundles cost");
        let rest: Vec<String> = self.bench.names().into_iter().filter(|name| !name.starts_with("bundle-")).collect();
        assert_eq!(rest, ["plan.toml", "rows.csv", "rows.ledger"], "{how}: something is left");
    }

    /// The ledger, in which every entry that was ever seen is as it was.
    fn keeps(&mut self, how: &str) -> Value {
        let ledger = shown(&self.bench);
        let mut hashes = BTreeMap::new();
        for entry in ledger["entries"].as_array().expect("entries") {
            hashes.insert(entry["entry"].as_u64().expect("a number"), entry["sha256"].to_string());
        }
        for (number, hash) in &self.seen {
            assert_eq!(hashes.get(number), Some(hash), "{how}: entry {number} was lost");
        }
        self.seen = hashes;
        ledger
    }

    fn killed_at(&mut self, step: usize, name: &str) {
        let out = self.next();
        let kill = [("SHIM_KILL_AT", step.to_string())];
        let ended = shim::run(&self.bench, &kill, &["release", "plan.toml", "--out", &out, "--quiet"]);
        let how = format!("killed at step {step}, {name}");
        assert!(ended.code.is_none() || ended.code == Some(0), "{how}: {}", ended.err);
        self.holds(&out, &how);
    }

    /// Killed after so long.
    fn killed_after(&mut self, wait: Duration) {
        let out = self.next();
        let mut command = Command::new(env!("CARGO_BIN_EXE_inbounds"));
        command.current_dir(self.bench.path("")).args(["release", "plan.toml", "--out", &out, "--quiet"]);
        let mut running = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
        thread::sleep(wait);
        // It may have ended by itself; either way it is dead after this.
        let _ = running.kill();
        running.wait().expect("ends");
        self.holds(&out, &format!("killed after {wait:?}"));
    }
}

/// The steps of a release, and how long one takes.
fn usual(watch: &mut Watch) -> (Vec<String>, Duration) {
    let out = watch.next();
    let steps = shim::steps(&watch.bench, &["release", "plan.toml", "--out", &out, "--quiet"]);
    watch.holds(&out, "not killed");
    let (out, start) = (watch.next(), Instant::now());
    assert_eq!(watch.bench.run(&["release", "plan.toml", "--out", &out]).code, 0);
    (steps, start.elapsed())
}

/// Kills at `at` of the steps, evenly spread, and at as many instants.
fn kill(at: usize, rounds: u32) {
    let mut watch = Watch::new();
    let (steps, usual) = usual(&mut watch);
    assert!(steps.iter().any(|step| step.starts_with("write") && step.contains("ledger-journal")), "{steps:?}");
    assert!(steps.iter().any(|step| step.starts_with("create") && step.contains("run-")), "{steps:?}");
    assert!(steps.len() > 40, "{steps:?}");
    for round in 0..rounds {
        for index in 0..at {
            let step = index * steps.len() / at;
            watch.killed_at(step, &steps[step]);
            let part = (index as f64 + f64::from(round) / f64::from(rounds)) / at as f64;
            watch.killed_after(usual.mul_f64(1.1 * part));
        }
    }
    assert!(watch.runs > 0);
}

#[test]
fn a_release_killed_anywhere_loses_no_budget_and_spends_none_unseen() {
    kill(25, 1);
}

#[test]
#[ignore = "1,000 kills take minutes"]
fn a_release_killed_a_thousand_times_loses_no_budget() {
    kill(100, 5);
}

/// Every command of the ledger itself, killed at every step: its entry is there or not, and the ledger is whole.
#[test]
fn a_ledger_command_killed_anywhere_leaves_a_whole_ledger() {
    let watch = bench("10");
    let record = ["ledger", "record", "rows.ledger", "--epsilon", "0.001", "--reason", "a test"];
    let steps = shim::steps(&watch, &record);
    let mut entries = shown(&watch)["entries"].as_array().expect("entries").len();
    for (step, name) in steps.iter().enumerate() {
        let ended = shim::run(&watch, &[("SHIM_KILL_AT", step.to_string())], &record);
        assert_eq!(ended.code, None, "step {step}, {name}");
        let report = checked(&watch);
        let now = report["ledger"]["entries"].as_array().expect("entries").len();
        assert!(now == entries || now == entries + 1, "step {step}, {name}");
        entries = now;
        assert_eq!(watch.names(), ["plan.toml", "rows.csv", "rows.ledger"], "step {step}, {name}");
    }
}

#[test]
fn a_ledger_killed_while_it_is_created_is_whole_or_says_that_it_is_not() {
    let bench = Workbench::new();
    let terms = ["--data", "rows.csv", "--unit", "row", "--neighbours", "add-remove", "--epsilon", "1"];
    let create =
        |name: &str| [&["ledger".to_owned(), "create".into(), name.into()], &terms.map(str::to_owned)[..]].concat();
    let first = create("a.ledger");
    let steps = shim::steps(&bench, &first.iter().map(String::as_str).collect::<Vec<_>>());
    for (step, name) in steps.iter().enumerate() {
        let ledger = format!("{step}.ledger");
        let arguments = create(&ledger);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        shim::run(&bench, &[("SHIM_KILL_AT", step.to_string())], &arguments);
        let said = bench.run(&["ledger", "show", &ledger, "--json"]);
        match said.code {
            0 => assert_eq!(json(&said.out)["left"]["epsilon"], "1", "step {step}, {name}"),
            9 => assert!(
                said.err.contains("there is no ledger at")
                    || said.err.contains("the creation of the ledger was interrupted"),
                "step {step}, {name}: {}",
                said.err
            ),
            code => panic!("step {step}, {name}: {code}, {}", said.err),
        }
    }
}
