//! `reconcile.json`: what was reconciled, under which constraints, how well. Everything in it is public.

use inbounds_core::{IntervalMethod, ids};
use serde::{Deserialize, Serialize};

use crate::{ConstraintsEntry, FileEntry, Id, Notice, Program, SolverEntry, figures::figure, program};

/// Name and version of the manifest's schema. Fields are added within a version, never renamed or removed.
pub const RECONCILE_SCHEMA: &str = "inbounds/reconcile/1";

/// The manifest of a reconciliation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/reconcile.md describes each")]
pub struct ReconcileManifest {
    pub schema: String,
    pub program: Program,
    pub input: InputEntry,
    pub constraints: ConstraintsEntry,
    pub solver: SolverEntry,
    pub error: ErrorEntry,
    pub rules: Vec<String>,
    pub warnings: Vec<String>,
    #[serde(default)]
    pub notices: Vec<Notice>,
    pub files: Vec<FileEntry>,
}

impl ReconcileManifest {
    /// Name of its file.
    pub const FILE: &str = "reconcile.json";

    /// The text of the file.
    pub fn to_json(&self) -> Vec<u8> {
        program::to_json(self)
    }
}

/// The measurements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ReconcileManifest")]
pub struct InputEntry {
    pub file: String,
    pub sha256: String,
    #[serde(default)]
    pub rows: u64,
    pub nodes: usize,
    #[serde(default)]
    pub roots: usize,
    pub leaves: usize,
    pub levels: usize,
    pub measurements: usize,
    pub unmeasured_nodes: usize,
    pub laws: Vec<LawEntry>,
}

ids! {
    /// A law of noise that a file of measurements can state.
    NoiseLaw {
        /// Density proportional to `exp(-|x| / scale)`.
        Laplace = "laplace",
        /// Mass proportional to `exp(-|k| / scale)` on the whole numbers.
        DiscreteLaplace = "discrete-laplace",
        /// The normal law.
        Gaussian = "gaussian",
        /// Mass proportional to `exp(-k^2 / (2 scale^2))` on the whole numbers.
        DiscreteGaussian = "discrete-gaussian",
    }
}

/// Measurements of one law.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ReconcileManifest")]
pub struct LawEntry {
    pub law: Id<NoiseLaw>,
    pub stated: bool,
    pub measurements: usize,
    pub least_scale: f64,
    pub largest_scale: f64,
}

ids! {
    /// Where errors of reconciled numbers come from.
    ErrorMethod {
        /// The estimates are linear: no bias, and an exact variance.
        ExactVariance = "exact-variance",
        /// Noise drawn again around the estimates.
        ParametricBootstrap = "parametric-bootstrap",
    }
}

/// Where bias, RMSE and intervals come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ReconcileManifest")]
pub struct ErrorEntry {
    pub method: Id<ErrorMethod>,
    pub replicates: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solved: Option<usize>,
    #[serde(default)]
    pub seed: String,
    pub interval: Option<SimulatedIntervalEntry>,
    #[serde(default)]
    pub total: Option<TotalEntry>,
}

/// Exact facts about the errors of cells with equal Laplace noise under one known total.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ReconcileManifest")]
pub struct TotalEntry {
    pub cells: usize,
    pub scale: f64,
    pub standard_deviation: f64,
    pub mean_absolute: f64,
    pub wasserstein_to_noise: f64,
    pub nonnegative_bias_bound: Option<f64>,
}

impl TotalEntry {
    /// Sentence on these errors, in the unit of the cells; with the bound on the bias for cells of one size, where
    /// there is one.
    ///
    /// ```
    /// use inbounds_bundle::TotalEntry;
    /// let entry = TotalEntry {
    ///     cells: 4, scale: 2.0, standard_deviation: 2.449, mean_absolute: 1.84, wasserstein_to_noise: 0.2, nonnegative_bias_bound: Some(0.01),
    /// };
    /// assert!(entry.sentence().ends_with("were the 4 cells of one size, bounds would add a bias of at most 0.01 to each."));
    /// ```
    pub fn sentence(&self) -> String {
        let bound = self.nonnegative_bias_bound.map_or_else(String::new, |bound| {
            format!(
                "; were the {} cells of one size, bounds would add a bias of at most {} to each",
                self.cells,
                figure(bound)
            )
        });
        format!(
            "Under the total that everyone knows, the error of each cell has a standard deviation of {} and is {} on average, and its distribution is {} from \
             that of the noise in Wasserstein's distance{bound}.",
            figure(self.standard_deviation),
            figure(self.mean_absolute),
            figure(self.wasserstein_to_noise)
        )
    }
}

/// Construction of the intervals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ReconcileManifest")]
pub struct SimulatedIntervalEntry {
    pub level: f64,
    pub method: Id<IntervalMethod>,
    pub rank: usize,
}
