//! Noisy numbers made to add up along a tree, or to satisfy other constraints, and how wrong they are then.
//!
//! Shared by [`reconcile`](crate::reconcile()), which takes anyone's measurements, and by statistics with levels, which
//! take those of the release. Nothing here reads a row or spends budget.
//!
//! - `model`, `shape`, `row`: measurements, and what is required of them;
//! - `solver`, `solved`: what finds estimates, and what it finds; `tree`, `reach`, `fit`: sums along a tree;
//! - `demand`, `general`: what may be required beyond, and its solvers;
//! - `simulate`, `redraw`, `noise`, `logarithm`, `largest`, `drift`: the error of estimates, by drawing the noise
//!   again.

mod demand;
mod drift;
mod fit;
mod general;
mod largest;
mod logarithm;
mod measured;
mod model;
mod noise;
mod reach;
mod redraw;
mod row;
mod shape;
mod simulate;
mod solved;
mod solver;
mod tree;

pub use inbounds_bundle::Method;

pub use drift::Drift;
pub use fit::Fit;
pub use general::{Lattice, NodeMargin, NodeTables, NodeTablesError, of_groupings, of_node_tables, of_table};
pub use largest::Largest;
pub use measured::Measured;
pub use model::Model;
#[cfg(test)]
pub(crate) use noise::Draws;
pub use noise::Law;
pub use row::{Row, Sense};
pub use simulate::{Alike, Errors, Replicate, Simulation, few_solved};
pub use solved::{Cause, Ending, Solved};
pub use solver::{Solver, solver_entry};
pub use tree::of_tree;

pub(crate) use demand::Demand;
#[cfg(feature = "matrices")]
pub(crate) use general::Places;
pub(crate) use general::{Ordered, Total, alike, of_demands};
pub(crate) use shape::Shape;
pub(crate) use simulate::least_replicates;
