//! A table at every node of a geography: errors beside those of other methods, and the time of national sizes.
//!
//! `cargo bench -p inbounds-project --bench nodes`
//!
//! Three geographies with a table at every node (`data.rs`) are measured at every level and in every margin, with equal
//! parts of epsilon and Laplace noise. For each level and margin one line has the RMSE of all its cells, with its
//! standard error over the runs, by
//!
//! - `real`, `whole`, `shrunk`: `table::tree`, real and whole numbers, and real ones shrunk;
//! - `linear`: its linear fit, which may be negative;
//! - `chain`: a chain of levels whose last one has the cells, all that was possible before;
//! - `topdown`: each family by nonnegative least squares on the answers about its children, given their parent (the
//!   first phase of TopDown);
//! - `bluedown`: the linear fit from below first, then each family by nonnegative least squares on its estimates of
//!   the children, given their parent (BlueDown);
//! - `cells`: the linear fit, then each cell of a parent divided among the same cells of its children alone.
//!
//! Rivals are not rounded, so `whole` is compared with more than they publish. `INBOUNDS_BENCH_RUNS` sets the number of
//! runs, `INBOUNDS_BENCH_CLASSES=1` adds a line for each size of the true number. Then follow tables of national size
//! (`national.rs`), unless `INBOUNDS_BENCH_NATIONAL=0`.

#![expect(clippy::print_stdout, reason = "its output is its purpose")]

#[path = "../clock/mod.rs"]
mod clock;
mod data;
mod national;
mod rivals;

use inbounds_project::{
    certificate::Status,
    constraint::tree::Tree,
    table::{
        Axes, MeasuredMargin, TableNumbers,
        tree::{TableTree, linear, shrunk, top_down},
    },
};

use data::Geography;

/// The methods, by what their columns are called.
const METHODS: [&str; 8] = ["real", "whole", "shrunk", "linear", "chain", "topdown", "bluedown", "cells"];

/// Ends of the classes of true numbers.
const CLASSES: [(f64, &str); 4] = [(1.0, "0"), (10.0, "1 to 9"), (1000.0, "10 to 999"), (f64::INFINITY, "1000 on")];

fn main() {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<usize>().ok());
    let runs = number("INBOUNDS_BENCH_RUNS").unwrap_or(20);
    let classes = number("INBOUNDS_BENCH_CLASSES") == Some(1);
    if runs > 0 {
        for geography in data::all() {
            for epsilon in [1.0, 0.1] {
                compare(&geography, epsilon, runs, classes);
            }
        }
    }
    if number("INBOUNDS_BENCH_NATIONAL") != Some(0) {
        national::all();
    }
}

/// Sums of squares of errors of a level, margin and class, of one run.
type Squares = Vec<f64>;

fn compare(geography: &Geography, epsilon: f64, runs: usize, classes: bool) {
    let subsets = Axes::new(0..geography.sizes.len()).subsets();
    let levels = geography.levels();
    println!(
        "\n{}, epsilon {epsilon}: {} nodes, {} cells each, {runs} runs",
        geography.name,
        geography.parents.len(),
        geography.table()
    );
    print!("{:<10} {:<16} {:>9}", "level", "margin", "cells");
    METHODS.iter().for_each(|method| print!(" {method:>15}"));
    println!(" {:>14}", "whole/best");
    // By run: the errors of each method at each node.
    let computed: Vec<Vec<Vec<f64>>> = (0..runs as u64).map(|seed| run(geography, epsilon, seed)).collect();
    for (level, name) in levels.iter().enumerate() {
        for &axes in &subsets {
            let mut rows = vec![(f64::NEG_INFINITY, f64::INFINITY, "")];
            if classes {
                let begins = std::iter::once(f64::NEG_INFINITY).chain(CLASSES.iter().map(|(end, _)| *end));
                rows.extend(begins.zip(CLASSES).map(|(begin, (end, name))| (begin, end, name)));
            }
            for (begin, end, class) in rows {
                let truth = geography.margins(level, axes, &geography.truth);
                let among: Vec<usize> =
                    (0..truth.len()).filter(|&cell| truth[cell] >= begin && truth[cell] < end).collect();
                if among.is_empty() {
                    continue;
                }
                let of_method = |method: usize| -> Squares {
                    let of_run = |estimates: &Vec<Vec<f64>>| {
                        let cells = geography.margins(level, axes, &estimates[method]);
                        among.iter().map(|&cell| (cells[cell] - truth[cell]).powi(2)).sum::<f64>() / among.len() as f64
                    };
                    computed.iter().map(of_run).collect()
                };
                let squares: Vec<Squares> = (0..METHODS.len()).map(of_method).collect();
                line(name, &geography.called(axes), class, among.len(), &squares);
            }
        }
    }
}

fn line(level: &str, margin: &str, class: &str, cells: usize, squares: &[Squares]) {
    let runs = squares[0].len() as f64;
    let mean = |squares: &Squares| squares.iter().sum::<f64>() / runs;
    let margin = if class.is_empty() { margin.to_owned() } else { format!("  at {class}") };
    print!("{level:<10} {margin:<16} {cells:>9}");
    for squares in squares {
        let (mean, second) = (mean(squares), squares.iter().map(|square| square * square).sum::<f64>() / runs);
        let error = ((second - mean * mean).max(0.0) / runs).sqrt() / (2.0 * mean.sqrt());
        print!(" {:>9.2} ±{error:>4.2}", mean.sqrt());
    }
    // The paired ratio of whole numbers to the better of topdown and bluedown.
    let rivals = [5, 6].map(|method| mean(&squares[method]));
    let best = (0..2).min_by(|&one, &other| rivals[one].total_cmp(&rivals[other])).unwrap_or(0);
    let differences: Squares = squares[1].iter().zip(&squares[5 + best]).map(|(ours, theirs)| ours - theirs).collect();
    let (difference, second) = (mean(&differences), differences.iter().map(|x| x * x).sum::<f64>() / runs);
    let error = ((second - difference * difference).max(0.0) / runs).sqrt();
    let ratio = (mean(&squares[1]) / rivals[best]).sqrt();
    println!(" {ratio:>8.3} ±{:>4.3}", error / (2.0 * rivals[best] * ratio.max(1e-9)));
}

/// The estimates of every method, each with the tables of all nodes.
fn run(geography: &Geography, epsilon: f64, seed: u64) -> Vec<Vec<f64>> {
    let mut noise = data::Draws::seeded(0x5EED + seed);
    let measured = geography.measure(epsilon, &mut noise);
    let tree = Tree::from_parents(&geography.parents).expect("a tree");
    let system = TableTree::new(geography.sizes.clone(), tree, measured.clone()).expect("a tree of tables");
    let fit = linear(&system).expect("nothing is exact");
    let all = Axes::new(0..geography.sizes.len());
    let unbounded: Vec<f64> =
        (0..fit.nodes()).flat_map(|node| fit.margin(node, all).expect("cells were measured").values).collect();
    let solved = |solution: Result<inbounds_project::table::tree::TableTreeSolution, _>| {
        let solution =
            solution.unwrap_or_else(|refusal: inbounds_project::table::tree::TableTreeRefusal| panic!("{refusal}"));
        assert_eq!(solution.status, Status::Optimal, "{:?}", solution.certificate);
        solution.cells
    };
    let mut estimates = vec![
        solved(top_down(&fit, TableNumbers::Real)),
        solved(top_down(&fit, TableNumbers::Whole)),
        solved(shrunk(&fit, TableNumbers::Real)),
        unbounded.clone(),
        rivals::chain(geography, epsilon, &mut noise),
    ];
    estimates.push(rivals::down(geography, |node| measured[node].clone()));
    estimates.push(rivals::blue_down(geography, &measured));
    estimates.push(rivals::by_cells(geography, &unbounded));
    estimates
}

/// The measurements of all margins of a node.
pub(crate) type Margins = Vec<MeasuredMargin>;
