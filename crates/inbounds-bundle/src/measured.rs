//! Measured quantities, and the mechanism of each.

use inbounds_core::StepRange;
use inbounds_mechanisms::{noise::NoiseKind, registry};
use serde::{Deserialize, Serialize};

use crate::{Exact, Id, ParametersEntry, ProcessingEntry, QuantityEntry};

/// Explanation of vectors with the quantity [`Quantity::Residual`](inbounds_core::Quantity::Residual).
pub const RESIDUALS_MEASURED: &str = "The noise is on residuals: what is left of each margin once the mean along each of its columns is taken away. \
                                      Together they tell all margins, with less error than noise on the margins themselves; only the total has a \
                                      measurement of its own.";

/// One measured vector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct ComponentEntry {
    /// The measured quantity: `role` in words, `quantity` as data.
    #[serde(flatten, with = "crate::quantity::role")]
    pub role: QuantityEntry,
    pub level: Option<String>,
    /// The columns of a margin of a table, none for the total.
    #[serde(default)]
    pub margin: Option<Vec<String>>,
    pub cells: usize,
    pub mechanism: Id<&'static registry::Entry>,
    pub law: Id<NoiseKind>,
    pub epsilon: Option<Exact>,
    pub delta: Exact,
    /// Cost of the measurement, where Gaussian noise is accounted for together.
    #[serde(default)]
    pub rho: Option<Exact>,
    #[serde(default)]
    pub loss_bound: Option<f64>,
    pub scale: f64,
    #[serde(flatten)]
    pub parameters: ParametersEntry,
    pub processing: Option<ProcessingEntry>,
    pub grid_spacing: f64,
    pub divisor: u64,
    /// For a centred sum, what was subtracted from each counted value: the sum is this plus `centre * count`.
    #[serde(default)]
    pub centre: Option<f64>,
    pub sensitivity: SensitivityEntry,
    /// Missing in bundles of versions that did not write it.
    #[serde(default)]
    pub range_steps: Option<StepRangeEntry>,
}

/// Ends of a range, exact, in the steps of its measurement; `None` where it is open.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ComponentEntry")]
pub struct StepRangeEntry {
    pub lower: Option<String>,
    pub upper: Option<String>,
}

impl From<StepRange> for StepRangeEntry {
    fn from(range: StepRange) -> Self {
        let text = |end: Option<i128>| end.map(|end| end.to_string());
        Self { lower: text(range.lower()), upper: text(range.upper()) }
    }
}

/// Sensitivity in grid steps and in the statistic's unit, with the rule it came from (`refs/claims.toml`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ComponentEntry")]
pub struct SensitivityEntry {
    pub l1_steps: String,
    pub linf_steps: String,
    pub cells: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub squares_steps: Option<Exact>,
    pub l1: f64,
    #[serde(default)]
    pub rule: String,
}
