//! The solvers that are not trees, at the size of national tables.
//!
//! `cargo bench -p inbounds-project --bench solvers`
//!
//! All times are CPU time of the process, certificate and fresh output included.

#[path = "../clock/mod.rs"]
mod clock;

use std::hint::black_box;

use criterion::Criterion;
use inbounds_project::{
    constraint::{Bounds, Direction, MatrixConstraint, Order, Rows, Symmetric, System},
    isotonic, linear, psd, simplex,
    total::TotalError,
};

use clock::cpu_clock;

/// Cells of the vectors.
const CELLS: usize = 1_000_000;

/// Rows and columns of the table.
const TABLE: (usize, usize) = (300, 200);

/// Rows of the correlation matrix.
const MATRIX: usize = 100;

fn main() {
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    vectors(&mut criterion);
    tables(&mut criterion);
    matrices(&mut criterion);
    criterion.final_summary();
}

fn vectors(criterion: &mut Criterion) {
    let noisy: Vec<f64> = (0..CELLS).map(|i| 100.0 * scatter(i).powi(8) + 4.0 * scatter(i + CELLS) - 2.0).collect();
    let weights = vec![1.0; CELLS];
    let total = 12.0 * CELLS as f64;
    measure(criterion, "simplex, 1e6 cells", || simplex::project(&noisy, &weights, total, &Bounds::nonnegative()));
    let rising: Vec<f64> = noisy.iter().enumerate().map(|(i, y)| y + i as f64 * 1e-5).collect();
    let free = (f64::NEG_INFINITY, f64::INFINITY);
    let chain = Order::Chain(Direction::Increasing);
    measure(criterion, "isotonic chain, 1e6 cells", || isotonic::project(&rising, &weights, &chain, free));
    let parents = (0..CELLS).map(|i| (i > 0).then(|| (scatter(i) * i as f64) as usize)).collect();
    let forest = Order::Forest { parents, direction: Direction::Increasing };
    measure(criterion, "isotonic tree, 1e6 cells", || isotonic::project(&noisy, &weights, &forest, free));
    let error = TotalError::new(3_143, 1.0).expect("admissible");
    measure(criterion, "Wasserstein distance, 3143 cells", || error.wasserstein_to_noise());
}

fn tables(criterion: &mut Criterion) {
    let (height, width) = TABLE;
    let truth: Vec<f64> = (0..height * width).map(|i| (50.0 * scatter(i).powi(4)).floor()).collect();
    let places = |cell: usize| [(cell / width, cell, 1.0), (height + cell % width, cell, 1.0)];
    let triplets: Vec<(usize, usize, f64)> = (0..truth.len()).flat_map(places).collect();
    let mut margins = vec![0.0; height + width];
    triplets.iter().for_each(|&(row, cell, _)| margins[row] += truth[cell]);
    let rows = Rows::from_triplets(truth.len(), &triplets, margins).expect("well-formed");
    let noisy: Vec<f64> = truth.iter().enumerate().map(|(i, x)| x + 8.0 * scatter(i + CELLS) - 4.0).collect();
    let weights = vec![1.0; truth.len()];
    let plane = System::equalities(rows.clone());
    let nonnegative = System { bounds: Bounds::nonnegative(), ..plane.clone() };
    measure(criterion, "table of 300 x 200, equalities", || linear::project(&noisy, &weights, &plane));
    measure(criterion, "table of 300 x 200, nonnegative", || linear::project(&noisy, &weights, &nonnegative));
    let fitted = linear::project(&noisy, &weights, &nonnegative).expect("well-formed").estimates;
    measure(criterion, "table of 300 x 200, rounded", || linear::round(&fitted, &weights, &rows));
    let covariance = linear::Covariance::new(&rows, &weights).expect("well-formed");
    measure(criterion, "table of 300 x 200, variances", || covariance.variances());
}

fn matrices(criterion: &mut Criterion) {
    let entry = |i: usize, j: usize| if i == j { 1.0 } else { 0.8 * scatter(i.max(j) * MATRIX + i.min(j)) };
    let entries = (0..MATRIX * MATRIX).map(|k| entry(k / MATRIX, k % MATRIX)).collect();
    let broken = Symmetric::from_rows(MATRIX, entries).expect("symmetric");
    let correlation = MatrixConstraint::correlation(MATRIX);
    for method in [psd::Method::Newton, psd::Method::AlternatingProjections] {
        let label = format!("nearest correlation, 100 x 100, {method:?}");
        measure(criterion, &label, || psd::project(&broken, &correlation, method));
    }
}

fn measure<T>(criterion: &mut Criterion, label: &str, solve: impl Fn() -> T) {
    let label = format!("{label}, CPU time");
    criterion.bench_function(&label, |bench| {
        bench.iter_custom(|runs| {
            let start = cpu_clock();
            (0..runs).for_each(|_| drop(black_box(solve())));
            cpu_clock() - start
        });
    });
}

/// A number in `[0, 1)` that looks random.
fn scatter(i: usize) -> f64 {
    let mut z = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 * 2f64.powi(-53)
}
