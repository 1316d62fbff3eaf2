//! Known facts about the nodes of a tree.

use std::sync::Arc;

use super::Tree;
use crate::ProjectError;

/// Largest value, variance and weight that a solver takes.
const MOST: f64 = 1e100;

/// Where each node must lie, besides being the sum of its children.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeBounds {
    /// Anywhere.
    Free,
    /// At zero or above: leaves, hence all nodes.
    Nonnegative,
    /// Estimates in `[lower, upper]`, node by node; infinite where there is no bound.
    Boxes {
        /// Lower bound of each node.
        lower: Vec<f64>,
        /// Upper bound of each node.
        upper: Vec<f64>,
    },
}

/// A tree with measurements of its nodes, and bounds.
///
/// # Contract
/// Node `v` has a value `x` and a variance `V` of its measurement; its weight in every fit is `1 / V`. Variance zero
/// says that the node is known exactly (an invariant); an infinite one says that it was not measured.
///
/// # Example
/// ```
/// use inbounds_project::constraint::tree::{NodeBounds, Tree, TreeSystem};
/// let tree = Tree::from_parents(&[None, Some(0), Some(0)])?;
/// // Two measurements of node 1 count as one: 3 with variance 1 and 9 with variance 2 make 5 with variance 2/3.
/// let system = TreeSystem::pooled(tree, [(0, 10.0, 0.0), (1, 3.0, 1.0), (1, 9.0, 2.0)])?;
/// assert_eq!(system.measurement(1), (5.0, 2.0 / 3.0));
/// assert_eq!(system.measurement(2), (0.0, f64::INFINITY));
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TreeSystem {
    tree: Arc<Tree>,
    /// Measured values by position; zero where nothing was measured.
    pub(crate) value: Vec<f64>,
    /// Variances by position.
    pub(crate) variance: Arc<Vec<f64>>,
    /// Bounds by position.
    pub(crate) bounds: Arc<NodeBounds>,
    /// The variance that all leaf children of a position of the head share, if these are all its children, measured,
    /// and alike; NaN otherwise. Loops over such leaves need not read variances.
    pub(crate) common: Arc<Vec<f64>>,
    /// True if any node is known exactly.
    pub(crate) invariants: bool,
    /// True if any node is not measured.
    unmeasured: bool,
}

impl TreeSystem {
    /// A system from one value and one variance for each node, in the order of the input.
    ///
    /// The value of an unmeasured node (infinite variance) is not looked at.
    ///
    /// # Errors
    /// [`ProjectError::Length`], or [`ProjectError::Number`] for a variance that is negative or NaN, a value that is
    /// not finite, and either if it is so large or small that squares overflow.
    pub fn new(tree: Tree, value: Vec<f64>, variance: Vec<f64>) -> Result<Self, ProjectError> {
        check_length("variance", &tree, &variance)?;
        for (node, &variance) in variance.iter().enumerate() {
            check_variance(node, variance)?;
        }
        let invariants = variance.contains(&0.0);
        let unmeasured = variance.contains(&f64::INFINITY);
        let variance = tree.to_positions(variance);
        let common = (0..tree.head()).map(|position| common(&tree, &variance, position)).collect();
        let (variance, common, bounds) = (Arc::new(variance), Arc::new(common), Arc::new(NodeBounds::Free));
        let values = Vec::new();
        Self { tree: Arc::new(tree), value: values, variance, bounds, common, invariants, unmeasured }
            .with_values(value)
    }

    /// This system with another value of each node, in the order of the input: all else is shared with it and not
    /// copied.
    ///
    /// # Errors
    /// [`ProjectError::Length`], or [`ProjectError::Number`] for a value that [`TreeSystem::new`] refuses.
    ///
    /// # Example
    /// ```
    /// use inbounds_project::{constraint::tree::{Tree, TreeSystem}, tree::top_down};
    /// let tree = Tree::from_parents(&[None, Some(0), Some(0)])?;
    /// let system = TreeSystem::new(tree, vec![5.0, -3.0, 8.0], vec![1.0; 3])?.nonnegative();
    /// assert_eq!(top_down(&system.with_values(vec![7.0, 2.0, 5.0])?).estimates, [7.0, 2.0, 5.0]);
    /// # Ok::<(), inbounds_project::ProjectError>(())
    /// ```
    pub fn with_values(&self, value: Vec<f64>) -> Result<Self, ProjectError> {
        check_length("value", &self.tree, &value)?;
        let mut value = self.tree.to_positions(value);
        if self.unmeasured {
            let measurements = value.iter_mut().zip(&*self.variance);
            measurements.filter(|(_, variance)| **variance == f64::INFINITY).for_each(|(value, _)| *value = 0.0);
        }
        if !value.iter().all(|value| is_value(*value)) {
            let wrong = value.iter().enumerate().filter(|(_, value)| !is_value(**value));
            if let Some((node, value)) =
                wrong.map(|(position, value)| (self.tree.node(position), *value)).min_by_key(|wrong| wrong.0)
            {
                check_value(node, value)?;
            }
        }
        let Self { tree, variance, bounds, common, .. } = self;
        let (tree, variance, bounds, common) = (tree.clone(), variance.clone(), bounds.clone(), common.clone());
        Ok(Self { tree, value, variance, bounds, common, invariants: self.invariants, unmeasured: self.unmeasured })
    }

    /// A system from any number of measurements `(node, value, variance)` of each node.
    ///
    /// Several measurements of one node are pooled to `value = sum(value / variance) * variance` with `variance = 1 /
    /// sum(1 / variance)`, which loses nothing: every fit is the same as with the separate ones. An exact value
    /// overrides measurements.
    ///
    /// # Errors
    /// Those of [`TreeSystem::new`], [`ProjectError::NoSuchNode`], and [`ProjectError::Contradiction`] between two
    /// exact values.
    pub fn pooled(tree: Tree, measurements: impl IntoIterator<Item = (u32, f64, f64)>) -> Result<Self, ProjectError> {
        let nodes = tree.nodes();
        let (mut value, mut variance) = (vec![0.0; nodes], vec![f64::INFINITY; nodes]);
        for (node, measurement, with) in measurements {
            let node = node as usize;
            if node >= nodes {
                return Err(ProjectError::NoSuchNode { node, nodes });
            }
            check_variance(node, with)?;
            if with < f64::INFINITY {
                check_value(node, measurement)?;
            }
            (value[node], variance[node]) = pool(node, (value[node], variance[node]), (measurement, with))?;
        }
        Self::new(tree, value, variance)
    }

    /// This system with every node at zero or above.
    pub fn nonnegative(mut self) -> Self {
        self.bounds = Arc::new(NodeBounds::Nonnegative);
        self
    }

    /// This system with a lower and an upper bound for each node, in the order of the input.
    ///
    /// # Errors
    /// [`ProjectError::Length`], [`ProjectError::Number`] for a bound that is NaN or an infinity of the wrong sign,
    /// [`ProjectError::Bounds`].
    pub fn boxed(mut self, lower: Vec<f64>, upper: Vec<f64>) -> Result<Self, ProjectError> {
        check_length("lower", &self.tree, &lower)?;
        check_length("upper", &self.tree, &upper)?;
        for (node, (&lower, &upper)) in lower.iter().zip(&upper).enumerate() {
            check(node, "lower", lower, lower < f64::INFINITY, "a number or -infinity")?;
            check(node, "upper", upper, upper > f64::NEG_INFINITY, "a number or infinity")?;
            if lower > upper {
                return Err(ProjectError::Bounds { node, lower, upper });
            }
        }
        let (lower, upper) = (self.tree.to_positions(lower), self.tree.to_positions(upper));
        self.bounds = Arc::new(NodeBounds::Boxes { lower, upper });
        Ok(self)
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Value and variance of a node as pooled; zero and infinity where nothing was measured.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn measurement(&self, node: usize) -> (f64, f64) {
        let position = self.tree.positions()[node] as usize;
        (self.value[position], self.variance[position])
    }

    /// Objective to minimise: half the sum of `(estimate - value)^2 / variance` over measured nodes, for estimates in
    /// the order of the input.
    ///
    /// # Errors
    /// [`ProjectError::Length`].
    pub fn objective(&self, estimates: &[f64]) -> Result<f64, ProjectError> {
        check_length("estimates", &self.tree, estimates)?;
        let terms = (0..self.tree.nodes()).filter(|&position| self.variance[position] > 0.0).map(|position| {
            let miss = estimates[self.tree.node(position)] - self.value[position];
            miss * miss / self.variance[position]
        });
        Ok(terms.sum::<f64>() / 2.0)
    }

    /// The variance shared by the children of a position, as [`common`](Self::common) has it.
    pub(crate) fn shared(&self, position: usize) -> Option<f64> {
        self.common.get(position).copied().filter(|variance| !variance.is_nan())
    }

    /// Declares a position known exactly.
    pub(crate) fn hold(&mut self, position: usize, exact: f64) {
        self.measure(position, exact, 0.0);
    }

    /// Puts another measurement in place of that of a position.
    pub(crate) fn measure(&mut self, position: usize, value: f64, variance: f64) {
        (self.value[position], Arc::make_mut(&mut self.variance)[position]) = (value, variance);
        self.common = Arc::default();
    }

    /// Where a position must lie on its own account: its bounds, and its value if that is known exactly.
    #[inline]
    pub(crate) fn interval(&self, position: usize) -> (f64, f64) {
        let (lower, upper) = match &*self.bounds {
            NodeBounds::Free => (f64::NEG_INFINITY, f64::INFINITY),
            NodeBounds::Nonnegative => (0.0, f64::INFINITY),
            NodeBounds::Boxes { lower, upper } => (lower[position], upper[position]),
        };
        if self.variance[position] > 0.0 {
            return (lower, upper);
        }
        let exact = self.value[position];
        (lower.max(exact), upper.min(exact))
    }

    /// Where a position must lie if no bound is looked at: at its value if that is known exactly.
    pub(crate) fn exact_interval(&self, position: usize) -> (f64, f64) {
        match self.variance[position] {
            0.0 => (self.value[position], self.value[position]),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// The whole numbers of [`TreeSystem::interval`].
    pub(crate) fn whole_interval(&self, position: usize) -> (f64, f64) {
        let (lower, upper) = self.interval(position);
        (lower.ceil(), upper.floor())
    }
}

fn common(tree: &Tree, variance: &[f64], position: usize) -> f64 {
    let children = tree.children(position);
    if children.is_empty() || children.start < tree.head() {
        return f64::NAN;
    }
    let first = variance[children.start];
    let alike = variance[children].iter().all(|&variance| variance == first);
    if alike && first > 0.0 && first < f64::INFINITY { first } else { f64::NAN }
}

/// One measurement for two of the same node.
fn pool(node: usize, one: (f64, f64), other: (f64, f64)) -> Result<(f64, f64), ProjectError> {
    let ((first, one_variance), (second, other_variance)) = (one, other);
    if one_variance == 0.0 && other_variance == 0.0 && first != second {
        return Err(ProjectError::Contradiction { node, first, second });
    }
    Ok(if one_variance == 0.0 || other_variance == f64::INFINITY {
        one
    } else if other_variance == 0.0 || one_variance == f64::INFINITY {
        other
    } else {
        let share = one_variance / (one_variance + other_variance);
        (first + share * (second - first), share * other_variance)
    })
}

/// Refuses numbers that are no variance, or that would overflow when squared and summed.
fn check_variance(node: usize, variance: f64) -> Result<(), ProjectError> {
    let usual = variance == 0.0 || variance == f64::INFINITY || (1.0 / MOST..=MOST).contains(&variance);
    check(node, "variance", variance, usual, "zero, infinite, or between 1e-100 and 1e100")
}

fn check_value(node: usize, value: f64) -> Result<(), ProjectError> {
    check(node, "value", value, is_value(value), "between -1e100 and 1e100")
}

fn is_value(value: f64) -> bool {
    value.abs() <= MOST
}

fn check(
    node: usize,
    name: &'static str,
    value: f64,
    holds: bool,
    requirement: &'static str,
) -> Result<(), ProjectError> {
    if holds { Ok(()) } else { Err(ProjectError::Number { name, place: format!("node {node}"), requirement, value }) }
}

fn check_length(name: &'static str, tree: &Tree, entries: &[f64]) -> Result<(), ProjectError> {
    let (wanted, found) = (tree.nodes(), entries.len());
    if wanted == found { Ok(()) } else { Err(ProjectError::Length { name, entries: "nodes", wanted, found }) }
}
