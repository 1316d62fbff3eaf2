//! Which solver a request takes.

use inbounds_bundle::Method;
use inbounds_project::{
    certificate::{Certificate, Requirement, Status},
    tree::{Covariance, Solution, equality, integer, project, top_down, top_down_integer},
};

use super::{fit::Fit, model::Model};

/// The method for a model.
pub fn method(model: &Model, whole: bool, fit: Fit) -> Method {
    if let Some(general) = &model.general {
        return general.method();
    }
    match (whole, fit) {
        (true, Fit::TopDown) => Method::TopDownInteger,
        (true, Fit::Joint) => Method::Integer,
        // Without bounds the two fits are the linear one.
        (false, _) if model.sums_alone() => Method::Equality,
        (false, Fit::TopDown) => Method::TopDown,
        (false, Fit::Joint) => Method::Bounded,
    }
}

/// A requirement that takes part in a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// What is required of a node by itself.
    Node(usize),
    /// A row besides, by number.
    Row(usize),
}

/// How a solver ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// Its certificate holds.
    Optimal,
    /// Requirements that cannot hold together.
    Infeasible(Vec<Cause>),
    /// No solver promises whole numbers: why, and the row that stands in the way, if it is one.
    Refused {
        /// Why.
        reason: String,
        /// The row.
        row: Option<usize>,
    },
    /// It stopped before.
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

/// What a solver found.
#[derive(Debug, Clone)]
pub struct Solved {
    /// How the solver ended.
    pub ending: Ending,
    /// Empty if the system is infeasible or refused.
    pub estimates: Vec<f64>,
    /// How well the conditions of an optimum hold.
    pub certificate: Certificate,
    /// Power of two of which all estimates are multiples; zero if there is none.
    pub grid: f64,
}

impl From<Solution> for Solved {
    fn from(solution: Solution) -> Self {
        let Solution { status, estimates, certificate, grid, .. } = solution;
        Self { ending: status.into(), estimates, certificate: certificate.unwrap_or_default(), grid }
    }
}

impl Solved {
    pub(crate) fn infeasible(conflict: Vec<Cause>) -> Self {
        Self::without_estimates(Ending::Infeasible(conflict))
    }

    pub(crate) fn refused(reason: String, row: Option<usize>) -> Self {
        Self::without_estimates(Ending::Refused { reason, row })
    }

    fn without_estimates(ending: Ending) -> Self {
        Self { ending, estimates: Vec::new(), certificate: Certificate::default(), grid: 0.0 }
    }
}

/// How well the linear fit of a model that is solved top-down satisfies its own conditions; nothing of other methods.
///
/// The certificate of a top-down solution is of its families, given what the linear fit says of them.
pub(crate) fn linear_certificate(model: &Model, method: Method) -> Certificate {
    match method {
        Method::TopDown | Method::TopDownInteger => {
            equality(&model.with(model.value.clone())).certificate.unwrap_or_default()
        }
        _ => Certificate::default(),
    }
}

/// Estimates under equalities and exact values alone, linear in the values.
pub(crate) fn linear(model: &Model, value: Vec<f64>) -> Vec<f64> {
    match &model.general {
        Some(general) => general.linear(value),
        None => equality(&model.with(value)).estimates,
    }
}

/// The variances of [`linear()`]; infinite where measurements do not determine a node.
pub fn linear_variances(model: &Model) -> Vec<f64> {
    match &model.general {
        Some(general) => general.linear_variances(model),
        None => Covariance::new(&model.with(model.value.clone())).variances(),
    }
}

/// Solves a model for values of its nodes.
pub fn solve(model: &Model, method: Method, value: Vec<f64>) -> Solved {
    if let Some(general) = &model.general {
        return general.solve(&value);
    }
    match method {
        Method::Equality => equality(&model.with(value)).into(),
        Method::Bounded => project(&model.with(value)).into(),
        Method::Integer => integer(&model.with(value)).into(),
        Method::TopDownInteger => top_down_integer(&model.with(value)).into(),
        _ => top_down(&model.with(value)).into(),
    }
}
