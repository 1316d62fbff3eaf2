//! Systems without a solution name a set of nodes that conflicts and is minimal; nothing hangs or panics.

use inbounds_project::{
    certificate::{Requirement, Status},
    constraint::tree::{Tree, TreeSystem},
    tree::{equality, integer, project},
};

use crate::draws::Draws;

use super::systems::{BOXED, Case, case};

fn node(requirement: &Requirement) -> usize {
    match requirement {
        Requirement::Node(node) => *node,
        other => panic!("{other:?} is not of a tree"),
    }
}

fn conflict(case: &Case) -> Option<Vec<usize>> {
    match project(&case.system()).status {
        Status::Infeasible { conflict } => Some(conflict.iter().map(node).collect()),
        Status::Optimal => None,
        other => panic!("{other:?}"),
    }
}

/// The same tree with the bounds and invariants of some nodes only.
fn keep(case: &Case, nodes: &[usize]) -> Case {
    let kept = |node: usize| nodes.contains(&node);
    let select = |entries: &[f64], otherwise: f64| -> Vec<f64> {
        entries.iter().enumerate().map(|(node, &entry)| if kept(node) { entry } else { otherwise }).collect()
    };
    let variance = case.variance.iter().enumerate();
    Case {
        parents: case.parents.clone(),
        value: case.value.clone(),
        variance: variance.map(|(node, &entry)| if kept(node) { entry } else { 1.0 }).collect(),
        lower: select(&case.lower, f64::NEG_INFINITY),
        upper: select(&case.upper, f64::INFINITY),
        boxes: true,
    }
}

#[test]
fn conflicts_are_conflicts_and_minimal() {
    let mut dice = Draws::seeded(31);
    let mut computed = 0;
    for _ in 0..3000 {
        let nodes = 2 + dice.between(0, 15);
        let mut case = case(&mut dice, nodes, BOXED);
        // Break the truth that made the case feasible.
        for node in 0..nodes {
            let shift = if dice.chance(0.15) { dice.between(0, 9) as f64 - 4.0 } else { 0.0 };
            case.lower[node] += shift;
            case.upper[node] += shift;
            if case.variance[node] == 0.0 {
                case.value[node] += shift;
            }
        }
        let Some(conflict) = conflict(&case) else { continue };
        computed += 1;
        assert!(self::conflict(&keep(&case, &conflict)).is_some(), "{conflict:?} does not conflict by itself");
        for left_out in &conflict {
            let fewer: Vec<usize> = conflict.iter().copied().filter(|node| node != left_out).collect();
            assert_eq!(self::conflict(&keep(&case, &fewer)), None, "{conflict:?} is not minimal");
        }
    }
    assert!(computed > 500, "only {computed} cases were infeasible");
}

fn two_counties(value: [f64; 3], variance: [f64; 3]) -> TreeSystem {
    let tree = Tree::from_parents(&[None, Some(0), Some(0)]).expect("a tree");
    TreeSystem::new(tree, value.into(), variance.into()).expect("a system")
}

#[test]
fn contradictory_invariants_are_named() {
    let system = two_counties([10.0, 4.0, 5.0], [0.0; 3]);
    let expected = Status::Infeasible { conflict: [0, 1, 2].map(Requirement::Node).to_vec() };
    let solution = equality(&system);
    assert_eq!((solution.status, solution.estimates.len()), (expected, 0));
    assert_eq!(equality(&two_counties([0.3, 0.1, 0.2], [0.0; 3])).status, Status::Optimal);
}

#[test]
fn a_negative_invariant_conflicts_with_nonnegativity() {
    let system = two_counties([1.0, -1.0, 2.0], [1.0, 0.0, 1.0]).nonnegative();
    assert_eq!(project(&system).status, Status::Infeasible { conflict: [1].map(Requirement::Node).to_vec() });
}

#[test]
fn a_fraction_known_exactly_is_not_whole() {
    let system = two_counties([1.5, 1.0, 2.0], [0.0, 1.0, 1.0]).nonnegative();
    assert_eq!(project(&system).status, Status::Optimal);
    assert_eq!(integer(&system).status, Status::Infeasible { conflict: [0].map(Requirement::Node).to_vec() });
}

#[test]
fn malformed_numbers_are_errors_that_name_the_node() {
    let tree = || Tree::from_parents(&[None, Some(0)]).expect("a tree");
    let message = |value: [f64; 2], variance: [f64; 2]| {
        TreeSystem::new(tree(), value.into(), variance.into()).expect_err("malformed").to_string()
    };
    let variances = "must be zero, infinite, or between 1e-100 and 1e100";
    assert_eq!(message([1.0, 1.0], [1.0, -2.0]), format!("variance of node 1 {variances}, got -2"));
    assert_eq!(message([1.0, 1.0], [f64::NAN, 1.0]), format!("variance of node 0 {variances}, got NaN"));
    let value = "value of node 1 must be between -1e100 and 1e100, got";
    assert_eq!(message([1.0, f64::NAN], [1.0, 1.0]), format!("{value} NaN"));
    assert_eq!(message([1.0, f64::INFINITY], [1.0, 1.0]), format!("{value} inf"));
    assert_eq!(
        TreeSystem::new(tree(), vec![1.0], vec![1.0; 2]).expect_err("too short").to_string(),
        "value must have one entry for each of the 2 nodes, got 1"
    );
    let system = TreeSystem::new(tree(), vec![1.0; 2], vec![1.0; 2]).expect("a system");
    assert_eq!(
        system.boxed(vec![0.0, 3.0], vec![5.0, 2.0]).expect_err("crossed").to_string(),
        "lower must be at most upper, but node 1 has lower = 3 and upper = 2"
    );
    assert_eq!(
        TreeSystem::pooled(tree(), [(0, 1.0, 0.0), (0, 2.0, 0.0)]).expect_err("contradictory").to_string(),
        "node 0 is known exactly twice, as 1 and as 2: keep the right one"
    );
}
