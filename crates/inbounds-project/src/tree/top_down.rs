//! The linear fit first, then down: each node's estimate is divided among its children inside bounds.
//!
//! In one least-squares problem for all levels, the mass that bounds cut off from many small nodes adds up and pushes
//! the levels above away from their own measurements. Here the mass cut off below a level never moves that level:
//!
//! 1. up: every node's best unbiased value and its variance from its own subtree, as in [`super::passes`];
//! 2. down: a root takes the nearest admissible value; then the children of each node divide its *final* estimate by
//!    weighted least squares in those values and variances, each within what its subtree can reach.
//!
//! **Why the subtree's values stand for the linear fit.** Given its parent, the linear estimate of child `c` is
//! `m_c + p V_c` with one multiplier `p` for all siblings, and given the sum of the siblings their errors have the
//! covariance `diag(V) - V V' / S`. Least squares in that covariance, on the hyperplane of a given sum, is least
//! squares weighted by `1 / V_c`; and a shift by `p V_c` does not change its solution. So each family is the exact
//! projection of the linear fit, weighted by what the fit left.
//!
//! **Other aims.** A family can be made the projection of other numbers than those of the linear fit, with other
//! weights: `shrunk.rs`.
//!
//! **Invariant.** When a position is visited its estimate is final, a multiple of its tree's grid, and between the sums
//! of what its children's subtrees can reach: so every family has a solution.

mod agreed;
mod certificate;
mod family;
mod integer;
mod plain;
mod shrunk;

use self::family::Family;
use super::{
    TreeSolution,
    feasible::{self, Reach},
    forest::PerTree,
    grid::Grid,
    part::Part,
    passes::{Leaves, Passes},
};
use crate::{
    constraint::tree::{NodeBounds, TreeSystem},
    shrink::Aim,
};

/// Grid of the estimates.
#[derive(Clone, Copy, PartialEq)]
enum Rounding {
    /// No grid: estimates before rounding.
    None,
    /// The grid of each tree.
    Grid,
    /// One.
    Whole,
}

/// The linear fit of all measurements, then down: the children of each node divide its estimate inside bounds.
///
/// # Contract
/// Roots take the admissible value nearest to their estimate under [`equality`](super::equality). Then, given the
/// estimate of a node, its children are the exact weighted least-squares projection of their own estimates under
/// [`equality`](super::equality) onto numbers in bounds with that sum; the weights are those of the covariance that the
/// linear fit leaves them. If bounds cut off four or more of a family, and an eighth of it, then of a child at `x` in
/// that projection, `d` from its nearest bound, with variance `V`, the weight is `max(1, d / (3 sqrt V))` times as
/// large, and they are projected anew, so that the mass that zero cuts off is not taken from numbers that are certainly
/// large. The certificate is the worst over all families. What bounds cut off below a node never moves it, so sparse
/// levels leave those above alone, and the sum of squares is not the least: that is [`project`](super::project).
/// Without bounds this is [`equality`](super::equality). Unmeasured leaves as there, as far as bounds allow. `O(n)`
/// time for nonnegativity in all but contrived cases, `O(n log n)` for boxes.
///
/// # Example
/// Two empty cells, measured below and above zero, do not lift the well measured total.
/// ```
/// use inbounds_project::{constraint::tree::{Tree, TreeSystem}, tree::{project, top_down}};
/// let tree = Tree::from_parents(&[None, Some(0), Some(0)])?;
/// let system = TreeSystem::new(tree, vec![5.0, -3.0, 8.0], vec![1.0; 3])?.nonnegative();
/// assert_eq!(top_down(&system).estimates, [5.0, 0.0, 5.0]);
/// assert_eq!(project(&system).estimates, [6.5, 0.0, 6.5]);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
///
/// # References
/// Top-down order: Abowd et al. (2022), TopDown. From the exact linear fit: the BlueDown method, one count a node.
pub fn top_down(system: &TreeSystem) -> TreeSolution {
    solve(system, false, Aim::Fit)
}

/// [`top_down`] over whole numbers: each family is the true optimum over whole numbers with its parent's sum.
///
/// # Example
/// ```
/// use inbounds_project::{constraint::tree::{Tree, TreeSystem}, tree::top_down_integer};
/// let tree = Tree::from_parents(&[None, Some(0), Some(0), Some(0)])?;
/// let system = TreeSystem::new(tree, vec![2.0, 0.6, 0.7, -3.0], vec![0.01, 1.0, 1.0, 1.0])?.nonnegative();
/// assert_eq!(top_down_integer(&system).estimates, [2.0, 1.0, 1.0, 0.0]);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
pub fn top_down_integer(system: &TreeSystem) -> TreeSolution {
    solve(system, true, Aim::Fit)
}

/// [`top_down`] with families that aim at shrunk numbers: empirical Bayes.
///
/// # Contract
/// All inner nodes of a level, and all of its leaves, are taken for numbers from one law: zero with some probability,
/// otherwise a mixture of exponentials. Its shares maximise the likelihood of the linear fit, whose errors are taken
/// for normal with the variances of
/// [`TreeCovariance`](super::TreeCovariance). With `x` the linear fit and `m` the posterior mean of a node,
/// `t = min(m, max(x, 0))`. Inner nodes below the roots aim at `t` with weight `1 / (posterior variance + V / 4)`,
/// where `V` is the variance in [`top_down`], leaves at `(x + t) / 2` with weight `1 / V`; and each family is the exact
/// projection of its aims onto numbers in bounds that add up to the estimate of its parent. Biased towards zero at all
/// levels but the roots, which are those of [`top_down`]. Where some node may be negative, or a family has unmeasured
/// leaves, nothing is shrunk. `O(n)` besides [`top_down`].
///
/// # Example
/// Nine empty cells beside one of a thousand: the mass that noise adds to them is not taken from it.
/// ```
/// use inbounds_project::{constraint::tree::{Tree, TreeSystem}, tree::{shrunk, top_down}};
/// let parents: Vec<Option<u32>> = std::iter::once(None).chain([Some(0); 10]).collect();
/// let value = vec![1000.0, 3.0, -2.0, 0.0, 1.0, -4.0, 2.0, -1.0, 5.0, 3.0, 1000.0];
/// let system = TreeSystem::new(Tree::from_parents(&parents)?, value, vec![9.0; 11])?.nonnegative();
/// let (plain, shrunk) = (top_down(&system).estimates[10], shrunk(&system).estimates[10]);
/// assert!(plain < 999.0 && shrunk > plain && shrunk < 1000.0, "{plain} {shrunk}");
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
///
/// # References
/// Robbins (1956); Johnstone and Silverman (2004).
pub fn shrunk(system: &TreeSystem) -> TreeSolution {
    solve(system, false, Aim::Shrunk)
}

/// [`shrunk`] over whole numbers: each family is the true optimum over whole numbers with its parent's sum.
///
/// # Example
/// ```
/// use inbounds_project::{constraint::tree::{Tree, TreeSystem}, tree::shrunk_integer};
/// let tree = Tree::from_parents(&[None, Some(0), Some(0), Some(0)])?;
/// let system = TreeSystem::new(tree, vec![8.0, 0.6, 7.7, -3.0], vec![0.01, 1.0, 1.0, 1.0])?.nonnegative();
/// assert_eq!(shrunk_integer(&system).estimates, [8.0, 0.0, 8.0, 0.0]);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
pub fn shrunk_integer(system: &TreeSystem) -> TreeSolution {
    solve(system, true, Aim::Shrunk)
}

fn solve(system: &TreeSystem, is_integer: bool, aim: Aim) -> TreeSolution {
    let interval =
        |position: usize| if is_integer { system.whole_interval(position) } else { system.interval(position) };
    let reach = match feasible::reach(system, interval) {
        Ok(reach) => reach,
        Err(conflict) => return TreeSolution::infeasible(conflict),
    };
    let mut passes = Passes::new(system, Leaves::All);
    passes.up();
    let mut down = Down { system, passes: &passes, reach: &reach, interval: &interval, aims: Vec::new() };
    if aim == Aim::Shrunk {
        down.aims = down.shrunk();
    }
    let down = down;
    let (rounding, grids) = if is_integer && down.are_countable() {
        (Rounding::Whole, PerTree::one(Grid::whole()))
    } else {
        (Rounding::Grid, down.sums().map(Grid::for_sums_to))
    };
    let (estimates, certificate) = down.certified(rounding, is_integer, &grids);
    let grid = grids.iter().map(|grid| grid.step).fold(f64::INFINITY, f64::min);
    let estimates = system.tree().to_input(estimates);
    TreeSolution { status: certificate.status(), estimates, certificate: Some(certificate), grid }
}

/// A system on its way down.
struct Down<'a, F: Fn(usize) -> (f64, f64)> {
    system: &'a TreeSystem,
    passes: &'a Passes<'a>,
    /// Reachable interval of the subtree of each position of the head; empty if that is its own interval.
    reach: &'a [Reach],
    /// Where a position must lie on its own account.
    interval: &'a F,
    /// Target of each position below the roots; empty if that is the linear fit.
    aims: Vec<Part>,
}

impl<F: Fn(usize) -> (f64, f64)> Down<'_, F> {
    /// Value and variance of a position: what it aims at, or those from its subtree.
    fn part(&self, position: usize) -> Part {
        if let Some(aim) = self.aims.get(position) {
            return *aim;
        }
        match self.passes.nodes.get(position) {
            Some(node) => node.sent,
            None => Part::measured(self.system.value[position], self.system.variance[position]),
        }
    }

    /// Reachable interval of the subtree of a position.
    fn bounds(&self, position: usize) -> (f64, f64) {
        feasible::ends(self.reach, position, || (self.interval)(position))
    }

    /// `true` if every child is at least zero, without further bounds or exact values.
    fn plain(&self) -> bool {
        *self.system.bounds == NodeBounds::Nonnegative && !self.system.invariants
    }

    /// `true` if units show in all numbers: decided without estimates where these add up to their roots and nothing is
    /// large.
    fn are_countable(&self) -> bool {
        let tree = self.system.tree();
        if *self.system.bounds == NodeBounds::Nonnegative {
            let roots: f64 = tree.roots().map(|root| self.part(root).mean.max(self.bounds(root).0)).sum();
            if super::surely_countable(self.system, roots.max(0.0)) {
                return true;
            }
        }
        super::are_countable(self.system, &self.before_rounding())
    }

    fn before_rounding(&self) -> Vec<f64> {
        self.estimates(Rounding::None, &PerTree::one(Grid::whole()), |_, _, _| ())
    }

    /// Estimates by position; `written` is called with each family, its position and total, when its estimates are
    /// final.
    fn estimates(
        &self,
        rounding: Rounding,
        grids: &PerTree<Grid>,
        mut written: impl FnMut(usize, f64, &Family),
    ) -> Vec<f64> {
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
                    let (least, most) = on_grid(root, grids.at(root));
                    grids.at(root).inside(nearest, (lower, upper)).max(least).min(most)
                }
                // Of two equally near whole numbers the smaller.
                Rounding::Whole => (nearest - 0.5).ceil().max(lower).min(upper),
            });
        }
        let mut family = Family::default();
        for position in tree.inner() {
            let total = out[position];
            self.gather(position, &mut family);
            // Shrinking learns from all numbers of a level which are zero, and does more than reweighting would.
            let multiplier = family.divide(total, self.aims.is_empty());
            match rounding {
                Rounding::None => {}
                Rounding::Grid => {
                    let (grid, first) = (grids.at(position), tree.children(position).start);
                    family.round(total, grid, |child| on_grid(first + child, grid));
                }
                Rounding::Whole => family.make_integer(total, multiplier),
            }
            written(position, total, &family);
            out.extend_from_slice(&family.estimates);
        }
        out
    }

    /// The children of a position.
    fn gather(&self, position: usize, family: &mut Family) {
        let (head, tail) = self.passes.split(position);
        family.clear();
        if self.plain() && self.passes.nodes[position].sum.free == 0.0 {
            if !self.aims.is_empty() {
                let aims = &self.aims[head.start..tail.end];
                family.value.extend(aims.iter().map(|aim| aim.mean));
                family.variance.extend(aims.iter().map(|aim| aim.variance));
                return;
            }
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
        if *self.system.bounds == NodeBounds::Nonnegative {
            // Nothing is negative, so no sum is above its root.
            return PerTree::gathered(tree, root, |_| 0.0, f64::max);
        }
        let before = self.before_rounding();
        let siblings = |position: usize| tree.children(position).map(|child| before[child].abs()).sum();
        PerTree::gathered(tree, root, siblings, f64::max)
    }
}
