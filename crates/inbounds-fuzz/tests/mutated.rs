//! The corpus, changed at random, without coverage: what every machine can run that builds the tests.
//!
//! `INBOUNDS_FUZZ_RUNS=100000 INBOUNDS_FUZZ_TARGETS=csv,plan INBOUNDS_FUZZ_SEED=1 cargo test -p inbounds-fuzz --test mutated -- --ignored
//! --nocapture`. The bytes that are being read stand in `last-TARGET-SEED` in the folder for files, should the process end.

#![expect(clippy::print_stdout, reason = "a long run says what it does")]

use std::{
    env, fs,
    panic::catch_unwind,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use inbounds_fuzz::{TARGETS, Target, begin};

/// Beside other work and without optimisation; the fuzzer itself allows a second.
const PATIENCE: Duration = Duration::from_secs(120);

/// Numbers that only have to be various.
struct Draw(u64);

impl Draw {
    /// Below `limit`.
    fn next(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

const PIECES: [&[u8]; 24] = [
    b"\"",
    b"'",
    b"\n",
    b"\r\n",
    b",",
    b";",
    b"0",
    b"-1",
    b"1e999",
    b"nan",
    b"\xff",
    b"\0",
    b"9223372036854775807",
    b"1/3",
    b"[",
    b"]",
    b"{",
    b"}",
    b"=",
    b" OR ",
    b"(",
    b")",
    b"\xef\xbb\xbf",
    b"==== rows.csv\n",
];

/// One of the files with a few blows: bytes and pieces put in, taken out, written over, repeated, or taken from another
/// file.
fn changed(corpus: &[Vec<u8>], draw: &mut Draw) -> Vec<u8> {
    let mut bytes = corpus[draw.next(corpus.len())].clone();
    for _ in 0..=draw.next(4) {
        let at = draw.next(bytes.len() + 1);
        let to = (at + draw.next(12)).min(bytes.len());
        let piece = match draw.next(6) {
            0 => PIECES[draw.next(PIECES.len())].to_vec(),
            1 => vec![[0, 1, 127, 128, 254, 255][draw.next(6)]],
            2 => bytes[at..to].repeat(2),
            3 => {
                let other = &corpus[draw.next(corpus.len())];
                let from = draw.next(other.len());
                other[from..(from + draw.next(60)).min(other.len())].to_vec()
            }
            4 => Vec::new(),
            _ => vec![draw.next(256) as u8],
        };
        // Most blows keep the length, as sizes in binary files need.
        let end = if draw.next(3) == 0 { to } else { (at + piece.len()).min(bytes.len()) };
        bytes.splice(at..end, piece);
    }
    bytes
}

fn corpus(target: &Target) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target.name);
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).expect("a corpus").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files.iter().map(|file| fs::read(file).expect("a file")).collect()
}

/// Runs a target so often; what it failed on is kept.
fn search(target: &Target, runs: usize, seed: u64, keep: &Path) -> usize {
    let (corpus, mut draw, mut faults) = (corpus(target), Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1), 0);
    for run in 0..runs {
        let bytes = changed(&corpus, &mut draw);
        fs::write(keep.join(format!("last-{}-{seed}", target.name)), &bytes).expect("writes");
        let start = Instant::now();
        let failed = catch_unwind(|| (target.run)(&bytes)).is_err();
        let took = start.elapsed();
        if failed || took > PATIENCE {
            faults += 1;
            let name = format!("{}-{}-{seed}-{run}", if failed { "panic" } else { "slow" }, target.name);
            println!("{name}: {took:?}");
            fs::write(keep.join(name), &bytes).expect("writes");
        }
    }
    faults
}

fn given(name: &str) -> Option<String> {
    env::var(name).ok()
}

fn all(runs: usize, seed: u64) {
    begin();
    let wanted = given("INBOUNDS_FUZZ_TARGETS");
    let is_wanted =
        |target: &&Target| wanted.as_ref().is_none_or(|names| names.split(',').any(|name| name == target.name));
    let keep = given("INBOUNDS_FUZZ_FOLDER").map_or_else(env::temp_dir, PathBuf::from);
    let mut faults = 0;
    for target in TARGETS.iter().filter(is_wanted) {
        let start = Instant::now();
        faults += search(target, runs, seed, &keep);
        println!("{:<14} {runs} runs in {:.0?}", target.name, start.elapsed());
    }
    assert_eq!(faults, 0, "files that failed stand in {}", keep.display());
}

#[test]
fn a_few_changed_files_are_answered() {
    all(20, 1);
}

#[test]
#[ignore = "as long as INBOUNDS_FUZZ_RUNS says: 10,000 of each target"]
fn many_changed_files_are_answered() {
    let number = |name: &str, usual| given(name).map_or(usual, |text| text.parse().expect("a number"));
    all(number("INBOUNDS_FUZZ_RUNS", 10_000), number("INBOUNDS_FUZZ_SEED", 2) as u64);
}
