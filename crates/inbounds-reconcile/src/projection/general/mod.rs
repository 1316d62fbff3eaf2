//! Demands beyond sums along a tree and bounds of nodes, and the solver for each.
//!
//! - `eliminate`, `reduce`, `groups`, `linear`: linear equalities and inequalities, sums along a tree among them;
//! - `linked`: groupings of the same cells;
//! - `lattice`, `table`, `tables`: cells and margins of a table, or of several; `node_tables`: of a table at every node
//!   of a tree; `total`: one known total; `ordered`: values in order; `matrix`: entries of a semidefinite matrix.

mod eliminate;
mod groups;
mod lattice;
mod linear;
mod linked;
#[cfg(feature = "matrices")]
mod matrix;
mod node_tables;
mod ordered;
mod reduce;
mod table;
mod tables;
mod total;

pub use lattice::{Lattice, of_table};
pub use linked::of_groupings;
#[cfg(feature = "matrices")]
pub(crate) use matrix::Places;
pub use node_tables::{NodeMargin, NodeTables, NodeTablesError, of_node_tables};
pub(crate) use ordered::Ordered;
pub(crate) use table::alike;
pub(crate) use total::Total;

use self::linear::Linear;
use super::{demand::Demand, fit::Fit, model::Model, row::Row, solver::Solver};

/// The solver for what a model and demands require together.
///
/// # Errors
/// A node without a measurement whose value no equality tells.
pub(crate) fn of_demands(
    model: &Model,
    demands: &[Box<dyn Demand>],
    is_integer: bool,
    fit: Fit,
) -> Result<Box<dyn Solver>, usize> {
    if let [demand] = demands
        && model.shape.levels() == 1
        && let Some(solver) = demand.solver(model, is_integer, fit)
    {
        return Ok(solver);
    }
    let mut rows: Vec<Row> = demands.iter().flat_map(|demand| demand.rows(model)).collect();
    rows.extend(sums(model));
    Ok(Box::new(Linear::new(model, rows, is_integer)?))
}

/// The sums along the tree.
fn sums(model: &Model) -> impl Iterator<Item = Row> {
    let shape = &model.shape;
    let mut sums: Vec<Vec<(u32, f64)>> = (0..model.nodes() as u32).map(|node| vec![(node, 1.0)]).collect();
    for node in (0..model.nodes()).filter(|&node| !shape.is_root(node)) {
        sums[shape.parent[node] as usize].push((node as u32, -1.0));
    }
    sums.into_iter().filter(|terms| terms.len() > 1).map(Row::of_children)
}
