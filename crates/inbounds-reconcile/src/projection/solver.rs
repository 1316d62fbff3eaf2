//! Solvers, which find the estimates: one trait, and a file for each solver.

use inbounds_bundle::{CertificateEntry, Method, SolverEntry, SolverStatus};
use inbounds_project::certificate::Certificate;

use super::{
    model::Model,
    row::Row,
    solved::{Ending, Solved},
};

/// A solver made for a model, which knows what must hold: values of the nodes go in, estimates come out.
///
/// The model of every call is the one that the solver was made for.
pub trait Solver: Send + Sync {
    /// Its name in manifests, with what it promises.
    fn method(&self) -> Method;

    /// Estimates with their certificate.
    fn solve(&self, model: &Model, value: Vec<f64>) -> Solved;

    /// Estimates under equalities and exact values alone, which must not contradict each other: linear in the values.
    fn linear(&self, model: &Model, value: Vec<f64>) -> Vec<f64>;

    /// Both for the same values, [`Solver::solve`] and [`Solver::linear`], which may share what they have in common.
    fn solve_with_linear(&self, model: &Model, value: Vec<f64>) -> (Solved, Vec<f64>) {
        (self.solve(model, value.clone()), self.linear(model, value))
    }

    /// The variances of [`Solver::linear`]; infinite where measurements do not determine a node.
    fn linear_variances(&self, model: &Model) -> Vec<f64>;

    /// Certificate of the linear fit for its own conditions, where a solution starts from it.
    fn linear_certificate(&self, _: &Model) -> Certificate {
        Certificate::default()
    }

    /// Which nodes stand side by side, the coarsest sums first: levels of a tree, unless rows state other sums.
    fn groups(&self, model: &Model) -> Vec<u32> {
        model.shape.level.clone()
    }

    /// Half the sum of squares that the estimates make small.
    fn objective(&self, model: &Model, estimates: &[f64]) -> f64 {
        half_squares(model, estimates)
    }

    /// Where the requirements keep each node, whatever was measured, as far as is told without solving: lower and upper
    /// ends.
    fn ranges(&self, model: &Model) -> (Vec<f64>, Vec<f64>) {
        (0..model.nodes()).map(|node| model.limits(node)).unzip()
    }

    /// The rows that a conflict may name.
    fn rows(&self) -> &[Row] {
        &[]
    }

    /// Rules that settle what the constraints leave open, for the manifest.
    fn rules(&self) -> &'static [&'static str];

    /// Warning to heed before the estimates are used.
    fn warning(&self) -> Option<String> {
        None
    }
}

/// Half the sum of squares of what estimates are off the values that were measured, each over its variance.
pub(super) fn half_squares(model: &Model, estimates: &[f64]) -> f64 {
    let measured = |&node: &usize| model.variance[node] > 0.0 && model.variance[node] < f64::INFINITY;
    let square = |node: usize| {
        let off = estimates[node] - model.value[node];
        off * off / model.variance[node]
    };
    (0..model.nodes()).filter(measured).map(square).sum::<f64>() / 2.0
}

/// The manifest's entry for a solver and its solution.
pub fn solver_entry(model: &Model, solver: &dyn Solver, solved: &Solved) -> SolverEntry {
    let Solved { ending, certificate, grid, estimates } = solved;
    let linear = solver.linear_certificate(model);
    let optimal = *ending == Ending::Optimal && linear.worst() <= Certificate::TOLERANCE;
    let status = if optimal { SolverStatus::Optimal } else { SolverStatus::IterationLimit };
    SolverEntry {
        method: solver.method().into(),
        status: status.into(),
        objective: solver.objective(model, estimates),
        certificate: CertificateEntry {
            stationarity: certificate.stationarity.max(linear.stationarity),
            feasibility: certificate.feasibility.max(linear.feasibility),
            complementarity: certificate.complementarity.max(linear.complementarity),
        },
        tolerance: Certificate::TOLERANCE,
        grid: *grid,
    }
}

/// Target of shrinkage, in words.
pub(super) const SHRUNK: &str = "Prior of the numbers of a level or margin: zero with some probability, otherwise one of 12 exponential distributions whose means are \
     spread evenly on a logarithmic scale. Their shares maximise the likelihood of the linear fit, whose errors are taken for normal. A number \
     is shrunk to its posterior mean, but never raised; on the lowest level, and in margins that are part of no other, halfway.";

/// Whole numbers that are equally good.
pub(super) const TIES: &str =
    "Whole numbers that are equally good: the smaller total, then the node that the file names first.";
