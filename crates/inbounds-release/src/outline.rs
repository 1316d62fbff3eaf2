//! From a plan and a schema to questions for the engine and calibrated mechanisms. Reads no row.

use inbounds_core::Rational;
use inbounds_data::{
    Clip, ContributionBound, DataError, DataFusionEngine, Engine, Keys, Kind, Missing, Query, Source, read_keys,
};
use inbounds_mechanisms::{account, calibrate::CalibrationError};
use inbounds_statistics as statistics;
use inbounds_statistics::{ColumnBounds, Design, PrivacyUnit, StatisticError};

use crate::{
    ReleaseError,
    levels::{Levels, LevelsError},
    plan::{self, Mistake, Plan},
    task::{Prepared, Task},
};

/// Exact epsilon and delta that a release costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Spent {
    /// Sum of the epsilons.
    pub epsilon: Rational,
    /// Sum of the deltas.
    pub delta: Rational,
}

/// A plan held against its data's schema.
pub struct Outline {
    /// The engine, opened; it has read headers and footers, no row.
    pub engine: DataFusionEngine,
    /// Unit, relation and public number of rows.
    pub design: Design,
    /// Statistics in plan order.
    pub tasks: Vec<Task>,
    /// What the release will cost, at most what the plan grants.
    pub cost: Spent,
}

impl Outline {
    /// Opens the data and prepares every statistic.
    ///
    /// # Errors
    /// [`ReleaseError::Plan`] with every mistake found, [`ReleaseError::Data`] if the data cannot be opened. Neither
    /// depends on a row.
    pub fn new(plan: &Plan) -> Result<Self, ReleaseError> {
        let engine = DataFusionEngine::open(&source(plan))?;
        let schema: Vec<(String, Kind)> =
            engine.columns().iter().map(|column| (column.name.clone(), column.kind)).collect();
        refuse_if_any(plan, plan.resolve(&schema))?;
        let design = design(plan);
        let mut mistakes = Vec::new();
        let mut tasks = Vec::new();
        for index in 0..plan.statistics.len() {
            match task(plan, index, &engine, &design) {
                Ok(task) => tasks.push(task),
                Err(mistake) => mistakes.push(mistake),
            }
        }
        refuse_if_any(plan, mistakes)?;
        let label = |task: &Task| plan.statistics[task.index].name.value.clone();
        let events: Vec<_> = tasks.iter().flat_map(|task| task.prepared.events(&label(task))).collect();
        let granted = plan.privacy.guarantee();
        let cost = account::within(&events, &granted)?;
        let (epsilon, delta) =
            cost.epsilon_delta().expect("a plan grants epsilon and delta, and costs are stated alike");
        Ok(Self { engine, design, tasks, cost: Spent { epsilon, delta } })
    }
}

fn refuse_if_any(plan: &Plan, mistakes: Vec<Mistake>) -> Result<(), ReleaseError> {
    if mistakes.is_empty() { Ok(()) } else { Err(plan.errors(mistakes).into()) }
}

fn source(plan: &Plan) -> Source {
    let declared = plan
        .columns
        .iter()
        .filter_map(|column| column.column_type.as_ref().map(|kind| (column.name.value.clone(), kind.value)));
    Source {
        path: plan.locate(&plan.data.path.value).to_string_lossy().into_owned(),
        format: Some(plan.data.format),
        declared: declared.collect(),
    }
}

fn design(plan: &Plan) -> Design {
    Design {
        neighbours: plan.privacy.neighbours,
        unit: match &plan.privacy.unit {
            plan::Unit::Row => PrivacyUnit::Row,
            plan::Unit::Column { max_rows, .. } => PrivacyUnit::Column { max_rows: max_rows.value },
        },
        rows: plan.privacy.rows.as_ref().map(|rows| rows.value),
    }
}

fn task(plan: &Plan, index: usize, engine: &dyn Engine, design: &Design) -> Result<Task, Mistake> {
    let statistic = &plan.statistics[index];
    let keys = keys(plan, statistic, engine)?;
    let prepared = prepared(plan, statistic, keys.as_ref(), engine, design)?;
    let query = Query {
        filter: statistic.filter.as_ref().map(|filter| filter.value.clone()),
        keys,
        values: statistic
            .column()
            .zip(prepared.clip())
            .map(|(column, clip)| value(&column.value, clip))
            .into_iter()
            .collect(),
        bound: match &plan.privacy.unit {
            plan::Unit::Row => None,
            plan::Unit::Column { column, max_rows } => {
                Some(ContributionBound { unit: column.value.clone(), rows: max_rows.value })
            }
        },
        ..Query::default()
    };
    engine.check(&query).map_err(|error| {
        let place = statistic.filter.as_ref().unwrap_or(&statistic.name);
        plan.mistake(place.span.clone(), error.to_string(), None)
    })?;
    Ok(Task { index, query, prepared })
}

fn value(column: &str, clip: statistics::Clip) -> Clip {
    let missing = match clip.missing {
        statistics::ClipMissing::Drop => Missing::Drop,
        statistics::ClipMissing::Impute(steps) => Missing::Impute(steps),
    };
    Clip { column: column.to_owned(), lower: clip.lower, upper: clip.upper, grid: clip.grid, missing }
}

fn prepared(
    plan: &Plan,
    statistic: &plan::Statistic,
    keys: Option<&Keys>,
    engine: &dyn Engine,
    design: &Design,
) -> Result<Prepared, Mistake> {
    let (filtered, epsilon) = (statistic.filter.is_some(), plan.epsilon_of(statistic));
    if let (Some(levels), Some(keys)) = (&statistic.levels, keys) {
        let found = Levels::prepare(levels, keys, filtered, epsilon, design);
        return found.map(Prepared::Levels).map_err(|error| levels_mistake(plan, statistic, levels, &error));
    }
    let described = statistics::Statistic {
        kind: kind(&statistic.kind),
        column: column_bounds(plan, statistic, engine),
        cells: keys.map_or(1, |keys| keys.len() as u64),
        grouped: keys.is_some(),
        filtered,
        mechanism: statistic.mechanism.value,
        range: statistic.range.value.clone(),
        epsilon,
        delta: plan.delta_of(statistic),
    };
    let found = described.prepare(design).map_err(|error| statistic_mistake(plan, statistic, &error))?;
    Ok(Prepared::Cells(Box::new(found)))
}

fn kind(kind: &plan::StatisticKind) -> statistics::Kind {
    match kind {
        plan::StatisticKind::Count => statistics::Kind::Count,
        plan::StatisticKind::Sum { .. } => statistics::Kind::Sum,
        plan::StatisticKind::Mean { .. } => statistics::Kind::Mean,
    }
}

fn column_bounds(plan: &Plan, statistic: &plan::Statistic, engine: &dyn Engine) -> Option<ColumnBounds> {
    let column = plan.column(&statistic.column()?.value)?;
    let bounds = column.bounds.as_ref()?;
    Some(ColumnBounds {
        lower: bounds.lower.value.clone(),
        upper: bounds.upper.value.clone(),
        integer: kind_of(engine, &column.name.value) == Some(Kind::Integer),
        missing: column.missing.clone(),
    })
}

fn kind_of(engine: &dyn Engine, name: &str) -> Option<Kind> {
    engine.columns().iter().find(|column| column.name == name).map(|column| column.kind)
}

fn keys(plan: &Plan, statistic: &plan::Statistic, engine: &dyn Engine) -> Result<Option<Keys>, Mistake> {
    let columns: Vec<String> = statistic.by.iter().map(|column| column.value.clone()).collect();
    let (keys, place) = match (&statistic.keys, plan.listed_keys(statistic)) {
        (Some(file), _) => {
            let typed: Vec<(String, Kind)> =
                columns.iter().filter_map(|name| Some((name.clone(), kind_of(engine, name)?))).collect();
            (read_keys(&plan.locate(&file.value), &typed), file.span.clone())
        }
        (None, Some(listed)) => (Keys::new(columns, listed), statistic.name.span.clone()),
        (None, None) => return Ok(None),
    };
    keys.map(Some).map_err(|error: DataError| plan.mistake(place, error.to_string(), None))
}

/// Puts a statistic's error at the words of the plan that caused it.
fn statistic_mistake(plan: &Plan, statistic: &plan::Statistic, error: &StatisticError) -> Mistake {
    let place = match error {
        StatisticError::EmptyRange { .. }
        | StatisticError::SensitivityWiderThanRange { .. }
        | StatisticError::UnboundedRatio => &statistic.range.span,
        StatisticError::RatioMechanism
        | StatisticError::Calibration(
            CalibrationError::NeedsDelta | CalibrationError::PureOnly | CalibrationError::Stairs { .. },
        ) => &statistic.mechanism.span,
        _ => statistic.column().map_or(&statistic.name.span, |column| &column.span),
    };
    plan.mistake(place.clone(), error.to_string(), None)
}

/// Puts an error of levels at the words of the plan that caused it.
fn levels_mistake(plan: &Plan, statistic: &plan::Statistic, levels: &plan::Levels, error: &LevelsError) -> Mistake {
    match error {
        LevelsError::Statistic(error) => statistic_mistake(plan, statistic, error),
        LevelsError::Scale { .. } => plan.mistake(levels.shares.span.clone(), error.to_string(), None),
    }
}
