//! From a plan and a schema to questions for the engine and calibrated mechanisms. Reads no row.

use inbounds_bundle::{ChosenMechanism, WantsEntry};
use inbounds_data::{DataError, Engine, Survey};
use inbounds_input::document::Mistake;
use inbounds_statistics::Design;

use crate::{
    ReleaseError,
    chosen::BestMechanisms,
    diagnostics::Diagnostics,
    error::Refused,
    grants::{Grants, Spent},
    joint::Joint,
    left_out::LeftOutRows,
    open_data::{open, reader, source, unreadable},
    plan::Plan,
    prepared_plan::PreparedPlan,
    prepared_statistic::PreparedStatistic,
    rehearsal,
    sharing::SharedNoise,
    without_data::{self, SchemaAssumptions},
};

/// A plan whose columns were checked against the schema of its opened data, and whose statistics are calibrated.
pub struct OpenedPlan {
    /// The engine, opened; it has read headers and footers, no row.
    pub engine: Box<dyn Engine>,
    /// Unit, relation and public number of rows.
    pub design: Design,
    /// Statistics in plan order.
    pub tasks: Vec<PreparedStatistic>,
    /// Questions about the rows themselves.
    pub survey: Survey,
    /// The counts of it that the plan has measured, if it asks for diagnostics.
    pub diagnostics: Option<Diagnostics>,
    /// Counts of the rows that statistics leave out, which cost nothing.
    pub left_out: Vec<LeftOutRows>,
    /// Budget of each statistic.
    pub grants: Grants,
    /// The accuracy that the plan wants, if it wants any.
    pub wants: Option<WantsEntry>,
    /// Statistics whose Gaussian noise is accounted for together.
    pub joint: Vec<Joint>,
    /// Statistics whose numbers are each measured once.
    pub together: Vec<SharedNoise>,
    /// The mechanisms of statistics that left the choice to the program.
    pub chosen: Vec<ChosenMechanism>,
    /// Cost of the release, at most the plan's grant.
    pub cost: Spent,
}

impl OpenedPlan {
    /// Opens the data and prepares every statistic.
    ///
    /// # Errors
    /// [`ReleaseError::Plan`] with every mistake found, [`ReleaseError::Data`] if the data cannot be opened. Neither
    /// depends on a row.
    pub fn new(plan: &Plan) -> Result<Self, ReleaseError> {
        Self::prepare(plan).map_err(|refused| refused.into_error(plan))
    }

    /// The same; where there is no file at the path of the data, by what the plan says of its columns, with the
    /// assumptions that this takes. Such a plan can be checked, and not released.
    ///
    /// # Errors
    /// As [`OpenedPlan::new`].
    pub fn with_or_without_data(plan: &Plan) -> Result<(Self, Option<SchemaAssumptions>), ReleaseError> {
        match Self::new(plan) {
            Err(ReleaseError::Data(DataError::NoFiles { .. } | DataError::NoRows)) => {}
            opened => return Ok((opened?, None)),
        }
        let (engine, unseen) = without_data::described(plan, &source(plan))?;
        let opened =
            Self::prepare_with(plan, Box::new(engine), Vec::new()).map_err(|refused| refused.into_error(plan))?;
        Ok((opened, Some(unseen)))
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
        mistakes.extend(unreadable(plan, engine.as_ref()));
        let prepared = PreparedPlan::prepare(plan, engine.as_ref(), mistakes)?;
        let BestMechanisms { prepared, chosen } = BestMechanisms::choose(plan, engine.as_ref(), prepared);
        let PreparedPlan { design, tasks, survey, diagnostics, left_out, grants, wants, joint, together, cost } =
            prepared;
        let mistakes = rehearsal::mistakes(plan, &tasks);
        if !mistakes.is_empty() {
            return Err(Refused::Mistakes(mistakes));
        }
        Ok(Self { engine, design, tasks, survey, diagnostics, left_out, grants, wants, joint, together, chosen, cost })
    }

    /// The statistics with which one shares its noise, itself among them, if it does.
    pub fn shared_noise(&self, statistic: usize) -> Option<&SharedNoise> {
        SharedNoise::of_statistic(&self.together, statistic)
    }
}
