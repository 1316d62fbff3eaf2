//! Which bounds are attained in the optimum, by passing whole curves upwards.
//!
//! Each node sends its sum as a function of the multiplier of its parent's sum constraint: [`Curve`]. Children merge by
//! adding; the node's own measurement moves each knot `(p, s)` to `(p + (s - x) / V, s)`; its own bounds cut the curve.
//! From the roots down, each node's sum gives the multiplier of its sum constraint, and that multiplier the sums of its
//! children. This takes any bounds anywhere, zero weights and invariants, in `O(n log n)` time and memory per level,
//! whatever the values.
//!
//! It says where bounds are attained; [`super::polish`] then solves under equalities for the values. An unmeasured leaf
//! has here a variance of [`LOOSE`] times the largest one, which picks the optimum with the least sum of squares.

use super::curve::Curve;
use crate::constraint::tree::TreeSystem;

/// Variance of an unmeasured leaf, in units of the largest variance.
const LOOSE: f64 = (1_u64 << 24) as f64;

/// The sum of each position in the optimum, to rounding, with those at a bound exactly there. The system must be
/// feasible.
pub(super) fn solve(system: &TreeSystem) -> Vec<f64> {
    let tree = system.tree();
    let loose = LOOSE * largest_variance(system);
    let leaf = |position: usize| {
        let (lower, upper) = system.interval(position);
        let variance = system.variance[position];
        Curve::line(system.value[position], if variance == f64::INFINITY { loose } else { variance })
            .clamped(lower, upper)
    };
    let mut sums: Vec<Option<Curve>> = vec![None; tree.head()];
    let mut sent: Vec<Option<Curve>> = vec![None; tree.head()];
    let curve_of = |child: usize, sent: &[Option<Curve>]| -> Curve {
        sent.get(child).and_then(Clone::clone).unwrap_or_else(|| leaf(child))
    };
    // Bottom-up: each node adds up the curves of its children, pools the sum with its own measurement and clamps it.
    for position in tree.inner().rev() {
        let children = tree.children(position).map(|child| curve_of(child, &sent)).collect();
        let Some(sum) = Curve::total(children) else { continue };
        let (lower, upper) = system.interval(position);
        let variance = system.variance[position];
        sent[position] = Some(if variance == 0.0 {
            Curve::constant(system.value[position])
        } else {
            sum.clone().pooled(system.value[position], variance).clamped(lower, upper)
        });
        sums[position] = Some(sum);
    }
    // A root has no parent, so its multiplier is zero.
    let mut estimates = vec![0.0; tree.nodes()];
    for root in tree.roots() {
        estimates[root] = curve_of(root, &sent).at(0.0);
    }
    // Top-down: the estimate of a node gives the multiplier of its sum constraint, and that the estimates of its
    // children.
    for position in tree.inner() {
        let multiplier = sums[position].as_ref().map_or(0.0, |sum| sum.multiplier_at(estimates[position]));
        for child in tree.children(position) {
            estimates[child] = match sent.get(child).and_then(Option::as_ref) {
                Some(curve) => curve.at(multiplier),
                None => leaf(child).at(multiplier),
            };
        }
    }
    estimates
}

fn largest_variance(system: &TreeSystem) -> f64 {
    let finite = system.variance.iter().filter(|variance| variance.is_finite());
    let most = finite.fold(0.0, |most: f64, &variance| most.max(variance));
    if most > 0.0 { most } else { 1.0 }
}
