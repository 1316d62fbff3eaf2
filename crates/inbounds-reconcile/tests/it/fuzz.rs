//! However the files are damaged, the readers answer: a bundle, or an error and nothing at its place. No panic, no
//! hang.
//!
//! Damage is of two kinds: valid files with pieces put in, taken out or written over, and bytes that never were a file.
//! The default run is the same every time. A long one, with a number of runs and a seed of one's own:
//! `INBOUNDS_FUZZ_CASES=100000 INBOUNDS_FUZZ_SEED=7 cargo test --release -p inbounds-reconcile -p inbounds-cli --test
//! it \ twenty_thousand -- --ignored --nocapture`. A failure prints the files, made as small as they go.

mod files;

use std::{env, fs, sync::mpsc, thread, time::Duration};

use inbounds_reconcile::{Constraints, Fit, Options, ReconcileError, Reconciled, Silent, reconcile};
use proptest::{
    prelude::*,
    test_runner::{RngSeed, TestRunner},
};

use self::files::{FLAT, Files, KINDS, files};
use super::Bench;

/// Far more than a file of a kilobyte can need.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs a job that must end; its panic is a panic here.
fn in_time(work: impl FnOnce() -> Result<(), TestCaseError> + Send + 'static) -> Result<(), TestCaseError> {
    let (done, answer) = mpsc::channel();
    let worker = thread::spawn(move || done.send(work()));
    match answer.recv_timeout(PATIENCE) {
        Ok(outcome) => outcome,
        Err(mpsc::RecvTimeoutError::Timeout) => Err(TestCaseError::fail("no answer")),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            worker.join().map(|_| ()).map_err(|_| TestCaseError::fail("a panic"))
        }
    }
}

fn constraints_answer(bytes: &[u8]) -> Result<(), TestCaseError> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    if let Err(errors) = Constraints::parse(&text) {
        prop_assert!(!errors.mistakes.is_empty());
        for mistake in &errors.mistakes {
            prop_assert!(text.get(mistake.span.clone()).is_some() && mistake.line >= 1);
        }
    }
    Ok(())
}

/// Writes the files and reconciles them.
fn reconciled(files: &Files) -> (Bench, Result<Reconciled, ReconcileError>) {
    let bench = Bench::new();
    let counts = bench.write("counts.csv", &files.counts);
    let rules = bench.write("rules.toml", &files.rules);
    bench.write("rows.csv", &files.triplets);
    bench.write("sides.csv", &files.sides);
    let Files { integer, replicates, .. } = *files;
    let options = Options { constraints: Some(rules), integer, replicates, ..Options::default() };
    let out = bench.folder.path().join("bundle");
    let fit = files.joint.then_some(Fit::Joint);
    let outcome = match reconcile(&counts, &Options { fit, ..options.clone() }, &out, &Silent) {
        // What is no tree has no fit to choose.
        Err(ReconcileError::Fit) => reconcile(&counts, &options, &out, &Silent),
        outcome => outcome,
    };
    (bench, outcome)
}

fn files_answer(files: &Files) -> Result<(), TestCaseError> {
    let (bench, outcome) = reconciled(files);
    match outcome {
        Ok(computed) => {
            for file in ["reconcile.json", "estimates.csv", "report.html"] {
                prop_assert!(computed.folder.join(file).is_file(), "{file}");
            }
        }
        Err(error) => {
            prop_assert!(!error.to_string().is_empty());
            prop_assert_eq!(fs::read_dir(bench.folder.path()).expect("a folder").count(), 4);
        }
    }
    Ok(())
}

/// Runs of a seed that is always the same, or of one's own.
fn runner(cases: u32, seed: u64) -> TestRunner {
    let rng_seed = RngSeed::Fixed(seed);
    TestRunner::new(ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() })
}

#[test]
fn damaged_constraints_are_read_or_refused_with_a_place() {
    let outcome = runner(1500, 0).run(&files(), |files| constraints_answer(&files.rules));
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn damaged_files_give_a_bundle_or_an_error() {
    let outcome = runner(1500, 1).run(&files(), |files| in_time(move || files_answer(&files)));
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

/// Files that once made a panic (the first) and a run without an end (the third), as small as they go, and their
/// neighbours.
#[test]
fn what_once_panicked_or_never_ended_is_answered() {
    const CORRELATIONS: &str = "[matrix]\npositive_semidefinite = true\nunit_diagonal = true\n";
    let computed = [
        ("node,value,variance\nx:y,1e20,0.1\nx:z,-0.9,0.1\ny:z,0.9,0.2\n", CORRELATIONS, false),
        ("node,value,variance\nx:y,0.9,1e40\nx:z,-0.9,0.1\ny:z,0.9,0.2\n", CORRELATIONS, false),
        (FLAT, "total = 2e22\n[bounds]\nb = { lower = 1 }\n", true),
        ("node,parent,value,variance\nr,,2e22,1\na,r,3,1\nb,r,7,1\n", "", true),
        ("node,parent,value,variance\nr,,10,1\na,r,3,1e44\nb,r,7,1\n", "", true),
    ];
    for (counts, rules, integer) in computed {
        for (replicates, joint) in [(0, false), (0, true), (39, false), (39, true)] {
            let files = Files { integer, joint, replicates, ..Files::new(counts, rules) };
            in_time(move || files_answer(&files)).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

#[test]
fn undamaged_files_give_bundles() {
    for (counts, rules) in KINDS {
        reconciled(&Files::new(counts, rules)).1.expect("a bundle");
    }
}

/// A number that the environment gives.
fn given(name: &str) -> Option<u64> {
    env::var(name).ok().map(|text| text.parse().expect("a whole number"))
}

#[test]
#[ignore = "long: 20,000 runs, or as many as INBOUNDS_FUZZ_CASES says"]
fn twenty_thousand_damaged_files_are_answered() {
    let cases = given("INBOUNDS_FUZZ_CASES").unwrap_or(20_000).try_into().expect("a number of cases");
    let outcome = runner(cases, given("INBOUNDS_FUZZ_SEED").unwrap_or(2)).run(&files(), |files| {
        constraints_answer(&files.rules)?;
        in_time(move || files_answer(&files))
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}
