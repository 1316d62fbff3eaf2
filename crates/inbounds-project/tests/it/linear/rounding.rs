//! Controlled rounding against all ways to round up or down.

use inbounds_project::{ProjectError, certificate::Status, constraint::System, linear};

use super::{Dense, dense_projection, sparse, times};
use crate::draws::{Draws, objective};

/// The cheapest rounding that satisfies the rows.
fn brute_force(values: &[f64], weights: &[f64], rows: &Dense, right: &[f64]) -> f64 {
    let mut best = f64::INFINITY;
    for up in 0..1_usize << values.len() {
        let x: Vec<f64> =
            values.iter().enumerate().map(|(i, y)| if up >> i & 1 == 1 { y.ceil() } else { y.floor() }).collect();
        if times(rows, &x) == right {
            best = best.min(objective(values, weights, &x));
        }
    }
    best
}

/// Rows of a table with both margins, of a tree with measured inner nodes, of nested totals, or of ranges.
fn random_structure(draws: &mut Draws) -> Dense {
    let row = |n: usize, cells: &mut dyn Iterator<Item = (usize, f64)>| {
        let mut row = vec![0.0; n];
        cells.for_each(|(cell, a)| row[cell] = a);
        row
    };
    match draws.between(0, 4) {
        0 => {
            let (height, width) = (draws.between(1, 4), draws.between(1, 5));
            let n = height * width;
            let across = (0..height).map(|i| row(n, &mut (0..n).filter(|c| c / width == i).map(|c| (c, 1.0))));
            let down = (0..width).map(|j| row(n, &mut (0..n).filter(|c| c % width == j).map(|c| (c, -1.0))));
            across.chain(down).collect()
        }
        1 => {
            let n = draws.between(3, 12);
            let parents: Vec<usize> = (0..n).map(|i| if i == 0 { 0 } else { draws.between(0, i.min(4)) }).collect();
            let inner = (0..n).filter(|i| (1..n).any(|c| parents[c] == *i));
            inner
                .map(|i| row(n, &mut (1..n).filter(|c| parents[*c] == i).map(|c| (c, 1.0)).chain([(i, -1.0)])))
                .collect()
        }
        2 => {
            let n = draws.between(6, 12);
            let (first, second) = (draws.between(1, 4), draws.between(4, n));
            let ranges = [(0, n), (0, second), (0, first), (first, second), (0, second)];
            let count = draws.between(1, ranges.len() + 1);
            ranges[..count].iter().map(|&(a, b)| row(n, &mut (a..b).map(|c| (c, 1.0)))).collect()
        }
        _ => {
            let (n, count) = (draws.between(4, 11), draws.between(2, 7));
            let ranges: Vec<(usize, usize)> =
                (0..n).map(|_| (draws.between(0, count), draws.between(0, count))).collect();
            let meets = |i: usize, &(a, b): &(usize, usize)| (a.min(b)..=a.max(b)).contains(&i);
            let entry = |meets: bool| if meets { 1.0 } else { 0.0 };
            (0..count).map(|i| ranges.iter().map(|range| entry(meets(i, range))).collect()).collect()
        }
    }
}

#[test]
fn the_cheapest_of_all_roundings() {
    let mut draws = Draws::seeded(13);
    for case in 0..1500 {
        let rows = random_structure(&mut draws);
        let n = rows[0].len();
        let integers: Vec<f64> = (0..n).map(|_| draws.between(0, 6) as f64).collect();
        let right = times(&rows, &integers);
        let noisy: Vec<f64> = integers.iter().map(|x| x + 4.0 * draws.unit() - 2.0).collect();
        let weights = draws.weights(n);
        let start = dense_projection(&noisy, &vec![1.0; n], &rows, &right).expect("consistent");
        let sparse = sparse(&rows, n, right.clone());
        let rounded = linear::round(&start, &weights, &sparse).expect("a network");
        assert_eq!(rounded.status, Status::Optimal, "case {case}: {rows:?} {right:?} {start:?}");
        let x = &rounded.estimates;
        assert_eq!(times(&rows, x), right, "case {case}");
        assert!(x.iter().zip(&start).all(|(x, y)| *x == y.floor() || *x == y.ceil()), "case {case}");
        let (computed, best) = (objective(&start, &weights, x), brute_force(&start, &weights, &rows, &right));
        assert!(computed <= best * (1.0 + 1e-9), "case {case}: {computed} is worse than {best}");
        assert!(
            rounded.certificate.expect("solved").worst() <= 1e-12,
            "case {case}: {:?}",
            rounded.certificate.expect("solved")
        );
        assert_eq!(&linear::round(x, &weights, &sparse).expect("a network").estimates, x, "case {case}");
    }
}

#[test]
fn what_is_not_known_to_round_is_refused() {
    let refused = |rows: Dense, right: Vec<f64>| {
        let n = rows[0].len();
        match linear::round(&vec![0.5; n], &vec![1.0; n], &sparse(&rows, n, right)) {
            Err(ProjectError::NotUnimodular { reason }) => reason,
            other => panic!("accepted: {other:?}"),
        }
    };
    // The triangle: each pair adds up to one, only halves do.
    let triangle = vec![vec![1.0, 1.0, 0.0], vec![0.0, 1.0, 1.0], vec![1.0, 0.0, 1.0]];
    let reason = refused(triangle, vec![1.0; 3]);
    assert!(reason.contains("no signs of the rows") && reason.contains("overlaps"), "{reason}");
    assert_eq!(refused(vec![vec![2.0, 1.0]], vec![1.0]), "the coefficient in row 0, column 0 is 2, not 1 or -1");
}

#[test]
fn an_impossible_start_is_a_status() {
    let rows = sparse(&vec![vec![1.0, 1.0]], 2, vec![9.0]);
    let far = linear::round(&[0.5, 0.5], &[1.0, 1.0], &rows).expect("a network");
    assert!(matches!(&far.status, Status::Infeasible { conflict: named } if !named.is_empty()), "{far:?}");
    let fraction = sparse(&vec![vec![1.0, 1.0]], 2, vec![1.5]);
    let error = linear::round(&[0.5, 1.0], &[1.0, 1.0], &fraction).expect_err("no whole solution");
    assert_eq!(error.to_string(), "right-hand side of row 0 must be whole and below 2^53, got 1.5");
    let system = System::equalities(rows);
    assert_eq!(linear::project(&[0.5, 0.5], &[1.0, 1.0], &system).expect("well-formed").estimates, [4.5, 4.5]);
}
