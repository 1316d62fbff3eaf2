//! Statistics of a plan that get one vector of noise.
//!
//! # Law
//! Statistics of the same rows and groups that the plan names under `together` measure sums of bounded numbers: `D` of them, where a
//! number that several statistics need is measured once. A unit moves number `j` of group `g` by `d_gj`, with `sum_g |d_gj| <= B_j`,
//! and its pieces are at most the same shares of their bounds, because all statistics count the same rows in the same groups. So one
//! vector of cube noise a group, as [`Together`] calibrates it, keeps the epsilon of all of them together: the sum of their parts. Against
//! parts of it for `D` numbers, variances are less by `6 D^2 / ((D + 1)(D + 2))`.
//!
//! Where a unit has several rows, which of them are kept depends on the columns that a statistic reads: without groups any rows will do, since
//! each number stays within its bound; with groups the pieces would be different ones, and the reader refuses that. Claims: `cube-pieces`,
//! `plan-shared-noise`.

mod best;

use std::collections::HashMap;

use inbounds_bundle::SharedNoiseEntry;
use inbounds_core::{Answer, Epsilon, Grid, Guarantee, Quantity, Rational};
use inbounds_data::{Clip, Missing};
use inbounds_input::document::Spanned;
use inbounds_mechanisms::{
    account::Event,
    mechanism::{Measurements, Together},
    noise::DiscreteCube,
    sampler::Entropy,
};
use inbounds_statistics::{CellEntry, Component};

pub(crate) use self::best::{candidates, choose, gain};
use crate::{
    grants::Grants,
    outline::Refused,
    plan::{Mistake, Plan, Sharing},
    preparing::prepare_again,
    task::Task,
};

/// The measured vectors that are one number: place of the statistic, and of its component.
pub type Members = Vec<(usize, usize)>;

/// Statistics with one vector of noise.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedNoise {
    /// Their places in the plan, in its order.
    pub statistics: Vec<usize>,
    /// Epsilon of all of them together.
    pub epsilon: Epsilon,
    /// The numbers of the vector, each with all measured vectors that it is.
    pub numbers: Vec<Members>,
}

/// What measuring a statistic costs: `alone`, by its name, unless it is measured together with others. That is one event of all of
/// them, which are about the same rows, and stands with the first.
pub(crate) fn events(
    plan: &Plan,
    together: &[SharedNoise],
    task: &Task,
    alone: impl FnOnce(&str) -> Vec<Event>,
) -> Vec<Event> {
    match SharedNoise::of_statistic(together, task.index) {
        Some(shared) if shared.begins_with(task.index) => vec![shared.event(plan)],
        Some(_) => Vec::new(),
        None => alone(&plan.statistics[task.index].name.value),
    }
}

/// What two components must agree in to be one number.
#[derive(PartialEq)]
struct Number<'t> {
    role: &'t Quantity,
    grid: Grid,
    divisor: u64,
    moved: u128,
    /// How the columns are read that it depends on.
    clips: Vec<&'t Clip>,
    /// The columns without which a row does not count.
    needed: Vec<&'t str>,
}

impl<'t> Number<'t> {
    /// Of a component whose role says all that it is made of; none for others.
    fn of(task: &'t Task, component: &'t Component) -> Option<Self> {
        let columns: Vec<&str> = match &component.role {
            role if *role == Quantity::COUNT => Vec::new(),
            Quantity::CentredSum { column } | Quantity::CentredSquares { column } => vec![column],
            Quantity::CentredProducts { row, column } => vec![row, column],
            _ => return None,
        };
        // Where a unit has several rows, all values decide which of them are kept, but not how many.
        let decides = task.query.bound.is_some() && component.role != Quantity::COUNT;
        let columns: Vec<&str> = match decides {
            true => task.query.values.iter().map(|clip| clip.column.as_str()).collect(),
            false => columns,
        };
        let clip = |name: &str| task.query.values.iter().find(|clip| clip.column == name);
        Some(Self {
            role: &component.role,
            grid: component.grid,
            divisor: component.divisor,
            moved: component.mechanism.sensitivity().l1,
            clips: columns.into_iter().map(clip).collect::<Option<_>>()?,
            needed: needed(task),
        })
    }
}

/// The columns without which a row does not count, each once.
fn needed(task: &Task) -> Vec<&str> {
    let dropping = task.query.values.iter().filter(|clip| clip.missing == Missing::Drop);
    let mut columns: Vec<&str> = dropping.map(|clip| clip.column.as_str()).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// The groups that the plan names, as written; none if it leaves them to the program.
fn named(plan: &Plan) -> &[Spanned<Vec<Spanned<String>>>] {
    match &plan.privacy.together {
        Sharing::Named(groups) => groups,
        Sharing::Best => &[],
    }
}

/// The statistics of each group that the plan names, by their places; the reader has judged the names.
fn groups(plan: &Plan) -> impl Iterator<Item = Vec<usize>> {
    let place = |name: &String| plan.statistics.iter().position(|statistic| statistic.name.value == *name);
    named(plan).iter().map(move |group| {
        let mut places: Vec<usize> = group.value.iter().filter_map(|name| place(&name.value)).collect();
        places.sort_unstable();
        places
    })
}

/// Epsilon of the group that the plan names a statistic in, if it does.
pub(crate) fn epsilon(plan: &Plan, statistic: usize, grants: &Grants) -> Option<Epsilon> {
    groups(plan).find(|group| group.contains(&statistic)).map(|group| sum_of(&group, grants))
}

/// Epsilon of statistics with one vector of noise.
fn sum_of(group: &[usize], grants: &Grants) -> Epsilon {
    let sum = group.iter().fold(Rational::ZERO, |sum, place| &sum + grants.epsilon(*place).value());
    Epsilon::new(sum).expect("parts of epsilon are positive")
}

impl SharedNoise {
    /// The groups that a plan names, whose statistics have been prepared for vectors of any size, and are for theirs afterwards.
    ///
    /// # Errors
    /// A mistake at the group, for more numbers than a vector has, or at a statistic.
    pub(crate) fn of_plan(plan: &Plan, tasks: &mut [Task]) -> Result<Vec<Self>, Refused> {
        let found = Self::named(plan, tasks).map_err(Refused::Mistakes)?;
        found.iter().try_for_each(|shared| shared.prepare(plan, tasks))?;
        Ok(found)
    }

    /// Prepares its statistics for its vector of noise.
    fn prepare(&self, plan: &Plan, tasks: &mut [Task]) -> Result<(), Refused> {
        for place in &self.statistics {
            let task = &mut tasks[*place];
            task.setting = task.setting.clone().with_vector(self.numbers.len());
            prepare_again(plan, task)?;
        }
        Ok(())
    }

    /// The groups that a plan names.
    fn named(plan: &Plan, tasks: &[Task]) -> Result<Vec<Self>, Vec<Mistake>> {
        let found = groups(plan).zip(named(plan)).map(|(statistics, written)| {
            let several = statistics.iter().find(|place| !has_one_number_a_cell(&tasks[**place]));
            if let Some(place) = several {
                let statistic = &plan.statistics[*place];
                let name = &statistic.name.value;
                let message = format!(
                    "`together` in [privacy] must not name statistic `{name}`, whose numbers are measured as one"
                );
                let help = "remove the name, or `measure = \"matrix\"` from the statistic".to_owned();
                return Err(plan.mistake(written.span.clone(), message, Some(help)));
            }
            let numbers = numbers(&statistics, tasks);
            if numbers.len() > DiscreteCube::MOST_DIMENSIONS {
                let (most, found) = (DiscreteCube::MOST_DIMENSIONS, numbers.len());
                let message =
                    format!("`together` in [privacy] must measure at most {most} numbers at once, got {found}");
                let help = "divide the statistics into two groups".to_owned();
                return Err(plan.mistake(written.span.clone(), message, Some(help)));
            }
            let epsilon = tasks[statistics[0]].setting.epsilon.clone();
            Ok(Self { statistics, epsilon, numbers })
        });
        let (sound, mistakes): (Vec<_>, Vec<_>) = found.partition(Result::is_ok);
        let mistakes: Vec<Mistake> = mistakes.into_iter().filter_map(Result::err).collect();
        if mistakes.is_empty() { Ok(sound.into_iter().flatten().collect()) } else { Err(mistakes) }
    }

    /// The one that a statistic is in, by its place.
    pub(crate) fn of_statistic(together: &[Self], statistic: usize) -> Option<&Self> {
        together.iter().find(|shared| shared.statistics.contains(&statistic))
    }

    /// Whether a statistic is the first, which stands for all where they are one.
    pub(crate) fn begins_with(&self, statistic: usize) -> bool {
        self.statistics.first() == Some(&statistic)
    }

    /// What it costs.
    fn event(&self, plan: &Plan) -> Event {
        let names: Vec<&str> =
            self.statistics.iter().map(|place| plan.statistics[*place].name.value.as_str()).collect();
        Event::new(names.join(", "), Guarantee::Pure { epsilon: self.epsilon.clone() })
    }

    /// Measures the answers of all its statistics, which it takes: one vector of noise for each of their groups of rows.
    pub(crate) fn measure(
        &self,
        tasks: &[Task],
        answers: &mut [Vec<Answer>],
        entropy: &mut dyn Entropy,
    ) -> Vec<Vec<Measurements>> {
        let placed = |place: &usize| {
            let own = std::mem::take(&mut answers[*place]).into_iter().enumerate();
            own.map(|(index, answer)| ((*place, index), answer)).collect::<Vec<_>>()
        };
        let mut answers: HashMap<(usize, usize), Answer> = self.statistics.iter().flat_map(placed).collect();
        // Where statistics need the same number, their answers are the same, and one of them is read.
        let first = self.numbers.iter().map(|members| members[0]);
        let mechanisms: Vec<_> =
            first.clone().map(|(place, index)| tasks[place].prepared.components()[index].mechanism.clone()).collect();
        let of_numbers = first.map(|member| answers.remove(&member).expect("each number is measured once")).collect();
        let measured = Together::measure(&mechanisms, of_numbers, entropy);
        let told = |place: &usize| {
            let vector = |(index, component): (usize, &Component)| {
                let number = self.numbers.iter().position(|members| members.contains(&(*place, index)));
                let steps = measured[number.expect("every component is a number")].steps().to_vec();
                Measurements::from_published(component.mechanism.clone(), steps)
            };
            tasks[*place].prepared.components().into_iter().enumerate().map(vector).collect()
        };
        self.statistics.iter().map(told).collect()
    }

    /// The public record.
    pub(crate) fn entry(&self, plan: &Plan) -> SharedNoiseEntry {
        SharedNoiseEntry {
            statistics: self.statistics.iter().map(|place| plan.statistics[*place].name.value.clone()).collect(),
            epsilon: self.epsilon.value().into(),
            numbers: self.numbers.len() as u64,
        }
    }
}

/// Whether each component is one number a cell.
fn has_one_number_a_cell(task: &Task) -> bool {
    let components = 0..task.prepared.components().len();
    components.into_iter().all(|component| task.prepared.entries(component) == [CellEntry::Only])
}

/// The numbers that statistics need, each once.
fn numbers(statistics: &[usize], tasks: &[Task]) -> Vec<Members> {
    let components: Vec<(usize, usize, &Component)> = statistics
        .iter()
        .flat_map(|place| {
            let components = tasks[*place].prepared.components();
            components.into_iter().enumerate().map(|(index, component)| (*place, index, component))
        })
        .collect();
    let mut numbers: Vec<(Option<Number<'_>>, Members)> = Vec::new();
    for (place, index, component) in components {
        let number = Number::of(&tasks[place], component);
        let same = numbers.iter_mut().find(|(known, _)| number.is_some() && *known == number);
        match same {
            Some((_, members)) => members.push((place, index)),
            None => numbers.push((number, vec![(place, index)])),
        }
    }
    numbers.into_iter().map(|(_, members)| members).collect()
}
