//! Time of a design, by criterion and size of the window.
//!
//! `cargo bench -p inbounds-mechanisms --bench designer`
//!
//! Discrete Laplace noise with a scale of 20 steps, and of 100 on the half line. A design includes the sums over the
//! law and the lower bound.

use std::{hint::black_box, time::Duration};

use criterion::{BenchmarkId, Criterion as Bench, criterion_group, criterion_main};
use inbounds_mechanisms::{
    designer::{Answers, Criterion, Designer},
    noise::DiscreteLaplace,
};

fn design(bench: &mut Bench) {
    let noise = DiscreteLaplace::with_inverse_scale("0.05".parse().expect("number")).expect("admissible");
    let mut group = bench.benchmark_group("design");
    group.sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_secs(3));
    for answers in [Answers::HalfLine, Answers::UpTo(100), Answers::UpTo(400)] {
        let designer = Designer::new(&noise, answers).expect("admissible");
        for (name, criterion) in [
            ("worst bias", Criterion::WorstBias),
            ("mean error", Criterion::MeanMse { worst_bias: 6.5 }),
            ("worst error", Criterion::WorstMse { worst_bias: 6.5 }),
        ] {
            group.bench_with_input(BenchmarkId::new(name, format!("{answers:?}")), &criterion, |b, criterion| {
                b.iter(|| black_box(designer.design(*criterion)));
            });
        }
    }
    group.finish();
    let noise = DiscreteLaplace::with_inverse_scale("0.01".parse().expect("number")).expect("admissible");
    let designer = Designer::new(&noise, Answers::HalfLine).expect("admissible");
    let mut group = bench.benchmark_group("design, scale 100");
    group.sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_secs(3));
    for (name, criterion) in [
        ("worst bias", Criterion::WorstBias),
        ("mean error", Criterion::MeanMse { worst_bias: 35.0 }),
        ("worst error", Criterion::WorstMse { worst_bias: 35.0 }),
    ] {
        group.bench_function(name, |b| b.iter(|| black_box(designer.design(criterion))));
    }
    group.finish();
}

criterion_group!(benches, design);
criterion_main!(benches);
