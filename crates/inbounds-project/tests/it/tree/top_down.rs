//! The linear fit, then down: each family against other solvers, and against enumeration over whole numbers.

use inbounds_project::{
    certificate::{Certificate, Status},
    constraint::tree::{Tree, TreeSystem},
    tree::{equality, integer, project, top_down, top_down_integer},
};

use crate::draws::Draws;

use super::{
    brute::largest,
    exact::assert_sound,
    systems::{BOXED, Case, EXTREME, KINDS, MIXED, PLAIN, TIES, case},
};

/// The estimate of a node from its own subtree: value and variance by a linear fit of that subtree, in covariance form.
fn from_below(case: &Case, node: usize) -> (f64, f64) {
    let children: Vec<usize> =
        (0..case.parents.len()).filter(|&child| case.parents[child] == Some(node as u32)).collect();
    let own = (case.value[node], case.variance[node]);
    if children.is_empty() || own.1 == 0.0 {
        return own;
    }
    let parts: Vec<(f64, f64)> = children.iter().map(|&child| from_below(case, child)).collect();
    let (sum, variance) = parts.iter().fold((0.0, 0.0), |all, part| (all.0 + part.0, all.1 + part.1));
    match (own.1 == f64::INFINITY, variance == f64::INFINITY) {
        (_, true) => own,
        (true, _) => (sum, variance),
        _ => ((own.0 * variance + sum * own.1) / (variance + own.1), variance * own.1 / (variance + own.1)),
    }
}

/// The family of a node as a tree of two levels whose root is known exactly, with every child's bounds, and held if
/// that is due.
fn family(case: &Case, node: usize, total: f64) -> Option<(Vec<usize>, TreeSystem)> {
    let children: Vec<usize> =
        (0..case.parents.len()).filter(|&child| case.parents[child] == Some(node as u32)).collect();
    if children.is_empty() {
        return None;
    }
    let parts: Vec<(f64, f64)> = children.iter().map(|&child| from_below(case, child)).collect();
    let parents: Vec<Option<u32>> = std::iter::once(None).chain(children.iter().map(|_| Some(0))).collect();
    let value: Vec<f64> = std::iter::once(total).chain(parts.iter().map(|part| part.0)).collect();
    let system = |variances: Vec<f64>| {
        let variance = std::iter::once(0.0).chain(variances).collect();
        let tree = Tree::from_parents(&parents).expect("a tree");
        TreeSystem::new(tree, value.clone(), variance).expect("a system").nonnegative()
    };
    let plain = system(parts.iter().map(|part| part.1).collect());
    let cut = parts.iter().filter(|part| part.0 < 0.0).count();
    if cut < 4 || 8 * cut < parts.len() || parts.iter().any(|part| part.1 == f64::INFINITY) {
        return Some((children, plain));
    }
    // Numbers that are surely large weigh more.
    let first = &project(&plain).estimates[1..];
    let weight = |(part, x): (&(f64, f64), &f64)| (x / (3.0 * part.1.sqrt())).max(1.0);
    let held = parts.iter().zip(first).map(|(part, x)| part.1 / weight((part, x))).collect();
    Some((children, system(held)))
}

#[test]
fn every_family_is_the_projection_of_what_its_subtrees_say() {
    let mut dice = Draws::seeded(31);
    let (mut compared, mut held) = (0, 0);
    for round in 0..2000 {
        let kind = [PLAIN, TIES, MIXED][round % 3];
        let nodes = 1 + dice.between(0, 40);
        let mut case = case(&mut dice, nodes, kind);
        if round % 4 == 0 {
            let root = case.parents.iter().position(Option::is_none).expect("a root");
            case.parents
                .iter_mut()
                .enumerate()
                .filter(|(node, _)| *node != root)
                .for_each(|(_, parent)| *parent = Some(root as u32));
        }
        // Which subtrees can be what is the business of another test.
        case.variance.iter_mut().filter(|variance| **variance == 0.0).for_each(|variance| *variance = 0.25);
        let (real, integers) = (top_down(&case.system()), top_down_integer(&case.system()));
        assert_sound(&case, &real);
        assert_sound(&case, &integers);
        assert!(integers.estimates.iter().all(|estimate| estimate.fract() == 0.0));
        let near = 1e-9 * (1.0 + largest(&case.value));
        for node in 0..nodes {
            let Some((children, system)) = family(&case, node, real.estimates[node]) else { continue };
            if children.iter().any(|&child| from_below(&case, child).1 == f64::INFINITY) {
                continue;
            }
            compared += 1;
            held += usize::from(children.iter().filter(|&&child| from_below(&case, child).0 < 0.0).count() >= 4);
            for (&child, expected) in children.iter().zip(&project(&system).estimates[1..]) {
                let computed = real.estimates[child];
                assert!((computed - expected).abs() <= near, "round {round}, node {child}: {computed} for {expected}");
            }
            let (_, system) = family(&case, node, integers.estimates[node]).expect("children");
            let computed: Vec<f64> = std::iter::once(node).chain(children).map(|at| integers.estimates[at]).collect();
            let objective = |estimates: &[f64]| system.objective(estimates).expect("one a node");
            let (computed, least) = (objective(&computed), objective(&integer(&system).estimates));
            assert!((computed - least).abs() <= 1e-9 * (1.0 + least), "round {round}: {computed} against {least}");
        }
    }
    assert!(compared > 5000 && held > 150, "only {compared} and {held}");
}

#[test]
fn systems_of_every_kind_are_sound() {
    let mut dice = Draws::seeded(32);
    for round in 0..1500 {
        let nodes = 1 + dice.between(0, 300);
        let case = case(&mut dice, nodes, KINDS[round % KINDS.len()]);
        assert_sound(&case, &top_down(&case.system()));
        assert_sound(&case, &top_down_integer(&case.system()));
    }
}

#[test]
fn without_bounds_it_is_the_linear_fit() {
    let mut dice = Draws::seeded(33);
    for round in 0..500 {
        let nodes = 1 + dice.between(0, 60);
        let case = case(&mut dice, nodes, [PLAIN, MIXED, EXTREME][round % 3]);
        let (solution, linear) = (top_down(&case.unbounded()), equality(&case.unbounded()));
        assert_eq!(solution.status, linear.status);
        let near = 1e-7 * (1.0 + largest(&case.value));
        for (one, other) in solution.estimates.iter().zip(&linear.estimates) {
            assert!((one - other).abs() <= near, "round {round}: {one} against {other}");
        }
    }
}

/// The mass cut off below the root never moves the root, and cut-off mass is taken from the siblings alone.
#[test]
fn empty_leaves_leave_the_levels_above_alone() {
    let mut dice = Draws::seeded(34);
    let parents: Vec<Option<u32>> =
        (0..421_u32).map(|node| (node > 0).then(|| if node < 21 { 0 } else { 1 + (node - 21) / 20 })).collect();
    let value: Vec<f64> = (0..421).map(|_| (3.0 * dice.laplace()).round()).collect();
    let tree = Tree::from_parents(&parents).expect("a tree");
    let system = TreeSystem::new(tree, value, vec![18.0; 421]).expect("a system");
    let linear = equality(&system).estimates[0];
    let system = system.nonnegative();
    assert!((top_down(&system).estimates[0] - linear.max(0.0)).abs() < 1e-9);
    assert!(project(&system).estimates[0] > linear + 10.0);
}

#[test]
fn unmeasured_leaves_share_evenly_inside_their_bounds() {
    let parents = [None, Some(0), Some(0), Some(0)];
    let system = |total: f64, integer: f64| {
        let tree = Tree::from_parents(&parents).expect("a tree");
        let variance = vec![1.0, 1.0, f64::INFINITY, f64::INFINITY];
        TreeSystem::new(tree, vec![total, integer, 0.0, 0.0], variance).expect("a system")
    };
    assert_eq!(top_down(&system(10.0, 4.0).nonnegative()).estimates, [10.0, 4.0, 3.0, 3.0]);
    assert_eq!(top_down(&system(2.0, 4.0).nonnegative()).estimates, [2.0, 2.0, 0.0, 0.0]);
    assert_eq!(top_down_integer(&system(11.0, 4.0).nonnegative()).estimates, [11.0, 4.0, 4.0, 3.0]);
    let boxed = |lower: Vec<f64>, upper: Vec<f64>| system(10.0, 4.0).boxed(lower, upper).expect("boxes");
    let upper = vec![f64::INFINITY, f64::INFINITY, f64::INFINITY, 1.0];
    assert_eq!(top_down(&boxed(vec![0.0; 4], upper)).estimates, [10.0, 4.0, 5.0, 1.0]);
    let upper = vec![f64::INFINITY, f64::INFINITY, 2.0, 1.0];
    assert_eq!(top_down_integer(&boxed(vec![0.0; 4], upper)).estimates, [10.0, 7.0, 2.0, 1.0]);
}

#[test]
fn the_certificate_rejects_a_moved_family() {
    let mut dice = Draws::seeded(35);
    for _ in 0..200 {
        let nodes = 3 + dice.between(0, 30);
        let case = case(&mut dice, nodes, BOXED);
        let solution = top_down(&case.system());
        assert_eq!(solution.status, Status::Optimal);
        assert!(solution.certificate.expect("a certificate").worst() <= Certificate::TOLERANCE);
    }
}
