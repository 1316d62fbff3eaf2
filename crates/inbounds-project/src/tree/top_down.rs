//! The linear fit first, then down: each node's estimate is divided among its children inside bounds.
//!
//! One least-squares problem for all levels lets what bounds cut off from many small nodes add up and push the levels
//! above away from their own measurements. Here an upper level never hears of what is cut off below it:
//!
//! 1. up: every node's best unbiased value and its variance from its own subtree, as in [`super::passes`];
//! 2. down: a root takes the nearest admissible value; then the children of each node divide its *final* estimate by
//!    weighted least squares in those values and variances, each within what its subtree can reach.
//!
//! **Why the subtree's values stand for the linear fit.** Given its parent, the linear estimate of child `c` is
//! `m_c + p V_c` with one price `p` for all siblings, and given the sum of the siblings their errors have the covariance
//! `diag(V) - V V' / S`. Least squares in that covariance, on the hyperplane of a given sum, is least squares weighted by
//! `1 / V_c`; and a shift by `p V_c` does not change its solution. So each family is the exact projection of the linear
//! fit, weighted by what the fit left.
//!
//! **Invariant.** When a position is visited its estimate is final, a multiple of its tree's grid, and between the sums of
//! what its children's subtrees can reach: so every family has a solution.

mod certificate;
mod family;
mod whole;

use self::family::Family;
use super::{
    TreeSolution,
    feasible::{self, Reach},
    forest::PerTree,
    grid::Grid,
    passes::{Leaves, Part, Passes},
};
use crate::constraint::tree::{NodeBounds, TreeSystem};

/// What estimates are multiples of.
#[derive(Clone, Copy, PartialEq)]
enum Rounding {
    /// No grid: estimates before rounding.
    None,
    /// The grid of each tree.
    Grid,
    /// One.
    Whole,
}

pub(super) fn solve(system: &TreeSystem, whole: bool) -> TreeSolution {
    let interval = |position: usize| if whole { system.whole_interval(position) } else { system.interval(position) };
    let reach = match feasible::reach(system, interval) {
        Ok(reach) => reach,
        Err(conflict) => return TreeSolution::infeasible(conflict),
    };
    let mut passes = Passes::new(system, Leaves::All);
    passes.up();
    let down = Down { system, passes: &passes, reach: &reach, interval: &interval };
    let countable = || super::are_countable(system, &down.estimates(Rounding::None, &PerTree::one(Grid::whole())));
    let (estimates, grids) = if whole && countable() {
        let units = PerTree::one(Grid::whole());
        (down.estimates(Rounding::Whole, &units), units)
    } else {
        let grids = down.sums().map(Grid::for_sums_to);
        (down.estimates(Rounding::Grid, &grids), grids)
    };
    let grid = grids.iter().map(|grid| grid.step).fold(f64::INFINITY, f64::min);
    let certificate = down.certify(&estimates, whole, &grids);
    let estimates = system.tree().to_input(estimates);
    TreeSolution { status: certificate.status(), estimates, certificate: Some(certificate), grid }
}

/// A system on its way down.
struct Down<'a, F: Fn(usize) -> (f64, f64)> {
    system: &'a TreeSystem,
    passes: &'a Passes<'a>,
    /// What the subtree of each position of the head can reach; empty if that is its own interval.
    reach: &'a [Reach],
    /// Where a position must lie on its own account.
    interval: &'a F,
}

impl<F: Fn(usize) -> (f64, f64)> Down<'_, F> {
    /// Value and variance of a position from its subtree.
    fn part(&self, position: usize) -> Part {
        match self.passes.nodes.get(position) {
            Some(node) => node.sent,
            None => Part::measured(self.system.value[position], self.system.variance[position]),
        }
    }

    /// What the subtree of a position can reach.
    fn bounds(&self, position: usize) -> (f64, f64) {
        feasible::ends(self.reach, position, || (self.interval)(position))
    }

    /// Whether no child can be less than zero, and that is all there is to say of bounds and exact values.
    fn plain(&self) -> bool {
        self.system.bounds == NodeBounds::Nonnegative && !self.system.invariants
    }

    /// Estimates by position.
    fn estimates(&self, rounding: Rounding, grids: &PerTree<Grid>) -> Vec<f64> {
        let tree = self.system.tree();
        let reach = match rounding {
            Rounding::Grid => feasible::reach_on_grid(self.system, self.interval, grids),
            Rounding::None | Rounding::Whole => Vec::new(),
        };
        let on_grid =
            |position: usize, grid: Grid| feasible::ends(&reach, position, || grid.outward((self.interval)(position)));
        let mut out = Vec::with_capacity(tree.nodes());
        for root in tree.roots() {
            let (lower, upper) = self.bounds(root);
            let nearest = self.part(root).mean.max(lower).min(upper);
            out.push(match rounding {
                Rounding::None => nearest,
                Rounding::Grid => {
                    let (least, most) = on_grid(root, grids.of(root));
                    grids.of(root).inside(nearest, (lower, upper)).max(least).min(most)
                }
                // Of two equally near whole numbers the smaller.
                Rounding::Whole => (nearest - 0.5).ceil().max(lower).min(upper),
            });
        }
        let mut family = Family::default();
        for position in tree.inner() {
            self.gather(position, &mut family);
            let total = out[position];
            let price = family.divide(total);
            match rounding {
                Rounding::None => {}
                Rounding::Grid => {
                    let (grid, first) = (grids.of(position), tree.children(position).start);
                    family.round(total, grid, |child| on_grid(first + child, grid));
                }
                Rounding::Whole => family.make_whole(total, price),
            }
            out.extend_from_slice(&family.estimates);
        }
        out
    }

    /// The children of a position.
    fn gather(&self, position: usize, family: &mut Family) {
        let (head, tail) = self.passes.split(position);
        family.clear();
        if self.plain() && self.passes.nodes[position].sum.free == 0.0 {
            for child in head {
                let part = self.passes.nodes[child].sent;
                family.value.push(part.mean);
                family.variance.push(part.variance);
            }
            family.value.extend_from_slice(&self.system.value[tail.clone()]);
            family.variance.extend_from_slice(&self.system.variance[tail]);
        } else {
            head.chain(tail).for_each(|child| family.push(self.part(child), self.bounds(child)));
        }
    }

    /// Bound on the sum of absolute estimates of any set of siblings in a tree, and on its root.
    fn sums(&self) -> PerTree<f64> {
        let tree = self.system.tree();
        let root = |position: usize| {
            let (lower, upper) = self.bounds(position);
            self.part(position).mean.max(lower).min(upper).abs()
        };
        if self.system.bounds == NodeBounds::Nonnegative {
            // Nothing is negative, so no sum is above its root.
            return PerTree::gathered(tree, root, |_| 0.0, f64::max);
        }
        let before = self.estimates(Rounding::None, &PerTree::one(Grid::whole()));
        let siblings = |position: usize| tree.children(position).map(|child| before[child].abs()).sum();
        PerTree::gathered(tree, root, siblings, f64::max)
    }
}
