//! Statistics of several vectors or outputs, from the words of the plan to the library.

use std::sync::Arc;

use inbounds_statistics::{
    StatisticError,
    compound::{Column, Compound, Setting},
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
    match &statistic.kind {
        plan::StatisticKind::Variance { .. } => spread(Measure::Variance),
        plan::StatisticKind::StandardDeviation { .. } => spread(Measure::StandardDeviation),
        _ => Err(StatisticError::PublicCount),
    }
}
