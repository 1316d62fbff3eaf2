//! What a manifest says of a solver.

use inbounds_bundle::{CertificateEntry, Method, SolverEntry, SolverStatus};
use inbounds_project::certificate::Certificate;

use super::{
    model::Model,
    solve::{Ending, Solved, linear_certificate},
};

/// The entry of a model's solution.
pub fn solver_entry(model: &Model, method: Method, solved: &Solved) -> SolverEntry {
    let Solved { ending, certificate, grid, estimates } = solved;
    let linear = linear_certificate(model, method);
    let optimal = *ending == Ending::Optimal && linear.worst() <= Certificate::TOLERANCE;
    let status = if optimal { SolverStatus::Optimal } else { SolverStatus::IterationLimit };
    SolverEntry {
        method: method.into(),
        status: status.into(),
        objective: model.objective(estimates),
        certificate: CertificateEntry {
            stationarity: certificate.stationarity.max(linear.stationarity),
            feasibility: certificate.feasibility.max(linear.feasibility),
            complementarity: certificate.complementarity.max(linear.complementarity),
        },
        tolerance: Certificate::TOLERANCE,
        grid: *grid,
    }
}
