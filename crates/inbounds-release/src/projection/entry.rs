//! What a manifest says of a solver.

use inbounds_project::certificate::Certificate;
use serde::{Deserialize, Serialize};

use super::{
    model::Model,
    solve::{Ending, Method, Solved},
};

/// How it was solved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/reconcile.md describes each")]
pub struct SolverEntry {
    pub method: String,
    pub status: String,
    pub objective: f64,
    pub certificate: CertificateEntry,
    pub tolerance: f64,
    pub grid: f64,
}

/// The certificate of optimality.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see SolverEntry")]
pub struct CertificateEntry {
    pub stationarity: f64,
    pub feasibility: f64,
    pub complementarity: f64,
}

impl SolverEntry {
    /// Of a model's solution.
    pub(crate) fn new(model: &Model, method: Method, solved: &Solved) -> Self {
        let Solved { ending, certificate, grid, estimates } = solved;
        Self {
            method: method.name().to_owned(),
            status: if *ending == Ending::Optimal { "optimal" } else { "iteration-limit" }.to_owned(),
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
}
