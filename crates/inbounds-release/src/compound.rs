//! Statistics of several vectors or outputs, from the words of the plan to the library.

use std::sync::Arc;

use inbounds_statistics::{
    ColumnBounds, StatisticError,
    compound::{Compound, Setting},
};

use crate::plan;

/// Prepares a statistic that is not measured cell by cell.
pub(crate) fn prepare(
    _statistic: &plan::Statistic,
    _setting: &Setting,
    _columns: Vec<ColumnBounds>,
) -> Result<Arc<dyn Compound>, StatisticError> {
    Err(StatisticError::PublicCount)
}
