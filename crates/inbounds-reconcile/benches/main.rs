//! Blocks of a census from Parquet, noised on six levels, reconciled to whole numbers and written, beside reading and
//! writing alone.
//!
//! `cargo bench -p inbounds-reconcile --bench reconcile`
//!
//! The whole way is two programs: one reads the blocks, sums them up, adds exact noise and writes a measurements file;
//! `reconcile` reads that, solves, and writes its bundle. Reading and writing alone is the same files read and written
//! by the same library: the blocks read, the measurements written and read, the tables of the bundle written, as
//! CSV and as Parquet. No replicates: the time of errors is a multiple of that of solving, and chosen by the caller.
//!
//! All times are CPU time of the process. Besides criterion's figures it prints medians of the stages, the ratio of
//! paired runs, and the peak memory of `reconcile` in a process of its own. A folder of some 400 bytes a block grows in
//! the target folder.
//!
//! `INBOUNDS_BENCH_LEAVES=8000000` sets another number of blocks; `-- none` leaves out what criterion does.

#![expect(clippy::print_stdout, reason = "its output is its purpose")]

mod blocks;
mod noise;
mod plain;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use criterion::Criterion;
use inbounds_reconcile::{Options, Silent, reconcile};
use rustix::time::{ClockId, clock_gettime};

/// Set in the process that measures the memory of one run.
const PEAK: &str = "INBOUNDS_BENCH_PEAK";

/// Files of the benchmark.
struct Files {
    blocks: PathBuf,
    measurements: PathBuf,
    bundle: PathBuf,
    copies: PathBuf,
}

impl Files {
    fn for_leaves(leaves: usize) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("reconcile-{leaves}"));
        let copies = folder.join("copies");
        fs::create_dir_all(&copies).expect("a folder");
        let [blocks, measurements] = ["blocks.parquet", "measurements.parquet"].map(|name| folder.join(name));
        Self { blocks, measurements, bundle: folder.join("bundle"), copies }
    }

    fn clear(&self) {
        if self.bundle.exists() {
            fs::remove_dir_all(&self.bundle).expect("removes");
        }
    }
}

fn main() {
    let leaves = std::env::var("INBOUNDS_BENCH_LEAVES").map_or(1_000_000, |leaves| leaves.parse().expect("a number"));
    let files = Files::for_leaves(leaves);
    if std::env::var_os(PEAK).is_some() {
        files.clear();
        whole_numbers(&files.measurements, &files.bundle);
        return println!("{}", peak_memory());
    }
    if !files.blocks.exists() {
        blocks::write(&files.blocks, leaves);
    }
    compare(&files, (15_000_000 / leaves).clamp(3, 15));
    println!("peak memory of `reconcile`: {}", peak_of_child());
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    for (name, run) in [("noised, reconciled, written", whole_way as Stages), ("read and written", alone)] {
        let label = format!("{name}, {leaves} blocks, CPU time");
        let total = |runs| (0..runs).map(|_| run(&files).iter().sum::<Duration>()).sum();
        criterion.bench_function(&label, |bench| bench.iter_custom(total));
    }
    criterion.final_summary();
}

type Stages = fn(&Files) -> [Duration; 2];

const WHOLE_WAY: [&str; 3] = ["blocks to measurements, noised", "reconcile --integer --replicates 0", "the whole way"];
const ALONE: [&str; 3] = ["blocks read, measurements written and read", "tables of the bundle written", "alone"];

/// From blocks to a bundle.
fn whole_way(files: &Files) -> [Duration; 2] {
    files.clear();
    let noised = Clock::time(|| noise::write(&files.blocks, &files.measurements));
    let reconciled = Clock::time(|| whole_numbers(&files.measurements, &files.bundle));
    [noised, reconciled]
}

/// The same files read and written, once a bundle is there.
fn alone(files: &Files) -> [Duration; 2] {
    let through = Clock::time(|| {
        plain::read(&files.blocks);
        plain::copy(&files.measurements, &files.copies.join("through.parquet"));
    });
    let mut clock = Clock::default();
    for name in ["measurements", "estimates"] {
        let table = files.bundle.join(name).with_extension("parquet");
        plain::write_table(&table, &files.copies.join(name), &mut clock);
    }
    [through, clock.0]
}

fn whole_numbers(measurements: &Path, bundle: &Path) {
    let options = Options { integer: true, replicates: 0, ..Options::default() };
    let reconciled = reconcile(measurements, &options, bundle, &Silent).expect("reconciles");
    assert_eq!(reconciled.manifest.solver.status.word(), "optimal");
}

/// Pairs of both, their stages by median, and the ratio.
fn compare(files: &Files, pairs: usize) {
    let with_sum = |stages: [Duration; 2]| {
        let [first, second] = stages.map(|stage| stage.as_secs_f64());
        [first, second, first + second]
    };
    let both: Vec<_> = (0..pairs).map(|_| [with_sum(whole_way(files)), with_sum(alone(files))]).collect();
    for (side, names) in [WHOLE_WAY, ALONE].into_iter().enumerate() {
        for (stage, name) in names.into_iter().enumerate() {
            let (_, median, _) = spread(both.iter().map(|pair| pair[side][stage]));
            println!("{name:<44} {median:>8.3} s");
        }
    }
    let (least, median, most) = spread(both.iter().map(|[ours, plain]| ours[2] / plain[2]));
    println!("CPU time, whole way / alone, {pairs} pairs: median {median:.2} ({least:.2} to {most:.2})");
}

/// Least, median and largest of some numbers.
fn spread(numbers: impl Iterator<Item = f64>) -> (f64, f64, f64) {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    (numbers[0], numbers[numbers.len() / 2], numbers[numbers.len() - 1])
}

/// CPU time of the process, as far as it is on the clock.
#[derive(Default)]
struct Clock(Duration);

impl Clock {
    fn run(&mut self, run: impl FnOnce()) {
        let now = || {
            let time = clock_gettime(ClockId::ProcessCPUTime);
            Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
        };
        let start = now();
        run();
        self.0 += now() - start;
    }

    fn time(run: impl FnOnce()) -> Duration {
        let mut clock = Self::default();
        clock.run(run);
        clock.0
    }
}

/// Peak memory of a process that does nothing but reconcile.
fn peak_of_child() -> String {
    let child = std::env::current_exe().and_then(|program| Command::new(program).env(PEAK, "1").output());
    let text = child.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    text.map_or_else(|| "not known on this system".to_owned(), |text| text.trim().to_owned())
}

fn peak_memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "not known on this system".to_owned(), |kilobytes| kilobytes.trim().to_owned())
}
