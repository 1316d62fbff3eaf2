//! `reconcile.json`: what was reconciled, under which constraints, how well. Everything in it is public.

use serde::Serialize;

use super::{Law, Method};
use crate::{
    bundle::{FileEntry, Program},
    projection::SolverEntry,
};

/// Name and version of the manifest's schema. Fields are added within a version, never renamed or removed.
pub const SCHEMA: &str = "inbounds/reconcile/1";

/// The manifest of a reconciliation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/reconcile.md describes each")]
pub struct Manifest {
    pub schema: &'static str,
    pub program: Program,
    pub input: Input,
    pub constraints: ConstraintsEntry,
    pub solver: SolverEntry,
    pub error: ErrorEntry,
    pub rules: Vec<&'static str>,
    pub warnings: Vec<String>,
    pub files: Vec<FileEntry>,
}

/// The measurements.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct Input {
    pub file: String,
    pub sha256: String,
    pub rows: u64,
    pub nodes: usize,
    pub roots: usize,
    pub leaves: usize,
    pub levels: usize,
    pub measurements: usize,
    pub unmeasured_nodes: usize,
    pub laws: Vec<LawEntry>,
}

/// Measurements of one law.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct LawEntry {
    pub law: &'static str,
    pub stated: bool,
    pub measurements: usize,
    pub least_scale: f64,
    pub largest_scale: f64,
}

/// What had to hold besides the sums.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct ConstraintsEntry {
    pub file: Option<String>,
    pub sha256: Option<String>,
    pub nonnegative: bool,
    pub integer: bool,
    pub top_down: bool,
    pub fixed_nodes: usize,
    pub bounded_nodes: usize,
    pub total: Option<f64>,
    pub orders: usize,
    pub equalities: usize,
    pub inequalities: usize,
    pub system: Option<SystemEntry>,
    pub matrix: Option<MatrixEntry>,
}

/// The files of sparse rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct SystemEntry {
    pub triplets: String,
    pub triplets_sha256: String,
    pub sides: String,
    pub sides_sha256: String,
}

/// The matrix whose entries the nodes are.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct MatrixEntry {
    pub size: usize,
    pub unit_diagonal: bool,
}

/// Where bias, RMSE and intervals come from.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct ErrorEntry {
    pub method: &'static str,
    pub replicates: usize,
    pub seed: String,
    pub interval: Option<IntervalEntry>,
    pub total: Option<TotalEntry>,
}

/// What is known exactly of the errors of cells with equal Laplace noise under one known total.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct TotalEntry {
    pub cells: usize,
    pub scale: f64,
    pub standard_deviation: f64,
    pub mean_absolute: f64,
    pub wasserstein_to_noise: f64,
    pub nonnegative_bias_bound: Option<f64>,
}

/// How intervals were made.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct IntervalEntry {
    pub level: f64,
    pub method: &'static str,
    pub rank: usize,
}

impl Manifest {
    /// The text of the file.
    pub(super) fn to_json(&self) -> Vec<u8> {
        let mut text = serde_json::to_vec_pretty(self).expect("strings, numbers and lists serialise");
        text.push(b'\n');
        text
    }
}

/// Counts measurements by law; a variance without a law stands for Gaussian noise.
pub(super) fn laws(measured: impl Iterator<Item = (Option<Law>, f64)>) -> Vec<LawEntry> {
    let mut found: Vec<(Option<Law>, LawEntry)> = Vec::new();
    for (stated, scale) in measured {
        let index = found.iter().position(|(law, _)| *law == stated).unwrap_or_else(|| {
            let law = stated.unwrap_or(Law::Gaussian).name();
            let entry = LawEntry {
                law,
                stated: stated.is_some(),
                measurements: 0,
                least_scale: f64::INFINITY,
                largest_scale: 0.0,
            };
            found.push((stated, entry));
            found.len() - 1
        });
        let entry = &mut found[index].1;
        entry.measurements += 1;
        entry.least_scale = entry.least_scale.min(scale);
        entry.largest_scale = entry.largest_scale.max(scale);
    }
    found.sort_by_key(|(law, _)| *law);
    found.into_iter().map(|(_, entry)| entry).collect()
}

/// Rules that settle what the constraints leave open.
const POOLED: &str = "Several measurements of one node count as one, their mean by weight, with weight 1 / variance; an \
                      exact value overrides measurements.";

/// Rules of every method.
pub(super) fn rules(method: Method) -> Vec<&'static str> {
    let own: &[&str] = match method {
        Method::Linear | Method::LinearBounded | Method::Total | Method::TotalBounded => &[ROUNDED_SUMS, DERIVED],
        Method::Rounded => &[UP_OR_DOWN, DERIVED],
        Method::TotalInteger => &[TIES],
        Method::Isotonic => &[CLAMPED],
        Method::IsotonicInteger => &[CLAMPED, HALF_UP],
        Method::Semidefinite | Method::Correlation => &[FROBENIUS],
        _ => &TREE,
    };
    [&[POOLED], own].concat()
}

const ROUNDED_SUMS: &str = "Equalities hold up to the rounding of doubles, as `solver.certificate.feasibility` says; bounds \
                            that bind hold to the last bit.";
const DERIVED: &str = "A node without a measurement has the value that the equalities give it.";
const UP_OR_DOWN: &str = "The optimum over real numbers is rounded, each node up or down, so that all equalities hold and \
                          the sum of squares grows least: not always the optimum over whole numbers.";
const CLAMPED: &str = "Nodes that are pooled have the mean of their values by weight; bounds are met by clamping, which is \
                       exact for orders.";
const HALF_UP: &str = "The optimum over whole numbers is that over real numbers rounded to the nearest, halves up.";
const FROBENIUS: &str = "The matrix is the nearest in the Frobenius norm, in which entries off the diagonal count twice and \
                         variances do not count.";

const TIES: &str = "Whole numbers that are equally good: the smaller total, then the node that the file names first.";

/// Rules of trees.
const TREE: [&str; 4] = [
    "All estimates are multiples of `solver.grid`, a power of two, so that children add up to their parent to the last bit, \
     in any order, when the written numbers are read as doubles.",
    "What rounding to the grid leaves over goes to the children in the order in which the file first names them, evenly, \
     passing over those that are at a bound or known exactly.",
    TIES,
    "Where measurements do not determine nodes, what is left is divided evenly over unmeasured leaves, and no error is \
     stated.",
];
