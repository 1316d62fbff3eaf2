//! Orderings, against enumeration of all partitions into blocks, the max-min formula and published answers.

use inbounds_project::{
    ProjectError,
    constraint::{Direction, Order},
    isotonic,
};
use serde_json::Value;

use crate::draws::{Draws, numbers, objective, shared};

const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

fn random_forest(draws: &mut Draws, n: usize) -> Vec<Option<usize>> {
    // Parents have larger indices, then all cells are renamed by a random permutation.
    let mut name: Vec<usize> = (0..n).collect();
    (1..n).rev().for_each(|i| name.swap(i, draws.between(0, i + 1)));
    let mut parents = vec![None; n];
    for i in 0..n {
        let parent = draws.between(i + 1, n + 2);
        parents[name[i]] = (parent < n).then(|| name[parent]);
    }
    parents
}

/// The best over all ways to join some cells with their parents, give each block its mean and clamp.
fn brute_force(values: &[f64], weights: &[f64], parents: &[Option<usize>], (lower, upper): (f64, f64)) -> f64 {
    let n = values.len();
    let mut best = f64::INFINITY;
    for joined in 0..1_usize << n {
        let mut head: Vec<usize> = (0..n).collect();
        for (i, head) in head.iter_mut().enumerate() {
            let mut cell = i;
            while let (1, Some(parent)) = (joined >> cell & 1, parents[cell]) {
                cell = parent;
            }
            *head = cell;
        }
        let mean = |block: usize| {
            let block_sum = |f: &dyn Fn(usize) -> f64| (0..n).filter(|&i| head[i] == block).map(f).sum::<f64>();
            (block_sum(&|i| weights[i] * values[i]) / block_sum(&|i| weights[i])).clamp(lower, upper)
        };
        let x: Vec<f64> = (0..n).map(|i| mean(head[i])).collect();
        if (0..n).all(|i| parents[i].is_none_or(|p| x[i] <= x[p] + 1e-12)) {
            best = best.min(objective(values, weights, &x));
        }
    }
    best
}

#[test]
fn forests_attain_the_best_partition() {
    let mut draws = Draws::seeded(3);
    for case in 0..1500 {
        let n = draws.between(1, 9);
        let (values, weights, parents) = (draws.values(n), draws.weights(n), random_forest(&mut draws, n));
        let bounds = [FREE, (-2.0, 3.0)][draws.between(0, 2)];
        let best = brute_force(&values, &weights, &parents, bounds);
        let order = Order::Forest { parents: parents.clone(), direction: Direction::Increasing };
        let solution = isotonic::project(&values, &weights, &order, bounds).expect("well-formed");
        let x = &solution.estimates;
        let computed = objective(&values, &weights, x);
        assert!(computed <= best * (1.0 + 1e-9) + 1e-12, "case {case}: {computed} is worse than {best}");
        assert!((0..n).all(|i| parents[i].is_none_or(|p| x[i] <= x[p])), "case {case}");
        assert!(
            solution.certificate.expect("solved").worst() <= 1e-13,
            "case {case}: {:?}",
            solution.certificate.expect("solved")
        );
        assert_eq!(&isotonic::project(x, &weights, &order, bounds).expect("well-formed").estimates, x, "case {case}");
    }
}

#[test]
fn chains_are_the_max_min_of_means() {
    let mut draws = Draws::seeded(4);
    for case in 0..300 {
        let n = draws.between(1, 25);
        let (values, weights) = (draws.values(n), draws.weights(n));
        let mean = |a: usize, b: usize| {
            let sum = |f: &dyn Fn(usize) -> f64| (a..=b).map(f).sum::<f64>();
            sum(&|i| weights[i] * values[i]) / sum(&|i| weights[i])
        };
        let smallest_from = |a: usize, i: usize| (i..n).map(|b| mean(a, b)).fold(f64::INFINITY, f64::min);
        let chain = Order::Chain(Direction::Increasing);
        let solution = isotonic::project(&values, &weights, &chain, FREE).expect("well-formed");
        for (i, x) in solution.estimates.iter().enumerate() {
            let expected = (0..=i).map(|a| smallest_from(a, i)).fold(f64::NEG_INFINITY, f64::max);
            assert!((x - expected).abs() <= 1e-12, "case {case}, cell {i}: {x} is not {expected}");
        }
        assert!(
            solution.certificate.expect("solved").worst() <= 1e-13,
            "case {case}: {:?}",
            solution.certificate.expect("solved")
        );
        // A chain is a tree without branches, and mirrors itself.
        let parents = (1..=n).map(|next| (next < n).then_some(next)).collect();
        let path = Order::Forest { parents, direction: Direction::Increasing };
        let by_tree = isotonic::project(&values, &weights, &path, FREE).expect("well-formed").estimates;
        assert!(by_tree.iter().zip(&solution.estimates).all(|(a, b)| (a - b).abs() <= 1e-12), "case {case}");
        let negated: Vec<f64> = values.iter().map(|y| -y).collect();
        let falling = Order::Chain(Direction::Decreasing);
        let mirrored = isotonic::project(&negated, &weights, &falling, FREE).expect("well-formed").estimates;
        assert!(mirrored.iter().zip(&solution.estimates).all(|(a, b)| -a == *b), "case {case}");
    }
}

#[test]
fn published_chains() {
    let Some(bytes) = shared("peer/isotonic.json") else { return };
    let file: Value = serde_json::from_slice(&bytes).expect("valid JSON");
    let cases = file["cases"].as_array().expect("cases");
    assert_eq!(cases.len(), 8);
    for case in cases {
        let (input, expected) = (numbers(&case["input"]), numbers(&case["nondecreasing_least_squares"]));
        let chain = Order::Chain(Direction::Increasing);
        let computed = isotonic::project(&input, &vec![1.0; input.len()], &chain, FREE).expect("well-formed").estimates;
        assert!(computed.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= 1e-13 * b.abs()), "{input:?}");
    }
}

#[test]
fn deep_and_wide_forests_end() {
    let n = 200_000;
    let values: Vec<f64> = (0..n).map(|i| -f64::from(i)).collect();
    let weights = vec![1.0; values.len()];
    let star = (0..values.len()).map(|i| (i > 0).then_some(0)).collect();
    let path = (0..values.len()).map(|i| (i > 0).then(|| i - 1)).collect();
    for parents in [star, path] {
        let order = Order::Forest { parents, direction: Direction::Increasing };
        let solution = isotonic::project(&values, &weights, &order, FREE).expect("well-formed");
        assert_eq!(solution.estimates, values);
        assert!(solution.certificate.expect("solved").worst() < 1e-12);
    }
    let rising: Vec<f64> = values.iter().map(|y| -y).collect();
    let path = (0..rising.len()).map(|i| (i > 0).then(|| i - 1)).collect();
    let order = Order::Forest { parents: path, direction: Direction::Increasing };
    let solution = isotonic::project(&rising, &weights, &order, FREE).expect("well-formed");
    assert!(solution.estimates.iter().all(|&x| x == f64::from(n - 1) / 2.0));
}

#[test]
fn malformed_forests_are_named() {
    let attempt = |parents: Vec<Option<usize>>| {
        let order = Order::Forest { parents, direction: Direction::Increasing };
        isotonic::project(&[1.0; 4], &[1.0; 4], &order, FREE)
    };
    assert_eq!(
        attempt(vec![None; 3]).expect_err("malformed").to_string(),
        "parents must have one entry for each of the 4 values, got 3"
    );
    let missing = attempt(vec![None, None, Some(4), None]).expect_err("malformed");
    assert_eq!(missing.to_string(), "there is no node 4: the tree has 4 nodes, numbered from 0");
    let cycle = attempt(vec![Some(1), Some(2), Some(1), None]).expect_err("malformed");
    assert!(matches!(&cycle, ProjectError::Cycle { node: 1 | 2 }), "{cycle}");
    assert!(matches!(attempt(vec![Some(0), None, None, None]), Err(ProjectError::Cycle { node: 0 })));
}
