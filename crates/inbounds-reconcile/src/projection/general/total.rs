//! Cells with one known total, sorted into place; whole ones as the children of a root that is known exactly.

use inbounds_project::{
    constraint::{
        Bounds,
        tree::{Tree, TreeSystem},
    },
    simplex,
    tree::integer,
};

use super::reduce::Known;
use crate::projection::solve::{Cause, Ending, Solved};

/// All nodes, which have measurements or exact values, under their sum.
pub(super) struct Total {
    total: f64,
    weights: Vec<f64>,
    bounds: Bounds,
    /// Sums of the lower and of the upper bounds.
    sums: (f64, f64),
    /// What whole estimates need besides.
    whole: Option<Whole>,
}

/// What the solver of trees needs.
struct Whole {
    variance: Vec<f64>,
    limits: Vec<(f64, f64)>,
}

impl Total {
    /// None if a node has neither a measurement nor an exact value.
    pub(super) fn new(known: &Known<'_>, total: f64, whole: bool) -> Option<Self> {
        if known.variance.contains(&f64::INFINITY) {
            return None;
        }
        let weight = |&variance: &f64| if variance > 0.0 { variance.recip() } else { 1.0 };
        let (lower, upper): (Vec<f64>, Vec<f64>) = known.limits.iter().copied().unzip();
        let free = known.limits.iter().all(|&limits| limits == (f64::NEG_INFINITY, f64::INFINITY));
        let bounds = if free { Bounds::None } else { Bounds::Each { lower, upper } };
        let whole = whole.then(|| Whole { variance: known.variance.to_vec(), limits: known.limits.to_vec() });
        let sums = known.limits.iter().fold((0.0, 0.0), |sums, limits| (sums.0 + limits.0, sums.1 + limits.1));
        Some(Self { total, weights: known.variance.iter().map(weight).collect(), bounds, sums, whole })
    }

    pub(super) fn is_plane(&self) -> bool {
        self.bounds == Bounds::None
    }

    /// Where a node lies: within its limits, and within what the limits of the others leave of the total.
    pub(super) fn range(&self, (lower, upper): (f64, f64)) -> (f64, f64) {
        let left = |others: f64| if others.is_finite() { Some(self.total - others) } else { None };
        let low = left(self.sums.1 - upper).map_or(lower, |least| lower.max(least).min(upper));
        let high = left(self.sums.0 - lower).map_or(upper, |most| upper.min(most).max(lower));
        (low, high)
    }

    /// Needs bounds that do not cross.
    pub(super) fn solve(&self, value: &[f64]) -> Solved {
        if let Some(whole) = &self.whole {
            return whole.solve(self.total, value);
        }
        let found = simplex::project(value, &self.weights, self.total, &self.bounds);
        let found = found.expect("numbers that were judged when they were read");
        let ending = match found.status.into() {
            // All bounds on one side; whoever reads knows them, and they may be as many as there are nodes.
            Ending::Infeasible(mut causes) => {
                causes.extend((0..value.len()).map(Cause::Node));
                causes.insert(0, Cause::Row(0));
                Ending::Infeasible(causes)
            }
            other => other,
        };
        let certificate = found.certificate.unwrap_or_default();
        Solved { ending, estimates: found.estimates, certificate, grid: 0.0 }
    }
}

impl Whole {
    /// The optimum over whole numbers, of a tree with the total as its root.
    fn solve(&self, total: f64, value: &[f64]) -> Solved {
        fn below_root<T>(root: T, cells: impl Iterator<Item = T>) -> Vec<T> {
            [root].into_iter().chain(cells).collect()
        }
        let tree =
            Tree::from_parents(&below_root(None, value.iter().map(|_| Some(0)))).expect("a root and its children");
        let value = below_root(total, value.iter().copied());
        let variance = below_root(0.0, self.variance.iter().copied());
        let lower = below_root(f64::NEG_INFINITY, self.limits.iter().map(|limits| limits.0));
        let upper = below_root(f64::INFINITY, self.limits.iter().map(|limits| limits.1));
        let system = TreeSystem::new(tree, value, variance).expect("numbers that were judged when they were read");
        let mut solved = Solved::from(integer(&system.boxed(lower, upper).expect("no node is hopeless")));
        if let Ending::Infeasible(causes) = &mut solved.ending {
            causes.iter_mut().for_each(|cause| {
                *cause = match *cause {
                    Cause::Node(0) => Cause::Row(0),
                    Cause::Node(node) => Cause::Node(node - 1),
                    row @ Cause::Row(_) => row,
                }
            });
        } else {
            solved.estimates.remove(0);
        }
        solved
    }
}
