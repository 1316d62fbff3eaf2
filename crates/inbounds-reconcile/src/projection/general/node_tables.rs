//! A table at every node of a tree, from the roots down.

use std::collections::BTreeSet;

use inbounds_bundle::Method;
use inbounds_project::{
    ProjectError,
    certificate::Status,
    constraint::tree::Tree,
    table::{
        Axes, MeasuredMargin, TableNumbers, parts,
        tree::{TableTree, TableTreeConflict, TableTreeFit, TableTreeRefusal, check, linear, shrunk, top_down},
    },
};

use super::{
    linear::{DERIVED, ROUNDED_SUMS},
    table::alike,
    tables::Tables,
};
use crate::projection::{
    fit::Fit,
    model::Model,
    solved::{Ending, Solved},
    solver::{SHRUNK, Solver},
};

/// The tables of a tree, whose cells, and cells of margins, are the nodes of a model.
#[derive(Debug, Clone)]
pub struct NodeTables {
    /// Number of values of each attribute.
    pub sizes: Vec<usize>,
    /// The parent of each place; none of a root.
    pub parents: Vec<Option<u32>>,
    /// The margins of each place, with the node of each cell, the last attribute moving fastest. Each has a group, by
    /// which margins of several places stand side by side.
    pub margins: Vec<Vec<NodeMargin>>,
}

/// A margin of a place.
#[derive(Debug, Clone)]
pub struct NodeMargin {
    /// Its attributes.
    pub axes: Axes,
    /// The node of the model that each of its cells is.
    pub nodes: Vec<u32>,
    /// Which margins it is looked at together with, the coarsest first.
    pub group: u32,
}

/// Why tables along a tree cannot be solved for.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NodeTablesError {
    /// A tree or a table that is none.
    #[error(transparent)]
    Malformed(#[from] ProjectError),
    /// Cells of one margin of one place with different variances.
    #[error("the cells of the margin {1} of place {0} are measured with different variances")]
    Uneven(usize, Axes),
    /// Two exact numbers that contradict each other.
    #[error(transparent)]
    Conflict(#[from] TableTreeConflict),
    /// Exact numbers that the fit refuses, or cells without a measurement.
    #[error(transparent)]
    Refused(#[from] TableTreeRefusal),
    /// A fit or bounds that are not those of tables.
    #[error(
        "tables along a tree are fitted top-down or shrunk, and their numbers are not negative, or have no bounds at all"
    )]
    Fit,
}

impl NodeTables {
    /// Number of nodes of the model.
    pub fn nodes(&self) -> usize {
        self.margins.iter().flatten().map(|margin| margin.nodes.len()).sum()
    }
}

/// The solver for tables along a tree of which nothing is required beyond sums and, if the model says so, that no node
/// is negative, or that none is positive. There may be several such trees, which share nothing: the nodes of the model
/// are then those of the tables, again and again.
///
/// # Errors
/// [`NodeTablesError`].
pub fn of_node_tables(
    tables: &NodeTables,
    model: &Model,
    is_integer: bool,
    fit: Fit,
) -> Result<Box<dyn Solver>, NodeTablesError> {
    if model.nodes() != tables.nodes() || model.is_nonpositive() {
        let mut refused = NodeTablesError::Fit;
        let one = |own: &Model| of_node_tables(tables, own, is_integer, fit).map_err(|error| refused = error).ok();
        return match Tables::with_solver(tables.nodes(), model, one) {
            Some(several) => Ok(Box::new(several)),
            None => Err(refused),
        };
    }
    let sums_alone = model.sums_alone();
    if fit == Fit::Joint || model.bounded_nodes() > 0 || (!model.nonnegative && (is_integer || !sums_alone)) {
        return Err(NodeTablesError::Fit);
    }
    for (place, margins) in tables.margins.iter().enumerate() {
        for NodeMargin { axes, nodes, .. } in margins {
            let variance = model.variance[nodes[0] as usize];
            if !nodes.iter().all(|&node| alike(model.variance[node as usize], variance)) {
                return Err(NodeTablesError::Uneven(place, *axes));
            }
        }
    }
    let all = Axes::new(0..tables.sizes.len());
    let margins: BTreeSet<Axes> = tables.margins.iter().flatten().map(|margin| margin.axes).collect();
    let margins: Vec<Axes> = margins.into_iter().collect();
    let parts = margins.iter().map(|&axes| parts(&tables.sizes, all, axes)).collect();
    let numbers = if is_integer { TableNumbers::Whole } else { TableNumbers::Real };
    let tree = Tree::from_parents(&tables.parents)?;
    let solver =
        OfNodeTables { tables: tables.clone(), tree, margins, parts, numbers, sums_alone, shrunk: fit == Fit::Shrunk };
    let linear_fit = linear(&solver.system(model, &model.value)?)?;
    if !sums_alone {
        check(&linear_fit, numbers)?;
    }
    Ok(Box::new(solver))
}

struct OfNodeTables {
    tables: NodeTables,
    tree: Tree,
    /// The margins that some place has, smaller ones first.
    margins: Vec<Axes>,
    /// The cell of each of these that each cell of a table is part of.
    parts: Vec<Vec<usize>>,
    numbers: TableNumbers,
    sums_alone: bool,
    shrunk: bool,
}

impl OfNodeTables {
    fn system(&self, model: &Model, value: &[f64]) -> Result<TableTree, ProjectError> {
        let margin = |NodeMargin { axes, nodes, .. }: &NodeMargin| {
            let variance = model.variance[nodes[0] as usize];
            let values = || nodes.iter().map(|&node| value[node as usize]).collect();
            (variance < f64::INFINITY).then(|| MeasuredMargin { axes: *axes, values: values(), variance })
        };
        let measured = self.tables.margins.iter().map(|margins| margins.iter().filter_map(margin).collect()).collect();
        TableTree::new(self.tables.sizes.clone(), self.tree.clone(), measured)
    }

    fn fit(&self, model: &Model, value: &[f64]) -> TableTreeFit {
        let system = self.system(model, value).expect("values that were judged when they were read, and noise");
        linear(&system).expect("exact margins were seen to agree")
    }

    fn linear_nodes(&self, model: &Model, fit: &TableTreeFit) -> Vec<f64> {
        let mut all = vec![f64::NAN; model.nodes()];
        fit.each_margin(&self.margins, |place, axes, cells| {
            let margin = self.tables.margins[place].iter().find(|margin| margin.axes == axes);
            let nodes = margin.into_iter().flat_map(|margin| &margin.nodes);
            nodes.zip(cells).for_each(|(&node, cell)| all[node as usize] = *cell);
        });
        keep_exact(model, &mut all);
        all
    }

    fn down(&self, model: &Model, fit: &TableTreeFit) -> Solved {
        let solve = if self.shrunk { shrunk } else { top_down };
        let solution = solve(fit, self.numbers).expect("the same margins were solved before");
        let table: usize = self.tables.sizes.iter().product();
        let mut all = vec![f64::NAN; model.nodes()];
        for (cells, margins) in solution.cells.chunks_exact(table).zip(&self.tables.margins) {
            for NodeMargin { axes, nodes, .. } in margins {
                let index = self.margins.binary_search(axes).expect("a margin of some place");
                let mut sums = vec![0.0; nodes.len()];
                self.parts[index].iter().zip(cells).for_each(|(&part, cell)| sums[part] += cell);
                nodes.iter().zip(sums).for_each(|(&node, sum)| all[node as usize] = sum);
            }
        }
        keep_exact(model, &mut all);
        let ending = if solution.status == Status::Optimal { Ending::Optimal } else { Ending::IterationLimit };
        let grid = if self.numbers == TableNumbers::Whole { 1.0 } else { 0.0 };
        Solved { ending, estimates: all, certificate: solution.certificate, grid }
    }
}

/// Exact values as they were stated, to the last bit.
fn keep_exact(model: &Model, estimates: &mut [f64]) {
    for (node, estimate) in estimates.iter_mut().enumerate().filter(|(node, _)| model.exact(*node)) {
        *estimate = model.value[node];
    }
}

impl Solver for OfNodeTables {
    fn method(&self) -> Method {
        match (self.sums_alone, self.shrunk, self.numbers) {
            (true, ..) => Method::TableTree,
            (false, false, TableNumbers::Real) => Method::TableTreeTopDown,
            (false, false, TableNumbers::Whole) => Method::TableTreeTopDownRounded,
            (false, true, TableNumbers::Real) => Method::TableTreeShrunk,
            (false, true, TableNumbers::Whole) => Method::TableTreeShrunkRounded,
        }
    }

    fn solve(&self, model: &Model, value: Vec<f64>) -> Solved {
        self.solve_with_linear(model, value).0
    }

    fn linear(&self, model: &Model, value: Vec<f64>) -> Vec<f64> {
        self.linear_nodes(model, &self.fit(model, &value))
    }

    fn solve_with_linear(&self, model: &Model, value: Vec<f64>) -> (Solved, Vec<f64>) {
        let fit = self.fit(model, &value);
        let linear = self.linear_nodes(model, &fit);
        let solved = match self.sums_alone {
            true => {
                let (ending, certificate) = (Ending::Optimal, self.linear_certificate(model));
                Solved { ending, estimates: linear.clone(), certificate, grid: 0.0 }
            }
            false => self.down(model, &fit),
        };
        (solved, linear)
    }

    fn linear_variances(&self, model: &Model) -> Vec<f64> {
        let fit = self.fit(model, &model.value);
        let mut all = vec![f64::INFINITY; model.nodes()];
        for (place, margins) in self.tables.margins.iter().enumerate() {
            for NodeMargin { axes, nodes, .. } in margins {
                let variance = fit.variance(place, *axes);
                nodes.iter().for_each(|&node| all[node as usize] = variance);
            }
        }
        all
    }

    fn groups(&self, model: &Model) -> Vec<u32> {
        let mut groups = vec![0; model.nodes()];
        for NodeMargin { nodes, group, .. } in self.tables.margins.iter().flatten() {
            nodes.iter().for_each(|&node| groups[node as usize] = *group);
        }
        groups
    }

    fn rules(&self) -> &'static [&'static str] {
        const FAMILIES: &str = "From the roots on, the children of each node divide its table: the nonnegative numbers that add up to it, or any for a \
                                root, and are nearest to their linear fit in squares of cells and of margins, whose weights for \
                                each child are such that each residual component counts by the reciprocal of the variance that the child's subtree \
                                leaves of it, or by what the larger margins say of it if that is more. All margins are sums of the cells.";
        const ROUNDED: &str = "The totals of the children of a node are rounded up or down so that they add up to its own and the sum of squares \
                               grows least; then their margins of the first attribute, of the first two and so on, each after a projection \
                               under the node's margin and the one before, so that both are kept.";
        match self.method() {
            Method::TableTree => &[ROUNDED_SUMS, DERIVED],
            Method::TableTreeTopDownRounded => &[FAMILIES, ROUNDED, DERIVED],
            Method::TableTreeShrunk => &[SHRUNK, FAMILIES, ROUNDED_SUMS, DERIVED],
            Method::TableTreeShrunkRounded => &[SHRUNK, FAMILIES, ROUNDED, DERIVED],
            _ => &[FAMILIES, ROUNDED_SUMS, DERIVED],
        }
    }
}
