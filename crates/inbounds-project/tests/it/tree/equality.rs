//! (P): against dense projections, unbiased, with the variances that it says.

use inbounds_project::tree::{TreeCovariance, equality};

use crate::draws::Draws;

use super::{
    brute::{held, invariants, largest},
    exact::assert_sound,
    systems::{Case, EXTREME, KINDS, Kind, MIXED, PLAIN, case},
};

const MEASURED: Kind = Kind { unmeasured: 0.0, ..MIXED };

fn unbounded(mut case: Case) -> Case {
    case.lower.fill(f64::NEG_INFINITY);
    case.upper.fill(f64::INFINITY);
    case
}

#[test]
fn the_passes_are_the_dense_projection() {
    let mut dice = Draws::seeded(11);
    for round in 0..2000 {
        let kind = KINDS[round % KINDS.len()];
        let nodes = 1 + dice.between(0, 12);
        let case = unbounded(case(&mut dice, nodes, kind));
        let solution = equality(&case.unbounded());
        assert_sound(&case, &solution);
        if kind.decades == EXTREME.decades {
            continue;
        }
        let dense = held(&case, &invariants(&case)).expect("feasible");
        let objective = |estimates: &[f64]| case.unbounded().objective(estimates).expect("one for each node");
        let (computed, least) = (objective(&solution.estimates), objective(&dense));
        assert!(
            (computed - least).abs() <= 1e-9 * least.max(1e-6 * largest(&case.value)),
            "{computed} against {least}"
        );
        if kind.unmeasured == 0.0 {
            for (one, other) in solution.estimates.iter().zip(&dense) {
                assert!((one - other).abs() <= 1e-9 * (1.0 + largest(&case.value)), "{one} against {other}");
            }
        }
    }
}

/// Linear, and what adds up stays: so unbiased, whatever unbiased noise the measurements have.
#[test]
fn estimates_are_linear_and_reproduce_consistent_values() {
    let mut dice = Draws::seeded(12);
    for _ in 0..300 {
        let nodes = 2 + dice.between(0, 40);
        let mut case = case(&mut dice, nodes, MEASURED);
        let consistent = equality(&case.unbounded()).estimates;
        // Invariants have no noise.
        let noise: Vec<f64> =
            case.variance.iter().map(|&variance| if variance == 0.0 { 0.0 } else { dice.laplace() }).collect();
        let scale = 1.0 + largest(&case.value);
        let mut estimates = |value: Vec<f64>| {
            case.value = value;
            equality(&case.unbounded()).estimates
        };
        for (kept, truth) in estimates(consistent.clone()).iter().zip(&consistent) {
            assert!((kept - truth).abs() <= 1e-13 * scale, "{truth} became {kept}");
        }
        let plus: Vec<f64> = consistent.iter().zip(&noise).map(|(truth, noise)| truth + noise).collect();
        let minus: Vec<f64> = consistent.iter().zip(&noise).map(|(truth, noise)| truth - noise).collect();
        let (above, below) = (estimates(plus), estimates(minus));
        for ((above, below), truth) in above.iter().zip(&below).zip(&consistent) {
            assert!((above + below - 2.0 * truth).abs() <= 1e-12 * scale, "{above} and {below} around {truth}");
        }
    }
}

#[test]
fn variances_are_those_of_the_linear_map() {
    let mut dice = Draws::seeded(13);
    for round in 0..300 {
        let kind = [PLAIN, MEASURED, MIXED][round % 3];
        let nodes = 2 + dice.between(0, 9);
        let mut case = case(&mut dice, nodes, kind);
        let covariance = TreeCovariance::new(&case.unbounded());
        case.value.fill(0.0);
        // Column by column: the estimates when one node measures 1 and the others 0.
        let columns: Vec<Vec<f64>> = (0..nodes)
            .map(|node| {
                if case.variance[node] == 0.0 || case.variance[node] == f64::INFINITY {
                    return vec![0.0; nodes];
                }
                case.value[node] = 1.0;
                let column = equality(&case.unbounded()).estimates;
                case.value[node] = 0.0;
                column
            })
            .collect();
        for one in 0..nodes {
            for other in 0..nodes {
                let terms = columns.iter().zip(&case.variance).filter(|(_, variance)| variance.is_finite());
                let dense: f64 = terms.map(|(column, variance)| column[one] * column[other] * variance).sum();
                let computed = covariance.covariance(one, other);
                if covariance.variance(one).max(covariance.variance(other)) == f64::INFINITY {
                    assert!(computed.is_nan());
                    continue;
                }
                assert!((computed - dense).abs() <= 1e-9, "round {round}: {computed} against {dense}");
                assert!(one != other || (covariance.variance(one) - dense).abs() <= 1e-9);
            }
        }
    }
}
