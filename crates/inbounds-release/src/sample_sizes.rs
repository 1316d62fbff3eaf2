//! Convergence of estimates to a population's parameter as the number of rows grows. Reads no row.
//!
//! A population must be assumed, because none is known: each statistic is tried on two, one in the middle of its range
//! and one near an end. Samples are drawn from it, measured as the plan says, and compared with the parameter.

use std::str::FromStr;

use inbounds_statistics::{
    Component, StatisticError,
    population::{AtSize, Population, Study},
};
use serde::Serialize;

use crate::{
    OpenedPlan, ReleaseError,
    plan::{Plan, Statistic},
    prepared_statistic::PreparedStatistic,
};

/// Samples drawn for each number of rows; coverage is known to about 0.015.
const REPLICATES: usize = 200;

/// One statistic on one population at one number of rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SampleSize {
    /// Name in the plan.
    pub statistic: String,
    /// The population that is assumed, in words.
    pub population: String,
    /// Number of rows.
    pub rows: u64,
    /// Level of the intervals.
    pub level: f64,
    /// Errors; none where the statistic cannot be measured over this many rows.
    pub errors: Option<PopulationErrors>,
    /// Why there are none.
    pub refused: Option<String>,
}

/// Errors as an estimate of a population's parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PopulationErrors {
    /// Mean estimate less the parameter.
    pub bias: f64,
    /// Its Monte Carlo standard error.
    pub bias_error: f64,
    /// Root mean square of estimate less parameter.
    pub rmse: f64,
    /// Part of the intervals for the population that hold the parameter.
    pub coverage: f64,
    /// Its Monte Carlo standard error.
    pub coverage_error: f64,
}

impl From<AtSize> for PopulationErrors {
    fn from(AtSize { bias, bias_error, rmse, coverage, coverage_error, .. }: AtSize) -> Self {
        Self { bias, bias_error, rmse, coverage, coverage_error }
    }
}

/// Bias, error and coverage of a plan's statistics at several numbers of rows; statistics without a public number of
/// rows, or without a population's parameter, are left out.
///
/// # Errors
/// [`ReleaseError`], as of a check.
pub fn sample_sizes(plan: &Plan, sizes: &Sizes) -> Result<Vec<SampleSize>, ReleaseError> {
    let (opened, _) = OpenedPlan::with_or_without_data(plan)?;
    let mut sample_sizes = Vec::new();
    for task in &opened.tasks {
        let statistic = &plan.statistics[task.index];
        let kind = statistic.kind.planned();
        if kind.rows(&task.setup()).is_none() {
            continue;
        }
        for (words, population) in kind.populations(&task.setup()) {
            sample_sizes.extend(sizes.0.iter().map(|&rows| {
                let (errors, refused) = match study(statistic, task, population, rows) {
                    Ok(at) => (Some(at.into()), None),
                    Err(error) => (None, Some(error.to_string())),
                };
                let (statistic, population) = (statistic.name.value.clone(), words.clone());
                SampleSize { statistic, population, rows, level: task.level_of_number(), errors, refused }
            }));
        }
    }
    Ok(sample_sizes)
}

fn study(
    statistic: &Statistic,
    task: &PreparedStatistic,
    population: Population,
    rows: u64,
) -> Result<AtSize, StatisticError> {
    let study = Study { population, level: task.level_of_number(), replicates: REPLICATES, seed: 0 };
    let prepare = |rows: u64| -> Result<Vec<Component>, StatisticError> {
        let mut setting = task.setting.clone();
        setting.design.rows = Some(rows);
        let prepared = statistic.kind.planned().prepare(&statistic.range.value, &task.columns, &setting)?;
        Ok(prepared.components().into_iter().cloned().collect())
    };
    Ok(study.at_sizes(&[rows], prepare)?.remove(0))
}

/// Numbers of rows, increasing; read from text such as `50,100,500`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes(Vec<u64>);

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let size = |part: &str| {
            let size = part.trim().parse::<u64>().map_err(|_| format!("`{part}` is no whole number"))?;
            if size >= 2 { Ok(size) } else { Err(format!("a sample has at least 2 rows, got {size}")) }
        };
        let sizes = text.split(',').map(size).collect::<Result<Vec<_>, _>>()?;
        match sizes.windows(2).find(|pair| pair[0] >= pair[1]) {
            Some(pair) => Err(format!("sizes must increase, and {} follows {}", pair[1], pair[0])),
            None => Ok(Self(sizes)),
        }
    }
}
