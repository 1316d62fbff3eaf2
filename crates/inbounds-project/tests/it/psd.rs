//! Nearest matrices: published answers, two methods against each other, edges.

use std::io::Read;

use inbounds_project::{
    certificate::{Requirement, Status},
    constraint::{MatrixConstraint, Symmetric},
    psd::{self, EntryRange, MatrixSolution, Method},
};
use serde_json::Value;

use crate::draws::{Draws, numbers, shared};

fn matrix(value: &Value) -> Symmetric {
    let rows: Vec<Vec<f64>> = value.as_array().expect("rows").iter().map(numbers).collect();
    published(rows.len(), &rows.concat())
}

/// A published matrix: symmetric but for the last digits of a few entries, whose mean is taken.
fn published(n: usize, entries: &[f64]) -> Symmetric {
    let mirrored = |k: usize| {
        let (a, b) = (entries[k], entries[k % n * n + k / n]);
        assert!((a - b).abs() < 1e-14, "entry {k} is {a} here and {b} there");
        0.5 * (a + b)
    };
    Symmetric::from_rows(n, (0..n * n).map(mirrored).collect()).expect("symmetric")
}

fn project(matrix: &Symmetric, constraint: &MatrixConstraint, method: Method) -> MatrixSolution {
    psd::project(matrix, constraint, method).expect("well-formed")
}

fn largest_difference(a: &Symmetric, b: &Symmetric) -> f64 {
    a.entries().iter().zip(b.entries()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn random(draws: &mut Draws, n: usize) -> Symmetric {
    let mut entries = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let value = if i == j { 1.0 } else { 2.0 * draws.unit() - 1.0 };
            (entries[i * n + j], entries[j * n + i]) = (value, value);
        }
    }
    Symmetric::from_rows(n, entries).expect("symmetric")
}

#[test]
fn published_correlations() {
    let Some(bytes) = shared("matrices/nearest_correlation.json") else { return };
    let file: Value = serde_json::from_slice(&bytes).expect("valid JSON");
    let cases = file["cases"].as_array().expect("cases");
    assert_eq!(cases.len(), 10);
    for case in cases {
        let (input, expected) = (matrix(&case["input"]), matrix(&case["nearest_correlation"]));
        let distance = case["frobenius_distance"].as_f64().expect("number");
        let constraint = MatrixConstraint::correlation(input.size());
        for (method, tolerance) in [(Method::Newton, 1e-11), (Method::AlternatingProjections, 1e-8)] {
            let solution = project(&input, &constraint, method);
            let label = format!("{} by {method:?}: {:?}", case["name"], solution.certificate.expect("solved"));
            assert_eq!(solution.status, Status::Optimal, "{label}");
            let difference = largest_difference(solution.matrix.as_ref().expect("solved"), &expected);
            assert!(difference <= tolerance, "{label}: {difference:e}");
            assert!((solution.matrix.as_ref().expect("solved").distance(&input) - distance).abs() <= 1e-10, "{label}");
            assert!((0..input.size()).all(|i| solution.matrix.as_ref().expect("solved").at(i, i) == 1.0), "{label}");
        }
    }
}

#[test]
fn published_covariance_without_a_diagonal() {
    let Some(bytes) = shared("matrices/nearest_correlation.json") else { return };
    let file: Value = serde_json::from_slice(&bytes).expect("valid JSON");
    let case = &file["nearest_psd_without_diagonal_constraint"][0];
    let (input, expected) = (matrix(&case["input"]), matrix(&case["nearest_psd"]));
    let solution = project(&input, &MatrixConstraint::semidefinite(), Method::Newton);
    assert!(largest_difference(solution.matrix.as_ref().expect("solved"), &expected) <= 1e-15);
    assert!(solution.certificate.expect("solved").worst() <= 1e-15, "{:?}", solution.certificate.expect("solved"));
}

/// 94 x 94, the matrix with which published codes are timed.
#[test]
fn published_large_correlation() {
    let read = |name: &str| -> Option<Symmetric> {
        let mut text = String::new();
        flate2::read::GzDecoder::new(shared(name)?.as_slice()).read_to_string(&mut text).expect("gzip");
        let number = |field: &str| field.trim().parse::<f64>().expect("number");
        let entries: Vec<f64> = text.lines().flat_map(|line| line.split(',').map(number)).collect();
        Some(published(94, &entries))
    };
    let Some(input) = read("matrices/usgs13_input.csv.gz") else { return };
    let Some(expected) = read("matrices/usgs13_nearest_correlation.csv.gz") else { return };
    let solution = project(&input, &MatrixConstraint::correlation(94), Method::Newton);
    assert_eq!(solution.status, Status::Optimal, "{:?}", solution.certificate.expect("solved"));
    assert!(solution.certificate.expect("solved").worst() <= 1e-14, "{:?}", solution.certificate.expect("solved"));
    let difference = largest_difference(solution.matrix.as_ref().expect("solved"), &expected);
    assert!(difference <= 1e-10, "{difference:e}");
    assert!((solution.matrix.as_ref().expect("solved").distance(&input) - 0.055_051_058_7).abs() <= 1e-10);
    assert!(solution.iterations <= 30, "{}", solution.iterations);
}

#[test]
fn both_methods_agree_on_any_diagonal_and_floor() {
    let mut draws = Draws::seeded(14);
    for case in 0..150 {
        let n = draws.between(1, 9);
        let input = random(&mut draws, n);
        let diagonal: Vec<f64> = (0..n).map(|_| 0.2 + 3.0 * draws.unit()).collect();
        let floor = [0.0, 0.1, -0.3][draws.between(0, 3)];
        let constraint = MatrixConstraint { floor, diagonal: Some(diagonal.clone()) };
        let newton = project(&input, &constraint, Method::Newton);
        assert_eq!(newton.status, Status::Optimal, "case {case}: {:?}", newton.certificate.expect("solved"));
        assert!(
            newton.certificate.expect("solved").worst() <= 1e-12,
            "case {case}: {:?}",
            newton.certificate.expect("solved")
        );
        assert!((0..n).all(|i| newton.matrix.as_ref().expect("solved").at(i, i) == diagonal[i]), "case {case}");
        let slow = project(&input, &constraint, Method::AlternatingProjections);
        let difference =
            largest_difference(newton.matrix.as_ref().expect("solved"), slow.matrix.as_ref().expect("solved"));
        assert!(difference <= 1e-7, "case {case}: {difference:e}, {:?}", slow.certificate.expect("solved"));
        // Feasible points are no nearer: shrink towards the diagonal, which is always admissible.
        let entries = (0..n * n).map(|k| {
            if k % (n + 1) == 0 { diagonal[k / n] } else { 0.99 * newton.matrix.as_ref().expect("solved").entries()[k] }
        });
        let other = Symmetric::from_rows(n, entries.collect()).expect("symmetric");
        assert!(
            newton.matrix.as_ref().expect("solved").distance(&input) <= other.distance(&input) + 1e-12,
            "case {case}"
        );
        let again =
            project(newton.matrix.as_ref().expect("solved"), &constraint, Method::Newton).matrix.expect("solved");
        assert!(largest_difference(&again, newton.matrix.as_ref().expect("solved")) <= 1e-11, "case {case}");
    }
}

#[test]
fn clipping_is_as_near_as_its_negative_eigenvalues() {
    let mut draws = Draws::seeded(15);
    for case in 0..300 {
        let n = draws.between(1, 13);
        let input = random(&mut draws, n);
        let floor = [0.0, 0.5, -0.2][draws.between(0, 3)];
        let constraint = MatrixConstraint { floor, diagonal: None };
        let solution = project(&input, &constraint, Method::Newton);
        assert_eq!(solution.status, Status::Optimal, "case {case}");
        assert!(
            solution.certificate.expect("solved").worst() <= 1e-14,
            "case {case}: {:?}",
            solution.certificate.expect("solved")
        );
        assert_eq!(
            project(solution.matrix.as_ref().expect("solved"), &constraint, Method::Newton).matrix.expect("solved"),
            *solution.matrix.as_ref().expect("solved"),
            "case {case}"
        );
    }
}

#[test]
fn what_fits_comes_back_bit_for_bit() {
    let semidefinite = MatrixConstraint::semidefinite();
    // Rank one, whose computed eigenvalues are a rounding below zero.
    let entries: Vec<f64> = (0..9).map(|k| [0.1, 0.7, -1.3][k / 3] * [0.1, 0.7, -1.3][k % 3]).collect();
    let rank_one = Symmetric::from_rows(3, entries).expect("symmetric");
    assert_eq!(project(&rank_one, &semidefinite, Method::Newton).matrix.expect("solved"), rank_one);
    let ones = Symmetric::from_rows(4, vec![1.0; 16]).expect("symmetric");
    assert_eq!(project(&ones, &MatrixConstraint::correlation(4), Method::Newton).matrix.expect("solved"), ones);
    let single = |x: f64| Symmetric::from_rows(1, vec![x]).expect("symmetric");
    assert_eq!(project(&single(-3.0), &semidefinite, Method::Newton).matrix.expect("solved"), single(0.0));
    assert_eq!(
        project(&single(-3.0), &MatrixConstraint::correlation(1), Method::Newton).matrix.expect("solved"),
        single(1.0)
    );
    assert_eq!(project(&single(5.0), &semidefinite, Method::Newton).matrix.expect("solved"), single(5.0));
    let empty = Symmetric::from_rows(0, Vec::new()).expect("symmetric");
    assert_eq!(project(&empty, &semidefinite, Method::Newton).matrix.expect("solved"), empty);
}

#[test]
fn repeated_eigenvalues_and_zero_variances() {
    let negative = Symmetric::from_rows(3, vec![-1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0]).expect("symmetric");
    let solution = project(&negative, &MatrixConstraint::semidefinite(), Method::Newton).matrix.expect("solved");
    assert!(solution.entries().iter().all(|x| x.abs() <= 1e-16));
    let mut draws = Draws::seeded(16);
    let input = random(&mut draws, 4);
    let constraint = MatrixConstraint { floor: 0.0, diagonal: Some(vec![1.0, 0.0, 2.0, 1.0]) };
    let solution = project(&input, &constraint, Method::Newton);
    assert_eq!(solution.status, Status::Optimal, "{:?}", solution.certificate.expect("solved"));
    assert!((0..4).all(|j| solution.matrix.as_ref().expect("solved").at(1, j) == 0.0));
}

#[test]
fn impossible_and_malformed_diagonals() {
    let input = Symmetric::from_rows(2, vec![1.0, 0.5, 0.5, 1.0]).expect("symmetric");
    let constraint = MatrixConstraint { floor: 0.0, diagonal: Some(vec![1.0, -1.0]) };
    let status = project(&input, &constraint, Method::Newton).status;
    assert_eq!(status, Status::Infeasible { conflict: vec![Requirement::Diagonal(1), Requirement::Floor] });
    let short = psd::project(&input, &MatrixConstraint::correlation(3), Method::Newton).expect_err("malformed");
    assert_eq!(short.to_string(), "diagonal must have one entry for each of the 2 rows, got 3");
    let skew = Symmetric::from_rows(2, vec![1.0, 0.5, -0.5, 1.0]).expect_err("malformed");
    assert_eq!(skew.to_string(), "entry of row 0, column 1 must be the entry mirrored at the diagonal, got 0.5");
    assert!(Symmetric::from_rows(2, vec![1.0, f64::NAN, f64::NAN, 1.0]).is_err());
    assert!(Symmetric::from_rows(2, vec![1.0]).is_err());
    let huge = Symmetric::from_rows(1, vec![-1e200]).expect("symmetric");
    let refused = psd::project(&huge, &MatrixConstraint::semidefinite(), Method::Newton).expect_err("too large");
    assert_eq!(
        refused.to_string(),
        format!("entry of the matrix must be at most 1e120 in absolute value, got {}", -1e200)
    );
}

/// Ranges around a matrix that there is: the solution has the ranges, and its certificate holds. Where the diagonal
/// alone is known, it is that of the other method.
#[test]
fn known_and_bounded_entries_are_kept() {
    let mut draws = Draws::seeded(16);
    for case in 0..150 {
        let n = draws.between(2, 8);
        let input = random(&mut draws, n);
        let start = random(&mut draws, n);
        let inside =
            project(&start, &MatrixConstraint { floor: 0.2, diagonal: None }, Method::Newton).matrix.expect("solved");
        let mut ranges = Vec::new();
        for row in 0..n {
            for column in 0..=row {
                let value = inside.at(row, column);
                let (lower, upper) = match draws.between(0, 5) {
                    0 => (value, value),
                    1 => (value - 0.1, f64::INFINITY),
                    2 => (value - 0.1, value + 0.1),
                    _ => continue,
                };
                ranges.push(EntryRange { row, column, lower, upper });
            }
        }
        let solution = psd::project_within(&input, &ranges).expect("sound");
        assert_eq!(solution.status, Status::Optimal, "case {case}: {:?}", solution.certificate);
        let matrix = solution.matrix.expect("solved");
        assert!(
            ranges.iter().all(|range| (range.lower..=range.upper).contains(&matrix.at(range.row, range.column))),
            "case {case}"
        );
        // Anything between it and another matrix with these ranges is further away.
        let entries = matrix.entries().iter().zip(inside.entries()).map(|(x, y)| 0.99 * x + 0.01 * y).collect();
        let between = Symmetric::from_rows(n, entries).expect("symmetric");
        assert!(matrix.distance(&input) <= between.distance(&input) + 1e-10, "case {case}");
        let one = |row: usize| EntryRange { row, column: row, lower: 1.0, upper: 1.0 };
        let ones =
            psd::project_within(&input, &(0..n).map(one).collect::<Vec<_>>()).expect("sound").matrix.expect("solved");
        let other = project(&input, &MatrixConstraint::correlation(n), Method::Newton).matrix.expect("solved");
        assert!(largest_difference(&ones, &other) <= 1e-10, "case {case}");
    }
}

#[test]
fn known_entries_of_no_matrix_are_named() {
    let known = |row, column, value| EntryRange { row, column, lower: value, upper: value };
    let ones = |n: usize| (0..n).map(move |row| known(row, row, 1.0));
    let zero = Symmetric::from_rows(4, vec![0.0; 16]).expect("symmetric");
    let ranges: Vec<EntryRange> =
        ones(4).chain([known(1, 0, 0.9), known(2, 0, 0.9), known(2, 1, -0.9), known(3, 0, 0.5)]).collect();
    let Status::Infeasible { conflict } = psd::project_within(&zero, &ranges).expect("sound").status else {
        panic!("no conflict")
    };
    assert!([4, 5, 6].iter().all(|index| conflict.contains(&Requirement::Entry(*index))), "{conflict:?}");
    let exchanged = [EntryRange { row: 0, column: 1, lower: 1.0, upper: 0.0 }];
    assert!(psd::project_within(&zero, &exchanged).is_err());
}

/// A bound that binds, against alternating projections: x:y 0.788783, x:z 0.690469.
#[test]
fn a_bound_that_binds_is_met() {
    let noisy = Symmetric::from_rows(3, vec![1.0, 0.8, 0.7, 0.8, 1.0, -0.2, 0.7, -0.2, 1.0]).expect("symmetric");
    let known = |row| EntryRange { row, column: row, lower: 1.0, upper: 1.0 };
    let ranges = [EntryRange { row: 1, column: 2, lower: 0.1, upper: f64::INFINITY }, known(0), known(1), known(2)];
    let solution = psd::project_within(&noisy, &ranges).expect("sound");
    assert_eq!(solution.status, Status::Optimal, "{:?} {:?}", solution.certificate, solution.matrix);
    let matrix = solution.matrix.expect("solved");
    assert_eq!(matrix.at(1, 2), 0.1);
    assert!((matrix.at(0, 1) - 0.788_783_267_3).abs() < 1e-9 && (matrix.at(0, 2) - 0.690_468_669_7).abs() < 1e-9);
}
