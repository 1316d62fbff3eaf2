//! Cells with one known total: the plane, the simplex and boxes cut by it.
//!
//! With multiplier `mu` for the total, the solution is `x_i(mu) = clamp(y_i + mu / w_i, l_i, u_i)`, and its sum grows
//! in `mu`, linearly between the breakpoints `w_i (l_i - y_i)` and `w_i (u_i - y_i)`. So the breakpoints are sorted,
//! the piece that holds the total is found by bisection, and on that piece one linear equation remains. No iteration is
//! involved, and a cell whose bound binds gets the bound itself.

mod certificate;
mod piece;

use crate::{
    ProjectError, Solution,
    certificate::Requirement,
    check,
    constraint::{Bounds, bounds::clamp},
    numeric::{ULP, sum},
};

/// Rounds of correction after which the rounding error of the total cannot shrink any more.
const CORRECTIONS: usize = 4;

/// The point nearest to `values` among those with the given total and within bounds.
///
/// # Contract
/// Minimises `sum w_i (x_i - y_i)^2` subject to `sum x_i = total` and `l_i <= x_i <= u_i`. Without bounds this is the
/// closed form `x_i = y_i + (total - sum y) / (w_i sum 1/w_j)`; with bounds 0 and infinity the simplex.
///
/// # Parameters
/// - `values`: the measurements `y`, finite.
/// - `weights`: `w`, reciprocal variances, finite and positive with finite reciprocals.
/// - `total`: finite, in the unit of the cells.
/// - `bounds`: see [`Bounds`].
///
/// # Guarantee
/// Exact up to rounding, in `O(n log n)`. Binding bounds hold exactly, so zeros are zeros. The values add up to the
/// total within one unit in the last place of each cell, `|sum x - total| <= 2^-52 sum |x|`; values that do so already
/// and lie within bounds are returned bit for bit, so projecting twice changes nothing. Cells of equal weight and
/// bounds keep their order. Status [`Infeasible`](crate::certificate::Status::Infeasible), naming the total and the
/// bounds on the side that it passes, where the bounds add up to more or less.
///
/// # Errors
/// [`ProjectError`] if a list has the wrong length or a number is outside its admissible set.
///
/// # Example
/// ```
/// use inbounds_project::{constraint::Bounds, simplex};
/// let x = simplex::project(&[3.0, -1.0, 0.5], &[1.0, 1.0, 1.0], 3.0, &Bounds::nonnegative())?;
/// assert_eq!(x.estimates, [2.75, 0.0, 0.25]);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
///
/// # References
/// Held, Wolfe and Crowder 1974, Validation of subgradient optimization, section 4 (simplex); Brucker 1984, An `O(n)`
/// algorithm for quadratic knapsack problems (boxes).
pub fn project(values: &[f64], weights: &[f64], total: f64, bounds: &Bounds) -> Result<Solution, ProjectError> {
    check::measurements(values, weights)?;
    bounds.check(values.len())?;
    if !total.is_finite() {
        return Err(ProjectError::Number {
            name: "total",
            place: format!("the {} cells", values.len()),
            requirement: "finite",
            value: total,
        });
    }
    if let Some(conflict) = conflict(values.len(), total, bounds) {
        return Ok(Solution::infeasible(conflict));
    }
    let problem = Problem { values, weights, total, bounds };
    let (values, multiplier) = if problem.holds(values) {
        (values.to_vec(), 0.0)
    } else {
        problem.corner().unwrap_or_else(|| problem.solve())
    };
    let kkt = certificate::kkt(&problem, &values, multiplier);
    Ok(Solution::certified(values, kkt))
}

/// One checked problem.
struct Problem<'a> {
    values: &'a [f64],
    weights: &'a [f64],
    total: f64,
    bounds: &'a Bounds,
}

impl Problem<'_> {
    /// `true` if `x` lies within bounds and adds up, as well as doubles can.
    fn holds(&self, x: &[f64]) -> bool {
        let inside = |(i, &x): (usize, &f64)| clamp(x, self.bounds.interval(i)) == x;
        x.iter().enumerate().all(inside) && self.gap(x).abs() <= ULP * sum(x.iter().map(|x| x.abs()))
    }

    /// Shortfall of the cells from the total.
    fn gap(&self, x: &[f64]) -> f64 {
        sum(x.iter().map(|x| -x).chain([self.total]))
    }

    /// The one point there is when all cells at their lower bounds, or all at their upper bounds, add up.
    ///
    /// Solved for like the others it would come out a rounding away from the bounds.
    fn corner(&self) -> Option<(Vec<f64>, f64)> {
        let at = |side: fn((f64, f64)) -> f64, extreme: fn(f64, f64) -> f64| {
            let x: Vec<f64> = (0..self.values.len()).map(|i| side(self.bounds.interval(i))).collect();
            let forces = x.iter().enumerate().map(|(i, x)| self.weights[i] * (x - self.values[i]));
            let multiplier = forces.reduce(extreme)?;
            (multiplier.is_finite() && self.holds(&x)).then_some((x, multiplier))
        };
        at(|(lower, _)| lower, f64::min).or_else(|| at(|(_, upper)| upper, f64::max))
    }

    /// The solution and the multiplier of the total.
    fn solve(&self) -> (Vec<f64>, f64) {
        let mut multiplier = match self.bounds {
            Bounds::None => self.gap(self.values) / sum(self.weights.iter().map(|w| w.recip())),
            _ => piece::multiplier(self),
        };
        let shifted = |i: usize, from: f64, by: f64| clamp(from + by / self.weights[i], self.bounds.interval(i));
        let mut x: Vec<f64> = self.values.iter().enumerate().map(|(i, &y)| shifted(i, y, multiplier)).collect();
        // The shift itself was rounded; a second, tiny one of the cells that no bound holds repairs the sum.
        for _ in 0..CORRECTIONS {
            if self.holds(&x) {
                break;
            }
            let is_free = |&i: &usize| {
                let (lower, upper) = self.bounds.interval(i);
                lower < x[i] && x[i] < upper
            };
            let free: Vec<usize> = (0..x.len()).filter(is_free).collect();
            if free.is_empty() {
                break;
            }
            let gap = self.gap(&x);
            let correction = gap / sum(free.iter().map(|&i| self.weights[i].recip()));
            match free[..] {
                [only] => x[only] = clamp(x[only] + gap, self.bounds.interval(only)),
                _ => free.iter().for_each(|&i| x[i] = shifted(i, x[i], correction)),
            }
            multiplier += correction;
        }
        (x, multiplier)
    }
}

/// The total and the bounds that cannot hold together with it, if there are such.
fn conflict(cells: usize, total: f64, bounds: &Bounds) -> Option<Vec<Requirement>> {
    let name =
        |side: fn(usize) -> Requirement| Some([Requirement::Total].into_iter().chain((0..cells).map(side)).collect());
    let lowest = (0..cells).map(|i| bounds.interval(i).0);
    let highest = (0..cells).map(|i| bounds.interval(i).1);
    let slack = |ends: &mut dyn Iterator<Item = f64>| ULP * sum(ends.map(f64::abs));
    if sum(lowest.clone()) > total + slack(&mut lowest.clone()) {
        name(Requirement::Lower)
    } else if sum(highest.clone()) < total - slack(&mut highest.clone()) {
        name(Requirement::Upper)
    } else {
        None
    }
}
