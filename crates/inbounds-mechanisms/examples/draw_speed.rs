//! Exact draws per second of CPU time on one core, as lines `name<TAB>millions of draws per second`.
//!
//! `cargo run --release -p inbounds-mechanisms --example draw_speed`
//!
//! The best of many vectors of a million draws each, into memory that has been written before.
//! `benches/peers/samplers.py` reads the lines and sets them beside other libraries; the criterion benchmark `sampler`
//! measures the same paths.

#![expect(clippy::print_stdout, reason = "its output is its purpose")]

#[path = "../benches/sampler/paths.rs"]
mod paths;

use std::time::Duration;

/// Vectors of which the quickest counts.
const REPEATS: usize = 40;

fn main() {
    for mut path in paths::all() {
        (path.run)();
        let best = (0..REPEATS).map(|_| paths::cpu_time(&mut path.run)).min().unwrap_or(Duration::MAX);
        println!("{}\t{:.1}", path.name, path.draws as f64 / best.as_secs_f64() / 1e6);
    }
}
