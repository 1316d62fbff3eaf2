//! Which statistics are made of the same numbers, where the plan leaves the choice to the program.
//!
//! **Idea.** Candidates are the statistics that a plan may name together: those made of sums over the same rows in the
//! same groups, with the same kind of noise. All of them are evaluated with numbers measured once, and the expected
//! errors are compared with those of separate measurements. Groups are reduced by backward elimination: as long as some
//! statistics err more than they should, those are eliminated, or the statistic of the most numbers is, whose noise may
//! dominate: without a matrix of fifty sums, a count and a mean still share theirs. Both rules are followed to their
//! end, and the group in which statistics gain most is taken. The eliminated statistics may form another group. One
//! vector of cube noise is for members that each err clearly less by it; with Gaussian noise, of which the statistics
//! have the same rho either way, none may err more, and all together must err clearly less. The choice depends on
//! the plan and on the assumed sizes of groups, never on a row.
//!
//! **Invariant.** No task changes while groups are evaluated: its variants are compared, and those of the chosen groups
//! are taken at the end.

use std::collections::HashMap;

use inbounds_bundle::{LARGEST_FACTOR, SharedLaw};
use inbounds_core::{Partition, Rational};
use inbounds_data::Engine;
use inbounds_statistics::{Scenario, Setting};

use super::{SharedNoise, has_one_number_a_cell, law_of, named::sums_of};
use crate::{
    grants::Grants,
    joint,
    plan::{Plan, PossibleFile, Statistic},
    prepared_statistic::{CalibratedStatistic, PreparedStatistic, Variant},
    preparing::variant,
};

/// Least factor by which statistics' errors must fall. Some errors are simulated, and known to a few hundredths.
const LEAST_GAIN: f64 = 1.1;

/// Least factor by which each statistic's error must fall, and the product over all that a group must pass.
fn least_gains(law: SharedLaw) -> (f64, f64) {
    match law {
        SharedLaw::Cube => (LEAST_GAIN, 1.0),
        SharedLaw::Gaussian => (1.0 / 1.02, LEAST_GAIN),
    }
}

/// The groups of a plan whose statistics have noise of their own. Those of a group take their variant for it.
pub(crate) fn choose(
    plan: &Plan,
    tasks: &mut [PreparedStatistic],
    engine: &dyn Engine,
    grants: &Grants,
) -> Vec<SharedNoise> {
    let choice = Choice { plan, tasks, engine, grants };
    let groups: Vec<EvaluatedGroup> =
        candidates(plan).into_iter().flat_map(|candidates| choice.groups(candidates)).collect();
    let take = |EvaluatedGroup { noise, variants, .. }| {
        noise.statistics.iter().zip(variants).for_each(|(place, variant)| tasks[*place].take(variant));
        noise
    };
    groups.into_iter().map(take).collect()
}

/// Factor by which a statistic's error falls with other noise: the geometric mean over the usual cases that are
/// expected of both and in which both err. Where neither or one alone errs in all of them, the factor is 1 or at most
/// [`LARGEST_FACTOR`] either way, and 0 where no case is expected of both.
pub(crate) fn gain(usual: &Scenario, own: &CalibratedStatistic, other: &CalibratedStatistic) -> f64 {
    let [own, other] = [own, other].map(|prepared| prepared.usual_errors(usual));
    let pairs = own.iter().filter_map(|own| Some((own.rmse, other.iter().find(|other| other.case == own.case)?.rmse)));
    let pairs: Vec<(f64, f64)> = pairs.filter(|(own, other)| own.is_finite() && other.is_finite()).collect();
    let in_error: Vec<(f64, f64)> = pairs.iter().copied().filter(|(own, other)| own.min(*other) > 0.0).collect();
    let factor = |(own, other): &(f64, f64)| {
        if own == other { 1.0 } else { (own / other).clamp(1.0 / LARGEST_FACTOR, LARGEST_FACTOR) }
    };
    let counted = if in_error.is_empty() { pairs } else { in_error };
    let sum: f64 = counted.iter().map(|pair| factor(pair).ln()).sum();
    if counted.is_empty() { 0.0 } else { (sum / counted.len() as f64).exp() }
}

/// Statistics that a plan may name together, by their noise and the rows and groups that they are of, if there are two
/// of them.
pub(crate) fn candidates(plan: &Plan) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (place, statistic) in plan.statistics.iter().enumerate().filter(|(_, statistic)| may_share(plan, statistic)) {
        match groups.iter_mut().find(|group| have_same_rows(&plan.statistics[group[0]], statistic)) {
            Some(group) => group.push(place),
            None => groups.push(vec![place]),
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// `true` if a plan may name a statistic beside others; the rules of the reader say why.
fn may_share(plan: &Plan, statistic: &Statistic) -> bool {
    let has_one_row = plan.privacy.unit.has_one_row();
    // The rate of Gaussian noise that wants need was found for noise of their own.
    let is_settled =
        law_of(statistic) == SharedLaw::Gaussian && plan.statistics.iter().any(|other| !other.want.is_empty());
    statistic.kind.shares_noise()
        && plan.set_of(statistic).is_none()
        && statistic.learn_keys.value.is_none()
        && statistic.levels.is_none()
        && statistic.margins.is_none()
        && statistic.want.is_empty()
        && statistic.mechanism.value.may_be_shared()
        && !is_settled
        && (has_one_row || statistic.by.is_empty())
}

fn have_same_rows(one: &Statistic, other: &Statistic) -> bool {
    let by = |statistic: &Statistic| statistic.by.iter().map(|column| column.value.clone()).collect::<Vec<_>>();
    let words = |statistic: &Statistic| {
        [&statistic.keys, &statistic.filter].map(|words| words.as_ref().map(|words| words.value.clone()))
    };
    by(one) == by(other)
        && PossibleFile::digests(&one.possible) == PossibleFile::digests(&other.possible)
        && words(one) == words(other)
        && law_of(one) == law_of(other)
}

/// Obstacle to a group's sharing noise.
#[derive(Clone, Copy)]
enum Obstacle {
    /// One of its statistics cannot.
    Statistic(usize),
    /// All their numbers together.
    Numbers,
}

/// A group of statistics that share noise, with its gains.
struct EvaluatedGroup {
    /// Factors by which the errors of its statistics fall with shared numbers.
    gains: Vec<f64>,
    /// Its numbers.
    noise: SharedNoise,
    /// Its statistics for them; Gaussian noise at no rate yet.
    variants: Vec<Variant>,
}

/// Groups that were evaluated, by their statistics.
type Evaluations = HashMap<Vec<usize>, Result<EvaluatedGroup, Obstacle>>;

/// Rule of elimination: the statistics that leave a group in which some err more than they should.
#[derive(Clone, Copy)]
enum Elimination {
    /// All that err more.
    AllLosing,
    /// The one of the most numbers.
    MostNumbers,
}

struct Choice<'a> {
    plan: &'a Plan,
    /// Each with noise of its own.
    tasks: &'a [PreparedStatistic],
    engine: &'a dyn Engine,
    grants: &'a Grants,
}

impl Choice<'_> {
    /// The groups of some candidates, those first that gain most.
    fn groups(&self, mut left: Vec<usize>) -> Vec<EvaluatedGroup> {
        let (mut groups, mut evaluations) = (Vec::new(), Evaluations::new());
        while let Some(group) = self.best(&left, &mut evaluations) {
            left.retain(|place| !group.contains(place));
            groups.extend(evaluations.remove(&group).and_then(Result::ok));
        }
        groups
    }

    /// The group that gains most, of the results of both elimination rules.
    fn best(&self, candidates: &[usize], evaluations: &mut Evaluations) -> Option<Vec<usize>> {
        let rules = [Elimination::AllLosing, Elimination::MostNumbers];
        let ends = rules.map(|elimination| self.eliminate_backward(candidates.to_vec(), elimination, evaluations));
        let most = ends.into_iter().flatten().reduce(|most, next| if next.1 > most.1 { next } else { most });
        most.map(|(group, _)| group)
    }

    /// The members of a group that backward elimination keeps, all of which gain, with the sum of the logarithms of
    /// their gains.
    fn eliminate_backward(
        &self,
        mut group: Vec<usize>,
        elimination: Elimination,
        evaluations: &mut Evaluations,
    ) -> Option<(Vec<usize>, f64)> {
        let size = |place: usize| (self.tasks[place].prepared.components().len(), place);
        while let [first, _, ..] = group.as_slice() {
            let (least, least_of_all) = least_gains(law_of(&self.plan.statistics[*first]));
            let largest = group.iter().copied().max_by_key(|place| size(*place));
            let gone: Vec<usize> = match evaluations.entry(group.clone()).or_insert_with(|| self.evaluate(&group)) {
                Err(Obstacle::Statistic(place)) => vec![*place],
                Err(Obstacle::Numbers) => largest.into_iter().collect(),
                Ok(EvaluatedGroup { gains, .. }) => {
                    let losing = group.iter().zip(&*gains).filter(|(_, gain)| **gain < least);
                    let losing: Vec<usize> = losing.map(|(place, _)| *place).collect();
                    if losing.is_empty() {
                        let all = gains.iter().map(|gain| gain.ln()).sum::<f64>();
                        return (all > least_of_all.ln()).then_some((group, all));
                    }
                    match elimination {
                        Elimination::AllLosing => losing,
                        Elimination::MostNumbers => largest.into_iter().collect(),
                    }
                }
            };
            group.retain(|place| !gone.contains(place));
        }
        None
    }

    /// A group with shared numbers, and the factor by which the error of each of its statistics falls. Gaussian noise
    /// is compared with that which the statistics would have if they were alone in the plan.
    fn evaluate(&self, group: &[usize]) -> Result<EvaluatedGroup, Obstacle> {
        let rate = match law_of(&self.plan.statistics[group[0]]) {
            SharedLaw::Cube => None,
            SharedLaw::Gaussian => Some(self.rate(group).ok_or(Obstacle::Numbers)?),
        };
        let own = |place: &usize| self.at(*place, self.tasks[*place].variant(), rate.as_ref());
        let own: Vec<CalibratedStatistic> = group.iter().map(own).collect::<Result<_, _>>()?;
        let (noise, variants) = self.shared(group)?;
        let rate = rate.map(|rate| noise.rate(&rate));
        let gain = |((place, own), variant): ((&usize, CalibratedStatistic), &Variant)| {
            let shared = self.at(*place, variant.clone(), rate.as_ref())?;
            Ok(gain(&self.tasks[*place].usual, &own, &shared))
        };
        let gains = group.iter().zip(own).zip(&variants).map(gain).collect::<Result<_, _>>()?;
        Ok(EvaluatedGroup { gains, noise, variants })
    }

    /// A variant as it is, or with a rate for its Gaussian noise.
    fn at(&self, place: usize, as_it_is: Variant, rate: Option<&Rational>) -> Result<CalibratedStatistic, Obstacle> {
        let Some(rate) = rate else { return Ok(as_it_is.prepared) };
        let setting = Setting { rho_rate: Some(rate.clone()), ..as_it_is.setting };
        let rated = variant(self.plan, &self.tasks[place], setting);
        rated.map(|rated| rated.prepared).map_err(|_| Obstacle::Statistic(place))
    }

    /// The rate at which the Gaussian noise of a group would be accounted for by itself.
    fn rate(&self, group: &[usize]) -> Option<Rational> {
        let prepared = self.tasks.iter().map(|task| group.contains(&task.index).then_some(&task.prepared));
        let joint = joint::groups(prepared, &[], &Partition::together(self.tasks.len()));
        joint.first()?.rate(group[0]).cloned()
    }

    /// The numbers of a group, and its statistics for them.
    fn shared(&self, group: &[usize]) -> Result<(SharedNoise, Vec<Variant>), Obstacle> {
        let (epsilon, delta) = sums_of(group, self.grants);
        let any_size = |place: &usize| {
            let task = &self.tasks[*place];
            let setting =
                Setting { epsilon: epsilon.clone(), delta: delta.clone(), rho_rate: None, ..task.setting.clone() };
            let shared = variant(self.plan, task, setting.with_numbers(1)).map_err(|_| Obstacle::Statistic(*place))?;
            match has_one_number_a_cell(&shared.prepared) && self.engine.check(&task.question(&shared)).is_ok() {
                true => Ok(shared),
                false => Err(Obstacle::Statistic(*place)),
            }
        };
        let any_size: Vec<Variant> = group.iter().map(any_size).collect::<Result<_, _>>()?;
        let noise = SharedNoise::of_group(self.plan, group.to_vec(), &any_size, self.grants);
        match noise.excess() {
            Some(_) => Err(Obstacle::Numbers),
            None => {
                let variants = noise.variants(self.plan, self.tasks, &any_size).map_err(|_| Obstacle::Numbers)?;
                Ok((noise, variants))
            }
        }
    }
}
