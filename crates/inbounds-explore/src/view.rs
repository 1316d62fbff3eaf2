//! What the page shows of a plan: the record of `inbounds check`, and the laws of what would be published.

use std::{collections::BTreeMap, path::Path};

use inbounds_advise::{AdviseError, Question, RankingCriterion, advise};
use inbounds_bundle::{
    ApartEntry, ChosenMechanism, JointEntry, MechanismGain, MissingEntry, Notice, PerUnitEntry, SharedNoiseEntry,
    SharingGain, WantsEntry, percent_guessed_right,
};
use inbounds_core::{Grid, Rational};
use inbounds_mechanisms::{law::Noise as _, registry};
use inbounds_release::{
    AssumedRows, LedgerState, ListedTotals, MemoryRows, OpenedPlan, PlanText, ReleaseError, SchemaAssumptions,
    check::{CheckReport, CheckedStatistic, check_opened},
    parse_plan,
    plan::{DocumentErrors, GrantedEpsilon, Plan},
};
use inbounds_statistics::Component;
use serde::Serialize;

use crate::published::PublishedLaw;

/// A plan as far as it can be read.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum View {
    /// A plan that could be released.
    Sound(Box<SoundView>),
    /// A plan with mistakes, with the messages of the command at the same places.
    Mistaken(MistakenView),
    /// A plan that cannot be checked, for a reason outside of its text.
    Refused {
        /// Why, as the command says it.
        message: String,
    },
}

/// What is known of a plan without mistakes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SoundView {
    /// What `inbounds check --json` prints, whole.
    pub report: CheckReport,
    /// True if epsilon was found for wants.
    pub is_least: bool,
    /// Of 100 people who guess by tossing a coin 50 are right; with the release at most this number.
    pub guessed_right: f64,
    /// Shares that the text gives, in the order of the plan; none where it gives none.
    pub shares: Option<Vec<String>>,
    /// The laws of what statistics would publish, by their places; null where no formula gives one.
    pub published: Vec<Option<PublishedLaw>>,
    /// Names of mechanisms in plans, as written or by default.
    pub mechanisms: Vec<String>,
    /// What the command says of the release beside its numbers, a sentence each.
    pub said: Vec<String>,
    /// What the command says of the ledger, if the plan names one.
    pub ledger: Option<String>,
    /// What the command says of each statistic beside its numbers.
    pub remarks: Vec<Vec<String>>,
}

/// What is wrong with a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MistakenView {
    /// The name of the file.
    pub file: String,
    /// All mistakes, of which the first are listed.
    pub mistakes_in_all: usize,
    /// In the order of the text.
    pub mistakes: Vec<PlacedMessage>,
}

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlacedMessage {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl From<&DocumentErrors> for MistakenView {
    fn from(errors: &DocumentErrors) -> Self {
        let placed = errors.mistakes.iter().map(|mistake| PlacedMessage {
            line: mistake.line,
            column: mistake.column,
            message: mistake.message.clone(),
            help: mistake.help.clone(),
        });
        Self { file: errors.name.clone(), mistakes_in_all: errors.count(), mistakes: placed.collect() }
    }
}

impl From<ReleaseError> for View {
    fn from(error: ReleaseError) -> Self {
        match error {
            ReleaseError::Plan(errors) => Self::Mistaken((&errors).into()),
            other => Self::Refused { message: other.to_string() },
        }
    }
}

/// Where the text of a plan is from.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// Its name in mistakes.
    pub name: &'a str,
    /// The folder to which its paths are relative.
    pub folder: &'a Path,
    /// Rows in memory in place of those at its path, of which the columns are looked at.
    pub rows: Option<&'a MemoryRows>,
}

impl<'a> Place<'a> {
    fn plan_text(self, text: &'a str) -> PlanText<'a> {
        PlanText { text, name: self.name, folder: self.folder, rows: self.rows.cloned() }
    }
}

/// A plan, prepared.
pub(crate) struct Tried {
    pub(crate) plan: Plan,
    pub(crate) outline: OpenedPlan,
}

impl Tried {
    /// The plan of a text.
    pub(crate) fn prepare(place: Place<'_>, text: &str) -> Result<Self, ReleaseError> {
        let plan = parse_plan(place.plan_text(text))?;
        let (outline, _) = OpenedPlan::with_or_without_data(&plan)?;
        Ok(Self { plan, outline })
    }
}

impl View {
    /// The view of a text, with what was prepared for it if it is sound. `truths` are candidates by name of statistic.
    pub(crate) fn prepare(
        place: Place<'_>,
        text: &str,
        truths: &BTreeMap<String, f64>,
        dots: usize,
    ) -> (Self, Option<Tried>) {
        let plan = parse_plan(place.plan_text(text));
        let plan = match plan {
            Ok(plan) => plan,
            Err(errors) => return (Self::Mistaken((&errors).into()), None),
        };
        let seen = OpenedPlan::with_or_without_data(&plan).and_then(|(outline, unseen)| {
            let report = check_opened(&plan, &outline, unseen, &AssumedRows::Usual)?;
            Ok((report, outline))
        });
        let (report, outline) = match seen {
            Ok(seen) => seen,
            Err(error) => return (error.into(), None),
        };
        let cost = &outline.cost;
        let shares =
            plan.statistics.iter().map(|statistic| Some(statistic.share.as_ref()?.value.to_string())).collect();
        let published = outline.tasks.iter().map(|task| {
            let name = &plan.statistics[task.index].name.value;
            PublishedLaw::find(&plan, &task.prepared, truths.get(name).copied(), dots)
        });
        let view = SoundView {
            is_least: plan.privacy.epsilon.value == GrantedEpsilon::Least,
            guessed_right: percent_guessed_right(cost.epsilon.to_f64_up(), cost.delta.to_f64_up()),
            shares,
            published: published.collect(),
            mechanisms: outline.tasks.iter().map(|task| mechanism_word(&task.prepared)).collect(),
            said: said(&report),
            ledger: report.ledger.as_ref().map(LedgerState::sentence),
            remarks: report.statistics.iter().map(remarks).collect(),
            report,
        };
        (Self::Sound(Box::new(view)), Some(Tried { plan, outline }))
    }
}

fn said(report: &CheckReport) -> Vec<String> {
    let unseen = report.unseen.as_ref().map(SchemaAssumptions::sentence);
    unseen
        .into_iter()
        .chain(report.wants.as_ref().map(WantsEntry::sentence))
        .chain(report.apart.as_ref().map(ApartEntry::sentence))
        .chain(report.joint.iter().map(JointEntry::sentence))
        .chain(report.together.iter().map(SharedNoiseEntry::sentence))
        .chain(report.chosen.iter().map(ChosenMechanism::sentence))
        .chain(report.would_share.iter().map(SharingGain::sentence))
        .chain(report.other_mechanisms.iter().map(MechanismGain::sentence))
        .chain(report.per_unit.as_ref().map(PerUnitEntry::sentence))
        .chain(report.listed_totals.iter().map(ListedTotals::sentence))
        .chain(report.notices.iter().map(Notice::sentence))
        .collect()
}

fn remarks(statistic: &CheckedStatistic) -> Vec<String> {
    let missing = statistic.missing.iter().map(MissingEntry::sentence);
    missing.chain(statistic.notices.iter().map(Notice::sentence)).chain(statistic.advice.clone()).collect()
}

/// The word in plans for the mechanism of what a statistic measures first.
fn mechanism_word(prepared: &inbounds_release::CalibratedStatistic) -> String {
    let first = prepared.components().first().map(|component| component.mechanism.name());
    first.and_then(registry::find).map_or_else(String::new, |entry| entry.plan_name.to_owned())
}

/// Bias and error of the mechanisms that a statistic could have, against the truth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// Name of the statistic.
    pub statistic: String,
    /// The mechanism that it has, by its word for plans.
    pub own: String,
    /// The least worst-case bias that any nonnegative function of the measurement can have, whatever it is, with the
    /// noise of the statistic on a range with one end; null where no closed form is known.
    pub least_bias: Option<f64>,
    /// Distances from the end of the range at which curves are told.
    pub mechanisms: Vec<ComparedMechanism>,
}

/// One mechanism beside others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedMechanism {
    /// The word for a plan.
    pub name: &'static str,
    /// Short description of the mechanism.
    pub summary: &'static str,
    /// Largest absolute bias over the range.
    pub worst_bias: f64,
    /// Largest root mean square error over the range.
    pub worst_rmse: f64,
    /// Distance from the end of the range, bias and root mean square error.
    pub curve: Vec<(f64, f64, f64)>,
}

/// Most points of a curve that a page draws.
const POINTS: usize = 61;

impl Compared {
    /// The mechanisms for a statistic of a text; `None` where the text has mistakes or no such statistic too.
    pub(crate) fn of_text(place: Place<'_>, text: &str, statistic: usize) -> Option<Result<Self, AdviseError>> {
        Self::for_statistic(&Tried::prepare(place, text).ok()?, statistic)
    }

    /// The mechanisms for a statistic; `None` where its number is made of several.
    pub(crate) fn for_statistic(tried: &Tried, place: usize) -> Option<Result<Self, AdviseError>> {
        let task = tried.outline.tasks.get(place)?;
        let component = task.prepared.published_as_estimated()?;
        let question = question(tried, place, component)?;
        let own = mechanism_word(&task.prepared);
        let ranking = advise(&question, RankingCriterion::WorstRmse);
        Some(ranking.map(|ranking| {
            Self {
                statistic: tried.plan.statistics[task.index].name.value.clone(),
                own,
                least_bias: least_bias(component),
                mechanisms: ranking
                    .advice
                    .iter()
                    .map(|advice| {
                        let points = advice.curve.points();
                        let every = points.len().div_ceil(POINTS).max(1);
                        let kept = points.iter().step_by(every);
                        ComparedMechanism {
                            name: advice.plan_name,
                            summary: advice.summary,
                            worst_bias: advice.worst_bias,
                            worst_rmse: advice.worst_rmse,
                            curve: kept.map(|point| (point.distance, point.bias, point.rmse)).collect(),
                        }
                    })
                    .collect(),
            }
        }))
    }
}

/// Claim `half-line-least-bias`: on a half line, by the law of the noise.
fn least_bias(component: &Component) -> Option<f64> {
    let mechanism = &component.mechanism;
    let range = mechanism.range();
    let one_end = range.lower().is_some() != range.upper().is_some();
    let (least, _) = mechanism.noise().half_line_minimax().filter(|_| one_end && mechanism.adds_noise())?;
    Some(least * component.step())
}

fn question(tried: &Tried, place: usize, component: &Component) -> Option<Question> {
    let task = &tried.outline.tasks[place];
    let spacing = Rational::from_f64(component.grid.spacing())?;
    let unit = &spacing * &Rational::ratio(1, component.divisor.into());
    let steps = |steps: i128| &unit * &Rational::ratio(steps, 1);
    let (mechanism, range) = (&component.mechanism, component.mechanism.range());
    Some(Question {
        epsilon: task.prepared.epsilon().clone(),
        delta: tried.outline.grants.delta(task.index),
        sensitivity: steps(i128::try_from(mechanism.sensitivity().l1).ok()?),
        lower: range.lower().map(steps),
        upper: range.upper().map(steps),
        integer: component.grid == Grid::INTEGERS && component.divisor == 1,
        relative: false,
        numbers: 1,
    })
}
