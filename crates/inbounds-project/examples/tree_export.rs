//! Writes a random tree and what this crate makes of it, for other solvers to be timed on.
//!
//! `cargo run --release -p inbounds-project --example tree_export -- 1000000 target/tmp/tree`
//!
//! The folder gets `parent.npy` (-1 for the root), `value.npy` and `estimate.npy`; all variances are equal. The one
//! line printed is the median CPU time in seconds of `equality`, `project` and `integer`, certificates included.

#![expect(clippy::print_stdout, reason = "its output is its purpose")]

#[path = "../benches/tree/geography.rs"]
mod geography;

use std::{env, fs, hint::black_box, io, path::Path};

use inbounds_project::{
    constraint::tree::TreeSystem,
    tree::{TreeSolution, equality, integer, project},
};
use rustix::time::{ClockId, clock_gettime};

fn main() -> io::Result<()> {
    let mut arguments = env::args().skip(1);
    let (Some(leaves), Some(folder)) = (arguments.next().and_then(|leaves| leaves.parse().ok()), arguments.next())
    else {
        return Err(io::Error::other("usage: tree_export LEAVES FOLDER"));
    };
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let geography = geography::Geography::random(leaves, 1);
    let system = geography.system().nonnegative();
    let parents = geography.parents.iter().flat_map(|parent| parent.map_or(-1, i64::from).to_le_bytes());
    save(&folder.join("parent.npy"), "<i8", geography.parents.len(), parents.collect())?;
    save_floats(&folder.join("value.npy"), &geography.value)?;
    save_floats(&folder.join("estimate.npy"), &project(&system).estimates)?;
    println!("{} {} {}", seconds(equality, &system), seconds(project, &system), seconds(integer, &system));
    Ok(())
}

/// Median CPU time of a few runs.
fn seconds(solve: fn(&TreeSystem) -> TreeSolution, system: &TreeSystem) -> f64 {
    let now = || {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    };
    let mut times: Vec<f64> = (0..9)
        .map(|_| {
            let start = now();
            black_box(solve(black_box(system)));
            now() - start
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn save_floats(path: &Path, numbers: &[f64]) -> io::Result<()> {
    save(path, "<f8", numbers.len(), numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
}

/// One array in NumPy's format, version 1.0.
fn save(path: &Path, kind: &str, length: usize, bytes: Vec<u8>) -> io::Result<()> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({length},), }}");
    let padded = format!("{header:<117}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((padded.len() as u16).to_le_bytes());
    file.extend(padded.into_bytes());
    file.extend(bytes);
    fs::write(path, file)
}
