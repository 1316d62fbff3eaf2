//! A plan checked against the columns of its data: the question, the budget and the calibration of each statistic.
//! Reads no row.

use inbounds_bundle::WantsEntry;
use inbounds_core::planted::{Defect, planted};
use inbounds_data::{Engine, Survey};
use inbounds_input::document::{Mistake, Regions};
use inbounds_mechanisms::account::Event;
use inbounds_statistics::{Design, Setting};

use crate::{
    ReleaseError,
    budget_split::BudgetSplit,
    diagnostics::{self, Diagnostics},
    error::Refused,
    grants::{Grants, Spent},
    joint::{self, Joint},
    keys,
    keys::FoundKeys,
    left_out::{self, LeftOutRows},
    open_data::source,
    plan::{self, Plan, Sharing},
    prepared_statistic::PreparedStatistic,
    preparing::{task, variant},
    sharing::{self, SharedNoise},
};

/// All of an [`OpenedPlan`](crate::OpenedPlan) except its engine, for a plan that names a mechanism for each statistic.
pub(crate) struct PreparedPlan {
    pub(crate) design: Design,
    pub(crate) tasks: Vec<PreparedStatistic>,
    pub(crate) survey: Survey,
    pub(crate) diagnostics: Option<Diagnostics>,
    pub(crate) left_out: Vec<LeftOutRows>,
    pub(crate) grants: Grants,
    pub(crate) wants: Option<WantsEntry>,
    pub(crate) joint: Vec<Joint>,
    pub(crate) together: Vec<SharedNoise>,
    pub(crate) cost: Spent,
}

impl PreparedPlan {
    /// Prepares every statistic; `mistakes` are those that are known.
    pub(crate) fn prepare(plan: &Plan, engine: &dyn Engine, mut mistakes: Vec<Mistake>) -> Result<Self, Refused> {
        let design = design(plan);
        let regions = Regions::new(plan.text(), &mistakes);
        let mut tasks = Vec::new();
        // What follows from a mistake is no mistake of its own.
        let sound = |index: &usize| sound(plan, &plan.statistics[*index], &regions);
        let sound: Vec<usize> = (0..plan.statistics.len()).filter(sound).collect();
        let source = source(plan);
        let keys = |index: usize| (index, keys::keys(plan, &plan.statistics[index], engine, &source));
        let mut sound: Vec<(usize, FoundKeys)> = sound.into_iter().map(keys).collect();
        let BudgetSplit { grants, needs, mistakes: of_split } =
            BudgetSplit::for_plan(plan, engine, &design, &mut sound);
        for (index, keys) in sound {
            match task(plan, index, keys, engine, &design, &grants) {
                Ok(task) => tasks.push(task),
                Err(refused) => mistakes.extend(refused),
            }
        }
        // What keeps a statistic from being prepared keeps its want from being judged.
        for mistake in of_split {
            if mistakes.iter().all(|known| known.span != mistake.span) {
                mistakes.push(mistake);
            }
        }
        if !mistakes.is_empty() {
            return Err(Refused::Mistakes(mistakes));
        }
        let together = match plan.privacy.together {
            Sharing::Named(_) => SharedNoise::of_plan(plan, &mut tasks, &grants)?,
            Sharing::Best => sharing::choose(plan, &mut tasks, engine, &grants),
        };
        let joint = joint::groups(tasks.iter().map(|task| Some(&task.prepared)), &together, grants.together());
        for task in &mut tasks {
            if let Some(rate) = joint.iter().find_map(|joint| joint.rate(task.index)) {
                let shared = SharedNoise::of_statistic(&together, task.index);
                let rate = shared.map_or_else(|| rate.clone(), |shared| shared.rate(rate));
                let setting = Setting { rho_rate: Some(rate), ..task.setting.clone() };
                task.take(variant(plan, task, setting).map_err(|mistake| Refused::Mistakes(vec![mistake]))?);
            }
        }
        let survey = diagnostics::survey(plan, &tasks, &design);
        let diagnostics = Diagnostics::prepare(plan, grants.granted(), &design, &survey);
        let diagnostics = diagnostics.map_err(|mistake| Refused::Mistakes(vec![mistake]))?;
        let left_out = left_out::prepare(plan, &tasks, (&together, &grants), &design, diagnostics.as_ref());
        let of_tasks: Vec<_> = tasks
            .iter()
            .map(|task| {
                sharing::events(plan, &together, task, Event::from_mechanism, |name| task.prepared.events(name))
            })
            .collect();
        let charged = diagnostics.iter().filter(|_| !planted(Defect::DiagnosticsFree));
        let of_all: Vec<_> = charged.map(Diagnostics::event).collect();
        let guarantee = plan.privacy.guarantee(grants.granted().clone());
        let cost = grants.cost(&of_tasks, &of_all, &guarantee).map_err(ReleaseError::from)?;
        let wants = needs.map(|needs| needs.entry(plan, &tasks));
        Ok(Self { design, tasks, survey, diagnostics, left_out, grants, wants, joint, together, cost })
    }
}

/// `true` if nothing is wrong yet with a statistic and the columns that it names.
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
