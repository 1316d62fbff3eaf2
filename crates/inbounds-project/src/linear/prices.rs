//! Which bounds are reached under equalities, found by Newton's method on the prices of the rows.
//!
//! **Idea.** Give each row of `A x = b` a price. At prices `p` every cell has its own best number, `x_i(p) = y_i + v_i a_i p` cut
//! to its bounds, with `a_i` the column of the cell; what is left to find are prices at which the rows hold. They maximise a concave
//! function whose gradient is `b - A x(p)` and whose curvature is `A V A^T` over the cells between their bounds: a handful of
//! Newton steps, whatever the number of cells. Where a step would pass the maximum along its direction, it is shortened.
//!
//! **Invariant.** The function never falls. Each point tried is within its bounds and has forces of the right sign by
//! construction, so only its rows are left to hold; once they do, to rounding, it is the solution. `polish.rs` solves once more
//! with the cells that it found at their bounds held there, which takes the rounding away.
//!
//! **Damping.** A row whose cells are all at bounds has no curvature, and rows that depend on others have none along some
//! direction. So the curvature that all cells together would have is added, in a share that falls with the gradient.
//!
//! References: Qi and Sun 2006, A quadratically convergent Newton method for computing the nearest correlation matrix (the
//! method, for another cone); Hiriart-Urruty, Strodiot and Nguyen 1984 (generalised Hessians of such functions).

use super::{
    Point, Problem,
    factor::{Factor, Symmetric, elimination_order},
    plane,
    polish::{Active, Side},
};
use crate::{constraint::bounds::clamp, numeric::sum};

/// Newton steps before the method gives up; ten are many.
const STEPS: usize = 60;

/// Halvings of a step.
const HALVINGS: usize = 40;

/// A step is long enough if it gains this share of what the gradient promises.
const GAIN: f64 = 1e-4;

/// Largest and least share of the curvature of all cells that is added.
const DAMPING: (f64, f64) = (1e-2, 1e-13);

/// Rows that hold to this, relative to their largest term, do so up to rounding.
const ROUNDING: f64 = 1e-13;

/// Rows that hold to this hold as well as doubles can.
const EXACT: f64 = f64::EPSILON;

/// A solution up to rounding.
pub(super) struct Priced {
    /// Whether its rows hold as well as doubles can.
    pub(super) exact: bool,
    /// Which cells are at their bounds.
    pub(super) active: Active,
    pub(super) point: Point,
}

/// Prices at which the rows hold; `None` without equalities, with inequalities, or if there are none or none are found in time.
pub(super) fn ascend(problem: &Problem<'_>) -> Option<Priced> {
    if problem.system.equalities.is_empty() || !problem.system.inequalities.is_empty() {
        return None;
    }
    let market = Market::new(problem);
    let mut here = market.at(vec![0.0; problem.system.equalities.len()]);
    let start = here.worst;
    for _ in 0..STEPS {
        if here.worst <= EXACT {
            return Some(here.priced());
        }
        let direction = market.direction(&here, (here.worst / start).min(1.0));
        let slope = sum(direction.iter().zip(&here.gaps).map(|(step, gap)| step * gap));
        if slope.is_nan() || slope <= 0.0 {
            return (here.worst <= ROUNDING).then(|| here.priced());
        }
        let next = market.search(&here, &direction, slope)?;
        if here.worst <= ROUNDING && next.worst > 0.5 * here.worst {
            return Some(here.priced());
        }
        here = next;
    }
    None
}

/// A problem with what all steps need.
struct Market<'a> {
    problem: &'a Problem<'a>,
    /// Rows by cell.
    columns: Vec<Vec<(usize, f64)>>,
    variances: Vec<f64>,
    /// Roots of the reciprocal curvature of each row over all cells.
    scales: Vec<f64>,
    /// Positions of rows in an order in which they are eliminated, good whatever the cells at their bounds.
    order: Vec<usize>,
}

/// What prices lead to.
struct State {
    prices: Vec<f64>,
    x: Vec<f64>,
    sides: Vec<Side>,
    /// `b - A x`.
    gaps: Vec<f64>,
    /// The largest gap relative to its terms.
    worst: f64,
    /// What the function is more than at prices of zero.
    value: f64,
}

impl State {
    fn priced(self) -> Priced {
        let point = Point { x: self.x, equalities: self.prices, inequalities: Vec::new() };
        Priced { exact: self.worst <= EXACT, active: Active { cells: self.sides, rows: Vec::new() }, point }
    }
}

impl<'a> Market<'a> {
    fn new(problem: &'a Problem<'a>) -> Self {
        let rows = &problem.system.equalities;
        let columns = rows.by_column();
        let variances = Active::fixed_cells(problem).variances(problem);
        let curvature = |i: usize| rows.row(i).iter().map(|&(cell, a)| a * a * variances[cell]).sum::<f64>();
        let scale = |curvature: f64| if curvature > 0.0 { curvature.sqrt().recip() } else { 0.0 };
        let scales = (0..rows.len()).map(|i| scale(curvature(i))).collect();
        let mut market = Self { problem, columns, variances, scales, order: Vec::new() };
        market.order = elimination_order(&market.curvature(|_| true, 1.0));
        market
    }

    /// The best cells at some prices, and what they leave open.
    fn at(&self, prices: Vec<f64>) -> State {
        let Problem { values, weights, system } = self.problem;
        let (mut sides, mut x) = (Vec::with_capacity(values.len()), Vec::with_capacity(values.len()));
        let mut terms = crate::numeric::Sum::default();
        for (cell, &y) in values.iter().enumerate() {
            let force: f64 = self.columns[cell].iter().map(|&(row, a)| a * prices[row]).sum();
            let (lower, upper) = system.bounds.of(cell);
            let at_rest = clamp(y, (lower, upper));
            let wanted = y + force / weights[cell];
            let best = clamp(wanted, (lower, upper));
            sides.push(if best == lower {
                Side::Lower
            } else if best == upper {
                Side::Upper
            } else {
                Side::Free
            });
            x.push(best);
            // Against prices of zero: `w/2 ((x - y)^2 - (x0 - y)^2) - force x`.
            terms.add(0.5 * weights[cell] * (best - at_rest) * ((best - y) + (at_rest - y)) - force * best);
        }
        let rows = &system.equalities;
        let gaps: Vec<f64> = (0..rows.len()).map(|i| sum(rows.terms(i, &x))).collect();
        let size = plane::largest(values).max(plane::largest(&x));
        let worst =
            gaps.iter().enumerate().map(|(i, gap)| plane::relative_gap(rows, i, *gap, size)).fold(0.0, f64::max);
        prices.iter().zip(rows.right()).for_each(|(price, right)| terms.add(price * right));
        State { prices, x, sides, gaps, worst, value: terms.value() }
    }

    /// The Newton step with this share of the greatest damping.
    fn direction(&self, state: &State, share: f64) -> Vec<f64> {
        let damping = (DAMPING.0 * share).max(DAMPING.1);
        let matrix = self.curvature(|cell| state.sides[cell] == Side::Free, damping);
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

    /// A step along a direction that gains enough.
    fn search(&self, from: &State, direction: &[f64], slope: f64) -> Option<State> {
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            let prices = from.prices.iter().zip(direction).map(|(price, step)| price + length * step).collect();
            let next = self.at(prices);
            let rounding = 1e-14 * (from.value.abs() + next.value.abs());
            if next.value >= from.value + GAIN * length * slope - rounding {
                return Some(next);
            }
            length *= 0.5;
        }
        None
    }
}
