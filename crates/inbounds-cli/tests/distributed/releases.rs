//! Workers give the bundle that this machine gives.

use std::{fs, path::Path};

use crate::{
    bench::{WorkerProcess, bench, bundle, named, seeded, spent},
    workbench::Workbench,
};

#[test]
fn three_processes_release_the_same_bundle() {
    let bench = bench();
    let here = seeded(&bench, "here", &[]);
    assert_eq!(here.code, 0, "{}", here.err);
    let workers: Vec<_> = (0..3).map(|_| WorkerProcess::start(&[])).collect();
    let addresses: Vec<&str> = workers.iter().map(|worker| worker.address.as_str()).collect();
    for (count, out) in [(1, "one"), (3, "three")] {
        let there = seeded(&bench, out, &named(&addresses[..count]));
        assert_eq!(there.code, 0, "{}", there.err);
        assert!(bundle(&bench.path("here")) == bundle(&bench.path(out)), "{count} workers release something else");
    }
    // Noise from a seed costs nothing; that of the system does.
    assert_eq!(spent(&bench), "0");
    let arguments = [&["release", "plan.toml", "--out", "private"][..], &named(&addresses)].concat();
    let private = bench.run(&arguments);
    assert_eq!((private.code, spent(&bench)), (0, "1".into()), "{}", private.err);
}

#[test]
fn the_curator_sees_the_same_counts() {
    let bench = bench();
    let worker = WorkerProcess::start(&[]);
    let here = bench.run(&["peek", "plan.toml", "--json"]);
    let there = bench.run(&[&["peek", "plan.toml", "--json"][..], &named(&[&worker.address])].concat());
    assert_eq!((there.code, there.out), (0, here.out), "{}", there.err);
}

/// Units with several rows, one row made of each, learned keys, levels and shared noise: whatever a plan can ask.
#[test]
fn every_example_is_released_the_same() {
    let bench = Workbench::new();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let workers: Vec<_> = (0..2).map(|_| WorkerProcess::start(&[])).collect();
    let named = named(&[&workers[0].address, &workers[1].address]);
    let mut released = 0;
    for folder in ["registry", "people"] {
        let files = fs::read_dir(examples.join(folder)).expect("examples").map(|entry| entry.expect("a file").path());
        for plan in files.filter(|file| file.extension().is_some_and(|extension| extension == "toml")) {
            let text = fs::read_to_string(&plan).expect("a plan");
            let name = plan.file_stem().expect("a name").to_string_lossy().into_owned();
            let (here, there) = (format!("{folder}-{name}-here"), format!("{folder}-{name}-there"));
            let path = plan.to_string_lossy();
            bench.seeded(&path, &here, "7");
            let seeded = ["release", &path, "--out", &there, "--seed", "7", "--not-private"];
            let said = bench.run(&[&seeded[..], &named].concat());
            assert_eq!(said.code, 0, "{name}: {}", said.err);
            assert!(bundle(&bench.path(&here)) == bundle(&bench.path(&there)), "{name} is released otherwise");
            released +=
                usize::from(text.contains("max_rows") || text.contains("per_unit") || text.contains("learn_keys"));
        }
    }
    assert!(released >= 3, "{released} examples are about units");
}
