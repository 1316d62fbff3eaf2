//! Which inequalities bind, proposed by an interior point method.
//!
//! **Idea.** Near the optimum a constraint that binds has a positive multiplier and almost no slack, and one that does
//! not bind the other way round. So the larger of the two decides. This is only a proposal: `polish.rs` corrects it and
//! certifies what comes out, so the tolerances of the method do not matter.
//!
//! **Scaling.** In the unit `t = sqrt(w) (x - y)` the problem is to find the shortest `t` under constraints, whatever
//! the weights; rows are scaled to unit length.

use clarabel::{
    algebra::CscMatrix,
    solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT},
};

use super::{
    Point, Problem,
    active::{Active, Side},
};
use crate::{
    certificate::Requirement,
    constraint::Rows,
    numeric::{largest, sum},
};

/// Members of a proof of infeasibility with a smaller share than this are rounding.
const SHARE: f64 = 1e-6;

/// Proposal of the interior point method.
pub(super) enum Proposal {
    /// No point satisfies these together.
    Infeasible(Vec<Requirement>),
    /// The binding constraints, and a point near the solution.
    Point { guess: Active, rough: Point },
}

/// One row of the scaled problem and whose it is.
struct ScaledRow {
    whose: Requirement,
    entries: Vec<(usize, f64)>,
    right: f64,
    length: f64,
}

/// Runs the interior point method.
pub(super) fn propose(problem: &Problem<'_>) -> Proposal {
    let rows = scaled_rows(problem);
    let equalities = rows.iter().filter(|row| matches!(row.whose, Requirement::Equality(_))).count();
    let n = problem.values.len();
    let triplets = rows.iter().enumerate().flat_map(|(i, row)| row.entries.iter().map(move |&(cell, a)| (i, cell, a)));
    // The scaled problem in the form of the solver: a sparse matrix with equalities before inequalities.
    let (mut places, mut cells, mut coefficients) = (Vec::new(), Vec::new(), Vec::new());
    for (i, cell, a) in triplets {
        places.push(i);
        cells.push(cell);
        coefficients.push(a);
    }
    let matrix = CscMatrix::new_from_triplets(rows.len(), n, places, cells, coefficients);
    let right: Vec<f64> = rows.iter().map(|row| row.right).collect();
    let cones = [ZeroConeT(equalities), NonnegativeConeT(rows.len() - equalities)];
    let settings = DefaultSettings { verbose: false, presolve_enable: false, ..DefaultSettings::default() };
    let start = Point::at_rest(problem);
    let nothing = Active { cells: vec![Side::Free; n], rows: vec![false; problem.system.inequalities.len()] };
    let Ok(mut solver) = DefaultSolver::new(&CscMatrix::identity(n), &vec![0.0; n], &matrix, &right, &cones, settings)
    else {
        return Proposal::Point { guess: nothing, rough: start };
    };
    // If infeasible, the rows with a share in the proof are the conflict.
    solver.solve();
    let solution = &solver.solution;
    if solution.status == SolverStatus::PrimalInfeasible {
        let largest = largest(&solution.z);
        let members = rows.iter().zip(&solution.z).filter(|(_, z)| z.abs() > SHARE * largest);
        let mut conflict: Vec<Requirement> = members.map(|(row, _)| row.whose).collect();
        conflict.sort_unstable();
        return Proposal::Infeasible(conflict);
    }
    let (mut guess, mut rough) = (nothing, start);
    // The method's multipliers satisfy `t + M' z = 0` for the scaled rows `M`, and ours `w (x - y) = A' lambda` for the
    // rows as they were stated: so `lambda = -z / length`.
    for (i, t) in solution.x.iter().enumerate() {
        rough.x[i] = problem.values[i] + t / problem.weights[i].sqrt();
    }
    // A constraint binds if its multiplier is larger than its slack.
    for ((row, &z), &slack) in rows.iter().zip(&solution.z).zip(&solution.s) {
        match row.whose {
            Requirement::Equality(i) => rough.equalities[i] = -z / row.length,
            Requirement::Inequality(i) => {
                rough.inequalities[i] = -z / row.length;
                guess.rows[i] = z > slack;
            }
            Requirement::Lower(i) if z > slack => guess.cells[i] = Side::Lower,
            Requirement::Upper(i) if z > slack => guess.cells[i] = Side::Upper,
            _ => {}
        }
    }
    Proposal::Point { guess, rough }
}

/// Equalities first, then inequalities, then finite bounds; the two bounds of a fixed cell are one equality less.
fn scaled_rows(problem: &Problem<'_>) -> Vec<ScaledRow> {
    let root = |cell: usize| problem.weights[cell].sqrt();
    let scale = |rows: &Rows, i: usize, whose: Requirement| {
        let entries: Vec<(usize, f64)> = rows.row(i).iter().map(|&(cell, a)| (cell, a / root(cell))).collect();
        let length = entries.iter().map(|(_, a)| a * a).sum::<f64>().sqrt();
        let length = if length > 0.0 { length } else { 1.0 };
        ScaledRow {
            whose,
            entries: entries.into_iter().map(|(cell, a)| (cell, a / length)).collect(),
            right: sum(rows.terms(i, problem.values)) / length,
            length,
        }
    };
    let system = problem.system;
    let mut all: Vec<ScaledRow> = (0..system.equalities.len())
        .map(|i| scale(&system.equalities, i, Requirement::Equality(i)))
        .chain((0..system.inequalities.len()).map(|i| scale(&system.inequalities, i, Requirement::Inequality(i))))
        .collect();
    for (cell, y) in problem.values.iter().enumerate() {
        let (lower, upper) = system.bounds.interval(cell);
        let mut bound = |whose, sign: f64, bound: f64| {
            if bound.is_finite() {
                let right = sign * (bound - y) * root(cell);
                all.push(ScaledRow { whose, entries: vec![(cell, sign)], right, length: root(cell).recip() });
            }
        };
        bound(Requirement::Lower(cell), -1.0, lower);
        bound(Requirement::Upper(cell), 1.0, upper);
    }
    all
}
