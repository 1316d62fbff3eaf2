//! Which statistics are made of the same numbers, where the plan leaves the choice to the program.
//!
//! **Idea.** Candidates are the statistics that a plan may name together: those made of sums over the same rows in the
//! same groups, with the same kind of noise. All of them are tried with numbers measured once, and the errors to expect
//! are held against those with measurements of their own. As long as some err more than they should, those leave, or
//! the statistic of the most numbers does, which may drown the others: a matrix of fifty sums leaves a count and a mean
//! to share theirs. Both ways are followed to their end, and that is taken by which statistics gain the most. What has
//! left may be a group of its own. One vector of cube noise is for members that each err clearly less by it; with
//! Gaussian noise, of which the statistics have the same rho either way, none may err more, and all together must err
//! clearly less. What decides is the plan and what is supposed of groups, never a row.
//!
//! **Invariant.** Tasks that are in no group are as they were.

use std::collections::HashMap;

use inbounds_bundle::SharedLaw;
use inbounds_core::{Partition, Rational};
use inbounds_data::{Clip, Engine};
use inbounds_statistics::{Setting, Supposed};

use super::{SharedNoise, has_one_number_a_cell, law_of, named::sums_of};
use crate::{
    grants::Grants,
    joint,
    plan::{Plan, PossibleFile, Statistic},
    preparing::{ask_again, prepare_again},
    task::{Prepared, Task},
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

/// The groups of a plan whose statistics were prepared with noise of their own, and are prepared again where they share
/// it.
pub(crate) fn choose(plan: &Plan, tasks: &mut [Task], engine: &dyn Engine, grants: &Grants) -> Vec<SharedNoise> {
    let choice = Choice { plan, engine, grants };
    candidates(plan).into_iter().flat_map(|candidates| choice.groups(tasks, candidates)).collect()
}

/// Factor by which a statistic's error falls with other noise: the geometric mean over the usual cases that are
/// expected of both.
pub(crate) fn gain(usual: &Supposed, own: &Prepared, other: &Prepared) -> f64 {
    let [own, other] = [own, other].map(|prepared| prepared.usual_errors(usual));
    let pairs = own.iter().filter_map(|own| Some((own, other.iter().find(|other| other.case == own.case)?)));
    let ratios = pairs.map(|(own, other)| (own.rmse / other.rmse).ln()).filter(|ratio| ratio.is_finite());
    let (sum, count) = ratios.fold((0.0, 0.0), |(sum, count), ratio| (sum + ratio, count + 1.0));
    if count > 0.0 { (sum / count).exp() } else { 0.0 }
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

/// State of a task with noise of one kind.
struct State {
    setting: Setting,
    prepared: Prepared,
    values: Vec<Clip>,
    products: Vec<(usize, usize)>,
    rows_per_cell: Option<u64>,
}

impl State {
    fn of(task: &Task) -> Self {
        let Task { query, prepared, setting, .. } = task;
        Self {
            setting: setting.clone(),
            prepared: prepared.clone(),
            values: query.values.clone(),
            products: query.products.clone(),
            rows_per_cell: query.rows_per_cell,
        }
    }

    fn restore(self, task: &mut Task) {
        let Self { setting, prepared, values, products, rows_per_cell } = self;
        (task.setting, task.prepared) = (setting, prepared);
        (task.query.values, task.query.products, task.query.rows_per_cell) = (values, products, rows_per_cell);
    }
}

/// Obstacle to a group's sharing noise.
#[derive(Clone, Copy)]
enum Obstacle {
    /// One of its statistics cannot.
    Statistic(usize),
    /// All their numbers together.
    Numbers,
}

/// A group that was tried.
struct Tried {
    /// Factors by which the errors of its statistics fall with shared numbers.
    gains: Vec<f64>,
    /// Its numbers, and its statistics as they are prepared for them; none where their noise will have another rate.
    shared: Option<(SharedNoise, Vec<State>)>,
}

/// Groups that were tried.
type Known = HashMap<Vec<usize>, Result<Tried, Obstacle>>;

/// Which statistics leave a group in which some err more than they should.
#[derive(Clone, Copy)]
enum Leaving {
    /// All that do.
    Losers,
    /// The one of the most numbers.
    Largest,
}

struct Choice<'a> {
    plan: &'a Plan,
    engine: &'a dyn Engine,
    grants: &'a Grants,
}

impl Choice<'_> {
    /// The groups of some candidates, those first that gain most. Their statistics are prepared for them.
    fn groups(&self, tasks: &mut [Task], mut left: Vec<usize>) -> Vec<SharedNoise> {
        let (mut found, mut known) = (Vec::new(), Known::new());
        while let Some(group) = self.best(tasks, &left, &mut known) {
            left.retain(|place| !group.contains(place));
            let shared = known.remove(&group).and_then(|tried| tried.ok()?.shared);
            found.extend(match shared {
                Some((noise, states)) => {
                    group.iter().zip(states).for_each(|(place, state)| state.restore(&mut tasks[*place]));
                    Some(noise)
                }
                None => self.share(tasks, &group).ok(),
            });
        }
        found
    }

    /// The group that gains most of those to which either way leads.
    fn best(&self, tasks: &mut [Task], candidates: &[usize], known: &mut Known) -> Option<Vec<usize>> {
        let ways = [Leaving::Losers, Leaving::Largest];
        let ends = ways.map(|leaving| self.shrunk(tasks, candidates.to_vec(), leaving, known));
        let most = ends.into_iter().flatten().reduce(|most, next| if next.1 > most.1 { next } else { most });
        most.map(|(group, _)| group)
    }

    /// Members of a group that are left when all of them gain, with the sum of the logarithms of their gains.
    fn shrunk(
        &self,
        tasks: &mut [Task],
        mut group: Vec<usize>,
        leaving: Leaving,
        known: &mut Known,
    ) -> Option<(Vec<usize>, f64)> {
        while let [first, _, ..] = group.as_slice() {
            let (least, least_of_all) = least_gains(law_of(&self.plan.statistics[*first]));
            let largest = group.iter().copied().max_by_key(|place| (tasks[*place].prepared.components().len(), *place));
            let tried = known.entry(group.clone()).or_insert_with(|| self.tried(tasks, &group));
            let gone: Vec<usize> = match tried {
                Err(Obstacle::Statistic(place)) => vec![*place],
                Err(Obstacle::Numbers) => largest.into_iter().collect(),
                Ok(Tried { gains, .. }) => {
                    let losers = group.iter().zip(&*gains).filter(|(_, gain)| **gain < least);
                    let losers: Vec<usize> = losers.map(|(place, _)| *place).collect();
                    if losers.is_empty() {
                        let all = gains.iter().map(|gain| gain.ln()).sum::<f64>();
                        return (all > least_of_all.ln()).then_some((group, all));
                    }
                    match leaving {
                        Leaving::Losers => losers,
                        Leaving::Largest => largest.into_iter().collect(),
                    }
                }
            };
            group.retain(|place| !gone.contains(place));
        }
        None
    }

    /// Tries a group with shared numbers. Tasks stay as they are.
    fn tried(&self, tasks: &mut [Task], group: &[usize]) -> Result<Tried, Obstacle> {
        let states = |tasks: &[Task]| group.iter().map(|place| State::of(&tasks[*place])).collect::<Vec<State>>();
        let own = states(tasks);
        let tried = self.gains(tasks, group).map(|(gains, noise)| {
            let shared = (noise.law == SharedLaw::Cube).then(|| (noise, states(tasks)));
            Tried { gains, shared }
        });
        group.iter().zip(own).for_each(|(place, own)| own.restore(&mut tasks[*place]));
        tried
    }

    /// Factor by which the error of each statistic of a group falls with shared numbers. Leaves tasks as they were
    /// tried. Gaussian noise is compared with that which the statistics would have if they were alone in the plan.
    fn gains(&self, tasks: &mut [Task], group: &[usize]) -> Result<(Vec<f64>, SharedNoise), Obstacle> {
        let rate = match law_of(&self.plan.statistics[group[0]]) {
            SharedLaw::Cube => None,
            SharedLaw::Gaussian => Some(self.rate(tasks, group).ok_or(Obstacle::Numbers)?),
        };
        let own: Vec<Prepared> =
            group.iter().map(|place| self.at(&mut tasks[*place], rate.as_ref())).collect::<Result<_, _>>()?;
        let noise = self.share(tasks, group)?;
        let rate = rate.map(|rate| noise.rate(&rate));
        let gain = |(place, own): (&usize, Prepared)| {
            let shared = self.at(&mut tasks[*place], rate.as_ref())?;
            Ok(gain(&tasks[*place].usual, &own, &shared))
        };
        let gains = group.iter().zip(own).map(gain).collect::<Result<_, _>>()?;
        Ok((gains, noise))
    }

    /// A statistic as it is prepared, or with a rate for its Gaussian noise.
    fn at(&self, task: &mut Task, rate: Option<&Rational>) -> Result<Prepared, Obstacle> {
        if rate.is_some() {
            task.setting.rho_rate = rate.cloned();
            prepare_again(self.plan, task).map_err(|_| Obstacle::Statistic(task.index))?;
        }
        Ok(task.prepared.clone())
    }

    /// The rate at which the Gaussian noise of a group would be accounted for by itself.
    fn rate(&self, tasks: &[Task], group: &[usize]) -> Option<Rational> {
        let prepared = tasks.iter().map(|task| group.contains(&task.index).then_some(&task.prepared));
        let joint = joint::groups(prepared, &[], &Partition::together(tasks.len()));
        joint.first()?.rate(group[0]).cloned()
    }

    /// Prepares the statistics of a group for shared numbers.
    fn share(&self, tasks: &mut [Task], group: &[usize]) -> Result<SharedNoise, Obstacle> {
        let (epsilon, delta) = sums_of(group, self.grants);
        for place in group {
            let task = &mut tasks[*place];
            let setting =
                Setting { epsilon: epsilon.clone(), delta: delta.clone(), rho_rate: None, ..task.setting.clone() };
            task.setting = setting.with_numbers(1);
            prepare_again(self.plan, task).map_err(|_| Obstacle::Statistic(*place))?;
            ask_again(self.plan, task);
            if !has_one_number_a_cell(task) || self.engine.check(&task.query).is_err() {
                return Err(Obstacle::Statistic(*place));
            }
        }
        let noise = SharedNoise::of_group(self.plan, group.to_vec(), tasks, self.grants);
        match noise.excess() {
            Some(_) => Err(Obstacle::Numbers),
            None => noise.prepare(self.plan, tasks).map(|()| noise).map_err(|_| Obstacle::Numbers),
        }
    }
}
