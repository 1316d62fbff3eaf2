//! Random tables made nonnegative and additive: the time of each, by two routes.
//!
//! `cargo bench -p inbounds-project --bench tables`
//!
//! A table is sparse and heavy-tailed, every measured number has Laplace noise of scale 4, and each table has its own
//! noise. Measured are the cells and, unless they are known, the margins and the total; *uneven* measurements have
//! variances that differ by a factor of up to 10,000. For each size, kind and route one line: tables, CPU time of the
//! quickest, the median and the slowest, and the slowest over the median. `INBOUNDS_BENCH_TABLES=1000` sets the number
//! of tables of a size, 0 for none: before them stand large tables from the total down (`down.rs`).

#![expect(clippy::print_stdout, reason = "its output is its purpose")]

#[path = "../clock/mod.rs"]
mod clock;
mod down;

use std::{hint::black_box, time::Duration};

use inbounds_project::{
    certificate::Status,
    constraint::{Bounds, Rows, System},
    linear::{self, LinearRoute},
};

use clock::cpu_clock;

/// Rows and columns, and the share of the tables that this size gets.
const SIZES: [((usize, usize), usize); 4] = [((9, 24), 1), ((100, 24), 1), ((300, 50), 10), ((1000, 100), 40)];

/// Most cells for the interior point method: where its proposal is not corrected in time, larger tables take minutes.
const LARGEST_BY_INTERIOR_POINT: usize = 2400;

/// Runs of the same table, of which the quickest counts: what else the machine does is not the table's time.
const RUNS: usize = 3;

/// The margins that are given besides noisy cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Noisy margins and total.
    Measured,
    /// The same with variances of any size.
    Uneven,
    /// Exact margins and total.
    Known,
}

fn main() {
    let tables = std::env::var("INBOUNDS_BENCH_TABLES").ok().and_then(|n| n.parse().ok()).unwrap_or(1000_usize);
    down::all();
    if tables == 0 {
        return;
    }
    println!(
        "{:>11} {:<9} {:<14} {:>7} {:>11} {:>11} {:>11} {:>8}",
        "table", "kind", "route", "tables", "least ms", "median", "most", "ratio"
    );
    let kinds = [Kind::Measured, Kind::Uneven, Kind::Known];
    for (((height, width), share), kind) in SIZES.into_iter().flat_map(|size| kinds.map(|kind| (size, kind))) {
        for route in [LinearRoute::DualNewton, LinearRoute::InteriorPoint] {
            let number = match route {
                LinearRoute::InteriorPoint if height * width > LARGEST_BY_INTERIOR_POINT => continue,
                LinearRoute::InteriorPoint => tables.div_ceil(100),
                _ => (tables / share).max(1),
            };
            let mut times: Vec<f64> =
                (0..number).map(|seed| 1e3 * time((height, width), kind, seed, route).as_secs_f64()).collect();
            times.sort_by(f64::total_cmp);
            let (least, median, most) = (times[0], times[number / 2], times[number - 1]);
            let size = format!("{height} x {width}");
            let (kind, route) = (format!("{kind:?}"), format!("{route:?}"));
            println!(
                "{size:>11} {kind:<9} {route:<14} {number:>7} {least:>11.3} {median:>11.3} {most:>11.3} {:>8.2}",
                most / median
            );
        }
    }
}

fn time((height, width): (usize, usize), kind: Kind, seed: usize, route: LinearRoute) -> Duration {
    let (values, weights, system) = table(height, width, kind, seed);
    let run = |_| {
        let start = cpu_clock();
        let solution = black_box(linear::project_by(&values, &weights, &system, route)).expect("well-formed");
        let time = cpu_clock() - start;
        assert_eq!(
            solution.status,
            Status::Optimal,
            "{height} x {width}, {kind:?}, seed {seed}: {:?}",
            solution.certificate
        );
        time
    };
    let runs = if route == LinearRoute::InteriorPoint { 1 } else { RUNS };
    (0..runs).map(run).min().expect("a run")
}

/// Noisy total, row sums, column sums and cells, with the sums as equalities.
fn table(height: usize, width: usize, kind: Kind, seed: usize) -> (Vec<f64>, Vec<f64>, System) {
    let cells = height * width;
    let (row, column, cell) = (|i: usize| 1 + i, |j: usize| 1 + height + j, |k: usize| 1 + height + width + k);
    let mut truth = vec![0.0; 1 + height + width + cells];
    for k in 0..cells {
        let size = 40.0 * scatter(k / width, 7) * scatter(k % width, 8);
        let count = if scatter(k, 9) < 0.7 { 0.0 } else { (-size * scatter(k, 10).ln()).floor() };
        for sum in [0, row(k / width), column(k % width), cell(k)] {
            truth[sum] += count;
        }
    }
    let mut triplets: Vec<(usize, usize, f64)> = (0..height).map(|i| (0, row(i), 1.0)).collect();
    triplets.push((0, 0, -1.0));
    triplets.extend((0..height).map(|i| (row(i), row(i), -1.0)));
    triplets.extend((0..width).map(|j| (column(j), column(j), -1.0)));
    triplets.extend((0..cells).flat_map(|k| [(row(k / width), cell(k), 1.0), (column(k % width), cell(k), 1.0)]));
    let equalities = Rows::from_triplets(truth.len(), &triplets, vec![0.0; 1 + height + width]).expect("well-formed");
    let laplace = |i: usize| {
        let u = scatter(i, 1000 + seed) - 0.5;
        -4.0 * u.signum() * (1.0 - 2.0 * u.abs()).ln()
    };
    let known = |i: usize| kind == Kind::Known && i < cell(0);
    let values = truth.iter().enumerate().map(|(i, x)| if known(i) { *x } else { x + laplace(i) }).collect();
    let weight = |i: usize| if kind == Kind::Uneven { 1e4f64.powf(-scatter(i, 11)) } else { 1.0 };
    let weights = (0..truth.len()).map(weight).collect();
    let inequalities = Rows::none(truth.len());
    let bounds = match kind {
        Kind::Measured | Kind::Uneven => Bounds::nonnegative(),
        Kind::Known => Bounds::Each {
            lower: (0..truth.len()).map(|i| if known(i) { truth[i] } else { 0.0 }).collect(),
            upper: (0..truth.len()).map(|i| if known(i) { truth[i] } else { f64::INFINITY }).collect(),
        },
    };
    (values, weights, System { equalities, inequalities, bounds })
}

/// A number strictly between 0 and 1 that looks random.
fn scatter(i: usize, stream: usize) -> f64 {
    let mut z = ((i as u64) << 24 ^ stream as u64).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for _ in 0..2 {
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
    }
    ((z >> 11) as f64 + 0.5) * 2f64.powi(-53)
}
