//! Estimates with their standard errors, and checks of them.

use super::mechanism::Mechanism;
use crate::{Check, Claim, Statement};

/// The paper's two mechanisms.
pub(super) const PAPERS: [Mechanism; 2] = [Mechanism::Clamped, Mechanism::Published];

/// A number and its standard error.
pub(super) type Estimate = (f64, f64);

/// A number less another.
pub(super) fn difference(more: Estimate, less: Estimate) -> Estimate {
    (more.0 - less.0, libm::hypot(more.1, less.1))
}

/// A number over another.
pub(super) fn quotient(top: Estimate, bottom: Estimate) -> Estimate {
    let ratio = top.0 / bottom.0;
    (ratio, ratio.abs() * libm::hypot(top.1 / top.0, bottom.1 / bottom.0))
}

/// A claim of the paper that is borne out.
pub(super) fn agrees(statement: &'static Statement, quantity: String, claimed: Claim, computed: Estimate) -> Check {
    Check::reproduced(statement, quantity, claimed, computed.0, computed.1)
}

/// Why a claim of the paper is contradicted, and by which erratum.
#[derive(Debug, Clone, Copy)]
pub(super) struct Against(pub(super) &'static str, pub(super) u32);

/// A claim of the paper that is contradicted.
pub(super) fn differs(
    statement: &'static Statement,
    quantity: String,
    claimed: Claim,
    computed: Estimate,
    against: Against,
) -> Check {
    Check::differs(statement, quantity, claimed, computed.0, computed.1, against.0, against.1)
}
