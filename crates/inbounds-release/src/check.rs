//! Cost of a plan and accuracy of its statistics, without touching a row.

use inbounds_bundle::{
    ApartEntry, ChosenMechanism, Exact, ExpectedErrorEntry, JointEntry, LearnedKeysEntry, MechanismGain, MissingEntry,
    Notice, OutputEntry, PerUnitEntry, SharedNoiseEntry, SharingGain, TotalEntry, WantsEntry, meaning,
};
use inbounds_core::Quantity;
use inbounds_statistics::Scenario;
use serde::Serialize;

use crate::{
    AssumedRows, CheckedDiagnostics, LearnedTable, ListedTotals, OpenedPlan, PreparedStatistic, ReleaseError,
    SchemaAssumptions, alternatives, bundle, entries,
    model_accuracy::ExpectedModelAccuracy,
    notices,
    payment::{self, LedgerState},
    plan::{Column, Plan},
    threads::on_threads,
    totals,
};

/// Everything that can be said before the rows are read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckReport {
    /// Title of the plan.
    pub title: Option<String>,
    /// Assumptions where the data are not at hand.
    pub unseen: Option<SchemaAssumptions>,
    /// Privacy unit, in words.
    pub privacy_unit: String,
    /// Rule that will make one row of the rows of each unit, if the plan has one.
    pub per_unit: Option<PerUnitEntry>,
    /// Neighbour relation.
    pub neighbours: String,
    /// Epsilon that the plan grants, or that was found for what it wants, exact.
    pub epsilon: String,
    /// Delta that the plan grants, exact.
    pub delta: String,
    /// Epsilon that the statistics cost, exact.
    pub epsilon_cost: Exact,
    /// Delta that the statistics cost, exact.
    pub delta_cost: Exact,
    /// Which statistics no row can count in together, if that lowers what they cost.
    pub apart: Option<ApartEntry>,
    /// Groups of statistics whose Gaussian noise is accounted for together, with what that saves.
    pub joint: Vec<JointEntry>,
    /// The accuracy that the plan wants, with what it needs, if it wants any.
    pub wants: Option<WantsEntry>,
    /// Groups of statistics that get one vector of noise.
    pub together: Vec<SharedNoiseEntry>,
    /// The mechanisms of statistics that left the choice to the program, with what the other would have cost.
    pub chosen: Vec<ChosenMechanism>,
    /// Groups of statistics that would err less with one, where the plan has `together = "none"`.
    pub would_share: Vec<SharingGain>,
    /// Mechanisms with which statistics would err less: other noise, if all that could have it would, and for quantiles
    /// from counts a choice of a bin.
    pub other_mechanisms: Vec<MechanismGain>,
    /// Listed values that are called like sums of others.
    pub listed_totals: Vec<ListedTotals>,
    /// Meaning of epsilon and delta for an attacker who guesses, as a sentence.
    pub meaning: String,
    /// Notices about the budget, before it is spent.
    pub notices: Vec<Notice>,
    /// State of the ledger of the plan, now and after the release, if the plan names one.
    pub ledger: Option<LedgerState>,
    /// Columns that the data do not have, in the order of the plan.
    pub derived: Vec<CheckedColumn>,
    /// Cost and power of diagnostics, if the plan asks for them.
    pub diagnostics: Option<CheckedDiagnostics>,
    /// One row a statistic.
    pub statistics: Vec<CheckedStatistic>,
    /// Names of the figures that a release will make of them.
    pub figures: Vec<String>,
}

fn ledger(plan: &Plan, opened: &OpenedPlan) -> Result<Option<LedgerState>, ReleaseError> {
    plan.privacy.ledger.as_ref().map(|path| payment::state(plan, opened, &path.value)).transpose()
}

/// A column that is made of others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckedColumn {
    /// Its name.
    pub name: String,
    /// Its rule, as a sentence.
    pub rule: String,
    /// Its bounds: those that the plan gives it, or those that follow.
    pub bounds: Option<(f64, f64)>,
}

/// Expected accuracy of one statistic, in its own unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckedStatistic {
    /// Name in the plan.
    pub name: String,
    /// Kind.
    pub kind: String,
    /// Number of published cells; null where noise will choose them.
    pub cells: Option<usize>,
    /// Its part of epsilon, exact.
    pub epsilon: String,
    /// True if other statistics have the same part, with which it shares one vector of noise.
    pub shares_noise: bool,
    /// Noise, one entry a measured vector.
    pub noise: Vec<CheckedNoise>,
    /// Its intervals.
    pub interval: CheckedInterval,
    /// Range of the estimates; an end without bound is null.
    pub range: (Option<f64>, Option<f64>),
    /// Choice of the cells by noise, where keys are learned; null where they are listed.
    pub learned: Option<LearnedKeysEntry>,
    /// Published outputs of each cell, with unit and range.
    pub outputs: Vec<OutputEntry>,
    /// Largest absolute bias over the range; null where none is known.
    pub worst_bias: Option<f64>,
    /// Error to expect for candidate truths.
    pub expected_error: Vec<ExpectedErrorEntry>,
    /// Treatment of rows without a number in a column, for each column whose numbers are read.
    pub missing: Vec<MissingEntry>,
    /// The accuracy that is expected of a model; null for other kinds.
    pub expected_accuracy: Option<ExpectedModelAccuracy>,
    /// True if the noise is on residuals of margins, which give the margins with less error than noise on these.
    pub measures_residuals: bool,
    /// Exact law of the errors of cells under a total that everyone knows, before bounds and rounding, and a bound on
    /// the bias that bounds add, were all cells of one size; null where more than the cells is measured, or there is no
    /// such total.
    pub known_total: Option<TotalEntry>,
    /// A better choice, if the plan made another.
    pub advice: Option<String>,
    /// Notices about its noise, before it is drawn.
    pub notices: Vec<Notice>,
}

/// The intervals of a statistic.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CheckedInterval {
    /// The probability with which they hold.
    pub level: f64,
    /// True if that is the probability of all at once.
    pub joint: bool,
    /// The level at which the interval of each number is made; that of all for cells that add up.
    pub of_number: f64,
}

/// Noise of one measured vector.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckedNoise {
    /// The measured quantity.
    pub measures: String,
    /// Level that is measured; null for a statistic without levels.
    pub level: Option<String>,
    /// Columns of the margin that is measured, none for the total; null for a statistic without margins.
    pub margin: Option<Vec<String>>,
    /// Number of measured cells; null where it is private.
    pub cells: Option<usize>,
    /// Cost of the measurement, exact; null where a plan's cost is not stated in epsilon.
    pub epsilon: Option<String>,
    /// Registered name of the mechanism.
    pub mechanism: String,
    /// Laplace scale, or standard deviation of other noise.
    pub scale: f64,
    /// l1 sensitivity.
    pub sensitivity: f64,
    /// The rule that gave the sensitivity.
    pub rule: String,
}

/// Checks a plan against its data's schema or, where the data are not there, against its own words.
///
/// # Errors
/// [`ReleaseError::Plan`] with every mistake, or [`ReleaseError::Data`].
pub fn check(plan: &Plan, assumed: &AssumedRows) -> Result<CheckReport, ReleaseError> {
    let (opened, unseen) = OpenedPlan::with_or_without_data(plan)?;
    check_opened(plan, &opened, unseen, assumed)
}

/// The same for a plan that is opened already, with the assumptions that were made where there are no data.
///
/// # Errors
/// [`ReleaseError::Ledger`] where the plan names a ledger that cannot be read.
pub fn check_opened(
    plan: &Plan,
    opened: &OpenedPlan,
    unseen: Option<SchemaAssumptions>,
    assumed: &AssumedRows,
) -> Result<CheckReport, ReleaseError> {
    Ok(CheckReport {
        title: plan.title.clone(),
        unseen,
        privacy_unit: match plan.privacy.undecided {
            None => bundle::privacy_unit(plan).to_string(),
            Some(_) => "undecided, here as if each row were a unit; nothing is released until one is chosen".to_owned(),
        },
        per_unit: bundle::per_unit(plan),
        neighbours: plan.privacy.neighbours.to_string(),
        epsilon: opened.grants.granted().to_string(),
        delta: plan.privacy.delta.value.to_string(),
        epsilon_cost: (&opened.cost.epsilon).into(),
        delta_cost: (&opened.cost.delta).into(),
        apart: opened.grants.apart(plan),
        joint: opened.joint.iter().map(|joint| joint.entry(plan)).collect(),
        wants: opened.wants.clone(),
        together: opened.together.iter().map(|shared| shared.entry(plan)).collect(),
        chosen: opened.chosen.clone(),
        would_share: alternatives::shared_noise(plan, opened),
        other_mechanisms: alternatives::mechanisms(plan, opened),
        listed_totals: totals::listed(plan),
        derived: plan.columns.iter().filter_map(derived).collect(),
        diagnostics: opened.diagnostics.as_ref().map(|diagnostics| diagnostics.checked(plan)),
        ledger: ledger(plan, opened)?,
        meaning: meaning(&notices::secret(plan), opened.cost.epsilon.to_f64_up(), opened.cost.delta.to_f64_up()),
        notices: notices::of_budget(plan, &opened.cost, &opened.tasks.iter().collect::<Vec<_>>()),
        statistics: on_threads(&opened.tasks, |task| statistic(plan, task, &assumed.for_task(task))),
        figures: plan.figures.iter().flat_map(|figures| figures.names().map(str::to_owned)).collect(),
    })
}

fn derived(column: &Column) -> Option<CheckedColumn> {
    let derived = column.derived.as_ref()?;
    let bounds = column.bounds.as_ref().filter(|_| !column.is_boolean());
    let bounds = bounds.map(|bounds| (bounds.lower.value.to_f64(), bounds.upper.value.to_f64()));
    Some(CheckedColumn { name: column.name.value.clone(), rule: derived.sentence(&column.name.value), bounds })
}

fn statistic(plan: &Plan, task: &PreparedStatistic, scenario: &Scenario) -> CheckedStatistic {
    let described = &plan.statistics[task.index];
    let (prepared, learned) = (&task.prepared, task.learned());
    let cells = learned.is_none().then(|| prepared.cells());
    let expected = task.errors_expected(scenario);
    CheckedStatistic {
        name: described.name.value.clone(),
        kind: described.kind.name().to_owned(),
        cells,
        epsilon: prepared.epsilon().to_string(),
        shares_noise: task.shares_noise(),
        noise: prepared
            .components()
            .into_iter()
            .zip(prepared.measured_levels())
            .map(|(component, level)| CheckedNoise {
                measures: component.role.to_string(),
                level: level.and_then(|(own, _)| own.level()).map(str::to_owned),
                margin: level.and_then(|(own, _)| own.margin()).map(<[String]>::to_vec),
                cells: level.map_or(cells, |(_, cells)| Some(cells)),
                epsilon: component.mechanism.guarantee().epsilon().map(ToString::to_string),
                mechanism: component.mechanism.name().to_owned(),
                scale: component.scale(),
                sensitivity: component.sensitivity(),
                rule: component.mechanism.sensitivity().rule.to_owned(),
            })
            .collect(),
        interval: CheckedInterval {
            level: task.coverage.level,
            joint: task.coverage.joint,
            of_number: task.level_of_number(),
        },
        range: prepared.shared_ends(),
        learned: learned.map(LearnedTable::entry),
        outputs: entries::outputs(plan, described, prepared),
        worst_bias: prepared.worst_bias(),
        expected_error: expected
            .iter()
            .chain(&prepared.worst_cases(scenario))
            .chain(&prepared.drawn_errors(scenario))
            .map(bundle::expected)
            .collect(),
        missing: bundle::missing(plan, described),
        expected_accuracy: described.kind.planned().expected_accuracy(&task.setup(), scenario),
        known_total: prepared.under_total(),
        measures_residuals: prepared.components().iter().any(|component| component.role == Quantity::Residual),
        advice: described.kind.planned().advice(&task.setup()).or_else(|| prepared.redundant_level()),
        notices: notices::of_expected(task, &expected)
            .into_iter()
            .chain(notices::of_cells(task, &expected))
            .chain(notices::of_factor(task))
            .collect(),
    }
}
