//! Integer (P+): against a full min-plus dynamic programme and against enumeration.

use inbounds_project::{
    certificate::{Certificate, Status},
    tree::{Claim, certify, integer, project},
};

use crate::draws::Draws;

use super::{
    exact::assert_sound,
    systems::{BOXED, Case, KINDS, MIXED, PLAIN, TIES, case},
};

/// Least cost of a subtree for each total from `low` on, by trying all totals of all children.
struct Costs {
    low: i64,
    cost: Vec<f64>,
}

fn costs(case: &Case, node: usize, most: i64) -> Costs {
    let children = (0..case.parents.len()).filter(|&child| case.parents[child] == Some(node as u32));
    let mut parts = children.map(|child| costs(case, child, most)).peekable();
    let mut sum = if parts.peek().is_some() {
        Costs { low: 0, cost: vec![0.0] }
    } else {
        Costs { low: -most, cost: vec![0.0; 2 * most as usize + 1] }
    };
    for part in parts {
        let mut cost = vec![f64::INFINITY; sum.cost.len() + part.cost.len() - 1];
        for (one, first) in sum.cost.iter().enumerate() {
            for (other, second) in part.cost.iter().enumerate() {
                cost[one + other] = cost[one + other].min(first + second);
            }
        }
        sum = Costs { low: sum.low + part.low, cost };
    }
    for (index, cost) in sum.cost.iter_mut().enumerate() {
        let total = (sum.low + index as i64) as f64;
        let miss = total - case.value[node];
        *cost += match case.variance[node] {
            0.0 if miss != 0.0 => f64::INFINITY,
            0.0 => 0.0,
            f64::INFINITY => 0.0,
            variance => miss * miss / (2.0 * variance),
        };
        if total < case.lower[node] || total > case.upper[node] {
            *cost = f64::INFINITY;
        }
    }
    sum
}

fn least_objective(case: &Case, most: i64) -> f64 {
    let roots = (0..case.parents.len()).filter(|&node| case.parents[node].is_none());
    roots.map(|root| costs(case, root, most).cost.into_iter().fold(f64::INFINITY, f64::min)).sum()
}

#[test]
fn the_optimum_is_that_of_a_full_dynamic_programme() {
    let mut dice = Draws::seeded(21);
    let mut compared = 0;
    for round in 0..4000 {
        let kind = [PLAIN, TIES, MIXED, BOXED][round % 4];
        let nodes = 1 + dice.between(0, 9);
        let case = case(&mut dice, nodes, kind);
        if case.value.iter().any(|value| value.abs() > 60.0) {
            continue;
        }
        compared += 1;
        let solution = integer(&case.system());
        assert_sound(&case, &solution);
        assert!(solution.estimates.iter().all(|estimate| estimate.fract() == 0.0));
        let computed = case.system().objective(&solution.estimates).expect("one for each node");
        let least = least_objective(&case, 80);
        assert!((computed - least).abs() <= 1e-12 * (1.0 + least), "round {round}: {computed} against {least}");
    }
    assert!(compared > 2500, "only {compared} cases were small enough");
}

#[test]
fn larger_systems_of_every_kind_pass_the_exchange_test() {
    let mut dice = Draws::seeded(22);
    for round in 0..1000 {
        let nodes = 1 + dice.between(0, 400);
        let case = case(&mut dice, nodes, KINDS[round % KINDS.len()]);
        let (integers, free) = (integer(&case.system()), project(&case.system()));
        assert_sound(&case, &integers);
        let objective = |estimates: &[f64]| case.system().objective(estimates).expect("one for each node");
        let (integers, free) = (objective(&integers.estimates), objective(&free.estimates));
        assert!(integers >= free * (1.0 - 1e-9) - 1e-9, "{integers} is below the bound {free}");
    }
}

#[test]
fn the_exchange_test_rejects_every_table_that_costs_more() {
    let mut dice = Draws::seeded(23);
    let mut rejected = 0;
    for _ in 0..500 {
        let case = case(&mut dice, 12, PLAIN);
        let solution = integer(&case.system());
        assert_eq!(solution.status, Status::Optimal);
        let (leaves, objective) =
            (case.leaves(), |estimates: &[f64]| case.system().objective(estimates).expect("fits"));
        let (from, to) = (leaves[dice.between(0, leaves.len())], leaves[dice.between(0, leaves.len())]);
        let mut other = solution.estimates.clone();
        for (node, estimate) in other.iter_mut().enumerate() {
            *estimate += f64::from(u8::from(case.below(to, node))) - f64::from(u8::from(case.below(from, node)));
        }
        let worse = other[from] < 0.0 || objective(&other) > objective(&solution.estimates) + 1e-9;
        rejected += usize::from(worse);
        let certificate = certify(&case.system(), &other, Claim::Whole).expect("fits");
        assert_eq!(certificate.worst() > Certificate::TOLERANCE, worse, "{certificate:?}");
    }
    assert!(rejected > 300, "only {rejected} tables were worse");
}
