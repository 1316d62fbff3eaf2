//! The dual active-set method of Goldfarb and Idnani: one constraint at a time, never cycling at degenerate points.
//!
//! Write every inequality as `g x >= c`. The state is a set of independent constraints held to equality, the nearest
//! point under them, and multipliers `u >= 0`. A violated constraint `p` gets a growing multiplier of its own, along
//! which the point moves by `z` and the multipliers by `du`; either `p` becomes satisfied and joins the set, or some
//! multiplier reaches zero before and its constraint leaves. If `p` depends on the set and no multiplier falls, `p` and
//! the set contradict each other. The objective grows with every constraint that joins, so no set comes twice.

use super::{
    Point, Problem,
    active::{Active, Side},
    certificate,
    certificate::Forces,
    plane::Plane,
    polish::solve,
};
use crate::certificate::Requirement;

/// Constraints that may join for each one that there is, before the method gives up.
const JOINING: usize = 20;

/// Coefficients that may go through factorisations, of which each constraint that joins needs some, before it gives up.
const WORK: usize = 30_000_000;

/// Violations up to this size of a cell are rounding: a constraint that the others imply can look violated by that.
const VIOLATED: f64 = 1e-13;

/// Rates below this, relative to the largest, are rounding.
const RATE: f64 = 1e-10;

/// Outcome of the method.
pub(super) enum End {
    Solved(Point),
    Infeasible(Vec<Requirement>),
    Limit,
}

/// An inequality.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Member {
    Cell(usize, Side),
    Row(usize),
}

impl Member {
    fn requirement(self) -> Requirement {
        match self {
            Self::Cell(i, Side::Upper) => Requirement::Upper(i),
            Self::Cell(i, _) => Requirement::Lower(i),
            Self::Row(i) => Requirement::Inequality(i),
        }
    }

    /// The nonzero entries of `g`.
    fn normal(self, problem: &Problem<'_>) -> Vec<(usize, f64)> {
        match self {
            Self::Cell(i, Side::Upper) => vec![(i, -1.0)],
            Self::Cell(i, _) => vec![(i, 1.0)],
            Self::Row(i) => problem.system.inequalities.row(i).iter().map(|&(cell, a)| (cell, -a)).collect(),
        }
    }

    /// `g x - c`, negative if violated.
    fn slack(self, problem: &Problem<'_>, x: &[f64]) -> f64 {
        match self {
            Self::Cell(i, Side::Upper) => problem.system.bounds.interval(i).1 - x[i],
            Self::Cell(i, _) => x[i] - problem.system.bounds.interval(i).0,
            Self::Row(i) => crate::numeric::sum(problem.system.inequalities.terms(i, x)),
        }
    }

    fn set(self, active: &mut Active, binds: bool) {
        match self {
            Self::Cell(i, side) => active.cells[i] = if binds { side } else { Side::Free },
            Self::Row(i) => active.rows[i] = binds,
        }
    }
}

/// Runs the method from the solution without inequalities.
pub(super) fn ascend(problem: &Problem<'_>) -> End {
    let mut active = Active::fixed_cells(problem);
    let constraints = active.cells.len() + active.rows.len();
    let coefficients = problem.system.equalities.entries() + problem.system.inequalities.entries();
    for _ in 0..(JOINING * constraints).min(WORK / (constraints + coefficients + 1)) {
        let Ok(point) = solve(problem, &active) else { return End::Limit };
        let Some(violated) = most_violated(problem, &active, &point) else { return End::Solved(point) };
        if let Some(end) = join(problem, &mut active, point, violated) {
            return end;
        }
    }
    End::Limit
}

/// Lets a violated constraint join, and those leave that stand in its way.
fn join(problem: &Problem<'_>, active: &mut Active, mut point: Point, joining: Member) -> Option<End> {
    let mut multipliers = multipliers(problem, active, &point);
    loop {
        // The first constraint whose multiplier reaches zero along the step, and the length that satisfies the joining
        // one.
        let step = Step::new(problem, active, joining);
        let blocking = multipliers
            .iter()
            .zip(&step.rates)
            .filter(|(_, rate)| **rate < 0.0)
            .map(|((member, u), rate)| (*member, (u / -rate).max(0.0)))
            .min_by(|a, b| a.1.total_cmp(&b.1));
        let full = step.length_to_satisfy(problem, &point, joining);
        match (blocking, full) {
            // Neither exists: the constraints contradict each other.
            (None, None) => return Some(End::Infeasible(step.conflict(&multipliers, joining))),
            // A multiplier reaches zero first: take the partial step, and let its constraint leave.
            (Some((leaving, length)), full) if full.is_none_or(|full| length < full) => {
                point.x.iter_mut().zip(&step.direction).for_each(|(x, z)| *x += length * z);
                multipliers.iter_mut().zip(&step.rates).for_each(|((_, u), rate)| *u += length * rate);
                multipliers.retain(|(member, _)| *member != leaving);
                leaving.set(active, false);
            }
            // Otherwise the full step: the joining constraint binds.
            _ => {
                joining.set(active, true);
                return None;
            }
        }
    }
}

/// The inequality that is violated most, of those that do not bind already.
fn most_violated(problem: &Problem<'_>, active: &Active, point: &Point) -> Option<Member> {
    let size = certificate::size(problem, &point.x);
    let cell = |i: usize| {
        let (lower, upper) = problem.system.bounds.interval(i);
        let ends = [(lower - point.x[i], Side::Lower), (point.x[i] - upper, Side::Upper)];
        ends.map(|(beyond, side)| (crate::numeric::relative(beyond, size), Member::Cell(i, side)))
    };
    let cells = (0..active.cells.len()).filter(|&i| active.cells[i] == Side::Free).flat_map(cell);
    let rows = (0..active.rows.len()).filter(|&i| !active.rows[i]);
    let rows = rows.map(|i| (certificate::violation(problem, i, &point.x), Member::Row(i)));
    let violated = cells.chain(rows).filter(|(violation, _)| *violation > VIOLATED);
    violated.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, member)| member)
}

/// The multipliers of all inequalities that bind and could let go.
fn multipliers(problem: &Problem<'_>, active: &Active, point: &Point) -> Vec<(Member, f64)> {
    let forces = Forces::at(problem, point);
    let u = |member: Member| match member {
        Member::Cell(i, Side::Upper) => -forces.multiplier[i],
        Member::Cell(i, _) => forces.multiplier[i],
        Member::Row(i) => -point.inequalities[i],
    };
    members(problem, active).into_iter().map(|member| (member, u(member))).collect()
}

/// The inequalities that bind, without fixed cells.
fn members(problem: &Problem<'_>, active: &Active) -> Vec<Member> {
    let free_to_go = |i: &usize| {
        let (lower, upper) = problem.system.bounds.interval(*i);
        active.cells[*i] != Side::Free && lower != upper
    };
    let cells = (0..active.cells.len()).filter(free_to_go).map(|i| Member::Cell(i, active.cells[i]));
    cells.chain(active.binding().into_iter().map(Member::Row)).collect()
}

/// Effect of one unit of the joining constraint's multiplier.
struct Step {
    /// Move of the point; zero if the constraint depends on those that bind.
    direction: Vec<f64>,
    /// Moves of the multipliers of the inequalities that bind.
    rates: Vec<f64>,
    /// The equalities with a share, and the bounds of fixed cells.
    given: Vec<Requirement>,
    is_dependent: bool,
}

impl Step {
    fn new(problem: &Problem<'_>, active: &Active, joining: Member) -> Self {
        let mut normal = vec![0.0; active.cells.len()];
        joining.normal(problem).into_iter().for_each(|(cell, g)| normal[cell] = g);
        let variances = active.variances(problem);
        let target: Vec<f64> = normal.iter().zip(&variances).map(|(g, v)| v * g).collect();
        let plane = Plane::new(active.equalities(problem).homogeneous(), variances);
        let mut with = active.clone();
        joining.set(&mut with, true);
        let rank_with = Plane::new(with.equalities(problem), with.variances(problem)).rank();
        let is_dependent = match joining {
            Member::Row(_) => rank_with == plane.rank(),
            Member::Cell(..) => rank_with < plane.rank(),
        };
        let moved = active.point(problem, plane.project(&target));
        // What the bounds must take over: g + A^T d lambda, with the opposite sign for those from above.
        let mut taken = normal;
        let mut push = |rows: &crate::constraint::Rows, rates: &[f64]| {
            for (i, rate) in rates.iter().enumerate() {
                rows.row(i).iter().for_each(|&(cell, a)| taken[cell] += a * rate);
            }
        };
        push(&problem.system.equalities, &moved.equalities);
        push(&problem.system.inequalities, &moved.inequalities);
        let rate = |member: Member| match member {
            Member::Cell(i, Side::Upper) => taken[i],
            Member::Cell(i, _) => -taken[i],
            Member::Row(i) => -moved.inequalities[i],
        };
        let mut rates: Vec<f64> = members(problem, active).into_iter().map(rate).collect();
        let largest = crate::numeric::largest(&rates);
        rates.iter_mut().filter(|rate| rate.abs() <= RATE * largest).for_each(|rate| *rate = 0.0);
        let equalities = (0..moved.equalities.len()).filter(|&i| moved.equalities[i].abs() > RATE);
        let is_fixed = |&i: &usize| problem.system.bounds.interval(i).0 == problem.system.bounds.interval(i).1;
        let fixed = (0..taken.len()).filter(is_fixed).filter(|&i| taken[i].abs() > RATE);
        let side = |i: usize| if taken[i] > 0.0 { Requirement::Upper(i) } else { Requirement::Lower(i) };
        let given = equalities.map(Requirement::Equality).chain(fixed.map(side)).collect();
        let direction = if is_dependent { vec![0.0; moved.x.len()] } else { moved.x };
        Self { direction, rates, given, is_dependent }
    }

    /// The multiplier at which the joining constraint is satisfied, if there is one.
    fn length_to_satisfy(&self, problem: &Problem<'_>, point: &Point, joining: Member) -> Option<f64> {
        let gain: f64 = joining.normal(problem).iter().map(|&(cell, g)| g * self.direction[cell]).sum();
        (!self.is_dependent && gain > 0.0).then(|| (-joining.slack(problem, &point.x) / gain).max(0.0))
    }

    /// The joining constraint with those that keep it from being satisfied.
    fn conflict(&self, multipliers: &[(Member, f64)], joining: Member) -> Vec<Requirement> {
        let sharing = multipliers.iter().zip(&self.rates).filter(|(_, rate)| **rate != 0.0);
        let mut conflict: Vec<Requirement> = sharing.map(|((member, _), _)| member.requirement()).collect();
        conflict.extend(&self.given);
        conflict.push(joining.requirement());
        conflict.sort_unstable();
        conflict
    }
}
