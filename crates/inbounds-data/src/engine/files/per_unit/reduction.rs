//! The reductions of the rows of a unit.

use crate::Kind;
use crate::engine::files::program::NodeId;

/// Folds over the rows of each unit, by the nodes of a program.
pub(in super::super) struct Reduction {
    pub(in super::super) unit: NodeId,
    pub(in super::super) folds: Vec<Fold>,
}

/// Fold of one column.
pub(in super::super) struct Fold {
    /// Rows that do not meet it take no part.
    pub(in super::super) condition: Option<NodeId>,
    pub(in super::super) quantity: FoldOf,
}

/// Quantity that one column takes from the rows that take part.
pub(in super::super) enum FoldOf {
    Rows,
    /// A sum of steps: as a whole number, or with the exponent of its grid.
    Sum {
        steps: NodeId,
        exponent: i32,
    },
    /// The same by the number of cells.
    Mean {
        steps: NodeId,
        exponent: i32,
    },
    /// The extreme of (order, cell).
    Extreme {
        order: Option<NodeId>,
        cell: NodeId,
        kind: Kind,
        end: End,
    },
    /// True if at least one truth value is true.
    Any {
        cell: NodeId,
    },
}

/// Which end of an order is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum End {
    Least,
    Greatest,
}
