//! Exact draws beside the words they are made of and an insecure floor, in CPU time of one core.
//!
//! `cargo bench -p inbounds-mechanisms --bench sampler`
//!
//! Every figure is the time of a vector, and criterion prints draws per second beside it. `benches/peers/samplers.py`
//! sets the same paths beside other libraries.

mod paths;

use criterion::{Criterion, Throughput};

fn main() {
    let mut criterion = Criterion::default().sample_size(20).configure_from_args();
    let mut group = criterion.benchmark_group("draws, CPU time");
    for mut path in paths::all() {
        group.throughput(Throughput::Elements(path.draws as u64));
        group.bench_function(&path.name, |bench| {
            bench.iter_custom(|runs| (0..runs).map(|_| paths::cpu_time(&mut path.run)).sum());
        });
    }
    group.finish();
    criterion.final_summary();
}
