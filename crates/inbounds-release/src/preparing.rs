//! A statistic of a plan, from its words to a question for the engine and calibrated mechanisms.

use std::sync::Arc;

use inbounds_core::{Delta, Epsilon};
use inbounds_data::{Clip, Engine, Keys, Query};
use inbounds_input::document::Mistake;
use inbounds_statistics::{Ask, Design, KeyChoice, Setting, SpaceOfKeys};

use crate::{
    assumed_rows,
    coverage::Coverage,
    error_location::{levels_mistake, population_mistake, statistic_mistake},
    grants::Grants,
    keys,
    keys::FoundKeys,
    learned::{self, LearnedTable},
    levels::{Asked, Levels},
    plan::columns::{self, Columns},
    plan::{self, Plan},
    prepared_statistic::{CalibratedStatistic, PreparedStatistic, Variant},
    sharing::named,
};

/// Prepares a statistic, or says what is wrong with it: its condition is judged by itself, so that it is judged even
/// where the statistic cannot be prepared.
pub(crate) fn task(
    plan: &Plan,
    index: usize,
    keys: FoundKeys,
    engine: &dyn Engine,
    design: &Design,
    grants: &Grants,
) -> Result<PreparedStatistic, Vec<Mistake>> {
    let statistic = &plan.statistics[index];
    let refused = |query: &Query| {
        let place = statistic.filter.as_ref().unwrap_or(&statistic.name);
        engine.check(query).map_err(|error| plan.mistake(place.span.clone(), error.to_string(), None))
    };
    let filter = statistic.filter.as_ref().map(|filter| filter.value.clone());
    let condition = refused(&Query { filter: filter.clone(), ..Query::default() });
    let prepare_task = || -> Result<PreparedStatistic, Vec<Mistake>> {
        let one = |mistake| vec![mistake];
        let keys = keys.map_err(one)?;
        let key_file = keys::file(plan, statistic).map_err(one)?;
        let classes = keys.as_ref().map_or_else(
            || Ok(Vec::new()),
            |keys| statistic.kind.planned().described_classes(plan, &statistic.name.value, keys),
        );
        let read = Columns::read_by(plan, statistic, engine);
        let shared = named::granted(plan, index, grants);
        let is_shared = shared.is_some();
        let granted = shared.unwrap_or_else(|| (grants.epsilon(index), grants.delta(index)));
        let setting = setting(plan, index, keys.as_ref(), design, granted);
        // How many numbers they share is known when all statistics are.
        let setting = if is_shared { setting.with_numbers(1) } else { setting };
        let (prepared, classes) = match (prepared(plan, statistic, keys.as_ref(), &read, &setting), classes) {
            (Ok(prepared), Ok(classes)) => (prepared, classes),
            (refused, classes) => {
                return Err(refused.err().into_iter().chain(classes.err().into_iter().flatten()).collect());
            }
        };
        let usual = assumed_rows::usual(plan, keys.as_ref());
        let ask = prepared.ask();
        let query = Query {
            filter: filter.clone(),
            keys,
            values: values(statistic, &ask),
            products: ask.products,
            bins: columns::bins(plan, statistic, ask.edges).map_err(|mistake| vec![mistake])?,
            bound: plan.privacy.unit.bound(),
            rows_per_cell: ask.rows_per_cell,
        };
        if let CalibratedStatistic::Learned(learned) = &prepared
            && condition.is_ok()
        {
            let place = &statistic.learn_keys.span;
            let checked = engine.check_keys(&learned.question);
            checked.map_err(|error| vec![plan.mistake(place.clone(), error.to_string(), None)])?;
        } else if condition.is_ok() {
            refused(&query).map_err(|mistake| vec![mistake])?;
        }
        let (population, coverage) = (statistic.population.value, Coverage::for_statistic(statistic));
        if let Some(reason) = coverage.refusal(&*prepared, prepared.is_by_cell()) {
            let help = "leave out `joint`, write a lower `interval`, or publish fewer numbers";
            let message = format!("`joint` in statistic `{}`: {reason}", statistic.name.value);
            return Err(vec![plan.mistake(statistic.name.span.clone(), message, Some(help.to_owned()))]);
        }
        Ok(PreparedStatistic {
            index,
            query,
            prepared,
            columns: read,
            setting,
            usual,
            classes,
            key_file,
            population,
            coverage,
        })
    };
    match (prepare_task(), condition) {
        (Ok(task), Ok(())) => Ok(task),
        (task, condition) => Err(task.err().into_iter().flatten().chain(condition.err()).collect()),
    }
}

/// The variant of a statistic for another setting.
pub(crate) fn variant(plan: &Plan, task: &PreparedStatistic, setting: Setting) -> Result<Variant, Mistake> {
    let statistic = &plan.statistics[task.index];
    let prepared = prepared(plan, statistic, task.query.keys.as_ref(), &task.columns, &setting)?;
    let ask = prepared.ask();
    let values = values(statistic, &ask);
    Ok(Variant { setting, prepared, values, products: ask.products, rows_per_cell: ask.rows_per_cell })
}

fn values(statistic: &plan::Statistic, ask: &Ask) -> Vec<Clip> {
    statistic.columns().into_iter().zip(&ask.clips).map(columns::clip).collect()
}

/// Setting for which a statistic is calibrated.
pub(crate) fn setting(
    plan: &Plan,
    index: usize,
    keys: Option<&Keys>,
    design: &Design,
    (epsilon, delta): (Epsilon, Delta),
) -> Setting {
    let statistic = &plan.statistics[index];
    let design = match plan.set_of(statistic) {
        Some(set) => design.in_cells_of_a_row(set.most.into()),
        None => *design,
    };
    Setting {
        design,
        // A key that is learned can be any.
        cells: keys.map_or(if statistic.learn_keys.value.is_some() { u64::MAX } else { 1 }, |keys| keys.len() as u64),
        grouped: !statistic.by.is_empty(),
        filtered: statistic.filter.is_some(),
        mechanism: statistic.mechanism.value.chosen(),
        epsilon,
        // Noise that needs no delta leaves it alone unless the plan gives it some.
        delta: if statistic.spends_delta() || statistic.learn_keys.value.is_some() { delta } else { Delta::ZERO },
        rho_rate: None,
        together: None,
    }
}

/// Calibrates a statistic.
pub(crate) fn prepared(
    plan: &Plan,
    statistic: &plan::Statistic,
    keys: Option<&Keys>,
    columns: &Columns,
    setting: &Setting,
) -> Result<CalibratedStatistic, Mistake> {
    let kind = statistic.kind.planned();
    if let Some(noise) = statistic.learn_keys.value {
        let space = learned::space(plan, statistic);
        let keys = match space.as_ref().zip(statistic.spurious.as_ref()) {
            Some((space, most)) => {
                KeyChoice::OfSpace(SpaceOfKeys { cells: space.cells(), spurious: most.value.clone() })
            }
            None => KeyChoice::OfRows(noise),
        };
        if let Some(counted) = kind.prepare_learned(setting, &keys) {
            let count = counted.map_err(|error| statistic_mistake(plan, statistic, None, &error))?;
            return Ok(CalibratedStatistic::Learned(Arc::new(LearnedTable::new(plan, statistic, count, space))));
        }
    }
    let measured = kind.at_levels(columns.bounded.first().cloned());
    if let (Some(asked), Some(keys), Some(measured)) = (Asked::from_statistic(statistic), keys, measured) {
        let public = keys::public(plan, statistic, keys)?;
        let levels = Levels::prepare_in(&statistic.range.value, asked, keys, (&measured, &public), setting);
        let levels = levels.map_err(|error| levels_mistake(plan, statistic, asked, &error))?;
        return Ok(CalibratedStatistic::Levels(Arc::new(levels)));
    }
    let by_keys = keys.and_then(|keys| kind.prepare_by(keys, setting));
    let prepared = by_keys.unwrap_or_else(|| kind.prepare(&statistic.range.value, columns, setting));
    let prepared = prepared.map_err(|error| statistic_mistake(plan, statistic, keys, &error))?;
    let refused = prepared.has_population_interval().err().filter(|_| statistic.population.value);
    match refused {
        Some(reason) => Err(population_mistake(plan, statistic, reason)),
        None => Ok(CalibratedStatistic::of_cells(prepared)),
    }
}
