//! Releases whose units may take little memory: the numbers are those of any other, or nothing happened.

use std::fs;
use std::path::PathBuf;

use crate::workbench::Workbench;

/// The example about patients, whose stays come in no order of theirs, on a bench with an empty folder `disk`.
fn bench() -> Workbench {
    let bench = Workbench::new();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/registry");
    bench.write("patients.toml", fs::read(folder.join("patients.toml")).expect("the example"));
    let stays = fs::read_to_string(folder.join("stays.csv")).expect("the example");
    let (header, rows) = stays.split_once('\n').expect("a header");
    let mut rows: Vec<&str> = rows.lines().collect();
    rows.sort_by_key(|row| row.chars().rev().collect::<String>());
    bench.write("stays.csv", format!("{header}\n{}\n", rows.join("\n")));
    fs::create_dir(bench.path("disk")).expect("an empty folder");
    bench
}

const SEEDED: [&str; 6] = ["release", "patients.toml", "--seed", "5", "--not-private", "--out"];

#[test]
fn rows_that_waited_on_disk_are_released_as_all_others() {
    let bench = bench();
    let release = |out: &str, more: &[&str]| {
        let said = bench.run(&[&SEEDED[..], &[out], more].concat());
        assert_eq!(said.code, 0, "{}", said.err);
        let files = ["release.json", "measurements.csv", "estimates.csv", "report.html"];
        files.map(|file| fs::read_to_string(bench.path(&format!("{out}/{file}"))).expect("a file of the bundle"))
    };
    let usual = release("usual", &[]);
    assert_eq!(release("spilled", &["--unit-memory", "1kB", "--spill", "disk"]), usual);
    assert_eq!(release("roomy", &["--unit-memory", "2 GiB"]), usual);
    assert_eq!(fs::read_dir(bench.path("disk")).expect("a folder").count(), 0);
}

#[test]
fn too_little_memory_ends_a_release_before_anything_is_written() {
    let bench = bench();
    let said = bench.run(&[&SEEDED[..], &["out", "--unit-memory", "1kB"]].concat());
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(said.err.contains("take more than the 1000 bytes") && said.err.contains("--spill"), "{}", said.err);
    assert!(!bench.path("out").exists());
    let nowhere = bench.run(&[&SEEDED[..], &["out", "--unit-memory", "1kB", "--spill", "nowhere"]].concat());
    assert_eq!(nowhere.code, 3, "{}", nowhere.err);
    assert!(nowhere.err.contains("`nowhere`"), "{}", nowhere.err);
    let alone = bench.run(&[&SEEDED[..], &["out", "--spill", "disk"]].concat());
    assert_eq!(alone.code, 2, "{}", alone.err);
    let wrong = bench.run(&[&SEEDED[..], &["out", "--unit-memory", "much"]].concat());
    assert_eq!(wrong.code, 2, "{}", wrong.err);
    assert!(!bench.path("out").exists());
    let peeked = bench.run(&["peek", "patients.toml", "--unit-memory", "1kB", "--spill", "disk"]);
    assert_eq!(peeked.code, 0, "{}", peeked.err);
}
