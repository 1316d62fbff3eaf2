//! What a dead run leaves beside the place of its bundle: noisy numbers that no price may be given back for.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
};

use super::{bench, json, shim, shown};
use crate::workbench::Workbench;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("stands").permissions().mode() & 0o777
}

/// The hidden folder that a run left.
fn partial(bench: &Workbench) -> PathBuf {
    let name = bench.names().into_iter().find(|name| name.contains(".partial-")).expect("a run left its folder");
    bench.path(&name)
}

/// Kills a release when it has written its noisy numbers.
fn killed(bench: &Workbench) -> PathBuf {
    let steps = shim::steps(bench, &["release", "plan.toml", "--out", "whole", "--quiet"]);
    fs::remove_dir_all(bench.path("whole")).expect("removes");
    let step = steps.iter().position(|step| step.starts_with("create") && step.contains("release.json"));
    let kill = [("SHIM_KILL_AT", step.expect("a manifest is written").to_string())];
    assert_eq!(shim::run(bench, &kill, &["release", "plan.toml", "--out", "out", "--quiet"]).code, None);
    let partial = partial(bench);
    assert!(partial.join("measurements.csv").exists(), "its numbers are written");
    partial
}

fn void(bench: &Workbench, entry: &str) -> crate::workbench::Said {
    bench.run(&["ledger", "void", "rows.ledger", entry, "--reason", "it died"])
}

#[test]
fn a_price_is_given_back_when_the_numbers_are_gone() {
    let bench = bench("5");
    let partial = killed(&bench);
    assert_eq!(mode(&partial), 0o700);
    assert_eq!(shown(&bench)["spent"]["epsilon"], "2");
    let said = void(&bench, "3");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(!partial.exists());
    let out = said.out.replace('\n', " ");
    assert!(out.contains("its unfinished bundle") && out.contains("was removed first"), "{out}");
    assert_eq!(shown(&bench)["spent"]["epsilon"], "1");
}

#[test]
fn a_price_counts_where_the_numbers_cannot_be_removed_or_may_be_of_a_run_that_lives() {
    let bench = bench("5");
    let partial = killed(&bench);
    // The test holds the folder, as its run does.
    let held = fs::File::open(&partial).expect("opens");
    held.lock().expect("locks");
    let said = void(&bench, "3");
    assert!(said.code == 9 && said.err.contains("a program holds, which may be its release"), "{}", said.err);
    drop(held);
    // Something else stands there.
    let aside = bench.path("aside");
    fs::rename(&partial, &aside).expect("moves");
    symlink(&aside, &partial).expect("links");
    let said = void(&bench, "3");
    assert!(said.code == 9 && said.err.contains("that no release made"), "{}", said.err);
    assert_eq!(shown(&bench)["spent"]["epsilon"], "2");
    fs::remove_file(&partial).expect("removes");
    fs::rename(&aside, &partial).expect("moves back");
    assert_eq!(void(&bench, "3").code, 0);
    assert!(!partial.exists());
}

/// An older version gave prices back and left the numbers.
#[test]
fn numbers_of_an_entry_that_was_voided_before_are_removed_and_told() {
    let bench = bench("5");
    let partial = killed(&bench);
    let aside = bench.path("aside");
    fs::rename(&partial, &aside).expect("moves");
    assert_eq!(void(&bench, "3").code, 0);
    fs::rename(&aside, &partial).expect("moves back");
    let said = bench.run(&["ledger", "check", "rows.ledger"]);
    let out = said.out.replace('\n', " ");
    assert!(out.contains("enter its price with `inbounds ledger record`"), "{out}");
    assert!(!partial.exists());
}

#[test]
fn an_unfinished_bundle_without_a_ledger_is_named_at_the_next_start_beside_it() {
    let bench = Workbench::new();
    let partial = killed(&bench);
    assert_eq!(mode(&partial), 0o700);
    for arguments in
        [&["release", "plan.toml", "--out", "next"][..], &["release", "plan.toml", "--out", "last", "--quiet"]]
    {
        let said = bench.run(arguments);
        assert_eq!(said.code, 0, "{}", said.err);
        let err = said.err.replace('\n', " ");
        let name = partial.file_name().and_then(|name| name.to_str()).expect("a name");
        for words in [name, "of a run that died", "Delete it unread", "count the epsilon of its plan as spent"] {
            assert!(err.contains(words), "{words}: {err}");
        }
    }
    // What is published is for all whom the user lets read.
    fs::create_dir(bench.path("usual")).expect("creates");
    assert_eq!(mode(&bench.path("next")), mode(&bench.path("usual")));
    fs::remove_dir_all(&partial).expect("removes");
    let said = bench.run(&["release", "plan.toml", "--out", "silent", "--json"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert!(json(&said.out).is_object());
}
