//! Which solver a request takes.

use inbounds_project::{
    certificate::{Certificate, Requirement, Status},
    tree::{Covariance, Solution, equality, integer, project},
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
    /// Least squares under linear equalities and exact values.
    Linear,
    /// Least squares under linear inequalities and bounds too.
    LinearBounded,
    /// [`Method::LinearBounded`], then the nearest whole numbers next to it that satisfy the equalities.
    Rounded,
    /// Least squares under one known total.
    Total,
    /// Least squares under one known total and bounds.
    TotalBounded,
    /// Least squares over whole numbers with one known total, under bounds.
    TotalInteger,
    /// Least squares over values in order.
    Isotonic,
    /// Least squares over whole numbers in order.
    IsotonicInteger,
    /// The nearest positive semidefinite matrix.
    Semidefinite,
    /// The nearest positive semidefinite matrix with ones on the diagonal.
    Correlation,
}

impl Method {
    /// The method for a model.
    pub(crate) fn of(model: &Model, whole: bool, top_down: bool) -> Self {
        if let Some(general) = &model.general {
            return general.method();
        }
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
            Self::Linear => "linear-least-squares",
            Self::LinearBounded => "linear-least-squares-in-bounds",
            Self::Rounded => "linear-least-squares-rounded",
            Self::Total => "total-least-squares",
            Self::TotalBounded => "total-least-squares-in-bounds",
            Self::TotalInteger => "total-least-squares-in-integers",
            Self::Isotonic => "isotonic-least-squares",
            Self::IsotonicInteger => "isotonic-least-squares-in-integers",
            Self::Semidefinite => "nearest-semidefinite",
            Self::Correlation => "nearest-correlation",
        }
    }

    /// Whether estimates are whole numbers.
    pub fn is_whole(self) -> bool {
        matches!(
            self,
            Self::Integer | Self::TopDownInteger | Self::Rounded | Self::TotalInteger | Self::IsotonicInteger
        )
    }

    /// Whether the estimates are linear in the values, and so unbiased with exact variances.
    pub fn is_linear(self) -> bool {
        matches!(self, Self::Equality | Self::Linear | Self::Total)
    }
}

/// A requirement that takes part in a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cause {
    /// What is required of a node by itself.
    Node(usize),
    /// A row of [`General`](super::General).
    Row(usize),
}

/// How a solver ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ending {
    Optimal,
    /// Requirements that cannot hold together.
    Infeasible(Vec<Cause>),
    /// No solver promises whole numbers: why, and the row that stands in the way, if it is one.
    Refused {
        reason: String,
        row: Option<usize>,
    },
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
pub(crate) struct Solved {
    pub(crate) ending: Ending,
    /// Empty if the system is infeasible or refused.
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

/// Estimates under equalities and exact values alone, linear in the values.
pub(crate) fn linear(model: &Model, value: Vec<f64>) -> Vec<f64> {
    match &model.general {
        Some(general) => general.linear(value),
        None => equality(&model.with(value)).estimates,
    }
}

/// The variances of [`linear()`]; infinite where measurements do not determine a node.
pub(crate) fn linear_variances(model: &Model) -> Vec<f64> {
    match &model.general {
        Some(general) => general.linear_variances(model),
        None => Covariance::new(&model.with(model.value.clone())).variances(),
    }
}

/// Solves a model for values of its nodes.
pub(crate) fn solve(model: &Model, method: Method, value: Vec<f64>) -> Solved {
    if let Some(general) = &model.general {
        return general.solve(&value);
    }
    match method {
        Method::Equality => equality(&model.with(value)).into(),
        Method::Bounded => project(&model.with(value)).into(),
        Method::Integer => integer(&model.with(value)).into(),
        _ => top_down::solve(model, method.is_whole(), &value),
    }
}
