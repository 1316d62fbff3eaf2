//! Cells with one known total, sorted into place; whole ones as the children of a root that is known exactly.

use inbounds_bundle::Method;
use inbounds_project::{
    constraint::{
        Bounds,
        tree::{Tree, TreeSystem},
    },
    simplex,
    tree::integer,
};

use super::linear::{DERIVED, Linear, ROUNDED_SUMS};
use crate::projection::{
    model::Model,
    row::{Row, Sense},
    solved::{Cause, Ending, Solved},
    solver::{Solver, TIES},
};

/// All nodes, which have measurements or exact values, under their sum.
pub(crate) struct Total {
    total: f64,
    /// The plane of the total.
    plane: Linear,
    weights: Vec<f64>,
    bounds: Bounds,
    /// Sums of the lower and of the upper bounds.
    sums: (f64, f64),
    /// Further input for whole estimates.
    integer_law: Option<Whole>,
}

/// Input for the solver of trees.
struct Whole {
    variance: Vec<f64>,
    limits: Vec<(f64, f64)>,
}

impl Total {
    /// None if a node has neither a measurement nor an exact value. `row` states the total.
    pub(crate) fn new(model: &Model, row: Row, is_integer: bool) -> Option<Self> {
        if model.variance.contains(&f64::INFINITY) || row.sense != Sense::Equal {
            return None;
        }
        let limits: Vec<(f64, f64)> = (0..model.nodes()).map(|node| model.limits(node)).collect();
        let weight = |&variance: &f64| if variance > 0.0 { variance.recip() } else { 1.0 };
        let (lower, upper): (Vec<f64>, Vec<f64>) = limits.iter().copied().unzip();
        let free = limits.iter().all(|&limits| limits == (f64::NEG_INFINITY, f64::INFINITY));
        let bounds = if free { Bounds::None } else { Bounds::Each { lower, upper } };
        let sums = limits.iter().fold((0.0, 0.0), |sums, limits| (sums.0 + limits.0, sums.1 + limits.1));
        let integer_law = is_integer.then(|| Whole { variance: model.variance.clone(), limits });
        let (total, weights) = (row.side, model.variance.iter().map(weight).collect());
        let plane = Linear::new(model, vec![row], is_integer).ok()?;
        Some(Self { total, plane, weights, bounds, sums, integer_law })
    }

    /// Where a node lies: within its limits, and within what the limits of the others leave of the total.
    fn range(&self, (lower, upper): (f64, f64)) -> (f64, f64) {
        let left = |others: f64| if others.is_finite() { Some(self.total - others) } else { None };
        let low = left(self.sums.1 - upper).map_or(lower, |least| lower.max(least).min(upper));
        let high = left(self.sums.0 - lower).map_or(upper, |most| upper.min(most).max(lower));
        (low, high)
    }
}

impl Solver for Total {
    fn method(&self) -> Method {
        match (&self.integer_law, &self.bounds) {
            (Some(_), _) => Method::TotalInteger,
            (None, Bounds::None) => Method::Total,
            (None, _) => Method::TotalBounded,
        }
    }

    /// Needs bounds that do not cross.
    fn solve(&self, _: &Model, value: Vec<f64>) -> Solved {
        if let Some(integer_law) = &self.integer_law {
            return integer_law.solve(self.total, &value);
        }
        let projection = simplex::project(&value, &self.weights, self.total, &self.bounds);
        let projection = projection.expect("numbers that were judged when they were read");
        let ending = match projection.status.into() {
            // All bounds on one side. There may be one for each node, and the user knows them.
            Ending::Infeasible(mut causes) => {
                causes.extend((0..value.len()).map(Cause::Node));
                causes.insert(0, Cause::Row(0));
                Ending::Infeasible(causes)
            }
            other => other,
        };
        let certificate = projection.certificate.unwrap_or_default();
        Solved { ending, estimates: projection.estimates, certificate, grid: 0.0 }
    }

    fn linear(&self, model: &Model, value: Vec<f64>) -> Vec<f64> {
        self.plane.linear(model, value)
    }

    fn linear_variances(&self, model: &Model) -> Vec<f64> {
        self.plane.linear_variances(model)
    }

    fn ranges(&self, model: &Model) -> (Vec<f64>, Vec<f64>) {
        (0..model.nodes()).map(|node| self.range(model.limits(node))).unzip()
    }

    fn rows(&self) -> &[Row] {
        self.plane.rows()
    }

    fn rules(&self) -> &'static [&'static str] {
        if self.integer_law.is_some() { &[TIES] } else { &[ROUNDED_SUMS, DERIVED] }
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
