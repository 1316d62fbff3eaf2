//! Measurements of nodes, the tree that they form, and what is required of each by itself.

use std::sync::OnceLock;

use inbounds_project::{
    ProjectError,
    constraint::tree::{Tree, TreeSystem},
};

use super::shape::Shape;

/// Everything that a solver needs, by number of node.
pub struct Model {
    pub(crate) shape: Shape,
    tree: Tree,
    /// Value of each node: the exact one, or its measurements pooled; zero where there is neither.
    pub value: Vec<f64>,
    /// Its variance: zero if exact, infinite where there is nothing.
    pub(crate) variance: Vec<f64>,
    pub(crate) nonnegative: bool,
    /// Bounds of each node, nonnegativity included; none if that is all.
    bounds: Option<(Vec<f64>, Vec<f64>)>,
    /// The system as the solvers of trees take it, of which only values change; made when it is first asked for.
    system: OnceLock<TreeSystem>,
}

impl Model {
    /// A system of values and variances; `bounds`, if there are any, include nonnegativity.
    ///
    /// # Errors
    /// [`ProjectError`] if the parents are those of no forest.
    pub fn new(
        parents: &[Option<u32>],
        (value, variance): (Vec<f64>, Vec<f64>),
        nonnegative: bool,
        bounds: Option<(Vec<f64>, Vec<f64>)>,
    ) -> Result<Self, ProjectError> {
        let tree = Tree::from_parents(parents)?;
        Ok(Self { shape: Shape::new(parents), tree, value, variance, nonnegative, bounds, system: OnceLock::new() })
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.value.len()
    }

    /// `true` if a node is known exactly.
    pub(crate) fn exact(&self, node: usize) -> bool {
        self.variance[node] == 0.0
    }

    /// `true` if sums are all that must hold of measured nodes.
    pub(crate) fn sums_alone(&self) -> bool {
        !self.nonnegative && self.bounds.is_none()
    }

    /// `true` if no node may be negative.
    pub(crate) fn is_nonnegative(&self) -> bool {
        match &self.bounds {
            Some((lower, _)) => lower.iter().all(|lower| *lower >= 0.0),
            None => self.nonnegative,
        }
    }

    /// `true` if bounds require only that no node is positive.
    pub(crate) fn is_nonpositive(&self) -> bool {
        let is_so = |(lower, upper): (&f64, &f64)| *lower == f64::NEG_INFINITY && *upper == 0.0;
        self.bounds.as_ref().is_some_and(|(lower, upper)| lower.iter().zip(upper).all(is_so))
    }

    /// `true` if bounds and exact values may conflict.
    pub(crate) fn may_conflict(&self) -> bool {
        self.bounds.is_some() || self.variance.contains(&0.0)
    }

    fn bounds_of(&self, node: usize) -> (f64, f64) {
        match &self.bounds {
            Some((lower, upper)) => (lower[node], upper[node]),
            None if self.nonnegative => (0.0, f64::INFINITY),
            None => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// Where a node must lie on its own account.
    pub(crate) fn limits(&self, node: usize) -> (f64, f64) {
        let (lower, upper) = self.bounds_of(node);
        if self.exact(node) { (lower.max(self.value[node]), upper.min(self.value[node])) } else { (lower, upper) }
    }

    /// Number of nodes with bounds besides not being negative.
    pub(crate) fn bounded_nodes(&self) -> usize {
        let least = if self.nonnegative { 0.0 } else { f64::NEG_INFINITY };
        let Some((lower, upper)) = &self.bounds else { return 0 };
        lower.iter().zip(upper).filter(|(lower, upper)| **lower > least || **upper < f64::INFINITY).count()
    }

    /// A node whose own constraints cannot hold together.
    pub(crate) fn hopeless(&self) -> Option<usize> {
        let hopeless = |&node: &usize| {
            let (lower, upper) = self.limits(node);
            lower > upper
        };
        (0..self.nodes()).find(hopeless)
    }

    /// The system with other values, everything else the same.
    ///
    /// # Panics
    /// If a value is beyond what [`TreeSystem::new`] lets pass, or the model is hopeless.
    pub fn with(&self, value: Vec<f64>) -> TreeSystem {
        let system = self.system.get_or_init(|| self.system());
        system.with_values(value).expect("values that were judged when they were read, and noise")
    }

    fn system(&self) -> TreeSystem {
        let system = TreeSystem::new(self.tree.clone(), vec![0.0; self.nodes()], self.variance.clone())
            .expect("variances that were judged when they were read");
        match &self.bounds {
            Some((lower, upper)) => system.boxed(lower.clone(), upper.clone()).expect("no node is hopeless"),
            None if self.nonnegative => system.nonnegative(),
            None => system,
        }
    }

    /// Requirement on a node, in words.
    pub(crate) fn requirement(&self, node: usize) -> String {
        let (lower, upper) = self.bounds_of(node);
        let value = self.value[node];
        let exact = format!("must be {value}");
        let free = "must be whole".to_owned();
        let at_least = format!("must be at least {lower}");
        let at_most = format!("must be at most {upper}");
        match (self.exact(node), lower, upper) {
            (true, ..) if (lower..=upper).contains(&value) => exact,
            (true, ..) if value < lower => format!("{exact} and {at_least}"),
            (true, ..) => format!("{exact} and {at_most}"),
            (_, f64::NEG_INFINITY, f64::INFINITY) => free,
            (_, f64::NEG_INFINITY, _) => at_most,
            (_, _, f64::INFINITY) => at_least,
            _ => format!("{at_least} and at most {upper}"),
        }
    }
}
