//! Which fit errs least at which level of hierarchies of real people, with noise that all fits of a run share.
//!
//! `cargo test -p inbounds-release --test it fits -- --ignored --nocapture`
//!
//! The sparse hierarchy of the adult census extract (16,800 finest cells, 80 % of them empty), group quarters by tract
//! (38 % of 72,890 empty) and the people of 239,780 block groups. The default is held to every published fit at every
//! level: its mean square error over the runs may not be above that of the other with an RMSE 5 % larger by more than
//! three standard errors of the paired difference. The linear fit is unbiased with variances in closed form, and held
//! to these by four standard errors: at the top it is a mean of squares of nearly Laplace errors, of relative standard
//! error `sqrt(5 / runs)`.

#![expect(clippy::print_stdout, reason = "the tables are what the study is for")]

mod hierarchies;
mod published;
mod tables;

use inbounds_mechanisms::{
    noise::DiscreteLaplace,
    sampler::{Reach, SeededEntropy, sample_discrete_laplace},
};
use inbounds_project::{
    constraint::tree::{Tree, TreeSystem},
    tree::{equality, integer, shrunk_integer, top_down_integer},
};

use self::hierarchies::Hierarchy;

/// The fits, the default second and the shrunk one last. All others are published.
const FITS: [&str; 6] = ["linear", "top-down", "joint", "sequential", "Chebyshev", "shrunk"];
const PUBLISHED: [usize; 4] = [0, 2, 3, 4];
const DEFAULT: usize = 1;
const SHRUNK: usize = 5;
/// Classes of the true sizes of leaves, which begin at these numbers.
const SIZES: [f64; 6] = [0.0, 1.0, 10.0, 100.0, 1000.0, 10000.0];
/// Largest ratio of an RMSE of the default fit to that of the best published fit.
const TOLERATED: f64 = 1.05;

/// Mean square errors of each fit by run and level.
type Squares = [Vec<Vec<f64>>; FITS.len()];

/// Of each fit and class of leaves: how many, the sums of their errors and of the squares.
type BySize = [[(f64, f64, f64); SIZES.len()]; FITS.len()];

fn variance_of(scale: f64) -> f64 {
    0.5 / (0.5 / scale).sinh().powi(2)
}

fn study(hierarchy: &Hierarchy, epsilon: f64, shares: &[f64], runs: usize) -> (Squares, BySize) {
    let law = |share: &f64| {
        let inverse = format!("{}", share * epsilon).parse().expect("a number");
        (*share > 0.0).then(|| DiscreteLaplace::with_inverse_scale(inverse).expect("a law"))
    };
    let laws: Vec<Option<DiscreteLaplace>> = shares.iter().map(law).collect();
    let nodes = hierarchy.truth.len();
    let levels: Vec<usize> = (0..nodes).map(|node| hierarchy.level_of(node)).collect();
    let variance: Vec<f64> = levels.iter().map(|&level| variance_of(1.0 / (shares[level] * epsilon))).collect();
    let tree = Tree::from_parents(&hierarchy.parents).expect("a tree");
    let mut entropy = SeededEntropy::from_seed(1);
    let (mut squares, mut by_size) = (Squares::default(), BySize::default());
    let leaves = hierarchy.nodes(hierarchy.levels() - 1);
    for _ in 0..runs {
        let noisy = |node: usize| match &laws[levels[node]] {
            Some(law) => hierarchy.truth[node] + sample_discrete_laplace(law, Reach::UNLIMITED, &mut entropy) as f64,
            None => 0.0,
        };
        let value: Vec<f64> = (0..nodes).map(noisy).collect();
        let system = TreeSystem::new(tree.clone(), value.clone(), variance.clone()).expect("a system");
        let linear = equality(&system).estimates;
        let system = system.nonnegative();
        // Fits that take each family by itself need every level measured.
        let all = shares.iter().all(|share| *share > 0.0);
        let by_family = |fit: fn(&Hierarchy, &[f64]) -> Vec<f64>| if all { fit(hierarchy, &value) } else { Vec::new() };
        let fits = [
            linear,
            top_down_integer(&system).estimates,
            integer(&system).estimates,
            by_family(published::sequential),
            by_family(published::chebyshev),
            shrunk_integer(&system).estimates,
        ];
        let all = squares.iter_mut().zip(&mut by_size).zip(fits).filter(|(_, estimates)| !estimates.is_empty());
        for ((squares, by_size), estimates) in all {
            for leaf in leaves.clone() {
                let (truth, error) = (hierarchy.truth[leaf], estimates[leaf] - hierarchy.truth[leaf]);
                let class = &mut by_size[SIZES.partition_point(|begin| *begin <= truth) - 1];
                *class = (class.0 + 1.0, class.1 + error, class.2 + error * error);
            }
            let square = |node: usize| (estimates[node] - hierarchy.truth[node]).powi(2);
            let mean = |level: usize| {
                let nodes = hierarchy.nodes(level);
                nodes.clone().map(square).sum::<f64>() / nodes.len() as f64
            };
            squares.push((0..hierarchy.levels()).map(mean).collect());
        }
    }
    (squares, by_size)
}

/// Mean and standard error of some numbers.
fn mean(numbers: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let n = numbers.clone().count() as f64;
    let mean = numbers.clone().sum::<f64>() / n;
    (mean, (numbers.map(|number| (number - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt())
}

/// Prints mean error and RMSE of leaves by their true size, and holds the shrunk fit to the default, up to a twentieth,
/// for leaves of less than ten.
fn report_by_size(by_size: &BySize) {
    println!(
        "leaves by true size: bias / RMSE{}",
        SIZES.map(|begin| format!("{:>16}", format!("from {begin}"))).concat()
    );
    let said = |(count, sum, square): (f64, f64, f64)| (sum / count, (square / count).sqrt());
    for (name, classes) in FITS.iter().zip(by_size).filter(|(_, classes)| classes.iter().any(|class| class.0 > 0.0)) {
        let cell = |class: &(f64, f64, f64)| {
            let (bias, rmse) = said(*class);
            format!("{:>16}", if class.0 > 0.0 { format!("{bias:.2} / {rmse:.2}") } else { "-".to_owned() })
        };
        println!("{name:<32}{}", classes.iter().map(cell).collect::<String>());
    }
    println!();
    let small = |fit: usize| {
        let [none, few] = [0, 1].map(|class| by_size[fit][class]);
        said((none.0 + few.0, none.1 + few.1, none.2 + few.2)).1
    };
    let (plain, shrunk) = (small(DEFAULT), small(SHRUNK));
    println!("RMSE of leaves below 10, shrunk to top-down: {:.3}\n", shrunk / plain);
    assert!(shrunk < 1.05 * plain, "{shrunk} {plain}");
}

/// Prints RMSE by level with standard errors, and holds the default to the others.
fn report(hierarchy: &Hierarchy, epsilon: f64, shares: &[f64], squares: &Squares, held: bool) {
    let mean_square = |fit: usize, level: usize| mean(squares[fit].iter().map(move |run| run[level]));
    println!("{}, epsilon {epsilon}, {} runs, shares {shares:.3?}", hierarchy.name, squares[0].len());
    let variances: Vec<f64> = shares.iter().map(|share| variance_of(1.0 / (share * epsilon))).collect();
    let exact = hierarchy.linear(&variances);
    println!("{:<16}{}", "linear, exact", exact.iter().map(|rmse| format!("{rmse:>18.2}")).collect::<String>());
    for (fit, name) in FITS.iter().enumerate().filter(|(fit, _)| !squares[*fit].is_empty()) {
        let cell = |level: usize| {
            let (square, error) = mean_square(fit, level);
            format!("{:>10.2} ({:>5.2})", square.sqrt(), error / (2.0 * square.sqrt()))
        };
        println!("{name:<16}{}", (0..hierarchy.levels()).map(cell).collect::<String>());
    }
    for own in [DEFAULT, SHRUNK] {
        let mut largest = 0.0_f64;
        for (fit, level) in PUBLISHED.into_iter().flat_map(|fit| (0..hierarchy.levels()).map(move |level| (fit, level)))
        {
            if squares[fit].is_empty() {
                continue;
            }
            largest = largest.max((mean_square(own, level).0 / mean_square(fit, level).0).sqrt());
            let pairs = squares[own].iter().zip(&squares[fit]);
            let (over, error) = mean(pairs.map(|(own, other)| own[level] - TOLERATED.powi(2) * other[level]));
            let (name, other) = (FITS[own], FITS[fit]);
            assert!(!held || over <= 3.0 * error, "{name} against {other} at level {level}: {over} ({error})");
        }
        println!("largest ratio of {} to a published fit at a level: {largest:.3}", FITS[own]);
    }
    println!();
    let chance = 4.0 * (5.0 / squares[0].len() as f64).sqrt();
    let (square, _) = mean_square(0, 0);
    assert!((square / exact[0].powi(2) - 1.0).abs() < chance, "{square} {exact:?}");
}

#[test]
#[ignore = "slow: tens of fits of up to 327,389 nodes by five methods; run by name"]
fn the_default_errs_at_most_5_percent_more_than_any_published_fit_at_any_level() {
    let all = [(hierarchies::adult(), 60), (hierarchies::group_quarters(), 40), (hierarchies::census(), 10)];
    for (hierarchy, runs) in all {
        let Some(hierarchy) = hierarchy else {
            println!("SKIPPED: no data folder; set INBOUNDS_DATA to one that holds adult.csv.gz, beside `geo`");
            continue;
        };
        let levels = hierarchy.levels();
        let even = vec![1.0 / levels as f64; levels];
        let balanced = hierarchy.balanced();
        for (shares, held) in [(&even, true), (&balanced, false)] {
            for epsilon in [1.0, 0.1] {
                let (squares, by_size) = study(&hierarchy, epsilon, shares, runs);
                report(&hierarchy, epsilon, shares, &squares, held);
                report_by_size(&by_size);
                if hierarchy.name == "adult" {
                    // What bounds cut off from 13,000 empty cells moves the total of the joint fit.
                    let root = |fit: usize| mean(squares[fit].iter().map(|run| run[0])).0.sqrt();
                    assert!(root(2) > 1.5 * root(1), "{} {}", root(2), root(1));
                    // Of the finest cells, 80 % of them empty, shrinking is ahead of all published fits.
                    let rmse = |fit: usize, level: usize| mean(squares[fit].iter().map(|run| run[level])).0.sqrt();
                    for fit in PUBLISHED.into_iter().filter(|&fit| !squares[fit].is_empty()) {
                        assert!(rmse(SHRUNK, levels - 1) < rmse(fit, levels - 1), "{}", FITS[fit]);
                    }
                }
            }
        }
    }
}
