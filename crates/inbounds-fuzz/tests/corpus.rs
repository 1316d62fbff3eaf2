//! The corpus of the fuzzer, replayed: files of every construct by hand, and every file that once was a fault.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use inbounds_fuzz::TARGETS;

/// Without optimisation and beside other tests; the fuzzer itself allows a second.
const PATIENCE: Duration = Duration::from_secs(60);

fn fuzz(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(path)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

#[test]
fn every_file_of_the_corpus_is_answered() {
    for target in TARGETS {
        let folder = fuzz("corpus").join(target.name);
        let files = names(&folder);
        assert!(!files.is_empty(), "{} has no corpus", target.name);
        for file in files {
            let start = Instant::now();
            (target.run)(&fs::read(folder.join(&file)).expect("a file"));
            assert!(start.elapsed() < PATIENCE, "{}/{file} took {:?}", target.name, start.elapsed());
        }
    }
}

/// A target has a program and a corpus, and nothing else has.
#[test]
fn targets_programs_and_corpora_are_the_same() {
    let mut known: Vec<String> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    known.sort();
    assert_eq!(names(&fuzz("corpus")), known);
    let programs: Vec<String> = known.iter().map(|name| format!("{name}.rs")).collect();
    assert_eq!(names(&fuzz("targets")), programs);
    let manifest = fs::read_to_string(fuzz("Cargo.toml")).expect("the manifest");
    for name in known {
        let program = fs::read_to_string(fuzz("targets").join(format!("{name}.rs"))).expect("a program");
        assert!(
            program.contains(&format!("inbounds_fuzz::begin(), |bytes: &[u8]| inbounds_fuzz::{name}(bytes)")),
            "{program}"
        );
        assert!(manifest.contains(&format!("name = \"{name}\"\npath = \"targets/{name}.rs\"")), "{name}");
    }
}

/// The corpus is for cases, not for volume: every clone of the project has it.
#[test]
fn the_corpus_is_small() {
    let size = |path: PathBuf| fs::metadata(path).expect("a file").len();
    let corpus_size = |target: &str| -> u64 {
        let folder = fuzz("corpus").join(target);
        names(&folder).iter().map(|file| size(folder.join(file))).sum()
    };
    let bytes: u64 = TARGETS.iter().map(|target| corpus_size(target.name)).sum();
    assert!(bytes < 300_000, "{bytes} bytes");
}
