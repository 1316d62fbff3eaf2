//! From a plan and a schema to questions for the engine and calibrated mechanisms. Reads no row.

use std::sync::Arc;

use inbounds_core::{
    Rational,
    planted::{Defect, planted},
};
use inbounds_data::{DataError, Engine, Keys, Query, Survey};
use inbounds_input::document::{Mistake, Regions};
use inbounds_mechanisms::account;
use inbounds_statistics::{Design, Setting};

use crate::{
    ReleaseError,
    columns::{self, Columns},
    diagnostics::{self, Diagnostics},
    keys,
    levels::Levels,
    opening::{open, source, unreadable},
    placed::{levels_mistake, population_mistake, statistic_mistake},
    plan::{self, Plan},
    task::{Prepared, Task},
    unseen::{self, Unseen},
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
    pub engine: Box<dyn Engine>,
    /// Unit, relation and public number of rows.
    pub design: Design,
    /// Statistics in plan order.
    pub tasks: Vec<Task>,
    /// What may be asked of the rows themselves.
    pub survey: Survey,
    /// The counts of it that the plan has measured, if it asks for diagnostics.
    pub diagnostics: Option<Diagnostics>,
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
        Self::prepare(plan).map_err(|refused| refused.placed(plan))
    }

    /// The same; where there is no file at the path of the data, by what the plan says of its columns, with what could not
    /// be checked so. Such an outline can be read, and not released.
    ///
    /// # Errors
    /// As [`Outline::new`].
    pub fn with_or_without_data(plan: &Plan) -> Result<(Self, Option<Unseen>), ReleaseError> {
        match Self::new(plan) {
            Err(ReleaseError::Data(DataError::NoFiles { .. } | DataError::NoRows)) => {}
            outline => return Ok((outline?, None)),
        }
        let (engine, unseen) = unseen::described(plan, &source(plan))?;
        let outline = Self::prepare_with(plan, Box::new(engine), Vec::new()).map_err(|refused| refused.placed(plan))?;
        Ok((outline, Some(unseen)))
    }

    fn prepare(plan: &Plan) -> Result<Self, Refused> {
        let (engine, mistakes) = open(plan, &[])?;
        Self::prepare_with(plan, Box::new(engine), mistakes)
    }

    pub(crate) fn prepare_with(
        plan: &Plan,
        engine: Box<dyn Engine>,
        mut mistakes: Vec<Mistake>,
    ) -> Result<Self, Refused> {
        let design = design(plan);
        mistakes.extend(unreadable(plan, engine.as_ref()));
        let regions = Regions::new(plan.text(), &mistakes);
        let mut tasks = Vec::new();
        // What follows from a mistake is no mistake of its own.
        for index in (0..plan.statistics.len()).filter(|index| sound(plan, &plan.statistics[*index], &regions)) {
            match task(plan, index, engine.as_ref(), &design) {
                Ok(task) => tasks.push(task),
                Err(found) => mistakes.extend(found),
            }
        }
        if !mistakes.is_empty() {
            return Err(Refused::Mistakes(mistakes));
        }
        let label = |task: &Task| plan.statistics[task.index].name.value.clone();
        let survey = diagnostics::survey(plan, &tasks, &design);
        let diagnostics = Diagnostics::prepare(plan, &design, &survey);
        let diagnostics = diagnostics.map_err(|mistake| Refused::Mistakes(vec![mistake]))?;
        let of_tasks = tasks.iter().flat_map(|task| task.prepared.events(&label(task)));
        let charged = diagnostics.iter().filter(|_| !planted(Defect::DiagnosticsFree));
        let events: Vec<_> = of_tasks.chain(charged.map(Diagnostics::event)).collect();
        let granted = plan.privacy.guarantee();
        let cost = account::within(&events, &granted).map_err(ReleaseError::from)?;
        let (epsilon, delta) =
            cost.epsilon_delta().expect("a plan grants epsilon and delta, and costs are stated alike");
        Ok(Self { engine, design, tasks, survey, diagnostics, cost: Spent { epsilon, delta } })
    }
}

/// Why there is no outline, before mistakes have their lines.
pub(crate) enum Refused {
    Mistakes(Vec<Mistake>),
    Other(ReleaseError),
}

impl Refused {
    pub(crate) fn placed(self, plan: &Plan) -> ReleaseError {
        match self {
            Self::Mistakes(mistakes) => plan.errors(mistakes).into(),
            Self::Other(error) => error,
        }
    }
}

impl<E: Into<ReleaseError>> From<E> for Refused {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

/// Whether nothing is wrong yet with a statistic and the columns that it names.
fn sound(plan: &Plan, statistic: &plan::Statistic, regions: &Regions) -> bool {
    let named = statistic.columns().into_iter().chain(&statistic.by).filter_map(|column| plan.column(&column.value));
    // What is made of others stands and falls with them.
    let is_sound = |column: &plan::Column| {
        let taken = column.per_unit.iter().flat_map(|taken| taken.from.iter().chain(&taken.order));
        let read: Vec<&str> = match column.per_unit {
            None => vec![&column.name.value],
            Some(_) => taken.map(|column| column.value.as_str()).collect(),
        };
        let origins = read.into_iter().flat_map(|read| plan.origins(read)).filter_map(|name| plan.row_column(name));
        regions.sound(&column.name.span) && origins.into_iter().all(|origin| regions.sound(&origin.name.span))
    };
    regions.sound(&statistic.name.span) && named.into_iter().all(is_sound)
}

fn design(plan: &Plan) -> Design {
    Design {
        neighbours: plan.privacy.neighbours,
        unit: plan.privacy.unit.privacy_unit(),
        rows: plan.privacy.rows.as_ref().map(|rows| rows.value),
    }
}

/// Prepares a statistic, or says what is wrong with it: its condition is judged by itself, so that it is judged even where
/// the statistic cannot be prepared.
fn task(plan: &Plan, index: usize, engine: &dyn Engine, design: &Design) -> Result<Task, Vec<Mistake>> {
    let statistic = &plan.statistics[index];
    let refused = |query: &Query| {
        let place = statistic.filter.as_ref().unwrap_or(&statistic.name);
        engine.check(query).map_err(|error| plan.mistake(place.span.clone(), error.to_string(), None))
    };
    let filter = statistic.filter.as_ref().map(|filter| filter.value.clone());
    let condition = refused(&Query { filter: filter.clone(), ..Query::default() });
    let whole = || -> Result<Task, Vec<Mistake>> {
        let one = |mistake| vec![mistake];
        let keys = keys::keys(plan, statistic, engine, &source(plan)).map_err(one)?;
        let key_file = keys::file(plan, statistic).map_err(one)?;
        let classes = keys.as_ref().map_or_else(
            || Ok(Vec::new()),
            |keys| statistic.kind.planned().supposed_classes(plan, &statistic.name.value, keys),
        );
        let read = Columns::of(plan, statistic, engine);
        let setting = setting(plan, statistic, keys.as_ref(), design);
        let (prepared, classes) = match (prepared(plan, statistic, keys.as_ref(), &read, &setting), classes) {
            (Ok(prepared), Ok(classes)) => (prepared, classes),
            (found, classes) => {
                return Err(found.err().into_iter().chain(classes.err().into_iter().flatten()).collect());
            }
        };
        let ask = prepared.ask();
        let query = Query {
            filter: filter.clone(),
            keys,
            values: statistic.columns().into_iter().zip(&ask.clips).map(columns::clip).collect(),
            products: ask.products,
            bins: columns::bins(plan, statistic, ask.edges).map_err(|mistake| vec![mistake])?,
            bound: plan.privacy.unit.bound(),
            rows_per_cell: ask.rows_per_cell,
        };
        if condition.is_ok() {
            refused(&query).map_err(|mistake| vec![mistake])?;
        }
        let population = statistic.population.value;
        Ok(Task { index, query, prepared, columns: read, setting, classes, key_file, population })
    };
    match (whole(), condition) {
        (Ok(task), Ok(())) => Ok(task),
        (whole, condition) => Err(whole.err().into_iter().flatten().chain(condition.err()).collect()),
    }
}

/// What a statistic is calibrated for.
fn setting(plan: &Plan, statistic: &plan::Statistic, keys: Option<&Keys>, design: &Design) -> Setting {
    Setting {
        design: *design,
        cells: keys.map_or(1, |keys| keys.len() as u64),
        grouped: keys.is_some(),
        filtered: statistic.filter.is_some(),
        mechanism: statistic.mechanism.value,
        epsilon: plan.epsilon_of(statistic),
        delta: plan.delta_of(statistic),
    }
}

fn prepared(
    plan: &Plan,
    statistic: &plan::Statistic,
    keys: Option<&Keys>,
    columns: &Columns,
    setting: &Setting,
) -> Result<Prepared, Mistake> {
    let kind = statistic.kind.planned();
    let measured = kind.at_levels(columns.bounded.first().cloned());
    if let (Some(levels), Some(keys), Some(measured)) = (&statistic.levels, keys, measured) {
        let found = Levels::prepare(levels, keys, &measured, setting.epsilon.clone(), &setting.design);
        let levels = found.map_err(|error| levels_mistake(plan, statistic, levels, &error))?;
        return Ok(Prepared::Levels(Arc::new(levels)));
    }
    let found = kind.prepare(&statistic.range.value, columns, setting);
    let prepared = found.map_err(|error| statistic_mistake(plan, statistic, &error))?;
    let refused = prepared.has_population_interval().err().filter(|_| statistic.population.value);
    match refused {
        Some(reason) => Err(population_mistake(plan, statistic, reason)),
        None => Ok(Prepared::Cells(prepared)),
    }
}
