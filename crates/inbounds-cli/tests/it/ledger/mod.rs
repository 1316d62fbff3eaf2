//! The ledger as a user meets it: created, asked, charged, refused, and after whatever happened to a run.

// The library between the program and the system is loaded as Linux loads one.
#[cfg(target_os = "linux")]
mod faults;
#[cfg(target_os = "linux")]
mod kills;
#[cfg(target_os = "linux")]
mod kills_among;
#[cfg(target_os = "linux")]
mod leftovers;
mod parallel;
#[cfg(target_os = "linux")]
mod power;
#[cfg(target_os = "linux")]
mod scenes;
#[cfg(target_os = "linux")]
mod shim;
mod units;
mod use_of;

use std::{fs, path::Path};

use serde_json::Value;

use crate::workbench::Workbench;

/// A folder with a plan that costs epsilon 1, and its ledger.
fn bench(epsilon: &str) -> Workbench {
    let bench = Workbench::new();
    bench.edit("epsilon = 1\n", "epsilon = 1\nledger = \"rows.ledger\"\n");
    create(&bench, &["--epsilon", epsilon]);
    bench
}

fn create(bench: &Workbench, amount: &[&str]) {
    let terms =
        ["ledger", "create", "rows.ledger", "--data", "rows.csv", "--unit", "row", "--neighbours", "add-remove"];
    let said = bench.run(&[&terms[..], amount].concat());
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// What `ledger show --json` says.
fn shown(bench: &Workbench) -> Value {
    let said = bench.run(&["ledger", "show", "rows.ledger", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    json(&said.out)
}

/// What `ledger check --json` says of a ledger that is in order.
#[cfg(target_os = "linux")]
fn checked(bench: &Workbench) -> Value {
    let said = bench.run(&["ledger", "check", "rows.ledger", "--json"]);
    assert_eq!(said.code, 0, "{}{}", said.err, said.out);
    json(&said.out)
}

/// Removes all that stands in a folder.
#[cfg(target_os = "linux")]
fn clear(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) }.expect("removes");
    }
}

fn manifest(bench: &Workbench, bundle: &str) -> Value {
    json(&fs::read_to_string(bench.path(bundle).join("release.json")).expect("a manifest"))
}
