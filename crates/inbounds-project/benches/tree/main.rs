//! Least squares on trees like US geography: under equalities, nonnegative, and whole, jointly and top-down.
//!
//! `cargo bench -p inbounds-project --bench tree`
//!
//! All times are CPU time of the process, certificate and fresh output included. Besides criterion's figures it prints
//! a table of medians with ratios and memory: what a solver needs at its peak beyond its input, output included,
//! relative to the input (value, variance and child offsets).
//!
//! `INBOUNDS_BENCH_LEAVES=8000000` sets other sizes, separated by commas.

#![expect(clippy::print_stdout, reason = "its output is its purpose")]

#[path = "../clock/mod.rs"]
mod clock;
mod geography;

use std::{fs, hint::black_box, process::Command, time::Duration};

use clock::cpu_clock;
use criterion::Criterion;
use geography::Geography;
use inbounds_project::{
    certificate::Status,
    constraint::tree::TreeSystem,
    tree::{
        TreeRoute, TreeSolution, equality, integer, project_by, shrunk, shrunk_integer, top_down, top_down_integer,
    },
};

type Solver = fn(&TreeSystem) -> TreeSolution;

const SOLVERS: [(&str, Solver); 8] = [
    ("equality", |system| equality(system)),
    ("newton", |system| project_by(system, TreeRoute::Newton).expect("nonnegative")),
    ("breakpoints", |system| project_by(system, TreeRoute::Breakpoints).expect("nonnegative")),
    ("integer", |system| integer(system)),
    ("top-down", |system| top_down(system)),
    ("top-down integer", |system| top_down_integer(system)),
    ("shrunk", |system| shrunk(system)),
    ("shrunk integer", |system| shrunk_integer(system)),
];

/// Set in the process that measures the memory of one solver at one size.
const PEAK: &str = "INBOUNDS_BENCH_PEAK";

fn main() {
    if let Ok(task) = std::env::var(PEAK) {
        return print_peak(&task);
    }
    let sizes = std::env::var("INBOUNDS_BENCH_LEAVES").unwrap_or_else(|_| "10000,100000,1000000".to_owned());
    let sizes: Vec<usize> = sizes.split(',').map(|size| size.trim().parse().expect("a number of leaves")).collect();
    let systems: Vec<TreeSystem> =
        sizes.iter().map(|&size| Geography::random(size, 1).system().nonnegative()).collect();
    for (system, &size) in systems.iter().zip(&sizes) {
        table(system, size);
    }
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    for system in &systems {
        for (name, solve) in SOLVERS {
            let label = format!("{name}, {} leaves, CPU time", system.tree().leaves());
            criterion.bench_function(&label, |bench| bench.iter_custom(|runs| cpu_time(runs, solve, system)));
        }
    }
    criterion.final_summary();
}

fn table(system: &TreeSystem, size: usize) {
    let (nodes, leaves) = (system.tree().nodes(), system.tree().leaves());
    println!(
        "\n{leaves} leaves, {nodes} nodes\n{:<16} {:>12} {:>12} {:>12}",
        "", "CPU ms", "/ equality", "extra/input"
    );
    let input = (16 * nodes + 4 * (nodes - leaves)) as f64;
    let mut base = None;
    for (index, (name, solve)) in SOLVERS.into_iter().enumerate() {
        let memory = peak(index, size) / input;
        let mut times: Vec<Duration> = (0..repetitions(nodes)).map(|_| cpu_time(1, solve, system)).collect();
        times.sort();
        let median = times[times.len() / 2].as_secs_f64() * 1e3;
        let ratio = median / *base.get_or_insert(median);
        println!("{name:<16} {median:>12.3} {ratio:>12.2} {memory:>12.2}");
    }
}

fn repetitions(nodes: usize) -> usize {
    (20_000_000 / nodes).clamp(5, 101)
}

fn cpu_time(runs: u64, solve: Solver, system: &TreeSystem) -> Duration {
    let start = cpu_clock();
    for _ in 0..runs {
        assert_eq!(black_box(solve(black_box(system))).status, Status::Optimal);
    }
    cpu_clock() - start
}

/// Bytes that one run needs at its peak, its result included: measured in a process of its own, where memory freed
/// before goes back to the system and does not hide what a solver takes. Not a number where the system does not tell.
fn peak(solver: usize, size: usize) -> f64 {
    let Ok(program) = std::env::current_exe() else { return f64::NAN };
    let child =
        Command::new(program).env(PEAK, format!("{solver} {size}")).env("MALLOC_MMAP_THRESHOLD_", "65536").output();
    child.ok().and_then(|output| String::from_utf8(output.stdout).ok()?.trim().parse().ok()).unwrap_or(f64::NAN)
}

/// The task of the process that measures memory.
fn print_peak(task: &str) {
    let (solver, size) = task.split_once(' ').expect("a solver and a size");
    let (_, solve) = SOLVERS[solver.parse::<usize>().expect("a number")];
    let system = Geography::random(size.parse().expect("a number"), 1).system().nonnegative();
    let reset = fs::write("/proc/self/clear_refs", "5");
    let before = kilobytes("VmRSS:");
    black_box(solve(&system));
    let after = kilobytes("VmHWM:");
    println!("{}", if reset.is_ok() { (after - before) * 1024.0 } else { f64::NAN });
}

fn kilobytes(field: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(f64::NAN)
}
