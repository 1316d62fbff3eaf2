//! Linear systems: the nearest point under `A x = b`, and under `C x <= d` and bounds as well.
//!
//! Equalities alone are one sparse factorisation (`plane.rs`). Under bounds as well, Newton's method on the multipliers
//! of the equalities finds the solution in a handful of such factorisations (`dual_newton.rs`). With inequalities an
//! interior point method proposes which of them bind (`interior.rs`), and an active-set step solves the equality
//! problem they leave, corrects the proposal where multipliers have the wrong sign and certifies the result
//! (`polish.rs`), so that what binds holds exactly. A dual active-set method decides where that does not settle, as at
//! degenerate points, or where nothing satisfies all (`dual.rs`). [`round`] makes a solution whole.

mod active;
mod certificate;
mod covariance;
mod dual;
mod dual_newton;
mod factor;
mod interior;
mod plane;
mod polish;
mod rounding;

pub use covariance::Covariance;
pub use rounding::round;
pub(crate) use rounding::round_sheet;

use crate::{
    ProjectError, Solution,
    certificate::Requirement,
    check,
    constraint::{Rows, System, bounds::clamp},
    numeric::{ULP, sum},
};
use plane::Plane;

/// The point nearest to `values` among those that satisfy a linear system.
///
/// # Contract
/// Minimises `sum w_i (x_i - y_i)^2` subject to `A x = b`, `C x <= d` and `l <= x <= u`. Under equalities alone
/// `x = y + V A^T (A V A^T)^-1 (b - A y)` with `V = diag(1/w)`, so estimates stay unbiased.
///
/// # Parameters
/// - `values`: the measurements `y`, finite.
/// - `weights`: `w`, reciprocal variances, finite and positive with finite reciprocals.
/// - `system`: see [`System`]. Rows may repeat or depend on each other. Equal bounds fix a cell.
///
/// # Guarantee
/// Bounds that bind hold exactly, so zeros are zeros; equalities hold up to rounding. Values that satisfy the system
/// already are returned bit for bit. The certificate tells how exact the solution is.
/// [`Status::Infeasible`](crate::certificate::Status::Infeasible) names a smallest set of rows that contradict each
/// other if they are equalities, and otherwise the requirements with a share in a proof that nothing satisfies all.
/// [`Status::IterationLimit`](crate::certificate::Status::IterationLimit) comes with the best point found and its
/// certificate.
///
/// # Errors
/// [`ProjectError`] if a list has the wrong length or a number is outside its admissible set.
///
/// # Example
/// ```
/// use inbounds_project::{constraint::{Bounds, Rows, System}, linear};
/// // Two cells and their sum, which was measured too.
/// let sum = Rows::from_triplets(3, &[(0, 0, 1.0), (0, 1, 1.0), (0, 2, -1.0)], vec![0.0])?;
/// let mut system = System::equalities(sum);
/// let x = linear::project(&[5.0, -4.0, 4.0], &[1.0; 3], &system)?;
/// assert_eq!(x.estimates, [6.0, -3.0, 3.0]);
/// system.bounds = Bounds::nonnegative();
/// let x = linear::project(&[5.0, -4.0, 4.0], &[1.0; 3], &system)?;
/// assert_eq!(x.estimates, [4.5, 0.0, 4.5]);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
///
/// # References
/// Equalities: Björck 1996, Numerical Methods for Least Squares Problems, section 5.1. Interior point: Goulart and Chen
/// 2024, Clarabel. Correction of active sets: Hintermüller, Ito and Kunisch 2002, The primal-dual active set strategy
/// as a semismooth Newton method. Dual method: Goldfarb and Idnani 1983, A numerically stable dual method for solving
/// strictly convex quadratic programs.
pub fn project(values: &[f64], weights: &[f64], system: &System) -> Result<Solution, ProjectError> {
    project_by(values, weights, system, LinearRoute::DualNewton)
}

/// Route by which [`project`] proposes the binding constraints. Both routes lead to the same solution; each checks the
/// other in the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinearRoute {
    /// Newton's method on the multipliers of the rows, for equalities with bounds; the interior point method where
    /// there are inequalities, or where Newton's method does not converge.
    DualNewton,
    /// The interior point method.
    InteriorPoint,
}

/// [`project`] by a chosen route.
///
/// # Errors
/// As [`project`].
pub fn project_by(
    values: &[f64],
    weights: &[f64],
    system: &System,
    route: LinearRoute,
) -> Result<Solution, ProjectError> {
    check::measurements(values, weights)?;
    system.check(values.len())?;
    let problem = Problem { values, weights, system };
    // Measurements that satisfy the system already, and systems of equalities alone, need no iteration.
    let at_rest = problem.holds(values);
    if at_rest || system.is_plane() {
        return Ok(match problem.equality_conflict() {
            Some(conflict) => Solution::infeasible(conflict),
            None if at_rest => finish(&problem, Point::at_rest(&problem)),
            None => finish(&problem, polish::on_plane(&problem)),
        });
    }
    // Equalities with bounds: Newton's method on the dual problem.
    if route == LinearRoute::DualNewton
        && let Some(solution) = dual_newton::ascend(&problem)
    {
        return Ok(finish(&problem, polish::confirm(&problem, solution)));
    }
    if let Some(conflict) = problem.equality_conflict() {
        return Ok(Solution::infeasible(conflict));
    }
    // The interior point method proposes the active set, which `polish` corrects and certifies.
    let (polished, otherwise) = match interior::propose(&problem) {
        interior::Proposal::Infeasible(conflict) => (None, Solution::infeasible(conflict)),
        interior::Proposal::Point { guess, rough } => (polish::polish(&problem, guess), finish(&problem, rough)),
    };
    // Where that does not converge, the dual active-set method decides; at its limit the outcome of the interior
    // point method is returned.
    Ok(match polished {
        Some(point) => finish(&problem, point),
        None => match dual::ascend(&problem) {
            dual::End::Solved(point) => finish(&problem, point),
            dual::End::Infeasible(conflict) => Solution::infeasible(conflict),
            dual::End::Limit => otherwise,
        },
    })
}

/// The solution a point is, with the status that its certificate allows.
///
/// A cell that other constraints hold a rounding outside its bounds is put on the bound first.
fn finish(problem: &Problem<'_>, mut point: Point) -> Solution {
    point.x.iter_mut().enumerate().for_each(|(i, x)| *x = clamp(*x, problem.system.bounds.interval(i)));
    let kkt = certificate::kkt(problem, &point);
    Solution::certified(point.x, kkt)
}

/// One checked problem.
struct Problem<'a> {
    values: &'a [f64],
    weights: &'a [f64],
    system: &'a System,
}

impl Problem<'_> {
    /// `true` if `x` satisfies the system, up to the rounding of each term.
    fn holds(&self, x: &[f64]) -> bool {
        let System { equalities, inequalities, bounds } = self.system;
        let gap = |rows: &Rows, i: usize| sum(rows.terms(i, x));
        let rounding = |rows: &Rows, i: usize| ULP * sum(rows.terms(i, x).map(f64::abs));
        (0..equalities.len()).all(|i| gap(equalities, i).abs() <= rounding(equalities, i))
            && (0..inequalities.len()).all(|i| gap(inequalities, i) >= -rounding(inequalities, i))
            && x.iter().enumerate().all(|(i, &x)| clamp(x, bounds.interval(i)) == x)
    }

    /// Rows of `A` that contradict each other, with the bounds of the cells that they find fixed.
    fn equality_conflict(&self) -> Option<Vec<Requirement>> {
        let fixed = |i: usize| Some(self.system.bounds.interval(i)).filter(|(l, u)| l == u).map(|(l, _)| l);
        let variances: Vec<f64> = (0..self.values.len()).map(|i| if fixed(i).is_some() { 0.0 } else { 1.0 }).collect();
        let values: Vec<f64> = (0..self.values.len()).map(|i| fixed(i).unwrap_or(0.0)).collect();
        let rows = Plane::new(self.system.equalities.clone(), variances).contradiction(&values)?;
        let cells = rows.iter().flat_map(|&row| self.system.equalities.row(row)).map(|&(cell, _)| cell);
        let bounds =
            cells.filter(|&cell| fixed(cell).is_some()).flat_map(|i| [Requirement::Lower(i), Requirement::Upper(i)]);
        let mut conflict: Vec<Requirement> = rows.iter().map(|&row| Requirement::Equality(row)).chain(bounds).collect();
        conflict.sort_unstable();
        conflict.dedup();
        Some(conflict)
    }
}

/// A point with the multipliers of the rows: `w (x - y) = A^T equalities + C^T inequalities + (multipliers of bounds)`.
#[derive(Debug, Clone)]
struct Point {
    x: Vec<f64>,
    equalities: Vec<f64>,
    /// At most zero at the optimum.
    inequalities: Vec<f64>,
}

impl Point {
    /// The measurements themselves: no force needed.
    fn at_rest(problem: &Problem<'_>) -> Self {
        Self {
            x: problem.values.to_vec(),
            equalities: vec![0.0; problem.system.equalities.len()],
            inequalities: vec![0.0; problem.system.inequalities.len()],
        }
    }
}
