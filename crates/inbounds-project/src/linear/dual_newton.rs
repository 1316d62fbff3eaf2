//! Which bounds are reached under equalities, found by Newton's method on the multipliers of the rows.
//!
//! **Idea.** Give each row of `A x = b` a multiplier, its "price". At multipliers `p` every cell has its own best
//! number, `x_i(p) = y_i + v_i a_i p` cut to its bounds, with `a_i` the column of the cell; the unknowns are the
//! multipliers at which the rows hold. They maximise a concave function whose gradient is `b - A x(p)` and whose
//! curvature is `A V A^T` over the cells between their bounds: a handful of Newton steps, whatever the number of cells.
//! A step that passes the maximum along its direction, and gains too little by that, ends near this maximum instead:
//! along a line the gradient is piecewise linear and falls, so its zero is quickly found.
//!
//! **Invariant.** The function never falls. Each point tried is within its bounds and has forces of the right sign by
//! construction, so only its rows are left to hold; once they do, to rounding, it is the solution. What rounding is
//! left then is taken from the cells between their bounds themselves, not from the multipliers, as far as all forces
//! keep the right sign; where that is not enough, `polish.rs` solves once more with the cells at their bounds held
//! there.
//!
//! **Damping.** A row whose cells are all at bounds has no curvature, and rows that depend on others have none along
//! some direction. So the curvature that all cells together would have is added, in a share that falls with the
//! gradient. It is small from the start: where the cells of a row that are at bounds have variances a thousand times
//! those of the others, a hundredth of theirs is ten times the curvature there is, and every step a tenth of what it
//! should be.
//!
//! References: Qi and Sun 2006, A quadratically convergent Newton method for computing the nearest correlation matrix
//! (the method, for another cone); Hiriart-Urruty, Strodiot and Nguyen 1984 (generalised Hessians of such functions).

use super::{
    Point, Problem,
    active::{Active, DualSolution, Side},
    factor::{Factor, Symmetric, elimination_order},
    plane, polish,
};
use crate::{
    constraint::bounds::clamp,
    numeric::{Sum, largest, sum},
};

/// Newton steps before the method gives up; ten are many.
const STEPS: usize = 60;

/// Lengths tried before a maximum along a direction is given up.
const LENGTHS: usize = 60;

/// A full step is taken if it gains this share of what the gradient promises.
const GAIN: f64 = 1e-4;

/// A shorter step ends where this share of the gradient along it is left, or less.
const LEFT: f64 = 0.1;

/// Largest and least share of the curvature of all cells that is added.
const DAMPING: (f64, f64) = (1e-4, 1e-13);

/// Rows that hold to this, relative to their largest term, do so up to rounding.
const ROUNDING: f64 = 1e-13;

/// Rows that hold to this hold as well as doubles can.
const EXACT: f64 = f64::EPSILON;

/// The solution at multipliers at which the rows hold. `None` without equalities, with inequalities, if no multipliers
/// exist, or if none are found in time.
pub(super) fn ascend(problem: &Problem<'_>) -> Option<DualSolution> {
    if problem.system.equalities.is_empty() || !problem.system.inequalities.is_empty() {
        return None;
    }
    let dual = DualProblem::new(problem);
    let mut here = dual.at(vec![0.0; problem.system.equalities.len()]);
    let start = here.worst;
    for _ in 0..STEPS {
        // The rows hold as well as doubles can: optimal.
        if here.worst <= EXACT {
            return Some(here.into_solution());
        }
        // The Newton direction, damped less as the gaps shrink, and the slope of the dual function along it.
        let direction = dual.direction(&here, (here.worst / start).min(1.0));
        let slope = sum(direction.iter().zip(&here.gaps).map(|(step, gap)| step * gap));
        // No direction of ascent is left: a solution if the rows hold up to rounding.
        if slope.is_nan() || slope <= 0.0 {
            return (here.worst <= ROUNDING).then(|| here.into_solution());
        }
        // Close to the optimum, the cells are corrected directly, without the rounding of the multipliers.
        if here.worst <= ROUNDING
            && let Some(next) = dual.corrected(&here, &direction)
        {
            here = next;
            continue;
        }
        // Otherwise a line search; below the rounding of the rows a step counts only if it halves the largest gap.
        let next = dual.step(&here, &direction, slope);
        match next.filter(|next| here.worst > ROUNDING || next.worst <= 0.5 * here.worst) {
            Some(next) => here = next,
            None => return (here.worst <= ROUNDING).then(|| here.into_solution()),
        }
    }
    None
}

/// The dual problem, with what all steps need.
struct DualProblem<'a> {
    problem: &'a Problem<'a>,
    /// Rows by cell.
    columns: Vec<Vec<(usize, f64)>>,
    variances: Vec<f64>,
    /// Roots of the reciprocal curvature of each row over all cells.
    scales: Vec<f64>,
    /// Positions of rows in an order in which they are eliminated, good whatever the cells at their bounds.
    order: Vec<usize>,
}

/// State at given multipliers, the variables of the dual problem.
struct State {
    /// The cells and the multipliers.
    point: Point,
    active: Active,
    /// `b - A x`.
    gaps: Vec<f64>,
    /// The largest gap relative to its terms.
    worst: f64,
    /// Value of the dual function, less its value at multipliers of zero.
    value: f64,
}

impl State {
    fn into_solution(self) -> DualSolution {
        DualSolution { exact: self.worst <= EXACT, active: self.active, point: self.point }
    }

    fn multipliers_at(&self, direction: &[f64], length: f64) -> Vec<f64> {
        self.point.equalities.iter().zip(direction).map(|(multiplier, step)| multiplier + length * step).collect()
    }
}

impl<'a> DualProblem<'a> {
    fn new(problem: &'a Problem<'a>) -> Self {
        let rows = &problem.system.equalities;
        let columns = rows.by_column();
        let variances = Active::fixed_cells(problem).variances(problem);
        let curvature = |i: usize| rows.row(i).iter().map(|&(cell, a)| a * a * variances[cell]).sum::<f64>();
        let scale = |curvature: f64| if curvature > 0.0 { curvature.sqrt().recip() } else { 0.0 };
        let scales = (0..rows.len()).map(|i| scale(curvature(i))).collect();
        let mut dual = Self { problem, columns, variances, scales, order: Vec::new() };
        dual.order = elimination_order(&dual.curvature(|_| true, 1.0));
        dual
    }

    /// The minimiser of the Lagrangian at some multipliers, and the gaps of the rows there.
    fn at(&self, multipliers: Vec<f64>) -> State {
        let Problem { values, weights, .. } = self.problem;
        self.state(multipliers, |cell, force| values[cell] + force / weights[cell])
    }

    /// Each cell at its wanted value under its force, cut to its bounds.
    fn state(&self, multipliers: Vec<f64>, wanted: impl Fn(usize, f64) -> f64) -> State {
        let Problem { values, weights, system } = self.problem;
        let (mut sides, mut x) = (Vec::with_capacity(values.len()), Vec::with_capacity(values.len()));
        let mut terms = Sum::default();
        for (cell, &y) in values.iter().enumerate() {
            let force = self.force(cell, &multipliers);
            let (lower, upper) = system.bounds.interval(cell);
            let at_rest = clamp(y, (lower, upper));
            let best = clamp(wanted(cell, force), (lower, upper));
            sides.push(if best == lower {
                Side::Lower
            } else if best == upper {
                Side::Upper
            } else {
                Side::Free
            });
            x.push(best);
            // Against multipliers of zero: `w/2 ((x - y)^2 - (x0 - y)^2) - force x`.
            terms.add(0.5 * weights[cell] * (best - at_rest) * ((best - y) + (at_rest - y)) - force * best);
        }
        let rows = &system.equalities;
        let gaps: Vec<f64> = (0..rows.len()).map(|i| sum(rows.terms(i, &x))).collect();
        let size = largest(values).max(largest(&x));
        let worst =
            gaps.iter().enumerate().map(|(i, gap)| plane::relative_gap(rows, i, *gap, size)).fold(0.0, f64::max);
        multipliers.iter().zip(rows.right()).for_each(|(multiplier, right)| terms.add(multiplier * right));
        let point = Point { x, equalities: multipliers, inequalities: Vec::new() };
        State { point, active: Active { cells: sides, rows: Vec::new() }, gaps, worst, value: terms.value() }
    }

    fn force(&self, cell: usize, multipliers: &[f64]) -> f64 {
        self.columns[cell].iter().map(|&(row, a)| a * multipliers[row]).sum()
    }

    /// The Newton step with this share of the greatest damping.
    fn direction(&self, state: &State, share: f64) -> Vec<f64> {
        let damping = (DAMPING.0 * share).max(DAMPING.1);
        let matrix = self.curvature(|cell| state.active.cells[cell] == Side::Free, damping);
        let factor = Factor::in_order(&matrix, self.order.clone(), 0.0);
        let mut step: Vec<f64> = state.gaps.iter().zip(&self.scales).map(|(gap, scale)| gap * scale).collect();
        factor.solve(&mut step);
        step.iter_mut().zip(&self.scales).for_each(|(step, scale)| *step *= scale);
        step
    }

    /// `S A V A^T S` over the cells that count, with the diagonal `S` for which the matrix over all cells has a
    /// unit diagonal, and the damping on the diagonal.
    fn curvature(&self, counts: impl Fn(usize) -> bool, damping: f64) -> Symmetric {
        let rows = &self.problem.system.equalities;
        let mut sums = vec![0.0; rows.len()];
        let column = |k: usize| {
            let mut touched = vec![k];
            sums[k] += damping;
            for &(cell, a) in rows.row(k).iter().filter(|&&(cell, _)| counts(cell)) {
                for &(i, b) in self.columns[cell].iter().filter(|&&(i, _)| i <= k) {
                    if sums[i] == 0.0 {
                        touched.push(i);
                    }
                    sums[i] += a * self.variances[cell] * b * self.scales[i] * self.scales[k];
                }
            }
            touched.sort_unstable();
            touched.dedup();
            touched.iter().map(|&i| (i, std::mem::take(&mut sums[i]))).collect()
        };
        Symmetric { columns: (0..rows.len()).map(column).collect() }
    }

    /// The cells between their bounds moved as a step of the multipliers moves them; `None` unless the largest gap is
    /// halved and all forces have the right sign.
    ///
    /// Cells computed anew from the multipliers would be rounded anew, with the size of the multipliers.
    fn corrected(&self, from: &State, step: &[f64]) -> Option<State> {
        let moved = |cell: usize, _| match from.active.cells[cell] {
            Side::Free => from.point.x[cell] + self.variances[cell] * self.force(cell, step),
            _ => from.point.x[cell],
        };
        let next = self.state(from.multipliers_at(step, 1.0), moved);
        (next.worst <= 0.5 * from.worst && polish::is_settled(self.problem, &next.active, &next.point)).then_some(next)
    }

    /// The full Newton step if it gains enough, else one to near the maximum along its direction.
    fn step(&self, from: &State, direction: &[f64], slope: f64) -> Option<State> {
        let full = self.at(from.multipliers_at(direction, 1.0));
        let rounding = 1e-14 * (from.value.abs() + full.value.abs());
        if full.value >= from.value + GAIN * slope - rounding {
            return Some(full);
        }
        let length = self.length(from, direction, slope)?;
        Some(self.at(from.multipliers_at(direction, length)))
    }

    /// A length of at most one, before the maximum along a direction and close to it: Newton's method for the zero of
    /// the slope, and bisection where it leaves the lengths between which the zero is known to be.
    fn length(&self, from: &State, direction: &[f64], slope: f64) -> Option<f64> {
        let Problem { values, weights, system } = self.problem;
        let start = |cell: usize| values[cell] + self.force(cell, &from.point.equalities) / weights[cell];
        let cells: Vec<(f64, f64)> = (0..values.len()).map(|cell| (start(cell), self.force(cell, direction))).collect();
        let at = |length: f64| {
            let (mut slope, mut curvature) = (Sum::default(), 0.0);
            direction.iter().zip(system.equalities.right()).for_each(|(step, right)| slope.add(step * right));
            for (cell, &(start, force)) in cells.iter().enumerate() {
                let wanted = start + length * force / weights[cell];
                let best = clamp(wanted, system.bounds.interval(cell));
                slope.add(-force * best);
                curvature += if best == wanted { force * force / weights[cell] } else { 0.0 };
            }
            (slope.value(), curvature)
        };
        let (mut before, mut beyond, mut length) = (0.0, 1.0, 1.0);
        for _ in 0..LENGTHS {
            // Stop where the slope has nearly vanished but is not negative, so that the maximum is not passed.
            let (left, curvature) = at(length);
            if left >= 0.0 && (left <= LEFT * slope || length == 1.0) {
                return Some(length);
            }
            // Shrink the bracket of the zero, then take the Newton step if it stays inside, else bisect.
            *(if left > 0.0 { &mut before } else { &mut beyond }) = length;
            let newton = length + left / curvature;
            length = if before < newton && newton < beyond { newton } else { 0.5 * (before + beyond) };
        }
        None
    }
}
