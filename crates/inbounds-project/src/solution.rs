//! The result of a solver of vectors.

use crate::certificate::{Certificate, Requirement, Status};

/// A projected vector.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Solution {
    /// Outcome of the solver.
    pub status: Status,
    /// One estimate for each cell, in the order of the input; empty if the system is infeasible.
    pub estimates: Vec<f64>,
    /// Certificate of the estimates; none if the system is infeasible.
    pub certificate: Option<Certificate>,
}

impl Solution {
    /// No point satisfies `conflict`.
    pub(crate) fn infeasible(conflict: Vec<Requirement>) -> Self {
        Self { status: Status::Infeasible { conflict }, estimates: Vec::new(), certificate: None }
    }

    /// Estimates with the status that their certificate allows; estimates beyond the largest double are none.
    pub(crate) fn certified(estimates: Vec<f64>, mut certificate: Certificate) -> Self {
        if !estimates.iter().all(|x| x.is_finite()) {
            certificate.feasible(f64::INFINITY, 1.0);
        }
        Self { status: certificate.status(), estimates, certificate: Some(certificate) }
    }
}
