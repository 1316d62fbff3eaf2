//! Result of a solver.

use inbounds_project::{
    certificate::{Certificate, Requirement, Status},
    tree::TreeSolution,
};

/// A requirement that takes part in a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A node's own requirement.
    Node(usize),
    /// A row of the solver, by number.
    Row(usize),
}

/// Outcome of a solver.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// Its certificate holds.
    Optimal,
    /// Requirements that cannot hold together.
    Infeasible(Vec<Cause>),
    /// No solver promises whole numbers.
    Refused {
        /// Why.
        reason: String,
        /// The row that stands in the way, if it is one.
        row: Option<usize>,
    },
    /// Nothing was found to satisfy the requirements, though no proof excludes it.
    NotFound(String),
    /// It stopped before its certificate held.
    IterationLimit,
}

impl From<Status> for Ending {
    fn from(status: Status) -> Self {
        let node = |requirement| match requirement {
            Requirement::Node(node) => Some(Cause::Node(node)),
            _ => None,
        };
        match status {
            Status::Optimal => Self::Optimal,
            Status::Infeasible { conflict } => Self::Infeasible(conflict.into_iter().filter_map(node).collect()),
            _ => Self::IterationLimit,
        }
    }
}

/// Result of a solver.
#[derive(Debug, Clone)]
pub struct Solved {
    /// Outcome of the solver.
    pub ending: Ending,
    /// Empty if the system is infeasible or refused, or nothing was found.
    pub estimates: Vec<f64>,
    /// Certificate of the conditions of an optimum.
    pub certificate: Certificate,
    /// Power of two of which all estimates are multiples; zero if there is none.
    pub grid: f64,
}

impl From<TreeSolution> for Solved {
    fn from(solution: TreeSolution) -> Self {
        let TreeSolution { status, estimates, certificate, grid, .. } = solution;
        Self { ending: status.into(), estimates, certificate: certificate.unwrap_or_default(), grid }
    }
}

impl Solved {
    pub(super) fn infeasible(conflict: Vec<Cause>) -> Self {
        Self::without_estimates(Ending::Infeasible(conflict))
    }

    pub(super) fn refused(reason: String, row: Option<usize>) -> Self {
        Self::without_estimates(Ending::Refused { reason, row })
    }

    #[cfg(feature = "matrices")]
    pub(super) fn not_found(reason: String) -> Self {
        Self::without_estimates(Ending::NotFound(reason))
    }

    fn without_estimates(ending: Ending) -> Self {
        Self { ending, estimates: Vec::new(), certificate: Certificate::default(), grid: 0.0 }
    }
}
