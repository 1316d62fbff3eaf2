//! What was measured, and by which mechanism.

use inbounds_core::{StepRange, ids};
use inbounds_mechanisms::{
    bounding::Rule,
    mechanism::{GridNoise, Processing},
    registry,
};
use serde::{Deserialize, Serialize};

use crate::{Exact, Id, QuantityEntry};

/// One measured vector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct ComponentEntry {
    /// What was measured: `role` in words, `quantity` as data.
    #[serde(flatten, with = "crate::quantity::role")]
    pub role: QuantityEntry,
    pub level: Option<String>,
    pub cells: usize,
    pub mechanism: Id<&'static registry::Entry>,
    pub law: Id<NoiseLaw>,
    pub epsilon: Option<Exact>,
    pub delta: Exact,
    #[serde(default)]
    pub loss_bound: Option<f64>,
    pub scale: f64,
    pub inverse_scale_per_step: Option<Exact>,
    pub variance_parameter_in_steps: Option<Exact>,
    pub staircase: Option<StaircaseEntry>,
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

ids! {
    /// A probability law of noise.
    NoiseLaw {
        /// Density proportional to `exp(-|x| / scale)`.
        Laplace = "laplace",
        /// Mass proportional to `exp(-|k| / scale)` on the whole numbers.
        DiscreteLaplace = "discrete-laplace",
        /// The normal law.
        Gaussian = "gaussian",
        /// Mass proportional to `exp(-k^2 / (2 scale^2))` on the whole numbers.
        DiscreteGaussian = "discrete-gaussian",
        /// Stairs that fall geometrically, on the whole numbers.
        DiscreteStaircase = "discrete-staircase",
    }
}

impl From<&GridNoise> for NoiseLaw {
    fn from(noise: &GridNoise) -> Self {
        match noise {
            GridNoise::Laplace(_) => Self::DiscreteLaplace,
            GridNoise::Gaussian(_) => Self::DiscreteGaussian,
            GridNoise::Staircase(_) => Self::DiscreteStaircase,
        }
    }
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

/// Shape of staircase noise: exact lengths in steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ComponentEntry")]
pub struct StaircaseEntry {
    pub stair: String,
    pub high: String,
}

/// How a measurement becomes an estimate, in steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
#[allow(missing_docs, reason = "see ComponentEntry")]
pub enum ProcessingEntry {
    /// The nearest point of the range.
    Clamp,
    /// Reflection at the ends.
    Fold,
    /// The nearer end.
    OneBit,
    /// The inner part of the range, stretched onto the range.
    Stretch { dead: f64 },
    /// The end below a threshold, and nearer to it above.
    Threshold { threshold: f64, at: f64, shift: f64 },
    /// A rule that this version does not know.
    #[serde(other)]
    Unknown,
}

impl From<Processing> for ProcessingEntry {
    fn from(processing: Processing) -> Self {
        match processing {
            Processing::Clamp => Self::Clamp,
            Processing::Fold => Self::Fold,
            Processing::Rule(Rule::OneBit) => Self::OneBit,
            Processing::Rule(Rule::Stretch { dead }) => Self::Stretch { dead },
            Processing::Rule(Rule::Threshold { threshold, at, shift }) => Self::Threshold { threshold, at, shift },
        }
    }
}

/// Sensitivity in grid steps and in the statistic's unit, with the rule it came from (`refs/claims.toml`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ComponentEntry")]
pub struct SensitivityEntry {
    pub l1_steps: String,
    pub linf_steps: String,
    pub cells: u64,
    pub l1: f64,
    #[serde(default)]
    pub rule: String,
}
