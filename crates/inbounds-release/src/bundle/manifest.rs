//! `release.json`: what was released, under which guarantee, by which numbers. No private value.

use inbounds_bundle::Notice;
use inbounds_core::StepRange;
use inbounds_mechanisms::{
    bounding::Rule,
    mechanism::{GridNoise, Processing},
};
use inbounds_statistics::{Clip, ClipMissing, Component, Design, ExpectedError, PrivacyUnit, compound::Output};
use serde::{Deserialize, Serialize};

use super::words;
use crate::{
    Released, Spent,
    digest::sha256,
    levels::ProjectionEntry,
    plan::{Plan, Statistic},
    run::{LEVEL, Randomness, Run},
    task::Prepared,
};

/// Name and version of the manifest's schema. Fields are added within a version, never renamed or removed.
pub const SCHEMA: &str = "inbounds/release/1";

/// The manifest of a bundle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct Manifest {
    pub schema: String,
    pub program: Program,
    pub title: Option<String>,
    pub private: bool,
    /// Seed of the rounding of estimates that fall between grid points.
    pub rounding_seed: String,
    pub guarantee: Guarantee,
    pub plan_sha256: String,
    pub rules: Vec<String>,
    pub statistics: Vec<StatisticEntry>,
    pub files: Vec<FileEntry>,
}

/// The program that made the bundle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct Program {
    pub name: String,
    pub version: String,
}

impl Program {
    pub(crate) fn this() -> Self {
        Self { name: "inbounds".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

/// The guarantee in words and numbers; epsilon and delta are exact decimals or fractions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct Guarantee {
    pub words: String,
    pub privacy_unit: String,
    pub rows_per_unit: u64,
    pub neighbours: String,
    pub public_rows: Option<u64>,
    pub epsilon_granted: String,
    pub delta_granted: String,
    pub epsilon_spent: String,
    pub delta_spent: String,
}

/// One statistic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct StatisticEntry {
    pub name: String,
    pub kind: String,
    pub column: Option<String>,
    /// All columns that are read, in the order of `clips`.
    #[serde(default)]
    pub columns: Vec<String>,
    pub by: Vec<String>,
    #[serde(rename = "where")]
    pub filter: Option<String>,
    pub cells: usize,
    pub unit: String,
    pub epsilon: String,
    pub clip: Option<ClipEntry>,
    #[serde(default)]
    pub clips: Vec<ClipEntry>,
    pub range: RangeEntry,
    /// What is published of each cell.
    #[serde(default)]
    pub outputs: Vec<OutputEntry>,
    pub measured: Vec<ComponentEntry>,
    pub bias: BiasEntry,
    pub expected_error: Vec<ExpectedErrorEntry>,
    pub interval: IntervalEntry,
    /// How the levels of a count were made to add up.
    pub projection: Option<ProjectionEntry>,
    /// What a reader has to know before using the numbers.
    #[serde(default)]
    pub notices: Vec<Notice>,
}

/// How values were clipped, in the column's unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct ClipEntry {
    pub lower: f64,
    pub upper: f64,
    pub grid_spacing: f64,
    pub missing: String,
}

/// One number that is published of every cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct OutputEntry {
    pub name: String,
    pub unit: String,
    pub range: RangeEntry,
}

/// A range; an end without bound is null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct RangeEntry {
    pub lower: Option<f64>,
    pub upper: Option<f64>,
}

/// One measured vector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct ComponentEntry {
    pub role: String,
    pub level: Option<String>,
    pub cells: usize,
    pub mechanism: String,
    pub law: String,
    pub epsilon: Option<String>,
    pub delta: String,
    pub loss_bound: Option<f64>,
    pub scale: f64,
    pub inverse_scale_per_step: Option<String>,
    pub variance_parameter_in_steps: Option<String>,
    pub staircase: Option<StaircaseEntry>,
    pub processing: Option<ProcessingEntry>,
    pub grid_spacing: f64,
    pub divisor: u64,
    /// For a centred sum, what was subtracted from each counted value: the sum is this plus `centre * count`.
    pub centre: Option<f64>,
    pub sensitivity: SensitivityEntry,
    #[serde(default)]
    pub range_steps: StepRangeEntry,
}

/// Ends of a range, exact, in the steps of its measurement; `None` where it is open.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see Manifest")]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct StaircaseEntry {
    pub stair: String,
    pub high: String,
}

/// How a measurement becomes an estimate, in steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct ProcessingEntry {
    pub rule: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shift: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dead: Option<f64>,
}

impl ProcessingEntry {
    fn new(processing: Processing) -> Self {
        let plain = |rule: &str| Self { rule: rule.to_owned(), threshold: None, at: None, shift: None, dead: None };
        match processing {
            Processing::Clamp => plain("clamp"),
            Processing::Fold => plain("fold"),
            Processing::Rule(Rule::OneBit) => plain("one-bit"),
            Processing::Rule(Rule::Stretch { dead }) => Self { dead: Some(dead), ..plain("stretch") },
            Processing::Rule(Rule::Threshold { threshold, at, shift }) => {
                Self { threshold: Some(threshold), at: Some(at), shift: Some(shift), ..plain("threshold") }
            }
        }
    }
}

/// Sensitivity in grid steps and in the statistic's unit, with the rule it came from (`refs/claims.toml`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct SensitivityEntry {
    pub l1_steps: String,
    pub linf_steps: String,
    pub cells: u64,
    pub l1: f64,
    pub rule: String,
}

/// Expected bias: the identifier of its formula in `docs/bundle.md`, and its largest absolute value over the range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct BiasEntry {
    pub formula: String,
    pub worst: Option<f64>,
}

/// Error to expect for a candidate truth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct ExpectedErrorEntry {
    pub case: String,
    pub bias: f64,
    pub rmse: f64,
}

impl From<ExpectedError> for ExpectedErrorEntry {
    fn from(error: ExpectedError) -> Self {
        Self { case: error.case, bias: error.bias, rmse: error.rmse }
    }
}

/// How intervals were made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct IntervalEntry {
    pub level: f64,
    pub method: String,
}

/// A file of the bundle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see Manifest")]
pub struct FileEntry {
    pub name: String,
    pub sha256: String,
}

impl Manifest {
    pub(super) fn new(
        plan: &Plan,
        design: &Design,
        statistics: &[Released],
        spent: &Spent,
        run: Run,
        files: &[(String, Vec<u8>)],
    ) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            program: Program::this(),
            title: plan.title.clone(),
            private: run.randomness == Randomness::Secure,
            rounding_seed: run.rounding_seed.to_string(),
            guarantee: Guarantee {
                words: words::guarantee(plan, design, spent, run.randomness),
                privacy_unit: words::privacy_unit(plan),
                rows_per_unit: match design.unit {
                    PrivacyUnit::Row => 1,
                    PrivacyUnit::Column { max_rows } => max_rows,
                },
                neighbours: design.neighbours.to_string(),
                public_rows: design.rows,
                epsilon_granted: plan.privacy.epsilon.value.to_string(),
                delta_granted: plan.privacy.delta.value.to_string(),
                epsilon_spent: spent.epsilon.to_string(),
                delta_spent: spent.delta.to_string(),
            },
            plan_sha256: plan.digest.clone(),
            rules: words::rules(plan, design),
            statistics: statistics.iter().map(|released| statistic(plan, released)).collect(),
            files: files.iter().map(|(name, bytes)| FileEntry { name: name.clone(), sha256: sha256(bytes) }).collect(),
        }
    }

    /// The manifest as indented JSON.
    pub(super) fn to_json(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).expect("strings, numbers and lists serialise");
        bytes.push(b'\n');
        bytes
    }
}

fn statistic(plan: &Plan, released: &Released) -> StatisticEntry {
    let described = &plan.statistics[released.task.index];
    let prepared = &released.task.prepared;
    let (lower, upper) = prepared.ends();
    let clips: Vec<ClipEntry> = prepared.clips().iter().map(clip).collect();
    let outputs = outputs(described, prepared);
    StatisticEntry {
        name: described.name.value.clone(),
        kind: described.kind.name().to_owned(),
        column: described.column().map(|column| column.value.clone()),
        columns: described.columns().into_iter().map(|column| column.value.clone()).collect(),
        by: released.task.key_columns().to_vec(),
        filter: described.filter.as_ref().map(|filter| filter.value.clone()),
        cells: released.task.cells(),
        unit: outputs.first().map_or_else(String::new, |output| output.unit.clone()),
        epsilon: prepared.epsilon().to_string(),
        clip: clips.first().filter(|_| clips.len() == 1).cloned(),
        clips,
        range: RangeEntry { lower, upper },
        outputs,
        measured: components(released),
        bias: BiasEntry { formula: prepared.bias_formula().to_owned(), worst: prepared.worst_bias() },
        expected_error: prepared.expected_errors().into_iter().map(ExpectedErrorEntry::from).collect(),
        interval: IntervalEntry { level: LEVEL, method: prepared.interval_method().to_owned() },
        projection: released.projection.clone(),
        notices: released.notices.clone(),
    }
}

fn clip(clip: &Clip) -> ClipEntry {
    ClipEntry {
        lower: clip.grid.value(clip.lower.into()),
        upper: clip.grid.value(clip.upper.into()),
        grid_spacing: clip.grid.spacing(),
        missing: match clip.missing {
            ClipMissing::Drop => "dropped".to_owned(),
            ClipMissing::Impute(steps) => format!("counted as {}", clip.grid.value(steps.into())),
        },
    }
}

/// What is published of each cell of a statistic.
pub(crate) fn outputs(described: &Statistic, prepared: &Prepared) -> Vec<OutputEntry> {
    let entry = |(output, (lower, upper)): (Output, (Option<f64>, Option<f64>))| OutputEntry {
        name: output.name,
        unit: words::unit(described, &output.unit),
        range: RangeEntry { lower, upper },
    };
    prepared.outputs().into_iter().zip(prepared.ranges()).map(entry).collect()
}

fn components(released: &Released) -> Vec<ComponentEntry> {
    let prepared = &released.task.prepared;
    let components = prepared.components().into_iter();
    let levels = prepared.levels().into_iter().map(|level| level.map(|(name, _)| name.to_owned()));
    let cells = released.measured.iter().map(|measured| measured.steps().len());
    let named = components.zip(levels).zip(cells);
    named
        .map(|((one, level), cells)| ComponentEntry { level, ..component(one, cells, prepared.centre_of(one)) })
        .collect()
}

fn component(component: &Component, cells: usize, centre: Option<f64>) -> ComponentEntry {
    let mechanism = &component.mechanism;
    let sensitivity = mechanism.sensitivity();
    ComponentEntry {
        role: component.role.clone().into_owned(),
        level: None,
        cells,
        mechanism: mechanism.name().to_owned(),
        law: mechanism.noise().name().to_owned(),
        epsilon: mechanism.guarantee().epsilon().map(ToString::to_string),
        delta: mechanism.guarantee().delta().map_or_else(|| "0".to_owned(), ToString::to_string),
        loss_bound: mechanism.loss_bound(),
        scale: component.scale(),
        inverse_scale_per_step: mechanism.noise().as_laplace().map(|law| law.inverse_scale().to_string()),
        variance_parameter_in_steps: match mechanism.noise() {
            GridNoise::Gaussian(law) => Some(law.sigma_squared().to_string()),
            _ => None,
        },
        staircase: match mechanism.noise() {
            GridNoise::Staircase(law) => {
                Some(StaircaseEntry { stair: law.sensitivity().to_string(), high: law.high().to_string() })
            }
            _ => None,
        },
        processing: mechanism.processing().map(ProcessingEntry::new),
        grid_spacing: component.grid.spacing(),
        divisor: component.divisor,
        centre,
        sensitivity: SensitivityEntry {
            l1_steps: sensitivity.l1.to_string(),
            linf_steps: sensitivity.linf.to_string(),
            cells: sensitivity.cells,
            l1: component.sensitivity(),
            rule: sensitivity.rule.to_owned(),
        },
        range_steps: mechanism.range().into(),
    }
}
