//! Laplace noise, clamped or conditioned, Gaussian noise, or a choice of bins for quantiles, where a plan leaves it to
//! the program.
//!
//! **Idea.** Whether a quantile errs less as one of its bins
//! ([`RankSelection`](inbounds_mechanisms::selection::RankSelection)) than by counts of them, or another statistic by
//! Laplace noise given that the result is in the range than by clamped noise, depends on no other
//! statistic, and is settled first. Gaussian noise of several statistics is accounted for together, so whether a
//! statistic errs less with it depends on which others have it. All that left the choice get Gaussian noise first.
//! Backward elimination follows: as long as some of them err more by it than with Laplace noise, the one that loses
//! most gets Laplace noise again, together with those that would share its vector, since one by one they would lose
//! what they share. The rest has Gaussian noise if the statistics of the plan gain by it, on geometric average. The
//! choice depends on the plan and on the sizes of groups that [`check`](crate::check::check) assumes, never on a row.
//!
//! **Invariant.** No statistic that left the choice errs more than with Laplace noise for all of them, as far as
//! `check` can tell.

use std::borrow::Cow;

use inbounds_bundle::{ChosenMechanism, KindWord, OtherMechanism};
use inbounds_core::Delta;
use inbounds_data::Engine;
use inbounds_figures::FiguresFile;
use inbounds_mechanisms::registry::{self, Entry};
use inbounds_statistics::Setting;

use crate::{
    plan::{MechanismChoice, Plan, Sharing, Statistic},
    prepared_plan::PreparedPlan,
    prepared_statistic::{CalibratedStatistic, PreparedStatistic},
    preparing::variant,
    sharing::{self, SharedNoise},
};

/// Part of its gain that a statistic may miss: some errors are simulated, and known to a few thousandths.
const NEARLY: f64 = 0.99;

/// The least and the largest of some gains.
pub(crate) fn ends(gains: &[f64]) -> (f64, f64) {
    gains.iter().fold((f64::INFINITY, 0.0), |(least, most), gain| (least.min(*gain), gain.max(most)))
}

/// A plan with the mechanisms by which its statistics err least.
pub(crate) struct BestMechanisms {
    pub(crate) prepared: PreparedPlan,
    pub(crate) chosen: Vec<ChosenMechanism>,
}

impl BestMechanisms {
    /// `laplace` is the plan with Laplace noise for all that left the choice.
    pub(crate) fn choose(plan: &Plan, engine: &dyn Engine, laplace: PreparedPlan) -> Self {
        let SeparateChoice { plan, prepared: laplace, won, lost } = SeparateChoice::choose(plan, engine, laplace);
        let left = |place: &usize| plan.statistics[*place].mechanism.value == MechanismChoice::Best;
        let places: Vec<usize> = (0..plan.statistics.len()).filter(left).collect();
        let GaussianChoice { prepared, compared } = match gaussian() {
            Some(gaussian) => {
                let search = GaussianSearch { plan: &plan, engine, laplace: &laplace, gaussian };
                let may = |place: &usize| {
                    let delta = laplace.grants.delta(*place);
                    may_change(&plan, *place) && can_have(&plan, &laplace.tasks[*place], delta, gaussian)
                };
                search.eliminate_backward(places.iter().copied().filter(may).collect())
            }
            None => GaussianChoice::default(),
        };
        let mut compared: Vec<Comparison> = won.into_iter().chain(compared).collect();
        // Of a statistic that was compared twice, the comparison with Gaussian noise is told.
        let alone = places.into_iter().map(|place| Comparison { place, mechanism: registry::default(), other: None });
        for one in lost.into_iter().chain(alone) {
            if compared.iter().all(|known| known.place != one.place) {
                compared.push(one);
            }
        }
        Self { chosen: Comparison::entries(&compared, &plan), prepared: prepared.unwrap_or(laplace) }
    }
}

/// The mechanism chosen for a statistic that left the choice to the program, compared with the best other one.
struct Comparison {
    place: usize,
    mechanism: &'static Entry,
    /// The best of the others that it could have, and how many times larger its errors would be.
    other: Option<(&'static Entry, f64)>,
}

impl Comparison {
    /// The public record: statistics with the same two mechanisms are one entry.
    fn entries(all: &[Self], plan: &Plan) -> Vec<ChosenMechanism> {
        let words = |one: &Self| (one.mechanism.plan_name, one.other.map(|(other, _)| other.plan_name));
        let mut groups: Vec<Vec<&Self>> = Vec::new();
        for one in all {
            match groups.iter_mut().find(|group| words(group[0]) == words(one)) {
                Some(group) => group.push(one),
                None => groups.push(vec![one]),
            }
        }
        let entry = |group: Vec<&Self>| {
            let (mechanism, other) = words(group[0]);
            let times: Vec<f64> = group.iter().filter_map(|one| Some(one.other?.1)).collect();
            let (least, most) = ends(&times);
            ChosenMechanism {
                statistics: plan.statistic_names(&group.iter().map(|one| one.place).collect::<Vec<_>>()),
                mechanism: mechanism.to_owned(),
                other: other.map(|other| OtherMechanism { mechanism: other.to_owned(), least, most }),
            }
        };
        groups.into_iter().map(entry).collect()
    }
}

/// Choices that depend on no other statistic: a plan with a mechanism of [`alone`] for the statistics that err less
/// with it.
struct SeparateChoice<'a> {
    plan: Cow<'a, Plan>,
    prepared: PreparedPlan,
    /// Those statistics.
    won: Vec<Comparison>,
    /// The statistics that err less with clamped Laplace noise than with such a mechanism.
    lost: Vec<Comparison>,
}

impl<'a> SeparateChoice<'a> {
    fn choose(plan: &'a Plan, engine: &dyn Engine, laplace: PreparedPlan) -> Self {
        let compared = laplace.tasks.iter().filter_map(|task| compared_alone(plan, task, &laplace));
        let (won, lost): (Vec<Comparison>, Vec<Comparison>) =
            compared.partition(|one| one.mechanism != registry::default());
        let mut other = plan.clone();
        won.iter().for_each(|one| {
            other.statistics[one.place].mechanism.value = MechanismChoice::Named(one.mechanism);
        });
        // What cannot be prepared so keeps its clamped noise.
        let prepared = if won.is_empty() { None } else { PreparedPlan::prepare(&other, engine, Vec::new()).ok() };
        match prepared {
            Some(prepared) => Self { plan: Cow::Owned(other), prepared, won, lost },
            None => Self { plan: Cow::Borrowed(plan), prepared: laplace, won: Vec::new(), lost },
        }
    }
}

/// A statistic that left the choice, with the mechanism that its kind can have whatever the others have or with clamped
/// Laplace noise; none where there is no such mechanism, or Gaussian noise errs less than it.
///
/// What shares its measurements, wants an accuracy or is part of a figure has noise that is added.
fn compared_alone(plan: &Plan, task: &PreparedStatistic, laplace: &PreparedPlan) -> Option<Comparison> {
    let statistic = &plan.statistics[task.index];
    if statistic.mechanism.value != MechanismChoice::Best || !may_change(plan, task.index) {
        return None;
    }
    let entry = alone(statistic)?;
    let name = &statistic.name.value;
    let is_part = |figures: &FiguresFile| figures.statistics().any(|named| named.statistic == name);
    let is_added = SharedNoise::of_statistic(&laplace.together, task.index).is_some()
        || !statistic.want.is_empty()
        || statistic.margins.is_some()
        || plan.figures.iter().any(is_part);
    if is_added && entry != &registry::RANKS {
        return None;
    }
    let (place, default) = (task.index, registry::default());
    let own = gain(plan, task, task.setting.delta.clone(), entry)?;
    if own <= 1.0 {
        return Some(Comparison { place, mechanism: default, other: Some((entry, 1.0 / own)) });
    }
    let by_gaussian = gaussian().and_then(|entry| gain(plan, task, laplace.grants.delta(place), entry));
    let is_least = by_gaussian.is_none_or(|other| own > other);
    is_least.then_some(Comparison { place, mechanism: entry, other: Some((default, own)) })
}

/// The mechanism that a kind can have by itself, beside noise that is added.
fn alone(statistic: &Statistic) -> Option<&'static Entry> {
    match statistic.kind.word() {
        KindWord::Quantile => Some(&registry::RANKS),
        _ => conditioned(),
    }
}

/// Laplace noise given that the result is in the range.
fn conditioned() -> Option<&'static Entry> {
    registry::find("conditioned")
}

/// The statistics with Gaussian noise, of all that were compared with it.
#[derive(Default)]
struct GaussianChoice {
    /// The plan with it; none where no statistic has it.
    prepared: Option<PreparedPlan>,
    /// Those that have it first.
    compared: Vec<Comparison>,
}

/// Search for the statistics that err less with Gaussian noise, against a plan with Laplace noise.
struct GaussianSearch<'a> {
    plan: &'a Plan,
    engine: &'a dyn Engine,
    laplace: &'a PreparedPlan,
    gaussian: &'static Entry,
}

impl GaussianSearch<'_> {
    /// Starts with Gaussian noise for all of `places`, and gives Laplace noise back to those that lose by it.
    fn eliminate_backward(&self, mut places: Vec<usize>) -> GaussianChoice {
        let mut lost = Vec::new();
        while !places.is_empty() {
            let Some(prepared) = self.with_gaussian(&places) else {
                // What cannot have it, such as an accuracy that is wanted of a quotient, must not keep it from others.
                let able = self.able_apart(&places);
                if able.len() == places.len() {
                    break;
                }
                places = able;
                continue;
            };
            let gains: Vec<(usize, f64)> = places.iter().map(|place| (*place, self.gain(&prepared, *place))).collect();
            let worst = gains.iter().copied().reduce(|worst, next| if next.1 < worst.1 { next } else { worst });
            if let Some((worst, _)) = worst.filter(|(_, gain)| *gain < NEARLY) {
                let with_it = SharedNoise::of_statistic(&self.laplace.together, worst);
                let goes = |place: usize| place == worst || with_it.is_some_and(|all| all.statistics.contains(&place));
                lost.extend(gains.into_iter().filter(|(place, _)| goes(*place)));
                places.retain(|place| !goes(*place));
                continue;
            }
            let all = (0..self.plan.statistics.len()).map(|place| self.gain(&prepared, place));
            let all = all.filter(|gain| *gain > 0.0).map(f64::ln);
            if all.sum::<f64>() > 0.0 {
                return GaussianChoice { prepared: Some(prepared), compared: self.compared(gains, lost) };
            }
            lost.extend(gains);
            break;
        }
        GaussianChoice { prepared: None, compared: self.compared(Vec::new(), lost) }
    }

    /// Those that can have it of statistics that cannot have it together, found by halves.
    fn able_apart(&self, refused: &[usize]) -> Vec<usize> {
        if refused.len() < 2 {
            return Vec::new();
        }
        let (left, right) = refused.split_at(refused.len() / 2);
        let able = |half: &[usize]| match self.with_gaussian(half) {
            Some(_) => half.to_vec(),
            None => self.able_apart(half),
        };
        [able(left), able(right)].concat()
    }

    /// The statistics that gain by Gaussian noise, and those that would lose.
    fn compared(&self, won: Vec<(usize, f64)>, mut lost: Vec<(usize, f64)>) -> Vec<Comparison> {
        let (gaussian, laplace) = (self.gaussian, registry::default());
        lost.sort_unstable_by_key(|(place, _)| *place);
        let won = won.into_iter().map(|(place, gain)| (place, gaussian, laplace, gain));
        let lost = lost.into_iter().map(|(place, gain)| (place, laplace, gaussian, 1.0 / gain));
        // Errors that have no case in common cannot be compared.
        let one = |(place, mechanism, other, times): (usize, _, _, f64)| Comparison {
            place,
            mechanism,
            other: times.is_finite().then_some((other, times)),
        };
        won.chain(lost).map(one).collect()
    }

    /// The plan with Gaussian noise for these; none if something keeps it from being prepared.
    fn with_gaussian(&self, places: &[usize]) -> Option<PreparedPlan> {
        let mut other = self.plan.clone();
        places
            .iter()
            .for_each(|place| other.statistics[*place].mechanism.value = MechanismChoice::Named(self.gaussian));
        PreparedPlan::prepare(&other, self.engine, Vec::new()).ok()
    }

    /// Factor by which the error of a statistic falls, or its epsilon for the errors that it wants.
    fn gain(&self, other: &PreparedPlan, place: usize) -> f64 {
        if self.plan.statistics[place].want.is_empty() {
            let own = &self.laplace.tasks[place];
            return sharing::gain(&own.usual, &own.prepared, &other.tasks[place].prepared);
        }
        let epsilon = |prepared: &PreparedPlan| prepared.grants.epsilon(place).value().to_f64();
        epsilon(self.laplace) / epsilon(other)
    }
}

/// The plain mechanism that spends delta, beside [`registry::default`], which spends none.
pub(crate) fn gaussian() -> Option<&'static Entry> {
    registry::find("clamped-gaussian")
}

/// `true` if other noise is a choice for a statistic: not in levels, which are solved for from Laplace noise, nor where
/// a noise of its own decides which keys are published, nor in a vector that the plan names.
pub(crate) fn may_change(plan: &Plan, place: usize) -> bool {
    let statistic = &plan.statistics[place];
    let is_named = match &plan.privacy.together {
        Sharing::Named(groups) => {
            groups.iter().flat_map(|group| &group.value).any(|name| name.value == statistic.name.value)
        }
        Sharing::Best => false,
    };
    statistic.levels.is_none() && statistic.learn_keys.value.is_none() && !is_named
}

/// `true` if a statistic can be measured by another mechanism, with this delta.
pub(crate) fn can_have(plan: &Plan, task: &PreparedStatistic, delta: Delta, entry: &'static Entry) -> bool {
    with_mechanism(plan, task, delta, entry).is_some()
}

/// Factor by which the error of a statistic falls with another mechanism and this delta; none where it cannot have it,
/// or no error is known of both.
pub(crate) fn gain(plan: &Plan, task: &PreparedStatistic, delta: Delta, entry: &'static Entry) -> Option<f64> {
    let other = with_mechanism(plan, task, delta, entry)?;
    Some(sharing::gain(&task.usual, &task.prepared, &other)).filter(|gain| *gain > 0.0)
}

/// A statistic calibrated for another mechanism with noise of its own, where it can be.
fn with_mechanism(
    plan: &Plan,
    task: &PreparedStatistic,
    delta: Delta,
    entry: &'static Entry,
) -> Option<CalibratedStatistic> {
    let setting = Setting { mechanism: entry.into(), delta, rho_rate: None, together: None, ..task.setting.clone() };
    variant(plan, task, setting).ok().map(|variant| variant.prepared)
}
