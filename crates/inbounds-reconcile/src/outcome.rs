//! Estimates with their errors and diagnostics, node by node and for the whole file.

use inbounds_bundle::{
    Among, ConstraintsEntry, ErrorEntry, ErrorMethod, InputEntry, Notice, Program, RECONCILE_SCHEMA, ReconcileManifest,
    SimulatedIntervalEntry, SolvedSystem,
};
use inbounds_core::IntervalMethod;

use super::{
    below_zero,
    cells::Cells,
    fairness::{Classes, FairnessRow},
    manifest::{laws, rules},
    options::Options,
    sheet::Sheet,
    total,
};
use crate::projection::{Alike, Drift, Errors, Model, Solved, Solver, few_solved, solver_entry};

mod findings;

/// Error of an estimate, were the truth the estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EstimationError {
    /// Expected estimate minus truth.
    pub bias: f64,
    /// Monte Carlo standard error of the bias.
    pub bias_error: f64,
    /// Root mean square error.
    pub rmse: f64,
    /// Monte Carlo standard error of the RMSE.
    pub rmse_error: f64,
}

/// Results for one node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node<'a> {
    /// Its name.
    pub name: &'a str,
    /// Steps to the root; of a cell of a table, the number of attributes that it has a value of.
    pub level: u32,
    /// Value that adds up and satisfies the constraints.
    pub estimate: f64,
    /// Interval for the truth; none without replicates.
    pub interval: Option<(f64, f64)>,
    /// Bias and RMSE; none where the measurements do not determine the node, or without the replicates that it takes.
    pub error: Option<EstimationError>,
    /// Its measurements, pooled, and their variance.
    pub measured: Option<(f64, f64)>,
}

impl Node<'_> {
    /// `true` if the estimate is outside its own interval.
    pub fn is_outside(&self) -> bool {
        self.interval.is_some_and(|(lower, upper)| self.estimate < lower || self.estimate > upper)
    }
}

/// Everything found.
pub(super) struct Outcome {
    pub(super) sheet: Sheet,
    pub(super) model: Model,
    pub(super) solver: Box<dyn Solver>,
    pub(super) solved: Solved,
    pub(super) errors: Option<Errors>,
    /// Effects of bounds on groups of nodes.
    pub(super) drift: Vec<Notice>,
    /// That the measurements contradict what was assumed of all numbers.
    below_zero: Option<Notice>,
    /// Which nodes stand side by side.
    groups: Vec<u32>,
    /// Measurements of each node, pooled; variance infinite where there is none.
    pooled: (Vec<f64>, Vec<f64>),
    /// Estimates under sums and exact values alone, and their variances.
    linear: Vec<f64>,
    variance: Vec<f64>,
    /// Range of each node under the constraints alone; none if that is nonnegativity.
    ranges: Option<(Vec<f64>, Vec<f64>)>,
}

impl Outcome {
    pub(super) fn new(mut sheet: Sheet, model: Model, solver: Box<dyn Solver>, solved: Solved) -> Self {
        sheet.tree.names.seal();
        let linear = solver.linear(&model, model.value.clone());
        let variance = solver.linear_variances(&model);
        let constrained = model.may_conflict() || !model.nonnegative || !solver.method().is_of_tree();
        let ranges = constrained.then(|| solver.ranges(&model));
        let pooled = sheet.pooled_of_nodes();
        let groups = solver.groups(&model);
        let below_zero = below_zero::notice(&sheet, &model, &linear, &variance);
        Self {
            sheet,
            model,
            solver,
            solved,
            errors: None,
            drift: Vec::new(),
            below_zero,
            groups,
            pooled,
            linear,
            variance,
            ranges,
        }
    }

    pub(super) fn is_whole(&self) -> bool {
        // Beyond, doubles are no longer all whole numbers, and an i64 soon ends.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        self.solver.method().is_whole() && self.solved.estimates.iter().all(|estimate| estimate.abs() <= EXACT)
    }

    /// `true` if measurements determine the estimate of a node.
    pub(super) fn determined(&self, node: usize) -> bool {
        self.variance[node] < f64::INFINITY
    }

    /// Estimate, errors and measurement of a node.
    pub(super) fn node(&self, node: usize) -> Node<'_> {
        let (value, variance) = (self.pooled.0[node], self.pooled.1[node]);
        Node {
            name: self.sheet.names().name(node as u32),
            level: self.level(node),
            estimate: self.solved.estimates[node],
            interval: self.errors.as_ref().map(|errors| self.interval(node, errors)),
            error: self.error(node),
            measured: (variance < f64::INFINITY).then_some((value, variance)),
        }
    }

    /// Steps to the root; of a cell of a table, the number of attributes that it has a value of.
    pub(super) fn level(&self, node: usize) -> u32 {
        self.sheet.cells.as_ref().map_or_else(|| self.model.shape.level[node], |cells| cells.count(node))
    }

    /// Tests for a node without parts: a leaf of a tree, or a cell of a margin that is part of no other.
    pub(super) fn is_leaf(&self) -> impl Fn(usize) -> bool + '_ {
        let of_cells = self.sheet.cells.as_ref().map(Cells::is_leaf);
        move |node| match &of_cells {
            Some(is_leaf) => is_leaf(node),
            None => self.model.shape.is_leaf(node),
        }
    }

    /// All nodes, level by level.
    pub(super) fn top_down(&self) -> impl ExactSizeIterator<Item = Node<'_>> {
        let mut order: Vec<usize> = self.model.shape.down().collect();
        // Those of a tree are in this order.
        if let Some(cells) = &self.sheet.cells {
            order.sort_by_key(|&node| cells.count(node));
        }
        order.into_iter().map(|node| self.node(node))
    }

    /// The nearest admissible value to the linear estimate, give or take the half width, as far as admissible.
    ///
    /// Moving the linear estimate into the range brings it nearer to every truth in the range, so this covers no less
    /// than the interval around the linear estimate itself, and it is never empty.
    fn interval(&self, node: usize, errors: &Errors) -> (f64, f64) {
        let (low, high) = match &self.ranges {
            Some((low, high)) => (low[node], high[node]),
            None => (0.0, f64::INFINITY),
        };
        let sum = self.sum_around(node);
        if !self.determined(node) {
            let most = sum.map_or(f64::INFINITY, |sum| self.interval(sum, errors).1);
            return (low, high.min(most.max(low)));
        }
        let center = self.linear[node].max(low).min(high);
        let around = |half: f64| ((center - half).max(low), (center + half).min(high));
        let Some((sum, (half, of_sum))) = sum.and_then(|sum| Some((sum, errors.half_widths(node, sum)?))) else {
            return around(errors.half_width(node));
        };
        let (lower, upper) = around(half);
        let upper = upper.min((self.linear[sum].max(0.0) + of_sum).max(low));
        (lower.min(upper), upper)
    }

    /// The nearest sum around a part that is measured so much better than the part that its interval says more; none
    /// where a part may be larger than its sum. Variances alone choose it, not the measurements, so that the choice
    /// leaves coverage as it is.
    fn sum_around(&self, node: usize) -> Option<usize> {
        /// Variance of a part, in variances of its sum, from which its interval is also bounded by the sum's.
        const BETTER: f64 = 16.0;
        if !self.solver.method().is_of_tree() || !self.model.is_nonnegative() {
            return None;
        }
        let parent = |&node: &usize| self.sheet.tree.parent(node).map(|parent| parent as usize);
        let mut above = std::iter::successors(parent(&node), parent);
        let better = |&sum: &usize| self.determined(sum) && self.variance[node] >= BETTER * self.variance[sum];
        // What is known exactly bounds the range of its parts already.
        above.find(better).filter(|&sum| self.variance[sum] > 0.0)
    }

    fn error(&self, node: usize) -> Option<EstimationError> {
        if !self.determined(node) {
            return None;
        }
        if self.solver.method().is_linear() || self.model.exact(node) {
            let rmse = libm::sqrt(self.variance[node]);
            return Some(EstimationError { bias: 0.0, bias_error: 0.0, rmse, rmse_error: 0.0 });
        }
        let errors = self.errors.as_ref()?;
        let ((bias, bias_error), (rmse, rmse_error)) = (errors.bias(node), errors.rmse(node));
        Some(EstimationError { bias, bias_error, rmse, rmse_error })
    }

    /// The fairness table; empty where no errors are known.
    pub(super) fn fairness(&self, classes: Classes) -> Vec<FairnessRow> {
        if self.errors.is_none() && !self.solver.method().is_linear() {
            return Vec::new();
        }
        let variance = |node| {
            let EstimationError { bias, rmse, .. } =
                self.error(node).expect("only nodes whose error is known are in a class");
            rmse * rmse - bias * bias
        };
        classes.table(variance, &self.pooled.1)
    }

    /// The manifest, but for the files.
    pub(super) fn manifest(
        &self,
        options: &Options,
        constraints: ConstraintsEntry,
        sha256: String,
        rank: Option<usize>,
    ) -> ReconcileManifest {
        let path = |path: &std::path::Path| path.display().to_string();
        ReconcileManifest {
            schema: RECONCILE_SCHEMA.to_owned(),
            program: Program::this(),
            input: self.input(sha256),
            constraints: ConstraintsEntry {
                file: options.constraints.as_deref().map(path),
                integer: options.integer,
                top_down: matches!(
                    self.solver.method().system(),
                    SolvedSystem::TopDownTree
                        | SolvedSystem::TopDownTable
                        | SolvedSystem::ShrunkTree
                        | SolvedSystem::ShrunkTable
                ),
                fixed_nodes: (0..self.model.nodes()).filter(|&node| self.model.exact(node)).count(),
                bounded_nodes: self.model.bounded_nodes(),
                ..constraints
            },
            solver: solver_entry(&self.model, &*self.solver, &self.solved),
            error: ErrorEntry {
                method: if self.solver.method().is_linear() {
                    ErrorMethod::ExactVariance
                } else {
                    ErrorMethod::ParametricBootstrap
                }
                .into(),
                replicates: options.replicates,
                solved: rank.and_then(|_| self.few_solved(options.replicates)),
                seed: options.seed.to_string(),
                interval: rank.map(|rank| SimulatedIntervalEntry {
                    level: options.level,
                    method: IntervalMethod::SimulatedErrorRank.into(),
                    rank,
                }),
                total: total::entry(&self.sheet, &self.model, self.solver.method(), &self.solved.estimates),
            },
            rules: rules(&*self.solver),
            warnings: self.warnings(options),
            notices: self.notices(),
            files: Vec::new(),
        }
    }

    /// Replicates that are solved of some number, where these are so few that nodes which are alike share their errors.
    pub(super) fn few_solved(&self, replicates: usize) -> Option<usize> {
        few_solved(self.solver.method(), self.model.nodes(), replicates)
    }

    /// Nodes that share their errors.
    pub(super) fn alike(&self) -> Alike {
        Alike::new(&self.groups, &self.solved.estimates, &self.variance)
    }

    /// Collector of the replicates' errors, for each group of nodes.
    pub(super) fn drift(&self, replicates: usize) -> Drift {
        let groups = self.groups.iter().max().map_or(0, |last| *last as usize + 1);
        let nodes = self.groups.iter().copied().zip(self.variance.iter().copied());
        Drift::new(groups, nodes, replicates)
    }

    /// Notices of the effects of bounds on groups of nodes.
    pub(super) fn drifted(&self, drift: &Drift) -> Vec<Notice> {
        drift.notices(&self.solved.estimates, &self.linear, |group| self.among(group as u32))
    }

    /// The nodes of a group.
    fn among(&self, group: u32) -> Among {
        if self.solver.method().is_of_tree() {
            return Among::Level { level: group.to_string() };
        }
        let mut of_group =
            (0..).zip(&self.groups).filter(|(_, node_group)| **node_group == group).map(|(node, _)| node);
        let first = of_group.next().expect("a group has nodes");
        Among::Nodes { node: self.sheet.names().name(first).to_owned(), nodes: 1 + of_group.count() }
    }

    fn input(&self, sha256: String) -> InputEntry {
        let is_leaf = self.is_leaf();
        let scales = self.sheet.measured.iter().map(|measured| match measured.noise {
            Some((law, scale)) => (Some(law), scale),
            None => (None, libm::sqrt(measured.variance)),
        });
        InputEntry {
            file: self.sheet.file.display().to_string(),
            sha256,
            rows: self.sheet.rows,
            nodes: self.model.nodes(),
            roots: self.model.shape.of_level(0).len(),
            leaves: (0..self.model.nodes()).filter(|&node| is_leaf(node)).count(),
            levels: self.model.shape.levels(),
            measurements: self.sheet.measured.len(),
            unmeasured_nodes: self.model.variance.iter().filter(|&&variance| variance == f64::INFINITY).count(),
            laws: laws(scales),
        }
    }
}
