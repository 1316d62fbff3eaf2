//! One known total, with and without bounds, against enumeration of all active sets.

use inbounds_project::{
    ProjectError,
    certificate::{Requirement, Status},
    constraint::Bounds,
    simplex,
};

use crate::draws::{Draws, objective};

const KKT: f64 = 1e-12;

fn ulps(x: &[f64]) -> f64 {
    f64::EPSILON * x.iter().map(|x| x.abs()).sum::<f64>()
}

/// The best of all choices of cells at their lower bound, at their upper bound and free.
fn brute_force(values: &[f64], weights: &[f64], total: f64, bounds: &Bounds) -> f64 {
    let n = values.len();
    let mut best = f64::INFINITY;
    for code in 0..3_usize.pow(n as u32) {
        let choice: Vec<usize> = (0..n).map(|i| code / 3_usize.pow(i as u32) % 3).collect();
        let mut x: Vec<f64> = (0..n)
            .map(|i| match choice[i] {
                0 => values[i],
                1 => bounds.interval(i).0,
                _ => bounds.interval(i).1,
            })
            .collect();
        let free: f64 = (0..n).filter(|&i| choice[i] == 0).map(|i| weights[i].recip()).sum();
        let missing = total - x.iter().sum::<f64>();
        if !missing.is_finite() {
            continue;
        }
        (0..n).filter(|&i| choice[i] == 0).for_each(|i| x[i] += missing / (weights[i] * free));
        let slack = 1e-9;
        let inside = (0..n).all(|i| x[i] >= bounds.interval(i).0 - slack && x[i] <= bounds.interval(i).1 + slack);
        if inside && (total - x.iter().sum::<f64>()).abs() <= slack {
            best = best.min(objective(values, weights, &x));
        }
    }
    best
}

fn random_bounds(draws: &mut Draws, n: usize) -> Bounds {
    match draws.between(0, 5) {
        0 => Bounds::None,
        1 => Bounds::nonnegative(),
        2 => Bounds::Same { lower: 0.0, upper: 1.0 + draws.unit() },
        _ => {
            let lower: Vec<f64> = (0..n).map(|_| [f64::NEG_INFINITY, draws.value()][draws.between(0, 2)]).collect();
            let upper = lower
                .iter()
                .map(|&l| [f64::INFINITY, l.max(-9.0) + draws.between(0, 4) as f64][draws.between(0, 2)])
                .collect();
            Bounds::Each { lower, upper }
        }
    }
}

#[test]
fn the_best_of_all_active_sets() {
    let (mut draws, mut solved, mut infeasible) = (Draws::seeded(1), 0, 0);
    for case in 0..20_000 {
        let n = draws.between(1, 7);
        let (values, weights, bounds) = (draws.values(n), draws.weights(n), random_bounds(&mut draws, n));
        let total = draws.value();
        let best = brute_force(&values, &weights, total, &bounds);
        let solution = simplex::project(&values, &weights, total, &bounds).expect("well-formed");
        if best == f64::INFINITY {
            assert!(matches!(solution.status, Status::Infeasible { .. }), "case {case}");
            infeasible += 1;
            continue;
        }
        solved += 1;
        assert_eq!(solution.status, Status::Optimal, "case {case}");
        let x = &solution.estimates;
        let computed = objective(&values, &weights, x);
        assert!(computed <= best * (1.0 + 1e-9) + 1e-12, "case {case}: {computed} is worse than {best}");
        assert!((total - x.iter().sum::<f64>()).abs() <= 2.0 * ulps(x), "case {case}");
        assert!((0..n).all(|i| x[i] >= bounds.interval(i).0 && x[i] <= bounds.interval(i).1), "case {case}");
        assert!(
            solution.certificate.expect("solved").worst() <= KKT,
            "case {case}: {:?}",
            solution.certificate.expect("solved")
        );
        let again = simplex::project(x, &weights, total, &bounds).expect("well-formed");
        assert_eq!(&again.estimates, x, "case {case}: projecting twice");
    }
    assert!(solved > 12_000 && infeasible > 1000, "{solved} {infeasible}");
}

#[test]
fn large_simplices_keep_order_zeros_and_total() {
    let mut draws = Draws::seeded(2);
    for n in [1000, 30_000] {
        let values: Vec<f64> = (0..n).map(|_| 40.0 * draws.unit().powi(8) + 6.0 * draws.unit() - 3.0).collect();
        let total = 3.0 * n as f64;
        let solution = simplex::project(&values, &vec![0.25; n], total, &Bounds::nonnegative()).expect("well-formed");
        let x = &solution.estimates;
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        assert!(order.windows(2).all(|pair| x[pair[0]] <= x[pair[1]]));
        assert!(x.iter().filter(|&&x| x == 0.0).count() > n / 10);
        assert!((x.iter().sum::<f64>() - total).abs() < 1e-12 * total);
        assert!(solution.certificate.expect("solved").worst() < KKT, "{:?}", solution.certificate.expect("solved"));
    }
}

#[test]
fn the_plane_in_closed_form() {
    let (values, weights) = ([1.0, 2.0, 4.0], [1.0, 0.5, 0.25]);
    let x = simplex::project(&values, &weights, 14.0, &Bounds::None).expect("well-formed").estimates;
    assert_eq!(x, [2.0, 4.0, 8.0]);
}

#[test]
fn a_single_cell_is_the_total() {
    let computed = simplex::project(&[-6.337786118048417], &[1.6695839438585568e-6], 0.0, &Bounds::None);
    assert_eq!(computed.expect("well-formed").estimates, [0.0]);
}

#[test]
fn weights_of_any_size() {
    for weights in [[1e-200, 1.0, 1e200], [1e300, 1e-290, 1.0], [1e-300; 3]] {
        let solution = simplex::project(&[5.0, -1.0, 3.0], &weights, 2.0, &Bounds::nonnegative()).expect("well-formed");
        assert!(solution.certificate.expect("solved").worst() <= KKT, "{weights:?}: {solution:?}");
        assert!((solution.estimates.iter().sum::<f64>() - 2.0).abs() < 1e-15, "{weights:?}: {solution:?}");
    }
}

#[test]
fn an_impossible_total_names_its_side() {
    let bounds = Bounds::Same { lower: 0.0, upper: 1.0 };
    let status = |total| simplex::project(&[0.5, 0.5], &[1.0, 1.0], total, &bounds).expect("well-formed").status;
    let wrong =
        |side: fn(usize) -> Requirement| Status::Infeasible { conflict: vec![Requirement::Total, side(0), side(1)] };
    assert_eq!(status(-0.5), wrong(Requirement::Lower));
    assert_eq!(status(2.5), wrong(Requirement::Upper));
    assert_eq!(status(2.0), Status::Optimal);
}

#[test]
fn malformed_input_is_named() {
    let say = |values: &[f64], weights: &[f64], total, bounds: Bounds| match simplex::project(
        values, weights, total, &bounds,
    ) {
        Err(error) => error.to_string(),
        Ok(solution) => panic!("accepted: {solution:?}"),
    };
    let nan = f64::NAN;
    assert_eq!(say(&[nan], &[1.0], 1.0, Bounds::None), "value of cell 0 must be finite, got NaN");
    assert!(say(&[1.0], &[0.0], 1.0, Bounds::None).starts_with("weight of cell 0 must be finite and positive"));
    assert!(say(&[1.0], &[1.0], nan, Bounds::None).starts_with("total of the 1 cells must be finite"));
    assert_eq!(say(&[1.0], &[], 1.0, Bounds::None), "weights must have one entry for each of the 1 values, got 0");
    let crossed = Bounds::Each { lower: vec![2.0], upper: vec![1.0] };
    assert!(matches!(
        simplex::project(&[1.0], &[1.0], 1.0, &crossed),
        Err(ProjectError::Number { name: "upper bound", .. })
    ));
}
