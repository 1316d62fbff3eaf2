//! Values in order: along a chain, or from the leaves of trees to their roots.
//!
//! The solution is constant on blocks of cells and equals the weighted mean of each block. Both solvers find the blocks
//! by merging neighbours that are out of order, which never has to be undone: along a chain by pooling adjacent
//! violators, on a tree by letting each cell absorb its largest child block as long as that is larger than its own.
//! Bounds that are the same for all cells are met by clamping afterwards, which is exact for orderings.

mod block;
mod certificate;
mod chain;
mod forest;
mod heap;

use crate::{
    ProjectError, Solution, check,
    constraint::{Direction, Order, bounds::clamp},
};

/// The point nearest to `values` among those that follow an ordering within common bounds.
///
/// # Contract
/// Minimises `sum w_i (x_i - y_i)^2` subject to the inequalities of [`Order`] and `lower <= x_i <= upper`.
///
/// # Parameters
/// - `values`: the measurements `y`, finite.
/// - `weights`: `w`, reciprocal variances, finite and positive with finite reciprocals.
/// - `order`: a chain or a forest over the cells.
/// - `(lower, upper)`: common bounds, infinite where there is none, `lower <= upper`.
///
/// # Guarantee
/// Exact up to rounding, in `O(n)` for chains and `O(n log n)` for forests of any depth. The result is in order and
/// within bounds without any tolerance; an input that is, is returned bit for bit. There is always a solution.
///
/// # Errors
/// [`ProjectError`] if a list has the wrong length, a number is outside its admissible set, a parent does not exist or
/// the parents form a cycle.
///
/// # Example
/// ```
/// use inbounds_project::{constraint::{Direction, Order}, isotonic};
/// let chain = Order::Chain(Direction::Increasing);
/// let x = isotonic::project(&[1.0, 2.0, 0.0, 11.0], &[1.0; 4], &chain, (f64::NEG_INFINITY, 10.0))?;
/// assert_eq!(x.estimates, [1.0, 1.0, 1.0, 10.0]);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
///
/// # References
/// Barlow, Bartholomew, Bremner and Brunk 1972, Statistical Inference under Order Restrictions, section 1.2 (chains)
/// and corollary 2.3 (bounds); Pardalos and Xue 1999, Algorithms for a class of isotonic regression problems (trees).
pub fn project(
    values: &[f64],
    weights: &[f64],
    order: &Order,
    (lower, upper): (f64, f64),
) -> Result<Solution, ProjectError> {
    check::measurements(values, weights)?;
    check::bounds(0, lower, upper)?;
    let leaves_first = match order {
        Order::Chain(_) => (0..values.len()).collect(),
        Order::Forest { parents, .. } => forest::leaves_first(parents, values.len())?,
    };
    let mirror = |x: f64| if order.direction() == Direction::Increasing { x } else { -x };
    let upward: Vec<f64> = values.iter().map(|&y| mirror(y)).collect();
    let ordered = match order {
        Order::Chain(_) => chain::pool(&upward, weights),
        Order::Forest { parents, .. } => forest::absorb(&upward, weights, parents, &leaves_first),
    };
    let kkt = certificate::kkt(&upward, weights, order, &leaves_first, &ordered);
    let estimates = ordered.into_iter().map(|x| clamp(mirror(x), (lower, upper))).collect();
    Ok(Solution::certified(estimates, kkt))
}
