//! However the files are damaged, the readers answer: a bundle, or an error and nothing at its place. No panic, no hang.
//!
//! Damage is of two kinds: valid files with pieces put in, taken out or written over, and bytes that never were a file. The
//! default run takes half a minute. A long one, its number of cases as given:
//! `INBOUNDS_FUZZ_CASES=100000 cargo test --release -p inbounds-release --test it fuzz -- --ignored --nocapture`.

use std::{env, fs, sync::mpsc, thread, time::Duration};

use inbounds_release::{
    Silent,
    reconcile::{Constraints, Fit, Options, ReconcileError, Reconciled, reconcile},
};
use proptest::{prelude::*, test_runner::TestRunner};

use super::{Bench, without_errors};

/// Files that belong together.
#[derive(Debug, Clone)]
struct Files {
    counts: Vec<u8>,
    rules: Vec<u8>,
    triplets: Vec<u8>,
    sides: Vec<u8>,
    integer: bool,
    joint: bool,
}

/// Measurements and constraints of each kind, all valid.
const KINDS: [(&str, &str); 5] = [
    (
        "node,parent,value,variance,law,scale,fixed,lower,upper\n\
         r,,10,,laplace,2,,,\na,r,3,1,,,,0,\nb,r,,,,,6,,9\nc,a,1,2,,,false,,\nd,a,2,,discrete-gaussian,3,,,\n",
        "nonnegative = true\n[fixed]\nb = 6\n[bounds]\n\"a\" = { lower = 0, upper = 7.5 }\n",
    ),
    (FLAT, "total = 12\n[bounds]\nb = { lower = 1 }\n"),
    (FLAT, "order = [[\"a\", \"b\", \"c\"], [\"d\", \"c\"]]\nnonnegative = false\n"),
    (
        FLAT,
        "[[equality]]\nname = \"one\"\nterms = { a = 1, b = 1, d = -1 }\nequals = 2\n\
         [[inequality]]\nterms = { c = 1.5, a = -2 }\nat_least = -1\n\
         [system]\ntriplets = \"rows.csv\"\nsides = \"sides.csv\"\n",
    ),
    (
        "node,value,variance\nx:y,0.9,0.1\nx:z,-0.9,0.1\ny:z,0.9,0.2\nx:x,1,0.1\ny:y,1,0.1\nz:z,1,0.1\n",
        "[matrix]\npositive_semidefinite = true\nunit_diagonal = true\nseparator = \":\"\n",
    ),
];
const FLAT: &str = "node,value,variance\na,3,1\nb,-1,2\nc,4,1\nd,7,3\n";
const TRIPLETS: &str = "row,node,coefficient\nr1,a,1\nr1,b,1\nr2,c,1\nr2,d,-1\n";
const SIDES: &str = "row,sense,value\nr1,=,3\nr2,<=,2.5\n";

const PIECES: [&str; 54] = [
    "\"",
    ",",
    "\n",
    "\r\n",
    "r",
    "a",
    "b",
    ",r,",
    "nan",
    "inf",
    "-",
    "1e999",
    "1e-320",
    "true",
    "\u{feff}",
    "ö",
    "{",
    "}",
    "[",
    "]",
    "=",
    "'",
    "#",
    "fixed",
    "bounds",
    "lower",
    "top_down",
    "gaussian",
    "0",
    "\0",
    " ",
    "1e90",
    "1e30",
    "-1e-30",
    "order",
    "total = 1\n",
    "[[equality]]\n",
    "terms",
    "equals",
    "at_most",
    "[matrix]\n",
    ":",
    "<=",
    "r1",
    "[system]\n",
    "x:x",
    "\"d\",",
    "1e89",
    "1e20",
    "2e22",
    "9e15",
    "4503599627370497",
    "1e12",
    ",1e40",
];

/// A text with pieces put in, taken out or written over; now and then it is untouched, or something else altogether.
fn damaged(text: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let blow = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0_usize..12);
    let blows = (prop::collection::vec(blow, 1..8), prop::option::weighted(0.1, any::<u8>()));
    let hit = blows.prop_map(move |(blows, byte)| {
        let mut bytes = text.as_bytes().to_vec();
        for (place, piece, cut) in blows {
            let place = place.index(bytes.len() + 1);
            let end = (place + cut).min(bytes.len());
            bytes.splice(place..end, PIECES[piece.index(PIECES.len())].bytes());
        }
        bytes.extend(byte);
        bytes
    });
    let pieces =
        prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40).prop_map(|all| all.concat().into_bytes());
    prop_oneof![
        6 => hit,
        6 => Just(text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..200),
        1 => pieces,
    ]
}

fn files() -> impl Strategy<Value = Files> {
    prop::sample::select(&KINDS[..]).prop_flat_map(|(counts, rules)| {
        (damaged(counts), damaged(rules), damaged(TRIPLETS), damaged(SIDES), any::<bool>(), any::<bool>()).prop_map(
            |(counts, rules, triplets, sides, integer, joint)| Files { counts, rules, triplets, sides, integer, joint },
        )
    })
}

/// Far more than a file of a kilobyte can need.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs something that must come to an end; a panic of it is one here.
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
    reconciled_with(files, without_errors())
}

fn reconciled_with(files: &Files, options: Options) -> (Bench, Result<Reconciled, ReconcileError>) {
    let bench = Bench::new();
    let counts = bench.write("counts.csv", &files.counts);
    let rules = bench.write("rules.toml", &files.rules);
    bench.write("rows.csv", &files.triplets);
    bench.write("sides.csv", &files.sides);
    let options = Options { constraints: Some(rules), integer: files.integer, ..options };
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
        Ok(found) => prop_assert!(found.folder.join("reconcile.json").is_file()),
        Err(error) => {
            prop_assert!(!error.to_string().is_empty());
            prop_assert_eq!(fs::read_dir(bench.folder.path()).expect("a folder").count(), 4);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_constraints_are_read_or_refused_with_a_place(files in files()) {
        constraints_answer(&files.rules)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_give_a_bundle_or_an_error(files in files()) {
        in_time(move || files_answer(&files))?;
    }
}

/// What a mutated run once found: a panic, and a run without an end. The files as they were found, less what does not matter.
#[test]
fn what_once_panicked_or_never_ended_is_answered() {
    const CORRELATIONS: &str = "[matrix]\npositive_semidefinite = true\nunit_diagonal = true\n";
    let found = [
        ("node,value,variance\nx:y,1e20,0.1\nx:z,-0.9,0.1\ny:z,0.9,0.2\n", CORRELATIONS, false),
        ("node,value,variance\nx:y,0.9,1e40\nx:z,-0.9,0.1\ny:z,0.9,0.2\n", CORRELATIONS, false),
        (FLAT, "total = 2e22\n[bounds]\nb = { lower = 1 }\n", true),
        ("node,parent,value,variance\nr,,2e22,1\na,r,3,1\nb,r,7,1\n", "", true),
        ("node,parent,value,variance\nr,,10,1\na,r,3,1e44\nb,r,7,1\n", "", true),
    ];
    for (counts, rules, integer) in found {
        for (replicates, joint) in [(0, false), (0, true), (39, false), (39, true)] {
            let [counts, rules, triplets, sides] =
                [counts, rules, TRIPLETS, SIDES].map(|text| text.as_bytes().to_vec());
            let files = Files { counts, rules, triplets, sides, integer, joint };
            let outcome = in_time(move || {
                let options = Options { replicates, ..Options::default() };
                // An error names what is wrong; a bundle is whole.
                let (_bench, found) = reconciled_with(&files, options);
                if let Ok(found) = found {
                    prop_assert!(found.folder.join("report.html").is_file());
                }
                Ok(())
            });
            outcome.unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

#[test]
fn undamaged_files_give_bundles() {
    for (counts, rules) in KINDS {
        let [counts, rules, triplets, sides] = [counts, rules, TRIPLETS, SIDES].map(|text| text.as_bytes().to_vec());
        let files = Files { counts, rules, triplets, sides, integer: false, joint: false };
        reconciled(&files).1.expect("a bundle");
    }
}

#[test]
#[ignore = "long: as many cases as INBOUNDS_FUZZ_CASES says"]
fn readers_answer_for_long() {
    let cases = env::var("INBOUNDS_FUZZ_CASES").map_or(100_000, |text| text.parse().expect("a number of cases"));
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let outcome = TestRunner::new(config).run(&files(), |files| {
        constraints_answer(&files.rules)?;
        in_time(move || files_answer(&files))
    });
    outcome.expect("an answer to all of them");
}
