//! Measurements and constraints as one system, and what the constraints alone say of each node.

use inbounds_project::{
    ProjectError,
    constraint::tree::{Tree, TreeSystem},
};

use super::{
    constraints::{Constraints, Placed},
    error::{Problem, ReconcileError},
    shape::Shape,
    sheet::Sheet,
};

/// Everything that a solver needs, by number of node.
pub(super) struct Model {
    pub(super) shape: Shape,
    tree: Tree,
    /// Value of each node: the exact one, or its measurements pooled; zero where there is neither.
    pub(super) value: Vec<f64>,
    /// Its variance: zero if exact, infinite where there is nothing.
    pub(super) variance: Vec<f64>,
    pub(super) nonnegative: bool,
    /// Bounds of each node, nonnegativity included; none if that is all.
    bounds: Option<(Vec<f64>, Vec<f64>)>,
}

impl Model {
    pub(super) fn new(sheet: &Sheet, constraints: &Constraints) -> Result<Self, ReconcileError> {
        let placed = constraints.on(sheet)?;
        let parents = sheet.parents();
        let tree = Tree::from_parents(&parents).map_err(|error| match error {
            ProjectError::Cycle { node } => sheet.wrong_node(node, cycle(sheet, node)),
            other => unreachable!("the sheet has placed every node: {other}"),
        })?;
        let (mut value, mut variance) = pooled(sheet);
        let in_file = (0..sheet.nodes()).filter_map(|node| Some((node, sheet.fixed(node)?)));
        for (node, exact) in in_file.chain(placed.fixed.iter().copied()) {
            (value[node], variance[node]) = (exact, 0.0);
        }
        let nonnegative = constraints.nonnegative;
        let bounds = bounds(sheet, &placed, nonnegative);
        Ok(Self { shape: Shape::new(&parents), tree, value, variance, nonnegative, bounds })
    }

    pub(super) fn nodes(&self) -> usize {
        self.value.len()
    }

    pub(super) fn leaves(&self) -> usize {
        self.tree.leaves()
    }

    /// Whether a node is known exactly.
    pub(super) fn exact(&self, node: usize) -> bool {
        self.variance[node] == 0.0
    }

    /// Whether sums are all that must hold of measured nodes.
    pub(super) fn sums_alone(&self) -> bool {
        !self.nonnegative && self.bounds.is_none()
    }

    /// Whether bounds and exact values may conflict.
    pub(super) fn may_conflict(&self) -> bool {
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
    pub(super) fn limits(&self, node: usize) -> (f64, f64) {
        let (lower, upper) = self.bounds_of(node);
        if self.exact(node) { (lower.max(self.value[node]), upper.min(self.value[node])) } else { (lower, upper) }
    }

    /// How many nodes have bounds besides not being negative.
    pub(super) fn bounded_nodes(&self) -> usize {
        let least = if self.nonnegative { 0.0 } else { f64::NEG_INFINITY };
        let Some((lower, upper)) = &self.bounds else { return 0 };
        lower.iter().zip(upper).filter(|(lower, upper)| **lower > least || **upper < f64::INFINITY).count()
    }

    /// A node whose own constraints cannot hold together.
    pub(super) fn hopeless(&self) -> Option<usize> {
        let hopeless = |&node: &usize| {
            let (lower, upper) = self.limits(node);
            lower > upper
        };
        (0..self.nodes()).find(hopeless)
    }

    /// The system with other values, everything else the same.
    ///
    /// # Panics
    /// If a value is beyond what a sheet lets pass, or the model is hopeless.
    pub(super) fn with(&self, value: Vec<f64>) -> TreeSystem {
        let system = TreeSystem::new(self.tree.clone(), value, self.variance.clone()).expect("numbers of a sheet");
        self.bounded(system)
    }

    /// The system of other measurements under the same bounds and exact values.
    pub(super) fn measured_as(&self, value: Vec<f64>, variance: Vec<f64>) -> TreeSystem {
        self.bounded(TreeSystem::new(self.tree.clone(), value, variance).expect("numbers of a solution"))
    }

    fn bounded(&self, system: TreeSystem) -> TreeSystem {
        match &self.bounds {
            Some((lower, upper)) => system.boxed(lower.clone(), upper.clone()).expect("no node is hopeless"),
            None if self.nonnegative => system.nonnegative(),
            None => system,
        }
    }

    /// What is required of a node, in words.
    pub(super) fn requirement(&self, node: usize) -> String {
        let (lower, upper) = self.bounds_of(node);
        let value = self.value[node];
        let exact = format!("must be {value}");
        let at_least = format!("must be at least {lower}");
        let at_most = format!("must be at most {upper}");
        match (self.exact(node), lower, upper) {
            (true, ..) if (lower..=upper).contains(&value) => exact,
            (true, ..) if value < lower => format!("{exact} and {at_least}"),
            (true, ..) => format!("{exact} and {at_most}"),
            (_, f64::NEG_INFINITY, _) => at_most,
            (_, _, f64::INFINITY) => at_least,
            _ => format!("{at_least} and at most {upper}"),
        }
    }
}

/// Measurements of each node pooled by their variances.
pub(super) fn pooled(sheet: &Sheet) -> (Vec<f64>, Vec<f64>) {
    let (mut value, mut variance) = (vec![0.0; sheet.nodes()], vec![f64::INFINITY; sheet.nodes()]);
    for (&node, measured) in sheet.of.iter().zip(&sheet.measured) {
        let node = node as usize;
        if variance[node] == f64::INFINITY {
            (value[node], variance[node]) = (measured.value, measured.variance);
        } else {
            let share = variance[node] / (variance[node] + measured.variance);
            value[node] += share * (measured.value - value[node]);
            variance[node] = share * measured.variance;
        }
    }
    (value, variance)
}

fn bounds(sheet: &Sheet, placed: &Placed, nonnegative: bool) -> Option<(Vec<f64>, Vec<f64>)> {
    if !sheet.has_bounds() && placed.bounds.is_empty() {
        return None;
    }
    let least = if nonnegative { 0.0 } else { f64::NEG_INFINITY };
    let (mut lower, mut upper): (Vec<f64>, Vec<f64>) = (0..sheet.nodes()).map(|node| sheet.bounds(node)).unzip();
    lower.iter_mut().for_each(|lower| *lower = lower.max(least));
    for &(node, low, high) in &placed.bounds {
        lower[node] = lower[node].max(low);
        upper[node] = upper[node].min(high);
    }
    Some((lower, upper))
}

/// The cycle that a node lies on, its first names.
fn cycle(sheet: &Sheet, node: usize) -> Problem {
    const SHOWN: usize = 6;
    let name = |node: usize| sheet.names.name(node as u32).to_owned();
    let mut path = vec![name(node)];
    let mut above = sheet.parent(node).map(|parent| parent as usize);
    while let Some(next) = above.filter(|&next| next != node) {
        if path.len() == SHOWN {
            path.push("...".to_owned());
            break;
        }
        path.push(name(next));
        above = sheet.parent(next).map(|parent| parent as usize);
    }
    path.push(name(node));
    Problem::Cycle { node: name(node), path: path.join(" < ") }
}
