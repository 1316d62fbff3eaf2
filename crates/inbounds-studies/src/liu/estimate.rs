//! Numbers that are found with a standard error, and checks of them.

use super::mechanism::Mechanism;
use crate::{Check, Claim, Statement};

/// The paper's two mechanisms.
pub(super) const PAPERS: [Mechanism; 2] = [Mechanism::Clamped, Mechanism::Published];

/// A number and its standard error.
pub(super) type Found = (f64, f64);

/// A number less another.
pub(super) fn difference(more: Found, less: Found) -> Found {
    (more.0 - less.0, libm::hypot(more.1, less.1))
}

/// A number over another.
pub(super) fn quotient(top: Found, bottom: Found) -> Found {
    let ratio = top.0 / bottom.0;
    (ratio, ratio.abs() * libm::hypot(top.1 / top.0, bottom.1 / bottom.0))
}

/// A claim of the paper that is borne out.
pub(super) fn agrees(statement: &'static Statement, what: String, claimed: Claim, found: Found) -> Check {
    Check::reproduced(statement, what, claimed, found.0, found.1)
}

/// Why a claim of the paper is contradicted, and by which erratum.
#[derive(Debug, Clone, Copy)]
pub(super) struct Against(pub(super) &'static str, pub(super) u32);

/// A claim of the paper that is contradicted.
pub(super) fn differs(
    statement: &'static Statement,
    what: String,
    claimed: Claim,
    found: Found,
    against: Against,
) -> Check {
    Check::differs(statement, what, claimed, found.0, found.1, against.0, against.1)
}
