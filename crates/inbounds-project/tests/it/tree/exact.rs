//! (P+): both routes against brute force and against each other, sums to the last bit, and a certificate that can fail.

use inbounds_project::{
    certificate::{Certificate, Status},
    tree::{Claim, TreeRoute, TreeSolution, certify, project, project_by},
};

use crate::draws::Draws;

use super::{
    brute::{largest, least_objective},
    systems::{BOXED, Case, EXTREME, KINDS, MIXED, PLAIN, case},
};

/// Checks that hold for every solution of any case.
pub(crate) fn assert_sound(case: &Case, solution: &TreeSolution) {
    assert_eq!(solution.status, Status::Optimal, "{:?}", solution.certificate);
    assert!(solution.certificate.expect("a certificate").worst() <= Certificate::TOLERANCE);
    let estimates = &solution.estimates;
    for node in 0..estimates.len() {
        let children = (0..estimates.len()).filter(|&child| case.parents[child] == Some(node as u32));
        let parts: Vec<f64> = children.map(|child| estimates[child]).collect();
        if !parts.is_empty() {
            let (forth, back): (f64, f64) = (parts.iter().sum(), parts.iter().rev().sum());
            assert_eq!((forth, back), (estimates[node], estimates[node]), "sums are exact in any order");
        }
        // Values and bounds of these cases are whole, hence on the grid.
        assert!(case.variance[node] > 0.0 || estimates[node] == case.value[node], "an invariant moved");
        assert!(
            case.lower[node] <= estimates[node] && estimates[node] <= case.upper[node],
            "a bound is broken: {} not in [{}, {}]",
            estimates[node],
            case.lower[node],
            case.upper[node]
        );
    }
}

fn routes(case: &Case) -> Vec<TreeSolution> {
    [TreeRoute::Newton, TreeRoute::Breakpoints].iter().filter_map(|&route| project_by(&case.system(), route)).collect()
}

#[test]
fn both_routes_reach_what_brute_force_reaches() {
    let mut dice = Draws::seeded(1);
    for round in 0..4000 {
        let kind = KINDS[round % KINDS.len()];
        let nodes = 1 + dice.between(0, if kind.boxes { 6 } else { 10 });
        let case = case(&mut dice, nodes, kind);
        if kind.decades == EXTREME.decades {
            continue;
        }
        let least = least_objective(&case);
        for solution in routes(&case) {
            assert_sound(&case, &solution);
            let computed = case.system().objective(&solution.estimates).expect("one for each node");
            let slack = 1e-9 * least.max(1e-6 * largest(&case.value));
            assert!((computed - least).abs() <= slack, "round {round}: {computed} against {least}");
        }
    }
}

#[test]
fn both_routes_agree_on_larger_systems_of_every_kind() {
    let mut dice = Draws::seeded(2);
    for round in 0..1500 {
        let kind = KINDS[round % KINDS.len()];
        let nodes = 1 + dice.between(0, 300);
        let case = case(&mut dice, nodes, kind);
        let computed = routes(&case);
        assert!(!computed.is_empty());
        for solution in &computed {
            assert_sound(&case, solution);
        }
        let near = 1e-9 * (1.0 + largest(&case.value));
        if let [newton, breakpoints] = &computed[..]
            && kind.decades < EXTREME.decades
        {
            for (one, other) in newton.estimates.iter().zip(&breakpoints.estimates) {
                assert!((one - other).abs() <= near, "round {round}: {one} against {other}");
            }
        }
    }
}

#[test]
fn values_spread_like_an_exponential_are_solved_too() {
    let mut case = case(&mut Draws::seeded(3), 1, MIXED);
    let leaves = 600;
    case.parents = std::iter::once(None).chain((0..leaves).map(|_| Some(0))).collect();
    case.value = std::iter::once(1.0).chain((0..leaves).map(|leaf| (f64::from(leaf) / 8.0).exp().round())).collect();
    case.variance = std::iter::once(0.0).chain((0..leaves).map(|_| 1.0)).collect();
    case.lower = vec![0.0; case.value.len()];
    case.upper = vec![f64::INFINITY; case.value.len()];
    // Only the largest leaves survive; Newton drops the others a few at a time.
    let solution = project(&case.system());
    assert_eq!(solution.status, Status::Optimal);
    assert_eq!(solution.estimates[0], solution.estimates[1..].iter().sum::<f64>());
    assert_eq!(solution.estimates.iter().filter(|&&estimate| estimate > 0.0).count(), 2);
}

#[test]
fn a_projection_leaves_its_result_where_it_is() {
    let mut dice = Draws::seeded(4);
    for round in 0..300 {
        let nodes = 1 + dice.between(0, 60);
        let mut case = case(&mut dice, nodes, [MIXED, BOXED][round % 2]);
        let once = project(&case.system()).estimates;
        // Unmeasured nodes would be spread anew.
        case.variance.iter_mut().filter(|variance| **variance == f64::INFINITY).for_each(|variance| *variance = 1.0);
        case.value.clone_from(&once);
        let twice = project(&case.system()).estimates;
        for (one, other) in once.iter().zip(&twice) {
            assert!((one - other).abs() <= 1e-12 * (1.0 + largest(&once)), "{one} became {other}");
        }
    }
}

#[test]
fn unmeasured_leaves_share_evenly() {
    let mut case = case(&mut Draws::seeded(5), 1, MIXED);
    case.parents = vec![None, Some(0), Some(0), Some(0)];
    (case.value, case.variance) = (vec![10.0, 4.0, 0.0, 0.0], vec![1.0, 1.0, f64::INFINITY, f64::INFINITY]);
    (case.lower, case.upper) = (vec![0.0; 4], vec![f64::INFINITY; 4]);
    assert_eq!(project(&case.system()).estimates, [10.0, 4.0, 3.0, 3.0]);
    case.value[0] = 2.0;
    assert_eq!(project(&case.system()).estimates, [3.0, 3.0, 0.0, 0.0]);
    case.boxes = true;
    (case.value[0], case.upper[3]) = (10.0, 1.0);
    assert_eq!(project(&case.system()).estimates, [10.0, 4.0, 5.0, 1.0]);
}

#[test]
fn the_certificate_rejects_what_is_not_optimal() {
    let mut dice = Draws::seeded(6);
    for _ in 0..300 {
        let nodes = 2 + dice.between(0, 30);
        let case = case(&mut dice, nodes, PLAIN);
        let estimates = project(&case.system()).estimates;
        let leaf = case.leaves()[dice.between(0, case.leaves().len())];
        let moved = |along: &dyn Fn(usize) -> bool| -> Certificate {
            let step = 1e-6 * (1.0 + largest(&case.value));
            let moved =
                estimates.iter().enumerate().map(|(node, estimate)| estimate + if along(node) { step } else { 0.0 });
            certify(&case.system(), &moved.collect::<Vec<_>>(), Claim::Bounded).expect("one for each node")
        };
        assert!(moved(&|node| case.below(leaf, node)).stationarity > Certificate::TOLERANCE, "a leaf moved");
        if case.parents[leaf].is_some() {
            assert!(moved(&|node| node == leaf).feasibility > Certificate::TOLERANCE, "a sum was broken");
        }
    }
}
