//! What happens to machines: disks that are full or read-only, locks that do nothing, clocks that go back, many
//! programs at once.

use std::{
    fs,
    process::{Command, Stdio},
};

use super::{bench, checked, manifest, shim, shown};
use crate::workbench::Workbench;

/// What must hold after a release to `out` that may have failed.
fn holds(bench: &Workbench, out: &str, code: i32, how: &str) {
    let stands = bench.path(out).exists();
    assert_eq!(stands, code == 0, "{how}: code {code}");
    if stands {
        assert_eq!(fs::read_dir(bench.path(out)).expect("a bundle").count(), 7, "{how}");
    }
    let report = checked(bench);
    let entries = report["ledger"]["entries"].as_array().expect("entries");
    let published = entries.iter().filter(|entry| entry["standing"]["state"] == "published").count();
    let bundles = bench.names().iter().filter(|name| name.starts_with("bundle-")).count();
    assert_eq!(published, bundles, "{how}");
    let reserved = entries.iter().filter(|entry| entry["deed"] == "reserved").count();
    assert_eq!(report["ledger"]["spent"]["epsilon"], reserved.to_string(), "{how}: every reservation counts");
}

/// From every step on nothing can be written any more; then there is room again.
fn fails_from(variable: &str, wanted: &[i32]) {
    let bench = bench("1000");
    let steps = shim::steps(&bench, &["release", "plan.toml", "--out", "bundle-0", "--quiet"]);
    let mut codes = Vec::new();
    for (step, name) in steps.iter().enumerate().step_by(3) {
        let out = format!("bundle-{}", step + 1);
        let ended =
            shim::run(&bench, &[(variable, step.to_string())], &["release", "plan.toml", "--out", &out, "--quiet"]);
        let how = format!("{variable} {step}, {name}: {}", ended.err);
        let code = ended.code.unwrap_or_else(|| panic!("{how}"));
        assert!(!ended.err.contains("panicked"), "{how}");
        assert!([0, 4, 9].contains(&code), "{how}");
        assert_eq!(ended.err.is_empty(), code == 0, "{how}");
        holds(&bench, &out, code, &how);
        codes.push(code);
    }
    for code in wanted {
        assert!(codes.contains(code), "{codes:?}");
    }
}

#[test]
fn a_full_disk_spends_nothing_unseen() {
    fails_from("SHIM_FULL_AT", &[4, 9]);
}

#[test]
fn a_disk_that_turns_read_only_spends_nothing_unseen() {
    fails_from("SHIM_READ_ONLY_AT", &[4, 9]);
}

#[test]
fn a_read_only_ledger_can_be_looked_at_and_not_be_spent_from() {
    let bench = bench("2");
    let read_only = [("SHIM_READ_ONLY_AT", "0".to_owned())];
    assert_eq!(shim::run(&bench, &read_only, &["ledger", "show", "rows.ledger"]).code, Some(0));
    let refused =
        shim::run(&bench, &read_only, &["ledger", "record", "rows.ledger", "--epsilon", "1", "--reason", "a"]);
    assert_eq!(refused.code, Some(9));
    assert!(refused.err.contains("cannot be written"), "{}", refused.err);
    assert_eq!(shown(&bench)["left"]["epsilon"], "2");
}

#[test]
fn a_run_that_fails_after_its_noise_names_the_way_back() {
    let bench = bench("1");
    let steps = shim::steps(&bench, &["release", "plan.toml", "--out", "gone", "--quiet"]);
    let entry = steps.iter().position(|step| step.contains("estimates.csv")).expect("a bundle is written");
    fs::remove_dir_all(bench.path("gone")).expect("removes");
    assert_eq!(shown(&bench)["left"]["epsilon"], "0");
    // Published is published, whatever became of the folder.
    let refused = bench.run(&["ledger", "void", "rows.ledger", "1", "--reason", "the folder is gone"]);
    assert_eq!(refused.code, 9);
    assert!(refused.err.contains("entry 1 is published"), "{}", refused.err);

    let bench = super::bench("1");
    let full = [("SHIM_FULL_AT", entry.to_string())];
    let ended = shim::run(&bench, &full, &["release", "plan.toml", "--out", "bundle", "--quiet"]);
    assert_eq!(ended.code, Some(4), "{}", ended.err);
    assert!(ended.err.contains("entry 1 of the ledger counts as spent"), "{}", ended.err);
    assert!(ended.err.contains("rows.ledger 1 --reason"), "{}", ended.err);
    assert_eq!(bench.release().code, 9, "nothing is left");
    let voided = bench.run(&["ledger", "void", "rows.ledger", "1", "--reason", "the disk was full", "--by", "ada"]);
    assert_eq!(voided.code, 0, "{}", voided.err);
    assert!(voided.out.contains("Left: epsilon = 1."), "{}", voided.out);
    assert_eq!(bench.release().code, 0);
}

#[test]
fn a_file_system_without_locks_is_refused() {
    let bench = bench("2");
    let without = [("SHIM_NO_LOCKS", "1".to_owned())];
    let create = ["ledger", "create", "b.ledger", "--data", "rows.csv", "--unit", "row", "--neighbours", "add-remove"];
    let create = [&create[..], &["--epsilon", "1"]].concat();
    for arguments in [&create[..], &["release", "plan.toml", "--out", "bundle", "--quiet"]] {
        let refused = shim::run(&bench, &without, arguments);
        assert_eq!(refused.code, Some(9), "{}", refused.err);
        assert!(refused.err.contains("has no locks: a lock was given twice"), "{}", refused.err);
    }
    assert_eq!(bench.names(), ["plan.toml", "rows.csv", "rows.ledger"]);
    assert_eq!(shown(&bench)["left"]["epsilon"], "2");
}

#[test]
fn a_clock_that_goes_back_changes_nothing_but_the_times() {
    let bench = bench("5");
    for day in [0, -2, 3] {
        let clock = [("SHIM_CLOCK", (86_400 * day).to_string())];
        let record = ["ledger", "record", "rows.ledger", "--epsilon", "1", "--reason", "a"];
        assert_eq!(shim::run(&bench, &clock, &record).code, Some(0));
    }
    let before_1970 = [("SHIM_CLOCK", "-9000000000".to_owned())];
    assert_eq!(shim::run(&bench, &before_1970, &["release", "plan.toml", "--out", "bundle"]).code, Some(0));
    let report = checked(&bench);
    assert_eq!(report["clock_went_back"], serde_json::json!([2, 4]));
    assert_eq!(report["ledger"]["left"]["epsilon"], "1");
}

#[test]
fn sixty_four_at_once_spend_what_there_is_and_no_more() {
    let bench = bench("20");
    let start = |index: usize| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_inbounds"));
        let out = format!("bundle-{index}");
        command.current_dir(bench.path("")).args(["release", "plan.toml", "--quiet", "--out", &out]);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("starts")
    };
    let running: Vec<_> = (0..64).map(start).collect();
    let ended: Vec<_> = running.into_iter().map(|run| run.wait_with_output().expect("ends")).collect();
    let with = |code| ended.iter().filter(|output| output.status.code() == Some(code)).count();
    assert_eq!((with(0), with(9)), (20, 44), "{}", String::from_utf8_lossy(&ended[0].stderr));
    let report = checked(&bench);
    assert_eq!(report["ledger"]["left"]["epsilon"], "0");
    assert_eq!(report["dead"], serde_json::json!([]));
    let bundles: Vec<String> = bench.names().into_iter().filter(|name| name.starts_with("bundle-")).collect();
    assert_eq!(bundles.len(), 20);
    let mut paid: Vec<u64> = bundles
        .iter()
        .map(|bundle| manifest(&bench, bundle)["guarantee"]["ledger"]["entry"].as_u64().expect("a number"))
        .collect();
    paid.sort_unstable();
    paid.dedup();
    assert_eq!(paid.len(), 20, "each from an entry of its own");
    let known =
        [&["ledger", "check", "rows.ledger"][..], &bundles.iter().map(String::as_str).collect::<Vec<_>>()].concat();
    assert_eq!(bench.run(&known).code, 0);
}
