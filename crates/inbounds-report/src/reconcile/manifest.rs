//! What a page shows of `reconcile.json`. Fields that it does not show are left out; docs/reconcile.md describes each.

use serde::Deserialize;

use crate::bundle::Program;

#[derive(Deserialize)]
pub(crate) struct Manifest {
    pub(crate) program: Program,
    pub(crate) input: Input,
    pub(crate) constraints: Constraints,
    pub(crate) solver: Solver,
    pub(crate) error: ErrorEntry,
    pub(crate) rules: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

#[derive(Deserialize)]
pub(crate) struct Input {
    pub(crate) file: String,
    pub(crate) sha256: String,
    pub(crate) nodes: usize,
    pub(crate) leaves: usize,
    pub(crate) levels: usize,
    pub(crate) measurements: usize,
    pub(crate) unmeasured_nodes: usize,
    pub(crate) laws: Vec<Law>,
}

#[derive(Deserialize)]
pub(crate) struct Law {
    pub(crate) law: String,
    pub(crate) stated: bool,
    pub(crate) measurements: usize,
    pub(crate) least_scale: f64,
    pub(crate) largest_scale: f64,
}

#[derive(Deserialize)]
pub(crate) struct Constraints {
    pub(crate) nonnegative: bool,
    pub(crate) integer: bool,
    pub(crate) top_down: bool,
    pub(crate) fixed_nodes: usize,
    pub(crate) bounded_nodes: usize,
}

#[derive(Deserialize)]
pub(crate) struct Solver {
    pub(crate) method: String,
    pub(crate) status: String,
    pub(crate) certificate: Certificate,
    pub(crate) tolerance: f64,
}

#[derive(Deserialize)]
pub(crate) struct Certificate {
    pub(crate) stationarity: f64,
    pub(crate) feasibility: f64,
    pub(crate) complementarity: f64,
}

#[derive(Deserialize)]
pub(crate) struct ErrorEntry {
    pub(crate) method: String,
    pub(crate) replicates: usize,
    pub(crate) interval: Option<Interval>,
}

#[derive(Deserialize)]
pub(crate) struct Interval {
    pub(crate) level: f64,
}
