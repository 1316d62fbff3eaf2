//! Grants of each statistic of a plan, from its conditions, its keys and its wanted accuracy.

use inbounds_core::{Delta, Epsilon, Region};
use inbounds_data::{Column, Engine, Keys, Query, region};
use inbounds_statistics::Design;

use crate::{
    grants::Grants,
    joint,
    keys::FoundKeys,
    plan::columns::Columns,
    plan::{Mistake, Plan},
    prepared_statistic::CalibratedStatistic,
    preparing::{prepared, setting},
    wants::{BudgetSearch, Needs},
};

/// Split of epsilon and delta of a plan among its statistics.
pub(crate) struct BudgetSplit {
    /// Budget of each statistic.
    pub(crate) grants: Grants,
    /// Needs of the wanted accuracies, if there are any and nothing is wrong with them.
    pub(crate) needs: Option<Needs>,
    /// Mistakes in shares and wants.
    pub(crate) mistakes: Vec<Mistake>,
}

impl BudgetSplit {
    /// By what is right of a plan: `sound` are the statistics in which nothing is wrong yet, with their keys. Wants are
    /// looked at only where all statistics are right.
    pub(crate) fn for_plan(
        plan: &Plan,
        engine: &dyn Engine,
        design: &Design,
        sound: &mut [(usize, FoundKeys)],
    ) -> Self {
        let rows = regions(plan, engine, sound);
        let rows: Vec<&Region> = rows.iter().collect();
        let (grants, excess) = Grants::for_rows(plan, &rows);
        let keys: Option<Vec<Option<&Keys>>> =
            sound.iter().map(|(_, keys)| Some(keys.as_ref().ok()?.as_ref())).collect();
        let (Some(keys), None) = (keys.filter(|keys| keys.len() == plan.statistics.len()), &excess) else {
            return Self { grants, needs: None, mistakes: excess.into_iter().collect() };
        };
        let columns: Vec<Columns> =
            plan.statistics.iter().map(|statistic| Columns::read_by(plan, statistic, engine)).collect();
        let prepare = |place: usize, epsilon: Epsilon, delta: Delta| {
            let setting = setting(plan, place, keys[place], design, (epsilon, delta));
            prepared(plan, &plan.statistics[place], keys[place], &columns[place], &setting)
        };
        let prepare_together = |needs: &Needs| {
            let (grants, _) = Grants::with(plan, &rows, needs);
            let is_gaussian = |place: usize| plan.statistics[place].mechanism.value.entry().needs_delta();
            let alone = (0..rows.len()).map(|place| {
                is_gaussian(place).then(|| prepare(place, grants.epsilon(place), grants.delta(place))).transpose()
            });
            let mut all: Vec<Option<CalibratedStatistic>> = alone.collect::<Result<_, _>>()?;
            for joint in joint::groups(all.iter().map(Option::as_ref), &[], grants.together()) {
                for place in &joint.statistics {
                    let given = (grants.epsilon(*place), grants.delta(*place));
                    let mut setting = setting(plan, *place, keys[*place], design, given);
                    setting.rho_rate = joint.rate(*place).cloned();
                    let statistic = &plan.statistics[*place];
                    all[*place] = Some(prepared(plan, statistic, keys[*place], &columns[*place], &setting)?);
                }
            }
            Ok(all)
        };
        let ways = plan.privacy.composition().ways_within(&rows);
        let left = Grants::left_by_diagnostics(plan);
        match (BudgetSearch { plan, ways, left, prepare: &prepare, prepare_together: &prepare_together }).needs() {
            Ok(None) => Self { grants, needs: None, mistakes: Vec::new() },
            Ok(Some(needs)) => {
                let (grants, excess) = Grants::with(plan, &rows, &needs);
                Self { grants, needs: Some(needs), mistakes: excess.into_iter().collect() }
            }
            Err(mistakes) => Self { grants, needs: None, mistakes },
        }
    }
}

/// The rows that each statistic is about, as far as its keys are right.
fn regions(plan: &Plan, engine: &dyn Engine, sound: &mut [(usize, FoundKeys)]) -> Vec<Region> {
    let mut rows = vec![Region::default(); plan.statistics.len()];
    let read: &dyn Fn(&Column) -> String = &|column| column.kind.to_string();
    for (index, found_keys) in sound {
        let filter = plan.statistics[*index].filter.as_ref().map(|filter| filter.value.clone());
        // Lists of keys may be long: they are lent.
        let keys = found_keys.as_mut().ok().and_then(Option::take);
        let query = Query { filter, keys, ..Query::default() };
        // Within one plan, one name is one column, however its cells are read.
        rows[*index] = region(&query, &plan.limiting(engine.columns()), read);
        if let Ok(keys) = found_keys {
            *keys = query.keys;
        }
    }
    rows
}
