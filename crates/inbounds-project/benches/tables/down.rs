//! Large two-way tables from the total down, real and whole, plain and shrunk.
//!
//! Most cells are empty, the others heavy-tailed; the total, both margins and the cells have Laplace noise of scale 4.
//! Measured are the linear fit alone and each fit from it on.

use std::hint::black_box;

use inbounds_project::{
    certificate::Status,
    table::{Axes, MeasuredMargin, TableNumbers, TableSystem, linear, shrunk_from, top_down_from},
};

use super::{clock::cpu_clock, scatter};

/// Rows and columns.
const SIZES: [[usize; 2]; 3] = [[300, 50], [1000, 1000], [20_000, 50]];
/// Runs, of which the quickest counts.
const RUNS: usize = 5;

pub(super) fn all() {
    println!(
        "{:>12} {:>10} {:>10} {:>10} {:>10} {:>10}   CPU ms",
        "table", "linear", "real", "whole", "shrunk", "whole"
    );
    for sizes in SIZES {
        let system = system(sizes);
        let fit = linear(&system).expect("nothing is exact");
        let linear = quickest(|| drop(black_box(linear(&system))));
        let [real, integers] = [TableNumbers::Real, TableNumbers::Whole].map(|numbers| {
            [top_down_from, shrunk_from].map(|from| {
                quickest(|| {
                    let solution = black_box(from(&sizes, &fit, numbers)).expect("one table");
                    assert_eq!(solution.status, Status::Optimal, "{:?}", solution.certificate);
                })
            })
        });
        let size = format!("{} x {}", sizes[0], sizes[1]);
        println!(
            "{size:>12} {linear:>10.2} {:>10.2} {:>10.2} {:>10.2} {:>10.2}",
            real[0], integers[0], real[1], integers[1]
        );
    }
    println!();
}

fn quickest(run: impl Fn()) -> f64 {
    let time = |_| {
        let start = cpu_clock();
        run();
        1e3 * (cpu_clock() - start).as_secs_f64()
    };
    (0..RUNS).map(time).fold(f64::INFINITY, f64::min)
}

fn system([rows, columns]: [usize; 2]) -> TableSystem {
    let count = |cell: usize| {
        let size = 40.0 * scatter(cell / columns, 7) * scatter(cell % columns, 8);
        if scatter(cell, 9) < 0.8 { 0.0 } else { (-size * scatter(cell, 10).ln()).floor() }
    };
    let cells: Vec<f64> = (0..rows * columns).map(count).collect();
    let sum = |place: &dyn Fn(usize) -> usize, length: usize| {
        let mut sums = vec![0.0; length];
        cells.iter().enumerate().for_each(|(cell, count)| sums[place(cell)] += count);
        sums
    };
    let margins = [
        (Axes::NONE, sum(&|_| 0, 1)),
        (Axes::new([0]), sum(&|cell| cell / columns, rows)),
        (Axes::new([1]), sum(&|cell| cell % columns, columns)),
        (Axes::new([0, 1]), cells.clone()),
    ];
    let laplace = |place: usize, stream: usize| {
        let u = scatter(place, stream) - 0.5;
        -4.0 * u.signum() * (1.0 - 2.0 * u.abs()).ln()
    };
    let measured = (20..).zip(margins).map(|(stream, (axes, sums))| MeasuredMargin {
        axes,
        values: sums.iter().enumerate().map(|(place, sum)| sum + laplace(place, stream)).collect(),
        variance: 32.0,
    });
    TableSystem::new(vec![rows, columns], measured.collect()).expect("a table")
}
