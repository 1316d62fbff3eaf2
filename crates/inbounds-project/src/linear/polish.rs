//! From a proposal of what binds to the solution itself.
//!
//! **Idea.** Hold the proposed constraints to equality and solve. A constraint that the solution violates should bind,
//! and one whose multiplier has the wrong sign should not: correct all of them at once and solve again. This is
//! Newton's method on the optimality conditions, a primal-dual active-set method (Hintermueller, Ito and Kunisch 2002).
//!
//! **Invariant.** Every point tried satisfies the held constraints exactly. When nothing is left to correct, the
//! conditions of optimality hold, so the point is the solution, whatever the proposal. The corrections can cycle; after
//! a fixed number of rounds the dual method takes over.

use super::{
    Point, Problem,
    active::{Active, DualSolution, Side},
    certificate,
    certificate::Forces,
    plane::Plane,
};

/// Rounds of correction; where Newton's method converges it needs a handful.
const ROUNDS: usize = 25;

/// A multiplier counts as having the wrong sign beyond this size, relative to the terms that it balances.
const WRONG_SIGN: f64 = 1e-12;

/// One correction of a proposal.
enum Correction {
    Cell(usize, Side),
    Row(usize, bool),
}

/// The solution under equalities alone, which must not contradict each other.
pub(super) fn on_plane(problem: &Problem<'_>) -> Point {
    let variances = problem.weights.iter().map(|w| w.recip()).collect();
    let on_plane = Plane::new(problem.system.equalities.clone(), variances).project(problem.values);
    Point { x: on_plane.x, equalities: on_plane.multipliers, ..Point::at_rest(problem) }
}

/// The solution of the dual problem, solved once more with its cells at bounds held there, if its rows could hold
/// better and that leaves nothing to correct.
pub(super) fn confirm(problem: &Problem<'_>, DualSolution { exact, active, point }: DualSolution) -> Point {
    let again = if exact { None } else { solve(problem, &active).ok() };
    again.filter(|again| is_settled(problem, &active, again)).unwrap_or(point)
}

/// Corrects everything that is wrong with a proposal at once, as Newton's method does, until nothing is.
///
/// None if the corrections do not end or the constraints held contradict each other, as can happen where
/// more of them meet than there are dimensions.
pub(super) fn polish(problem: &Problem<'_>, mut active: Active) -> Option<Point> {
    for _ in 0..ROUNDS {
        let point = solve(problem, &active).ok()?;
        let corrections = corrections(problem, &active, &point);
        if corrections.is_empty() {
            return Some(point);
        }
        for correction in corrections {
            match correction {
                Correction::Cell(cell, side) => active.cells[cell] = side,
                Correction::Row(row, binds) => active.rows[row] = binds,
            }
        }
    }
    None
}

/// The nearest point with what binds held to equality.
///
/// # Errors
/// Rows that contradict each other: those of the equalities, then those of the inequalities that bind.
pub(super) fn solve(problem: &Problem<'_>, active: &Active) -> Result<Point, Vec<usize>> {
    let bound = |i: usize| active.bound(problem, i);
    let values: Vec<f64> = (0..problem.values.len()).map(|i| bound(i).unwrap_or(problem.values[i])).collect();
    let plane = Plane::new(active.equalities(problem), active.variances(problem));
    if let Some(conflict) = plane.contradiction(&values) {
        return Err(conflict);
    }
    let on_plane = plane.project(&values);
    Ok(active.point(problem, on_plane))
}

/// `true` for a point that needs no correction.
pub(super) fn is_settled(problem: &Problem<'_>, active: &Active, point: &Point) -> bool {
    corrections(problem, active, point).is_empty()
}

/// Cells beyond a bound and rows violated, to be held; multipliers of the wrong sign, to be let go.
fn corrections(problem: &Problem<'_>, active: &Active, point: &Point) -> Vec<Correction> {
    let (system, forces) = (problem.system, Forces::at(problem, point));
    let cell = |i: usize| {
        let ((lower, upper), x) = (system.bounds.interval(i), point.x[i]);
        let side = match active.cells[i] {
            _ if lower == upper => Side::Lower,
            Side::Free if x <= lower => Side::Lower,
            Side::Free if x >= upper => Side::Upper,
            Side::Lower if forces.of_cell(i) < -WRONG_SIGN => Side::Free,
            Side::Upper if forces.of_cell(i) > WRONG_SIGN => Side::Free,
            unchanged => unchanged,
        };
        (side != active.cells[i]).then_some(Correction::Cell(i, side))
    };
    let row = |i: usize| {
        let rows = &system.inequalities;
        let binds = if active.rows[i] {
            forces.of_row(rows, i, point.inequalities[i]) <= WRONG_SIGN
        } else {
            certificate::violation(problem, i, &point.x) > f64::EPSILON
        };
        (binds != active.rows[i]).then_some(Correction::Row(i, binds))
    };
    (0..active.cells.len()).filter_map(cell).chain((0..active.rows.len()).filter_map(row)).collect()
}
