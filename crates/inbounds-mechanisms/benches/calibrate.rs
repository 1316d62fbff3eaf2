//! One calibration of each kind, and one draw of discrete Gaussian noise.
//!
//! `cargo bench -p inbounds-mechanisms --bench calibrate`
//!
//! Counts move by one step; a sum on a fine grid moves by `2^40` steps.

use std::hint::black_box;

use criterion::Criterion;
use inbounds_core::{Delta, Epsilon, Guarantee, Rational, Rho, Sensitivity};
use inbounds_mechanisms::{
    calibrate::{self, approximate, gaussian},
    noise::sample_discrete_gaussian,
    sampler::SeededEntropy,
};

const FINE: u128 = 1 << 40;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    pure(&mut criterion);
    approximate_laplace(&mut criterion);
    gaussian_noise(&mut criterion);
    criterion.final_summary();
}

fn number(text: &str) -> Rational {
    text.parse().expect("number")
}

fn moves(l1: u128, cells: u64) -> Sensitivity {
    Sensitivity { l1, linf: l1, cells, rule: "bench", squares: None }
}

fn pure(criterion: &mut Criterion) {
    let epsilon = Epsilon::new(number("0.5")).expect("positive");
    let mut run = |name: &str, sensitivity: Sensitivity, width: Option<u128>| {
        criterion.bench_function(&format!("pure conditioned, {name}"), |bencher| {
            bencher.iter(|| calibrate::conditioned(black_box(&epsilon), &sensitivity, width).expect("calibrates"));
        });
    };
    run("count on a half line", moves(1, 1), None);
    run("fine grid, range of ten sensitivities", moves(FINE, 1), Some(10 * FINE));
    run("fine grid, eight cells", moves(FINE, 8), Some(10 * FINE));
}

fn approximate_laplace(criterion: &mut Criterion) {
    let epsilon = Epsilon::new(number("0.5")).expect("positive");
    let delta = Delta::new(number("1e-6")).expect("a probability");
    criterion.bench_function("approximate clamped, count", |bencher| {
        bencher.iter(|| approximate::clamped(black_box(&epsilon), &delta, &moves(1, 1)).expect("calibrates"));
    });
    let mut run = |name: &str, sensitivity: Sensitivity, width: Option<u128>| {
        criterion.bench_function(&format!("approximate conditioned, {name}"), |bencher| {
            let calibrate = || approximate::conditioned(black_box(&epsilon), &delta, &sensitivity, width);
            bencher.iter(|| calibrate().expect("calibrates"));
        });
    };
    run("count on a half line", moves(1, 1), None);
    run("fine grid, half line", moves(FINE, 1), None);
    run("fine grid, range of ten sensitivities", moves(FINE, 1), Some(10 * FINE));
}

fn gaussian_noise(criterion: &mut Criterion) {
    let epsilon = Epsilon::new(number("0.5")).expect("positive");
    let delta = Delta::new(number("1e-6")).expect("a probability");
    let approximate = Guarantee::Approximate { epsilon, delta };
    let concentrated = Guarantee::ZeroConcentrated { rho: Rho::new(number("0.1")).expect("positive") };
    let mut run = |name: &str, guarantee: &Guarantee, sensitivity: Sensitivity| {
        criterion.bench_function(&format!("Gaussian, {name}"), |bencher| {
            bencher.iter(|| gaussian::variance_parameter(black_box(guarantee), &sensitivity).expect("calibrates"));
        });
    };
    run("(epsilon, delta), count", &approximate, moves(1, 1));
    run("(epsilon, delta), fine grid", &approximate, moves(FINE, 1));
    run("(epsilon, delta), eight cells", &approximate, moves(FINE, 8));
    run("rho", &concentrated, moves(FINE, 8));
    for variance in ["1", "1e6", "1e20"] {
        let sigma_squared = number(variance);
        let mut entropy = SeededEntropy::from_seed(1);
        criterion.bench_function(&format!("draw of discrete Gaussian noise, variance {variance}"), |bencher| {
            bencher.iter(|| sample_discrete_gaussian(black_box(&sigma_squared), &mut entropy));
        });
    }
}
