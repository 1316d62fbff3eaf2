//! The columns that a statistic reads, with all that the plan and the schema say of them, and the engine's form of it.

use inbounds_core::Rational;
use inbounds_data::{Bins, Engine, Kind};
use inbounds_statistics::{Clip, ClipMissing, Column, ColumnBounds, StatisticError};

use crate::plan::{self, Missing, Mistake, Plan, Spanned};

/// The columns of one statistic. Public, like the plan.
#[derive(Debug, Clone)]
pub(crate) struct Columns {
    /// Those with bounds, in order.
    pub(crate) bounded: Vec<Column>,
    /// True if all have type integer.
    pub(crate) all_are_integers: bool,
    /// True if missing values of every one count as some value.
    pub(crate) imputed: bool,
    /// True if bins without edges may be fine, because the program may choose one of them.
    pub(crate) may_have_fine_bins: bool,
    /// The least and the largest number of rows that the plan makes public or expects, if it says so.
    pub(crate) rows: Option<(u64, u64)>,
}

impl Columns {
    /// Those that a statistic reads, by the types that they have in the data.
    pub(crate) fn read_by(plan: &Plan, statistic: &plan::Statistic, engine: &dyn Engine) -> Self {
        let read = statistic.columns();
        let imputed = |column: &&Spanned<String>| {
            plan.column(&column.value).is_some_and(|column| matches!(column.missing, Some(Missing::Impute(_))))
        };
        Self {
            bounded: read.iter().filter_map(|column| bounded(plan, column, engine)).collect(),
            all_are_integers: read.iter().all(|column| is_of(engine, &column.value, &[Kind::Integer])),
            imputed: read.iter().all(imputed),
            may_have_fine_bins: statistic.mechanism.value.may_choose_bins(),
            rows: plan.rows_said(),
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
        integer: is_of(engine, &column.name.value, &[Kind::Integer, Kind::Boolean]),
        missing: column.missing.clone()?,
    };
    Some(Column { name: column.name.value.clone(), bounds })
}

fn is_of(engine: &dyn Engine, name: &str, kinds: &[Kind]) -> bool {
    engine.columns().iter().any(|column| column.name == name && kinds.contains(&column.kind))
}

/// The engine's form of edges. Imputed values go to their bin.
pub(crate) fn bins(
    plan: &Plan,
    statistic: &plan::Statistic,
    edges: Option<Vec<Rational>>,
) -> Result<Option<Bins>, Mistake> {
    let (Some(column), Some(edges)) = (statistic.column(), edges) else { return Ok(None) };
    let edges: Vec<f64> = edges.iter().map(Rational::to_f64).collect();
    let missing = match plan.column(&column.value).and_then(|column| column.missing.as_ref()) {
        Some(Missing::Impute(value)) => {
            let inner = &edges[1..edges.len() - 1];
            inbounds_data::Missing::Impute(inner.partition_point(|edge| *edge <= value.to_f64()) as i64)
        }
        _ => inbounds_data::Missing::Drop,
    };
    let bins = Bins::new(&column.value, edges, missing);
    bins.map(Some).map_err(|error| plan.mistake(column.span.clone(), error.to_string(), None))
}

/// The engine's form of a clip.
pub(crate) fn clip((column, clip): (&Spanned<String>, &Clip)) -> inbounds_data::Clip {
    let Clip { grid, lower, upper, missing } = *clip;
    let missing = match missing {
        ClipMissing::Drop => inbounds_data::Missing::Drop,
        ClipMissing::Impute(steps) => inbounds_data::Missing::Impute(steps),
    };
    inbounds_data::Clip { column: column.value.clone(), lower, upper, grid, missing }
}
