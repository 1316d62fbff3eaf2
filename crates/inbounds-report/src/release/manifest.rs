//! What a page shows of `release.json`. Fields that it does not show are left out; docs/bundle.md describes each.

use inbounds_bundle::Notice;
use serde::Deserialize;

use super::exact::Exact;
use crate::bundle::Program;

#[derive(Deserialize)]
pub(crate) struct Manifest {
    pub(crate) program: Program,
    pub(crate) title: Option<String>,
    pub(crate) private: bool,
    pub(crate) guarantee: Guarantee,
    pub(crate) rules: Vec<String>,
    pub(crate) statistics: Vec<Statistic>,
}

#[derive(Deserialize)]
pub(crate) struct Guarantee {
    pub(crate) words: String,
    pub(crate) privacy_unit: String,
    pub(crate) rows_per_unit: u64,
    pub(crate) neighbours: String,
    pub(crate) public_rows: Option<u64>,
    pub(crate) epsilon_granted: Exact,
    pub(crate) delta_granted: Exact,
    pub(crate) epsilon_spent: Exact,
    pub(crate) delta_spent: Exact,
}

#[derive(Deserialize)]
pub(crate) struct Statistic {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) column: Option<String>,
    #[serde(default)]
    pub(crate) columns: Vec<String>,
    pub(crate) by: Vec<String>,
    #[serde(rename = "where")]
    pub(crate) filter: Option<String>,
    pub(crate) cells: usize,
    /// Of all its numbers; those of an output may have their own.
    #[serde(default)]
    pub(crate) unit: String,
    pub(crate) epsilon: Exact,
    pub(crate) clip: Option<Clip>,
    #[serde(default)]
    pub(crate) range: Range,
    /// What is published of each cell.
    #[serde(default)]
    pub(crate) outputs: Vec<Output>,
    pub(crate) measured: Vec<Component>,
    pub(crate) bias: Bias,
    pub(crate) expected_error: Vec<ExpectedError>,
    pub(crate) interval: IntervalEntry,
    pub(crate) projection: Option<Projection>,
    #[serde(default)]
    pub(crate) notices: Vec<Notice>,
}

#[derive(Deserialize)]
pub(crate) struct Clip {
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) missing: String,
}

/// A number of a cell; only how many there are is shown.
#[derive(Deserialize)]
pub(crate) struct Output {}

#[derive(Default, Deserialize)]
pub(crate) struct Range {
    pub(crate) lower: Option<f64>,
    pub(crate) upper: Option<f64>,
}

#[derive(Deserialize)]
pub(crate) struct Component {
    pub(crate) role: String,
    pub(crate) level: Option<String>,
    pub(crate) cells: usize,
    pub(crate) mechanism: String,
    pub(crate) law: String,
    pub(crate) epsilon: Option<Exact>,
    pub(crate) delta: Exact,
    pub(crate) scale: f64,
    pub(crate) inverse_scale_per_step: Option<String>,
    pub(crate) variance_parameter_in_steps: Option<String>,
    pub(crate) staircase: Option<Staircase>,
    pub(crate) processing: Option<Processing>,
    pub(crate) grid_spacing: f64,
    pub(crate) divisor: u64,
    pub(crate) sensitivity: Sensitivity,
    pub(crate) range_steps: Option<RangeSteps>,
}

/// Ends of a range in steps; none in bundles of versions that did not write it.
#[derive(Deserialize)]
pub(crate) struct RangeSteps {
    pub(crate) lower: Option<String>,
    pub(crate) upper: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Staircase {
    pub(crate) stair: String,
    pub(crate) high: String,
}

#[derive(Deserialize, PartialEq)]
pub(crate) struct Processing {
    pub(crate) rule: String,
    pub(crate) threshold: Option<f64>,
    pub(crate) at: Option<f64>,
    pub(crate) shift: Option<f64>,
    pub(crate) dead: Option<f64>,
}

#[derive(Deserialize)]
pub(crate) struct Sensitivity {
    pub(crate) l1_steps: String,
    pub(crate) linf_steps: String,
    pub(crate) cells: u64,
    pub(crate) l1: f64,
}

#[derive(Deserialize)]
pub(crate) struct Bias {
    pub(crate) formula: String,
    pub(crate) worst: Option<f64>,
}

#[derive(Deserialize)]
pub(crate) struct ExpectedError {
    pub(crate) case: String,
    pub(crate) bias: f64,
    pub(crate) rmse: f64,
}

#[derive(Deserialize)]
pub(crate) struct IntervalEntry {
    pub(crate) level: f64,
}

#[derive(Deserialize)]
pub(crate) struct Projection {
    pub(crate) replicates: usize,
}
