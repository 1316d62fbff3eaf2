//! Tables of shrunk numbers: sums hold, the total stays, small cells are estimated better, and no noise is invented.

use inbounds_project::{
    certificate::Status,
    table::{Axes, MeasuredMargin, TableNumbers, TableSolution, TableSystem, linear, parts, shrunk_from, top_down},
};

use crate::draws::Draws;

fn sums(sizes: &[usize], outer: Axes, cells: &[f64], inner: Axes) -> Vec<f64> {
    let mut sums = vec![0.0; inner.iter().map(|axis| sizes[axis]).product()];
    parts(sizes, outer, inner).into_iter().zip(cells).for_each(|(part, cell)| sums[part] += cell);
    sums
}

/// A table of counts of which some rows hold most, all margins measured with Laplace noise; the truth by margin.
fn measured(draws: &mut Draws, sizes: &[usize], scale: f64) -> (TableSystem, Vec<Vec<f64>>) {
    let all = Axes::new(0..sizes.len());
    let cells: usize = sizes.iter().product();
    let holds: Vec<bool> = (0..sizes[0]).map(|_| draws.chance(0.3)).collect();
    let first = parts(sizes, all, Axes::new([0]));
    let count = |cell: usize, draws: &mut Draws| {
        if holds[first[cell]] && draws.chance(0.3) { draws.between(1, 90) as f64 } else { 0.0 }
    };
    let truth: Vec<f64> = (0..cells).map(|cell| count(cell, draws)).collect();
    let truth: Vec<Vec<f64>> = all.subsets().into_iter().map(|axes| sums(sizes, all, &truth, axes)).collect();
    let margins = all.subsets().into_iter().zip(&truth).map(|(axes, truth)| MeasuredMargin {
        axes,
        values: truth.iter().map(|count| count + scale * draws.laplace()).collect(),
        variance: 2.0 * scale * scale,
    });
    (TableSystem::new(sizes.to_vec(), margins.collect()).expect("a table"), truth)
}

fn solved(system: &TableSystem, sizes: &[usize], numbers: TableNumbers) -> TableSolution {
    shrunk_from(sizes, &linear(system).expect("nothing is exact"), numbers).expect("one table")
}

#[test]
fn sums_hold_and_the_total_stays() {
    let mut draws = Draws::seeded(81);
    for round in 0..150 {
        let sizes: Vec<usize> = (0..1 + round % 3).map(|_| draws.between(2, 7)).collect();
        let (system, _) = measured(&mut draws, &sizes, 4.0);
        let all = Axes::new(0..sizes.len());
        for numbers in [TableNumbers::Real, TableNumbers::Whole] {
            let (solution, plain) = (solved(&system, &sizes, numbers), top_down(&system, numbers).expect("one table"));
            assert_eq!(solution.status, Status::Optimal, "{sizes:?} {:?}", solution.certificate);
            assert_eq!(solution.margins[0], plain.margins[0]);
            let cells = solution.margins.last().expect("cells");
            let tolerance = if numbers == TableNumbers::Whole { 0.0 } else { 1e-9 * solution.margins[0][0].max(1.0) };
            for (axes, margin) in system.margins().iter().zip(&solution.margins) {
                assert!(margin.iter().all(|x| *x >= 0.0 && (numbers == TableNumbers::Real || x.fract() == 0.0)));
                let off = sums(&sizes, all, cells, *axes).into_iter().zip(margin).map(|(sum, x)| (sum - x).abs());
                assert!(off.fold(0.0, f64::max) <= tolerance, "{sizes:?} {axes}");
            }
        }
    }
}

/// Ten tables of 30 by 20: mean square errors of rows, columns and cells are 0.95, 0.95 and 0.93 times those of the
/// top-down fit.
#[test]
fn sparse_margins_and_cells_are_estimated_better() {
    let mut draws = Draws::seeded(82);
    let sizes = [30, 20];
    let mut squares = [[0.0; 4]; 2];
    for _ in 0..10 {
        let (system, truth) = measured(&mut draws, &sizes, 30.0);
        let plain = top_down(&system, TableNumbers::Real).expect("one table");
        for (squares, solution) in squares.iter_mut().zip([plain, solved(&system, &sizes, TableNumbers::Real)]) {
            for ((square, solution), truth) in squares.iter_mut().zip(&solution.margins).zip(&truth) {
                *square += solution.iter().zip(truth).map(|(solution, truth)| (solution - truth).powi(2)).sum::<f64>();
            }
        }
    }
    let ratios: Vec<f64> = (0..4).map(|margin| squares[1][margin] / squares[0][margin]).collect();
    assert!(ratios[1] < 0.98 && ratios[2] < 1.0 && ratios[3] < 0.97, "{ratios:?}");
}
