//! Statistics of several vectors or outputs, from the words of the plan to the library.

use std::sync::Arc;

use inbounds_statistics::{
    StatisticError,
    compound::{Column, Compound, Setting},
    covariance::{self, Matrix},
    proportion::{Negative, ProportionVector, Rule, Total},
    variance::{Measure, Spread},
};

use crate::plan;

/// Prepares a statistic that is not measured cell by cell; `columns` are those it reads, in order.
pub(crate) fn prepare(
    statistic: &plan::Statistic,
    setting: &Setting,
    columns: Vec<Column>,
) -> Result<Arc<dyn Compound>, StatisticError> {
    let spread = |measure| {
        let column = columns[0].clone();
        Spread { column, measure }.prepare(setting)
    };
    let matrix = |measure, route| {
        let route = match route {
            plan::MatrixRoute::Entries => covariance::Route::Entrywise,
            plan::MatrixRoute::Matrix => covariance::Route::Whole,
        };
        Matrix { columns: columns.clone(), measure, route }.prepare(setting)
    };
    match &statistic.kind {
        plan::StatisticKind::Variance { .. } => spread(Measure::Variance),
        plan::StatisticKind::StandardDeviation { .. } => spread(Measure::StandardDeviation),
        plan::StatisticKind::Covariance { route, .. } => matrix(covariance::Measure::Covariance, *route),
        plan::StatisticKind::Correlation { route, .. } => matrix(covariance::Measure::Correlation, *route),
        plan::StatisticKind::Proportion { rule } => proportions(*rule, setting),
        _ => Err(StatisticError::PublicCount),
    }
}

/// Independent releases of a multiple synthesis; Liu's number.
const RELEASES: u32 = 5;

fn proportions(rule: plan::ProportionRule, setting: &Setting) -> Result<Arc<dyn Compound>, StatisticError> {
    let total = if setting.covered_rows().is_some() { Total::Public } else { Total::Measured };
    let releases = if rule == plan::ProportionRule::MultipleSynthesis { RELEASES } else { 1 };
    let rule = match rule {
        plan::ProportionRule::Simplex => Rule::SimplexProjection,
        plan::ProportionRule::Rescaling | plan::ProportionRule::MultipleSynthesis => Rule::Rescaling,
        plan::ProportionRule::AllButOne => Rule::AllButOne { calculated: 0, negative: Negative::Zeroed },
        plan::ProportionRule::UniversalHistogram => Rule::UniversalHistogram { fan_out: 2 },
        plan::ProportionRule::Conditioning => Rule::Conditioning,
    };
    Ok(Arc::new(ProportionVector { rule, total, releases }.prepare(setting)?))
}
