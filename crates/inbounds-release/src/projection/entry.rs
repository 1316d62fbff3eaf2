//! What a manifest says of a solver.

use inbounds_bundle::{CertificateEntry, Method, SolverEntry, SolverStatus};
use inbounds_project::certificate::Certificate;

use super::{
    model::Model,
    solve::{Ending, Solved},
};

/// The entry of a model's solution.
pub(crate) fn solver_entry(model: &Model, method: Method, solved: &Solved) -> SolverEntry {
    let Solved { ending, certificate, grid, estimates } = solved;
    let status = if *ending == Ending::Optimal { SolverStatus::Optimal } else { SolverStatus::IterationLimit };
    SolverEntry {
        method: method.into(),
        status: status.into(),
        objective: model.objective(estimates),
        certificate: CertificateEntry {
            stationarity: certificate.stationarity,
            feasibility: certificate.feasibility,
            complementarity: certificate.complementarity,
        },
        tolerance: Certificate::TOLERANCE,
        grid: *grid,
    }
}
