//! Which statistics are made of the same numbers, where the plan leaves the choice to the program.
//!
//! **Idea.** Candidates are the statistics that a plan may name together: those made of sums over the same rows in the same groups, with
//! the same kind of noise. A group grows by one statistic after another, those of few sums first: with numbers measured once for all of them,
//! the errors to expect are held against those with measurements of their own. One vector of cube noise takes a statistic in if each
//! member errs clearly less than by itself and all together gain by it: a matrix of a hundred sums would drown a count, and keeps its own
//! noise. With Gaussian noise, of which the statistics have the same rho either way, no member may lose, and all together must gain.
//! What decides is the plan and what is supposed of groups, never a row.
//!
//! **Invariant.** Tasks that are in no group are as they were.

use inbounds_bundle::SharedLaw;
use inbounds_core::{Partition, Rational};
use inbounds_data::{Clip, Engine};
use inbounds_statistics::Setting;

use super::{SharedNoise, has_one_number_a_cell, law_of, sums_of};
use crate::{
    Assumed,
    grants::Grants,
    joint,
    plan::{Plan, Statistic, Unit},
    preparing::{ask_again, prepare_again},
    task::{Prepared, Task},
};

/// How many times less statistics must err. Some errors are simulated, and known to a few hundredths.
const LEAST_GAIN: f64 = 1.1;

/// How many times less each statistic must err, and the product over all that a group must pass.
fn least_gains(law: SharedLaw) -> (f64, f64) {
    match law {
        SharedLaw::Cube => (LEAST_GAIN, 1.0),
        SharedLaw::Gaussian => (1.0 / 1.02, LEAST_GAIN),
    }
}

/// The groups of a plan whose statistics were prepared with noise of their own, and are prepared again where they share it.
pub(crate) fn choose(plan: &Plan, tasks: &mut [Task], engine: &dyn Engine, grants: &Grants) -> Vec<SharedNoise> {
    let choice = Choice { plan, engine, grants };
    candidates(plan).into_iter().filter_map(|candidates| choice.grown(tasks, candidates)).collect()
}

/// How many times less a statistic errs with other noise: the geometric mean over the cases that are expected of both.
pub(crate) fn gain(own: &Prepared, other: &Prepared, task: &Task) -> f64 {
    let supposed = Assumed::Usual.of(task);
    let [own, other] = [own, other].map(|prepared| prepared.expected_errors(&supposed));
    let pairs = own.iter().filter_map(|own| Some((own, other.iter().find(|other| other.case == own.case)?)));
    let ratios = pairs.map(|(own, other)| (own.rmse / other.rmse).ln()).filter(|ratio| ratio.is_finite());
    let (sum, count) = ratios.fold((0.0, 0.0), |(sum, count), ratio| (sum + ratio, count + 1.0));
    if count > 0.0 { (sum / count).exp() } else { 0.0 }
}

/// Statistics that a plan may name together, by their noise and the rows and groups that they are of, if there are two of them.
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

/// Whether a plan may name a statistic beside others; the rules of the reader say why.
fn may_share(plan: &Plan, statistic: &Statistic) -> bool {
    let has_one_row = !matches!(plan.privacy.unit, Unit::Column { .. });
    statistic.kind.shares_noise()
        && !statistic.learn_keys.value
        && statistic.levels.is_none()
        && statistic.margins.is_none()
        && statistic.want.is_empty()
        && statistic.mechanism.value.may_be_shared()
        && (has_one_row || statistic.by.is_empty())
}

fn have_same_rows(one: &Statistic, other: &Statistic) -> bool {
    let by = |statistic: &Statistic| statistic.by.iter().map(|column| column.value.clone()).collect::<Vec<_>>();
    let words = |statistic: &Statistic| {
        [&statistic.keys, &statistic.filter].map(|words| words.as_ref().map(|words| words.value.clone()))
    };
    by(one) == by(other) && words(one) == words(other) && law_of(one) == law_of(other)
}

/// What a task is with noise of its own.
struct Own {
    setting: Setting,
    prepared: Prepared,
    values: Vec<Clip>,
    products: Vec<(usize, usize)>,
    rows_per_cell: Option<u64>,
}

impl Own {
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

struct Choice<'a> {
    plan: &'a Plan,
    engine: &'a dyn Engine,
    grants: &'a Grants,
}

impl Choice<'_> {
    /// The part of a group that shares its noise, prepared so; none if that is less than two.
    fn grown(&self, tasks: &mut [Task], mut candidates: Vec<usize>) -> Option<SharedNoise> {
        candidates.sort_by_key(|place| (tasks[*place].prepared.components().len(), *place));
        let mut shared: Option<(SharedNoise, f64)> = None;
        let mut group: Vec<usize> = Vec::new();
        for newcomer in candidates {
            let mut larger = group.clone();
            larger.push(newcomer);
            larger.sort_unstable();
            if larger.len() == 1 {
                group = larger;
                continue;
            }
            let (_, least) = least_gains(law_of(&self.plan.statistics[newcomer]));
            let least = shared.as_ref().map_or(least.ln(), |(_, gained)| *gained);
            if let Some(found) = self.tried(tasks, &larger).filter(|(_, gained)| *gained > least) {
                (shared, group) = (Some(found), larger);
            } else if shared.is_none() && group.len() == 1 {
                // The smallest may be in the way of all others, which are tried without it.
                group = vec![newcomer];
            }
        }
        let (noise, _) = shared?;
        self.share(tasks, &noise.statistics)
    }

    /// A group with shared numbers and the sum of the logarithms of what its statistics gain, if each gains enough. Tasks stay as they
    /// are.
    fn tried(&self, tasks: &mut [Task], group: &[usize]) -> Option<(SharedNoise, f64)> {
        let own: Vec<Own> = group.iter().map(|place| Own::of(&tasks[*place])).collect();
        let found = self.gained(tasks, group);
        group.iter().zip(own).for_each(|(place, own)| own.restore(&mut tasks[*place]));
        found
    }

    /// The same, and leaves tasks as they were tried.
    fn gained(&self, tasks: &mut [Task], group: &[usize]) -> Option<(SharedNoise, f64)> {
        let law = law_of(&self.plan.statistics[group[0]]);
        // Gaussian noise is held against that which the statistics would have if they were alone in the plan.
        let rate = match law {
            SharedLaw::Cube => None,
            SharedLaw::Gaussian => Some(self.rate(tasks, group)?),
        };
        let mut own = Vec::new();
        for place in group {
            let task = &mut tasks[*place];
            if rate.is_some() {
                task.setting.rho_rate.clone_from(&rate);
                prepare_again(self.plan, task).ok()?;
            }
            own.push(task.prepared.clone());
        }
        let noise = self.share(tasks, group)?;
        for place in group {
            let task = &mut tasks[*place];
            if let Some(rate) = &rate {
                task.setting.rho_rate = Some(noise.rate(rate));
                prepare_again(self.plan, task).ok()?;
            }
        }
        let gains = group.iter().zip(&own).map(|(place, own)| gain(own, &tasks[*place].prepared, &tasks[*place]));
        let gains: Vec<f64> = gains.collect();
        let (least, _) = least_gains(law);
        let all_gain = gains.iter().all(|gain| *gain >= least);
        all_gain.then(|| (noise, gains.iter().map(|gain| gain.ln()).sum()))
    }

    /// The rate at which the Gaussian noise of a group would be accounted for by itself.
    fn rate(&self, tasks: &[Task], group: &[usize]) -> Option<Rational> {
        let prepared = tasks.iter().map(|task| group.contains(&task.index).then_some(&task.prepared));
        let joint = joint::groups(prepared, &[], &Partition::together(tasks.len()));
        joint.first()?.rate(group[0]).cloned()
    }

    /// Prepares the statistics of a group with shared numbers; none if one of them cannot be.
    fn share(&self, tasks: &mut [Task], group: &[usize]) -> Option<SharedNoise> {
        let (epsilon, delta) = sums_of(group, self.grants);
        for place in group {
            let task = &mut tasks[*place];
            let setting =
                Setting { epsilon: epsilon.clone(), delta: delta.clone(), rho_rate: None, ..task.setting.clone() };
            task.setting = setting.with_numbers(1);
            prepare_again(self.plan, task).ok()?;
            ask_again(self.plan, task);
            if !has_one_number_a_cell(task) || self.engine.check(&task.query).is_err() {
                return None;
            }
        }
        let noise = SharedNoise::of_group(self.plan, group.to_vec(), tasks, self.grants);
        if noise.excess().is_some() {
            return None;
        }
        noise.prepare(self.plan, tasks).ok()?;
        Some(noise)
    }
}
