//! The columns that a statistic reads, with all that the plan and the schema say of them.

use inbounds_data::{Engine, Kind};
use inbounds_statistics::{Column, ColumnBounds, StatisticError};

use crate::plan::{self, Missing, Plan, Spanned};

/// The columns of one statistic. Public, like the plan.
#[derive(Debug, Clone)]
pub(crate) struct Columns {
    /// Those with bounds, in order.
    pub(crate) bounded: Vec<Column>,
    /// Whether all have type integer.
    pub(crate) whole: bool,
    /// Whether missing values of every one count as some value.
    pub(crate) imputed: bool,
}

impl Columns {
    /// Those that a statistic reads, by the types that they have in the data.
    pub(crate) fn of(plan: &Plan, statistic: &plan::Statistic, engine: &dyn Engine) -> Self {
        let read = statistic.columns();
        let imputed = |column: &&Spanned<String>| {
            plan.column(&column.value).is_some_and(|column| matches!(column.missing, Some(Missing::Impute(_))))
        };
        Self {
            bounded: read.iter().filter_map(|column| bounded(plan, column, engine)).collect(),
            whole: read.iter().all(|column| is_whole(engine, &column.value)),
            imputed: read.iter().all(imputed),
        }
    }

    /// The one column, with its bounds.
    ///
    /// # Errors
    /// [`StatisticError::NoBounds`].
    pub(crate) fn only(&self, kind: &'static str) -> Result<Column, StatisticError> {
        self.bounded.first().cloned().ok_or(StatisticError::NoBounds { kind })
    }

    /// Bounds of a column, as doubles.
    pub(crate) fn ends(&self, column: usize) -> (f64, f64) {
        let bounds = &self.bounded[column].bounds;
        (bounds.lower.to_f64(), bounds.upper.to_f64())
    }
}

/// A column with its bounds and the rule for missing numbers, if the plan gives it any.
fn bounded(plan: &Plan, column: &Spanned<String>, engine: &dyn Engine) -> Option<Column> {
    let column = plan.column(&column.value)?;
    let bounds = column.bounds.as_ref()?;
    let bounds = ColumnBounds {
        lower: bounds.lower.value.clone(),
        upper: bounds.upper.value.clone(),
        integer: is_whole(engine, &column.name.value),
        missing: column.missing.clone()?,
    };
    Some(Column { name: column.name.value.clone(), bounds })
}

fn is_whole(engine: &dyn Engine, name: &str) -> bool {
    engine.columns().iter().any(|column| column.name == name && column.kind == Kind::Integer)
}
