//! Trees too large for brute force, against an interior-point solver that shares no code or idea with ours.

use clarabel::{
    algebra::CscMatrix,
    solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT},
};
use inbounds_project::tree::{TreeRoute, project_by};

use crate::draws::Draws;

use super::{
    brute::largest,
    exact::assert_sound,
    systems::{BOXED, Case, MIXED, PLAIN, TIES, case},
};

/// The objective that Clarabel reaches, and how much of it may be owed to constraints that it breaks: multipliers times
/// violations. The unknowns are `d = s - x`; all bounds are inequalities.
fn rival(case: &Case) -> Option<(f64, f64)> {
    let nodes = case.parents.len();
    let mut rows: Vec<(Vec<(usize, f64)>, f64)> = Vec::new();
    let value = |node: usize| if case.variance[node] == f64::INFINITY { 0.0 } else { case.value[node] };
    for node in 0..nodes {
        let mut sum: Vec<(usize, f64)> =
            (0..nodes).filter(|&child| case.parents[child] == Some(node as u32)).map(|child| (child, 1.0)).collect();
        if !sum.is_empty() {
            sum.push((node, -1.0));
            let right = -sum.iter().map(|&(node, sign)| sign * value(node)).sum::<f64>();
            rows.push((sum, right));
        }
        if case.variance[node] == 0.0 {
            rows.push((vec![(node, 1.0)], 0.0));
        }
    }
    let equalities = rows.len();
    for node in 0..nodes {
        for (bound, sign) in [(case.lower[node], -1.0), (case.upper[node], 1.0)] {
            if bound.is_finite() {
                rows.push((vec![(node, sign)], sign * (bound - value(node))));
            }
        }
    }
    let (mut at, mut to, mut entries) = (Vec::new(), Vec::new(), Vec::new());
    for (row, (terms, _)) in rows.iter().enumerate() {
        for &(node, sign) in terms {
            at.push(row);
            to.push(node);
            entries.push(sign);
        }
    }
    let matrix = CscMatrix::new_from_triplets(rows.len(), nodes, at, to, entries);
    let weights: Vec<f64> =
        case.variance.iter().map(|&variance| if variance > 0.0 { 1.0 / variance } else { 0.0 }).collect();
    let all: Vec<usize> = (0..nodes).collect();
    let quadratic = CscMatrix::new_from_triplets(nodes, nodes, all.clone(), all, weights);
    let right: Vec<f64> = rows.iter().map(|(_, right)| *right).collect();
    let cones = [SupportedConeT::ZeroConeT(equalities), SupportedConeT::NonnegativeConeT(rows.len() - equalities)];
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-12,
        tol_gap_rel: 1e-12,
        tol_feas: 1e-12,
        ..DefaultSettings::default()
    };
    let mut solver =
        DefaultSolver::new(&quadratic, &vec![0.0; nodes], &matrix, &right, &cones, settings).expect("a problem");
    solver.solve();
    let computed = &solver.solution;
    let owed = rows.iter().enumerate().map(|(row, (terms, right))| {
        let left: f64 = terms.iter().map(|&(node, sign)| sign * computed.x[node]).sum();
        let broken = if row < equalities { (left - right).abs() } else { (left - right).max(0.0) };
        broken * computed.z[row].abs()
    });
    matches!(computed.status, SolverStatus::Solved | SolverStatus::AlmostSolved).then(|| (computed.obj_val, owed.sum()))
}

#[test]
fn no_objective_is_worse_than_an_interior_point_solvers() {
    let mut dice = Draws::seeded(41);
    let mut compared = 0;
    for round in 0..400 {
        let kind = [PLAIN, TIES, MIXED, BOXED][round % 4];
        let nodes = 20 + dice.between(0, 300);
        let case = case(&mut dice, nodes, kind);
        let Some((reached, owed)) = rival(&case) else { continue };
        compared += 1;
        for route in [TreeRoute::Newton, TreeRoute::Breakpoints] {
            let Some(solution) = project_by(&case.system(), route) else { continue };
            assert_sound(&case, &solution);
            let computed = case.system().objective(&solution.estimates).expect("one for each node");
            let slack = 2.0 * owed + 1e-9 * reached.max(1e-6 * largest(&case.value));
            assert!(computed <= reached + slack, "{computed} against {reached}");
            // The rival is nowhere far off either, or it would be no rival.
            assert!(computed >= reached - 1e-5 * (1.0 + reached), "{computed} against {reached}");
        }
    }
    assert!(compared > 350, "the rival solved only {compared}");
}
