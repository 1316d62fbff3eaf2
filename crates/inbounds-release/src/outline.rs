//! From a plan and a schema to questions for the engine and calibrated mechanisms. Reads no row.

use inbounds_bundle::WantsEntry;
use inbounds_core::{
    Rational,
    planted::{Defect, planted},
};
use inbounds_data::{DataError, Engine, Keys, Survey};
use inbounds_input::document::{Mistake, Regions};
use inbounds_statistics::Design;

use crate::{
    ReleaseError,
    diagnostics::{self, Diagnostics},
    division::Division,
    grants::Grants,
    joint::{self, Joint},
    keys,
    opening::{open, reader, source, unreadable},
    plan::{self, Plan, Sharing},
    preparing::{prepare_again, task},
    sharing::{self, SharedNoise},
    task::Task,
    unseen::{self, Unseen},
};

/// Exact epsilon and delta that a release costs: what any row can lose by it.
#[derive(Debug, Clone, PartialEq)]
pub struct Spent {
    /// The largest sum of the epsilons of statistics that a row can count in together.
    pub epsilon: Rational,
    /// Likewise of the deltas.
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
    /// What each statistic may spend.
    pub grants: Grants,
    /// The accuracy that the plan wants, if it wants any.
    pub wants: Option<WantsEntry>,
    /// Statistics whose Gaussian noise is accounted for together.
    pub joint: Vec<Joint>,
    /// Statistics that get one vector of noise.
    pub together: Vec<SharedNoise>,
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
        Self::prepare_with(plan, reader(plan, engine), mistakes)
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
        let sound = |index: &usize| sound(plan, &plan.statistics[*index], &regions);
        let sound: Vec<usize> = (0..plan.statistics.len()).filter(sound).collect();
        let source = source(plan);
        let keys = |index: usize| (index, keys::keys(plan, &plan.statistics[index], engine.as_ref(), &source));
        let mut sound: Vec<(usize, FoundKeys)> = sound.into_iter().map(keys).collect();
        let Division { grants, needs, mistakes: of_division } =
            Division::of(plan, engine.as_ref(), &design, &mut sound);
        for (index, keys) in sound {
            match task(plan, index, keys, engine.as_ref(), &design, &grants) {
                Ok(task) => tasks.push(task),
                Err(found) => mistakes.extend(found),
            }
        }
        // What keeps a statistic from being prepared keeps its want from being judged.
        for mistake in of_division {
            if mistakes.iter().all(|known| known.span != mistake.span) {
                mistakes.push(mistake);
            }
        }
        if !mistakes.is_empty() {
            return Err(Refused::Mistakes(mistakes));
        }
        let together = match plan.privacy.together {
            Sharing::Named(_) => SharedNoise::of_plan(plan, &mut tasks)?,
            Sharing::Best => sharing::choose(plan, &mut tasks, engine.as_ref(), &grants),
        };
        let joint = joint::groups(tasks.iter().map(|task| Some(&task.prepared)), grants.together());
        for task in &mut tasks {
            if let Some(rate) = joint.iter().find_map(|joint| joint.rate(task.index)) {
                task.setting.rho_rate = Some(rate.clone());
                prepare_again(plan, task)?;
            }
        }
        let survey = diagnostics::survey(plan, &tasks, &design);
        let diagnostics = Diagnostics::prepare(plan, grants.granted(), &design, &survey);
        let diagnostics = diagnostics.map_err(|mistake| Refused::Mistakes(vec![mistake]))?;
        let of_tasks: Vec<_> = tasks
            .iter()
            .map(|task| sharing::events(plan, &together, task, |name| task.prepared.events(name)))
            .collect();
        let charged = diagnostics.iter().filter(|_| !planted(Defect::DiagnosticsFree));
        let of_all: Vec<_> = charged.map(Diagnostics::event).collect();
        let guarantee = plan.privacy.guarantee(grants.granted().clone());
        let cost = grants.cost(&of_tasks, &of_all, &guarantee).map_err(ReleaseError::from)?;
        let wants = needs.map(|needs| needs.entry(plan, &tasks));
        Ok(Self { engine, design, tasks, survey, diagnostics, grants, wants, joint, together, cost })
    }

    /// The statistics with which one shares its noise, itself among them, if it does.
    pub fn shared_noise(&self, statistic: usize) -> Option<&SharedNoise> {
        SharedNoise::of_statistic(&self.together, statistic)
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

/// The keys of a statistic, or what is wrong with them.
pub(crate) type FoundKeys = Result<Option<Keys>, Mistake>;
