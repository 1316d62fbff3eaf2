//! Laplace noise, clamped or conditioned, Gaussian noise, or a choice of bins for quantiles, where a plan leaves it to
//! the program.
//!
//! **Idea.** Whether a quantile errs less as one of its bins
//! ([`RankSelection`](inbounds_mechanisms::selection::RankSelection)) than by counts of them, or another statistic by
//! Laplace noise given that the result is in the range than by clamped noise, depends on no other
//! statistic, and is settled first. Gaussian noise of several statistics is accounted for together, so whether a
//! statistic errs less with it depends on which others have it. All that left the choice get Gaussian noise first. As
//! long as some of them err more by it than with Laplace noise, the one that loses most gets Laplace noise again, with
//! those that share its vector then, since one by one they would lose what they share. What is left has Gaussian noise
//! if the statistics of the plan gain by it, on geometric average. What decides is the plan, and what
//! [`check`](crate::check::check) supposes of groups, never a row.
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
    arranged::Arranged,
    plan::{MechanismChoice, Plan, Sharing, Statistic},
    preparing::variant,
    sharing::{self, SharedNoise},
    task::{Prepared, Task},
};

/// Part of its gain that a statistic may miss: some errors are simulated, and known to a few thousandths.
const NEARLY: f64 = 0.99;

/// The least and the largest of some gains.
pub(crate) fn ends(gains: &[f64]) -> (f64, f64) {
    gains.iter().fold((f64::INFINITY, 0.0), |(least, most), gain| (least.min(*gain), gain.max(most)))
}

/// A plan with the mechanisms that it errs least with.
pub(crate) struct Best {
    pub(crate) arranged: Arranged,
    pub(crate) chosen: Vec<ChosenMechanism>,
}

impl Best {
    /// `laplace` is the plan with Laplace noise for all that left the choice.
    pub(crate) fn of(plan: &Plan, engine: &dyn Engine, laplace: Arranged) -> Self {
        let (settled, alone) = Settled::of(plan, engine, laplace);
        let Settled { plan, arranged: laplace } = &settled;
        let left = |place: &usize| plan.statistics[*place].mechanism.value == MechanismChoice::Best;
        let places: Vec<usize> = (0..plan.statistics.len()).filter(left).collect();
        let Some(gaussian) = gaussian().filter(|_| !places.is_empty()) else {
            return Self { arranged: settled.arranged, chosen: alone };
        };
        let may = |place: &usize| {
            may_change(plan, *place) && can_have(plan, &laplace.tasks[*place], laplace.grants.delta(*place), gaussian)
        };
        let trial = Trial { plan, engine, laplace, gaussian };
        let tried = trial.tried(places.iter().copied().filter(may).collect());
        let of = |places: Vec<usize>, mechanism: &Entry, other: Option<OtherMechanism>| {
            let mechanism = mechanism.plan_name.to_owned();
            (!places.is_empty()).then(|| ChosenMechanism {
                statistics: plan.statistic_names(&places),
                mechanism,
                other,
            })
        };
        let other = |gains: &[(usize, f64)], entry: &Entry, times: &dyn Fn(f64) -> f64| {
            let times: Vec<f64> = gains.iter().map(|(_, gain)| times(*gain)).collect();
            let (least, most) = ends(&times);
            (!times.is_empty()).then(|| OtherMechanism { mechanism: entry.plan_name.to_owned(), least, most })
        };
        let placed = |gains: &[(usize, f64)]| gains.iter().map(|(place, _)| *place).collect::<Vec<_>>();
        let is_tried = |place: &usize| tried.won.iter().chain(&tried.lost).any(|(known, _)| known == place);
        let without_other = places.iter().copied().filter(|place| !is_tried(place)).collect();
        let default = registry::default();
        let together = [
            of(placed(&tried.won), gaussian, other(&tried.won, default, &|gain| gain)),
            of(placed(&tried.lost), default, other(&tried.lost, gaussian, &|gain| 1.0 / gain)),
            of(without_other, default, None),
        ];
        let arranged = tried.arranged.unwrap_or(settled.arranged);
        Self { chosen: alone.into_iter().chain(together.into_iter().flatten()).collect(), arranged }
    }
}

/// A plan in which the statistics that err less with a mechanism of [`alone`] have it.
struct Settled<'a> {
    plan: Cow<'a, Plan>,
    arranged: Arranged,
}

impl<'a> Settled<'a> {
    /// With what was chosen.
    fn of(plan: &'a Plan, engine: &dyn Engine, laplace: Arranged) -> (Self, Vec<ChosenMechanism>) {
        let won: Vec<(usize, &Entry, f64)> =
            laplace.tasks.iter().filter_map(|task| won(plan, task, &laplace)).collect();
        let mut other = plan.clone();
        won.iter().for_each(|(place, entry, _)| {
            other.statistics[*place].mechanism.value = MechanismChoice::Named(entry);
        });
        // What cannot be prepared so keeps its clamped noise.
        let arranged = if won.is_empty() { None } else { Arranged::prepare(&other, engine, Vec::new()).ok() };
        let Some(arranged) = arranged else {
            return (Self { plan: Cow::Borrowed(plan), arranged: laplace }, Vec::new());
        };
        let with = |entry: &Entry| {
            let such = || won.iter().filter(|(_, own, _)| *own == entry);
            let (least, most) = ends(&such().map(|(_, _, gain)| *gain).collect::<Vec<_>>());
            let other = OtherMechanism { mechanism: registry::default().plan_name.to_owned(), least, most };
            let statistics = plan.statistic_names(&such().map(|(place, ..)| *place).collect::<Vec<_>>());
            (!statistics.is_empty()).then(|| ChosenMechanism {
                statistics,
                mechanism: entry.plan_name.to_owned(),
                other: Some(other),
            })
        };
        let chosen = [&registry::RANKS].into_iter().chain(conditioned()).filter_map(with).collect();
        (Self { plan: Cow::Owned(other), arranged }, chosen)
    }
}

/// The mechanism other than clamped noise with which a statistic that left the choice errs least whatever the others
/// have, and how many times less than with clamped Laplace noise; none where nothing errs less, or Gaussian noise does.
///
/// What shares its measurements, wants an accuracy or is part of a figure has noise that is added.
fn won(plan: &Plan, task: &Task, laplace: &Arranged) -> Option<(usize, &'static Entry, f64)> {
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
    let own = gain(plan, task, task.setting.delta.clone(), entry)?;
    let by_gaussian = gaussian().and_then(|entry| gain(plan, task, laplace.grants.delta(task.index), entry));
    let is_least = own > 1.0 && by_gaussian.is_none_or(|other| own > other);
    is_least.then_some((task.index, entry, own))
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

/// Which statistics have Gaussian noise, and how many times less they err by it than with Laplace noise.
#[derive(Default)]
struct Tried {
    /// The plan with it; none where no statistic has it.
    arranged: Option<Arranged>,
    won: Vec<(usize, f64)>,
    lost: Vec<(usize, f64)>,
}

struct Trial<'a> {
    plan: &'a Plan,
    engine: &'a dyn Engine,
    laplace: &'a Arranged,
    gaussian: &'static Entry,
}

impl Trial<'_> {
    fn tried(&self, mut places: Vec<usize>) -> Tried {
        let mut lost = Vec::new();
        while !places.is_empty() {
            let Some(arranged) = self.with_gaussian(&places) else { break };
            let gains: Vec<(usize, f64)> = places.iter().map(|place| (*place, self.gain(&arranged, *place))).collect();
            let worst = gains.iter().copied().reduce(|worst, next| if next.1 < worst.1 { next } else { worst });
            if let Some((worst, _)) = worst.filter(|(_, gain)| *gain < NEARLY) {
                let with_it = SharedNoise::of_statistic(&self.laplace.together, worst);
                let goes = |place: usize| place == worst || with_it.is_some_and(|all| all.statistics.contains(&place));
                lost.extend(gains.into_iter().filter(|(place, _)| goes(*place)));
                places.retain(|place| !goes(*place));
                continue;
            }
            let all = (0..self.plan.statistics.len()).map(|place| self.gain(&arranged, place).ln());
            if all.sum::<f64>() > 0.0 {
                lost.sort_unstable_by_key(|(place, _)| *place);
                return Tried { arranged: Some(arranged), won: gains, lost };
            }
            lost.extend(gains);
            break;
        }
        lost.sort_unstable_by_key(|(place, _)| *place);
        Tried { lost, ..Tried::default() }
    }

    /// The plan with Gaussian noise for these; none if something keeps it from being prepared.
    fn with_gaussian(&self, places: &[usize]) -> Option<Arranged> {
        let mut other = self.plan.clone();
        places
            .iter()
            .for_each(|place| other.statistics[*place].mechanism.value = MechanismChoice::Named(self.gaussian));
        Arranged::prepare(&other, self.engine, Vec::new()).ok()
    }

    /// Factor by which the error of a statistic falls, or its epsilon for the errors that it wants.
    fn gain(&self, other: &Arranged, place: usize) -> f64 {
        if self.plan.statistics[place].want.is_empty() {
            let own = &self.laplace.tasks[place];
            return sharing::gain(&own.usual, &own.prepared, &other.tasks[place].prepared);
        }
        let epsilon = |arranged: &Arranged| arranged.grants.epsilon(place).value().to_f64();
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
pub(crate) fn can_have(plan: &Plan, task: &Task, delta: Delta, entry: &'static Entry) -> bool {
    with_mechanism(plan, task, delta, entry).is_some()
}

/// Factor by which the error of a statistic falls with another mechanism and this delta; none where it cannot have it.
pub(crate) fn gain(plan: &Plan, task: &Task, delta: Delta, entry: &'static Entry) -> Option<f64> {
    with_mechanism(plan, task, delta, entry).map(|other| sharing::gain(&task.usual, &task.prepared, &other))
}

/// A statistic calibrated for another mechanism with noise of its own, where it can be.
fn with_mechanism(plan: &Plan, task: &Task, delta: Delta, entry: &'static Entry) -> Option<Prepared> {
    let setting = Setting { mechanism: entry.into(), delta, rho_rate: None, together: None, ..task.setting.clone() };
    variant(plan, task, setting).ok().map(|variant| variant.prepared)
}
