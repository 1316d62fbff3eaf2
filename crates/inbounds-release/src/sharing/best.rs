//! Which statistics get one vector of noise, where the plan leaves the choice to the program.
//!
//! **Idea.** Candidates are the statistics that a plan may name together: those made of sums over the same rows in the same groups. A group
//! grows by one statistic after another, those of few sums first: with one vector for all of them, the errors to expect are held against
//! those with noise of their own. A statistic joins if each member errs clearly less than by itself and all together gain by it: a
//! matrix of a hundred sums would drown a count, and keeps its own noise. What decides is the plan and what is supposed of groups, never a row.
//!
//! **Invariant.** Tasks that are in no group are as they were.

use inbounds_data::{Clip, Engine};
use inbounds_mechanisms::noise::DiscreteCube;
use inbounds_statistics::Setting;

use super::{SharedNoise, has_one_number_a_cell, numbers, sum_of};
use crate::{
    Assumed,
    grants::Grants,
    plan::{Plan, Statistic, Unit},
    preparing::{ask_again, prepare_again},
    task::{Prepared, Task},
};

/// How many times less each statistic must err. Some errors are simulated, and known to a few hundredths.
const LEAST_GAIN: f64 = 1.1;

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

/// Statistics that a plan may name together, by the rows and groups that they are of, if there are two of them.
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
        && statistic.mechanism.value.may_be_default()
        && (has_one_row || statistic.by.is_empty())
}

fn have_same_rows(one: &Statistic, other: &Statistic) -> bool {
    let by = |statistic: &Statistic| statistic.by.iter().map(|column| column.value.clone()).collect::<Vec<_>>();
    let words = |statistic: &Statistic| {
        [&statistic.keys, &statistic.filter].map(|words| words.as_ref().map(|words| words.value.clone()))
    };
    by(one) == by(other) && words(one) == words(other)
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
            let least = shared.as_ref().map_or(0.0, |(_, gained)| *gained);
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

    /// A group with one vector of noise and the sum of the logarithms of what its statistics gain, if each gains enough. Tasks stay as they
    /// are.
    fn tried(&self, tasks: &mut [Task], group: &[usize]) -> Option<(SharedNoise, f64)> {
        let own: Vec<Own> = group.iter().map(|place| Own::of(&tasks[*place])).collect();
        let noise = self.share(tasks, group);
        let gains = group.iter().zip(&own).map(|(place, own)| {
            let task = &tasks[*place];
            gain(&own.prepared, &task.prepared, task)
        });
        let found = noise.and_then(|noise| {
            let gains: Vec<f64> = gains.collect();
            let all_gain = gains.iter().all(|gain| *gain >= LEAST_GAIN);
            all_gain.then(|| (noise, gains.iter().map(|gain| gain.ln()).sum()))
        });
        group.iter().zip(own).for_each(|(place, own)| own.restore(&mut tasks[*place]));
        found
    }

    /// Prepares the statistics of a group with one vector of noise; none if one of them cannot be.
    fn share(&self, tasks: &mut [Task], group: &[usize]) -> Option<SharedNoise> {
        let epsilon = sum_of(group, self.grants);
        for place in group {
            let task = &mut tasks[*place];
            task.setting = Setting { epsilon: epsilon.clone(), ..task.setting.clone() }.with_vector(1);
            prepare_again(self.plan, task).ok()?;
            ask_again(self.plan, task);
            if !has_one_number_a_cell(task) || self.engine.check(&task.query).is_err() {
                return None;
            }
        }
        let noise = SharedNoise { statistics: group.to_vec(), epsilon, numbers: numbers(group, tasks) };
        if noise.numbers.len() > DiscreteCube::MOST_DIMENSIONS {
            return None;
        }
        noise.prepare(self.plan, tasks).ok()?;
        Some(noise)
    }
}
