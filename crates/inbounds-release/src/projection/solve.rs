//! Which solver a request takes.

use inbounds_project::{
    certificate::{Certificate, Requirement, Status},
    tree::{Solution, equality, integer, project},
};

use super::{model::Model, top_down};

/// How estimates are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Least squares under sums and exact values.
    Equality,
    /// Least squares under bounds too.
    Bounded,
    /// Least squares over whole numbers, under all constraints.
    Integer,
    /// [`Method::Bounded`] level by level, each level given the one above.
    TopDown,
    /// [`Method::Integer`] level by level, each level given the one above.
    TopDownInteger,
}

impl Method {
    /// The method for a model.
    pub(crate) fn of(model: &Model, whole: bool, top_down: bool) -> Self {
        match (whole, top_down) {
            (true, true) => Self::TopDownInteger,
            (true, false) => Self::Integer,
            (false, true) => Self::TopDown,
            (false, false) if model.sums_alone() => Self::Equality,
            (false, false) => Self::Bounded,
        }
    }

    /// Name in manifests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Equality => "least-squares",
            Self::Bounded => "least-squares-in-bounds",
            Self::Integer => "least-squares-in-integers",
            Self::TopDown => "top-down-least-squares-in-bounds",
            Self::TopDownInteger => "top-down-least-squares-in-integers",
        }
    }

    /// Whether estimates are whole numbers.
    pub fn is_whole(self) -> bool {
        matches!(self, Self::Integer | Self::TopDownInteger)
    }

    /// Whether the estimates are linear in the values, and so unbiased with exact variances.
    pub fn is_linear(self) -> bool {
        self == Self::Equality
    }
}

/// How a solver ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ending {
    Optimal,
    /// Nodes whose own requirements cannot hold together.
    Infeasible(Vec<usize>),
    IterationLimit,
}

impl From<Status> for Ending {
    fn from(status: Status) -> Self {
        let node = |requirement| match requirement {
            Requirement::Node(node) => Some(node),
            _ => None,
        };
        match status {
            Status::Optimal => Self::Optimal,
            Status::Infeasible { conflict } => Self::Infeasible(conflict.into_iter().filter_map(node).collect()),
            _ => Self::IterationLimit,
        }
    }
}

/// What a solver found.
#[derive(Debug, Clone)]
pub(crate) struct Solved {
    pub(crate) ending: Ending,
    /// Empty if the system is infeasible.
    pub(crate) estimates: Vec<f64>,
    pub(crate) certificate: Certificate,
    pub(crate) grid: f64,
}

impl From<Solution> for Solved {
    fn from(solution: Solution) -> Self {
        let Solution { status, estimates, certificate, grid, .. } = solution;
        Self { ending: status.into(), estimates, certificate: certificate.unwrap_or_default(), grid }
    }
}

/// Solves a model for values of its nodes.
pub(crate) fn solve(model: &Model, method: Method, value: Vec<f64>) -> Solved {
    match method {
        Method::Equality => equality(&model.with(value)).into(),
        Method::Bounded => project(&model.with(value)).into(),
        Method::Integer => integer(&model.with(value)).into(),
        Method::TopDown | Method::TopDownInteger => top_down::solve(model, method.is_whole(), &value),
    }
}
