//! Residuals of the margins of a table in place of the margins.

use std::fmt::Write;

use inbounds_mechanisms::sampler::{Entropy, SeededEntropy};
use inbounds_reconcile::{Fit, Options};

use super::{Bench, without_errors};

const TRUTH: [[f64; 3]; 2] = [[40.0, 9.0, 20.0], [0.0, 31.0, 11.0]];

fn residuals_of(options: Options) -> Options {
    Options { residuals: true, ..options }
}

/// Total, rows, columns and cells, with what is left of each once the means are taken away.
fn residuals() -> Vec<(String, String, f64)> {
    let total: f64 = TRUTH.iter().flatten().sum();
    let row = |i: usize| TRUTH[i].iter().sum::<f64>();
    let column = |j: usize| TRUTH.iter().map(|row| row[j]).sum::<f64>();
    let mut all = vec![(String::new(), String::new(), total)];
    all.extend((0..2).map(|i| (format!("r{i}"), String::new(), row(i) - total / 2.0)));
    all.extend((0..3).map(|j| (String::new(), format!("c{j}"), column(j) - total / 3.0)));
    let cell = |(i, j): (usize, usize)| TRUTH[i][j] - row(i) / 3.0 - column(j) / 2.0 + total / 6.0;
    all.extend(
        (0..6).map(|place| (format!("r{}", place / 3), format!("c{}", place % 3), cell((place / 3, place % 3)))),
    );
    all
}

/// The same with normal errors of the variances of total, rows, columns and cells.
fn noisy(entropy: &mut SeededEntropy, variances: [f64; 4], stated: f64) -> String {
    let mut uniform = || (entropy.word() as f64 + 0.5) / 2f64.powi(64);
    let mut text = "row,column,value,variance\n".to_owned();
    for (row, column, residual) in residuals() {
        let variance = variances[match (row.is_empty(), column.is_empty()) {
            (true, true) => 0,
            (false, true) => 1,
            (true, false) => 2,
            (false, false) => 3,
        }];
        let normal = (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
        writeln!(text, "{row},{column},{},{}", residual + normal * variance.sqrt(), stated * variance).expect("text");
    }
    text
}

fn truth(name: &str) -> f64 {
    let place = |part: &str| part[1..].parse::<usize>().ok();
    let (row, column) = name.split_once(", ").expect("two attributes");
    let is_of =
        |i: usize, j: usize| place(row).is_none_or(|row| row == i) && place(column).is_none_or(|column| column == j);
    (0..6).filter(|cell| is_of(cell / 3, cell % 3)).map(|cell| TRUTH[cell / 3][cell % 3]).sum()
}

#[test]
fn a_table_is_the_sum_of_its_residuals() {
    let mut bench = Bench::new();
    let text = noisy(&mut SeededEntropy::from_seed(1), [1e-12; 4], 1.0);
    for (fit, integer) in [(Fit::TopDown, false), (Fit::TopDown, true), (Fit::Shrunk, true)] {
        let options = residuals_of(Options { integer, fit: Some(fit), ..without_errors() });
        let reconciled = bench.run(&text, "", options).expect("a table");
        assert!(reconciled.manifest.constraints.table.as_ref().expect("a table").residuals);
        assert_eq!(reconciled.nodes().len(), 12);
        for node in reconciled.nodes() {
            assert!((node.estimate - truth(node.name)).abs() < 1e-4, "{}: {}", node.name, node.estimate);
            assert_eq!(node.measured.is_some(), node.name == "*, *", "{}", node.name);
        }
    }
}

/// The variance of a cell of a margin is a sum over its parts: of a row `v_rows (1 - 1/2) + v_total / 4`, of a cell
/// with 6 of them in a table `v_cells (1/2)(2/3) + v_rows (1/2) / 9 + v_columns (2/3) / 4 + v_total / 36`. Without
/// bounds the stated errors are these, exactly.
#[test]
fn errors_are_sums_over_parts() {
    let mut bench = Bench::new();
    let [total, rows, columns, cells] = [9.0, 4.0, 2.0, 1.0];
    let text = noisy(&mut SeededEntropy::from_seed(2), [total, rows, columns, cells], 1.0);
    let options = residuals_of(Options::default());
    let reconciled = bench.run(&text, "nonnegative = false", options).expect("a table");
    let square = |name: &str| {
        reconciled.nodes().find(|node| node.name == name).and_then(|node| node.error).expect("an error").rmse.powi(2)
    };
    let expected = [
        ("*, *", total),
        ("r1, *", rows / 2.0 + total / 4.0),
        ("*, c2", columns * 2.0 / 3.0 + total / 9.0),
        ("r0, c1", cells / 3.0 + rows / 18.0 + columns / 6.0 + total / 36.0),
    ];
    for (name, expected) in expected {
        assert!((square(name) - expected).abs() < 1e-9, "{name}: {} for {expected}", square(name));
    }
}

/// 400 draws of twelve intervals of 95 %: more than 40 misses of one have a probability of 2e-5, and of any 3e-4. Where
/// a tenth of the variance is stated, most intervals miss.
#[test]
fn intervals_cover_and_too_short_ones_do_not() {
    let mut bench = Bench::new();
    let mut entropy = SeededEntropy::from_seed(3);
    let mut misses = |stated: f64, draws: usize| {
        let mut misses = vec![0; 12];
        for seed in 0..draws {
            let text = noisy(&mut entropy, [9.0, 16.0, 16.0, 25.0], stated);
            let options = residuals_of(Options { replicates: 39, seed: seed as u64, ..Options::default() });
            let reconciled = bench.run(&text, "", options).expect("a table");
            for (misses, node) in misses.iter_mut().zip(reconciled.nodes()) {
                let (lower, upper) = node.interval.expect("an interval");
                *misses += usize::from(!(lower..=upper).contains(&truth(node.name)));
            }
        }
        misses
    };
    let reconciled = misses(1.0, 400);
    assert!(reconciled.iter().all(|misses| *misses <= 40), "{reconciled:?}");
    let reconciled = misses(0.1, 60);
    assert!(reconciled.iter().any(|misses| *misses > 20), "{reconciled:?}");
}

#[test]
fn what_is_no_residual_is_refused_with_its_place() {
    let mut bench = Bench::new();
    let complete = noisy(&mut SeededEntropy::from_seed(4), [1.0; 4], 1.0);
    let lines: Vec<&str> = complete.lines().collect();
    let without = |line: usize| [&lines[..line], &lines[line + 1..]].concat().join("\n");
    let other = format!("{complete}r0,,1,3\n");
    let bounded = complete.replacen("row,column,value,variance\n", "row,column,value,variance,upper\n", 1);
    let bounded =
        bounded.lines().map(|line| if line.ends_with("upper") { line.to_owned() } else { format!("{line},90") });
    let tree = "node,parent,value,variance\na,,1,1\nb,a,1,1\n".to_owned();
    let joint = Options { fit: Some(Fit::Joint), ..without_errors() };
    let cases = [
        (without(2), "", without_errors(), "`r0, *` has no residual"),
        (other, "", without_errors(), "`r1, *` has a variance of its own"),
        (bounded.collect::<Vec<_>>().join("\n"), "", without_errors(), "only the total may be `fixed`"),
        (tree, "", without_errors(), "a column for each attribute"),
        (complete.clone(), "", joint, "top-down or shrunk"),
        (complete, "order = [[\"r0, *\", \"r1, *\"]]", without_errors(), "no constraint but `nonnegative`"),
    ];
    for (text, rules, options, said) in cases {
        let error = bench.run(&text, rules, residuals_of(options)).err().expect(said).to_string();
        assert!(error.contains(said), "{error}");
    }
}
