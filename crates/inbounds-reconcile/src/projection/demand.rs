//! Requirements beyond sums along a tree and bounds of nodes.

use super::{fit::Fit, model::Model, row::Row, solver::Solver};

/// Something that must hold beyond sums along a tree and bounds of nodes.
pub(crate) trait Demand {
    /// It as rows; none if it has a solver of its own whatever the nodes are.
    fn rows(&self, model: &Model) -> Vec<Row>;

    /// A solver of its own, for nodes without parents of which nothing else is demanded; none if the solver of rows
    /// takes it. The fit is a matter of demands that have several.
    fn solver(&self, _: &Model, _is_integer: bool, _: Fit) -> Option<Box<dyn Solver>> {
        None
    }

    /// `true` if margins or levels can be fitted in more than one way.
    fn has_fits(&self) -> bool {
        false
    }

    /// The sum of all nodes, if it states that.
    fn total(&self) -> Option<f64> {
        None
    }
}
