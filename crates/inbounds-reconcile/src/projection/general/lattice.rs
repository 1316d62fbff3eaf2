//! The margins of a table, and which node each of their cells is.

use inbounds_project::table::{Axes, FittedMargin, TableQueries, parts};

use super::{table::OfTable, tables::Tables};
use crate::projection::{
    demand::Demand,
    fit::Fit,
    model::Model,
    row::{Row, Sense, Words},
    solver::Solver,
};

/// A table whose cells, and cells of margins, are the nodes.
#[derive(Debug, Clone)]
pub struct Lattice {
    /// Number of values of each attribute.
    pub sizes: Vec<usize>,
    /// All margins of the margins that are there, smaller ones first, with the node of each cell, the last attribute
    /// moving fastest.
    pub margins: Vec<(Axes, Vec<u32>)>,
    /// Kind of their measurements. Of residuals, the values of the nodes of a margin count for nothing but the
    /// remainder once the mean along each attribute is taken away.
    pub queries: TableQueries,
}

impl Lattice {
    /// Values of nodes, gathered by margin; each margin has a variance.
    pub(super) fn gather(&self, value: &[f64], variances: &[f64]) -> Vec<FittedMargin> {
        let margin = |((axes, nodes), variance): (&(Axes, Vec<u32>), &f64)| FittedMargin {
            axes: *axes,
            values: nodes.iter().map(|&node| value[node as usize]).collect(),
            variance: *variance,
        };
        self.margins.iter().zip(variances).map(margin).collect()
    }

    /// Number of nodes.
    pub(super) fn nodes(&self) -> usize {
        self.margins.iter().map(|(_, nodes)| nodes.len()).sum()
    }

    /// Numbers of margins by node.
    pub(super) fn scatter<'a>(&self, margins: impl Iterator<Item = &'a [f64]>) -> Vec<f64> {
        let mut all = vec![0.0; self.nodes()];
        for ((_, nodes), values) in self.margins.iter().zip(margins) {
            nodes.iter().zip(values).for_each(|(&node, &value)| all[node as usize] = value);
        }
        all
    }

    /// The sum of its cells in a margin with one attribute more, for each cell of a margin.
    fn sums(&self, (inner, nodes): &(Axes, Vec<u32>), (outer, cells): &(Axes, Vec<u32>)) -> Vec<Row> {
        const WORDS: Words = |row, name| (row.first(name), "must be the sum of its cells".to_owned());
        let mut terms: Vec<Vec<(u32, f64)>> = nodes.iter().map(|&node| vec![(node, 1.0)]).collect();
        for (part, &node) in parts(&self.sizes, *outer, *inner).into_iter().zip(cells) {
            terms[part].push((node, -1.0));
        }
        terms.into_iter().map(|terms| Row::implied(terms, Sense::Equal, 0.0, WORDS)).collect()
    }
}

/// The solver for the margins of a table of which nothing is required beyond sums and, if the model says so, that no
/// node is negative, or that none is positive. There may be several such tables, which share nothing: the nodes of the
/// model are then those of the lattice, again and again.
///
/// None where [`Fit::Joint`] is asked for, or whole numbers of either sign, a residual is missing, a margin that is
/// part of no other has no measurement, or nodes of one margin are not measured alike where that matters.
pub fn of_table(lattice: &Lattice, model: &Model, is_integer: bool, fit: Fit) -> Option<Box<dyn Solver>> {
    if model.nodes() == lattice.nodes() && !model.is_nonpositive() {
        return lattice.solver(model, is_integer, fit);
    }
    Some(Box::new(Tables::new(lattice, model, is_integer, is_shrunk(fit)?)?))
}

/// True for the fit that shrinks numbers; none where a fit is not one of tables.
fn is_shrunk(fit: Fit) -> Option<bool> {
    match fit {
        Fit::TopDown => Some(false),
        Fit::Shrunk => Some(true),
        Fit::Joint => None,
    }
}

impl Demand for Lattice {
    fn rows(&self, _: &Model) -> Vec<Row> {
        let next = |inner: Axes, outer: Axes| outer.count() == inner.count() + 1 && outer.includes(inner);
        let pairs = self.margins.iter().flat_map(|inner| {
            self.margins.iter().filter(move |outer| next(inner.0, outer.0)).map(move |outer| (inner, outer))
        });
        pairs.flat_map(|(inner, outer)| self.sums(inner, outer)).collect()
    }

    fn solver(&self, model: &Model, is_integer: bool, fit: Fit) -> Option<Box<dyn Solver>> {
        Some(Box::new(OfTable::new(self, model, is_integer, is_shrunk(fit)?)?))
    }

    fn has_fits(&self) -> bool {
        true
    }
}
