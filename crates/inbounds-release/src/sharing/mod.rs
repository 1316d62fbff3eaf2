//! Statistics of a plan that are made of the same numbers, each measured once.
//!
//! # Law
//! Statistics of the same rows and groups measure sums of bounded numbers: `D` of them, where a number that several
//! statistics need is measured once.
//!
//! **One vector of noise.** A unit moves number `j` of group `g` by `d_gj`, with `sum_g |d_gj| <= B_j`,
//! and its pieces are at most the same shares of their bounds, because all statistics count the same rows in the same
//! groups. So one vector of cube noise a group, as [`Together`](inbounds_mechanisms::mechanism::Together) calibrates
//! it, keeps the epsilon of all of them together: the sum of their parts. Against parts of it for `D` numbers,
//! variances are less by `6 D^2 / ((D + 1)(D + 2))`.
//!
//! **Gaussian noise.** Rhos add, whatever the numbers are, so each of them has its own noise and an equal part of the
//! rho that the statistics would have by themselves. With `e_i` the epsilon of statistic `i` and `r` the rate of the
//! plan (`joint.rs`) that is
//!
//! ```text
//! rho_j = r sum_i e_i^2 / D,
//! ```
//!
//! so that no statistic outside has other noise for it. What is saved are the repeated numbers.
//!
//! Where a unit has several rows, which of them are kept depends on the columns that a statistic reads: without groups
//! any rows will do, since each number stays within its bound; with groups the pieces would be different ones, and the
//! reader refuses that. Claims: `cube-pieces`, `plan-shared-noise`.

mod best;
pub(crate) mod named;
mod numbers;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use inbounds_bundle::{Id, SharedLaw, SharedNoiseEntry};
use inbounds_core::{Answer, Epsilon, Guarantee, Rational};
use inbounds_mechanisms::{
    account::Event,
    mechanism::{Measurements, Mechanism},
    noise::DiscreteCube,
    sampler::Entropy,
};
use inbounds_statistics::{Component, Setting};

pub(crate) use self::best::{candidates, choose, gain};
use self::named::{groups, named, sums_of};
pub use self::numbers::Members;
use self::numbers::{has_one_number_a_cell, numbers};
use crate::{
    error::Refused,
    grants::Grants,
    plan::{Mistake, Plan, Statistic},
    prepared_statistic::{PreparedStatistic, Variant},
    preparing::variant,
};

/// Statistics whose numbers are each measured once.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedNoise {
    /// Their places in the plan, in its order.
    pub statistics: Vec<usize>,
    /// Epsilon of all of them together.
    pub epsilon: Epsilon,
    /// The squares of their epsilons, added up.
    pub(crate) squares: Rational,
    /// The noise.
    pub law: SharedLaw,
    /// The numbers, each with all measured vectors that it is.
    pub numbers: Vec<Members>,
}

/// Cost of measuring a statistic: `alone`, by its name, unless its numbers are measured for others too. One vector of
/// noise is one event, listed under the first statistic; a number with noise of its own is one, by `event`, listed
/// under the first statistic that uses it. All of these are about the same rows.
pub(crate) fn events(
    plan: &Plan,
    together: &[SharedNoise],
    task: &PreparedStatistic,
    event: impl Fn(String, &dyn Mechanism) -> Event,
    alone: impl FnOnce(&str) -> Vec<Event>,
) -> Vec<Event> {
    match SharedNoise::of_statistic(together, task.index) {
        None => alone(&plan.statistics[task.index].name.value),
        Some(shared) => {
            let members = plan.statistic_names(&shared.statistics).join(", ");
            match shared.law {
                SharedLaw::Cube if shared.begins_with(task.index) => {
                    vec![Event::new(members, Guarantee::Pure { epsilon: shared.epsilon.clone() })]
                }
                SharedLaw::Cube => Vec::new(),
                SharedLaw::Gaussian => {
                    let components = task.prepared.components();
                    let own = shared.own_numbers(task.index).map(|component| components[component]);
                    own.map(|one| event(format!("{members}: {}", one.role), &*one.mechanism)).collect()
                }
            }
        }
    }
}

/// Which noise a statistic shares.
fn law_of(statistic: &Statistic) -> SharedLaw {
    if statistic.mechanism.value.entry().is_clamped_gaussian() { SharedLaw::Gaussian } else { SharedLaw::Cube }
}

impl SharedNoise {
    /// The groups that a plan names, whose statistics have been prepared for vectors of any size, and are for theirs
    /// afterwards.
    ///
    /// # Errors
    /// A mistake at the group, for more numbers than a vector has, or at a statistic.
    pub(crate) fn of_plan(plan: &Plan, tasks: &mut [PreparedStatistic], grants: &Grants) -> Result<Vec<Self>, Refused> {
        let groups = Self::named(plan, tasks, grants).map_err(Refused::Mistakes)?;
        let take = |(shared, any_size): (Self, Vec<Variant>)| {
            let variants = shared.variants(plan, tasks, &any_size);
            let variants = variants.map_err(|mistake| Refused::Mistakes(vec![mistake]))?;
            shared.statistics.iter().zip(variants).for_each(|(place, variant)| tasks[*place].take(variant));
            Ok(shared)
        };
        groups.into_iter().map(take).collect()
    }

    /// Of statistics in variants for shared numbers.
    fn of_group(plan: &Plan, statistics: Vec<usize>, variants: &[Variant], grants: &Grants) -> Self {
        let (epsilon, _) = sums_of(&statistics, grants);
        let placed: Vec<(usize, &Variant)> = statistics.iter().copied().zip(variants).collect();
        let squared = |place: &usize| grants.epsilon(*place).value() * grants.epsilon(*place).value();
        Self {
            epsilon,
            squares: statistics.iter().map(squared).fold(Rational::ZERO, |sum, square| &sum + &square),
            law: law_of(&plan.statistics[statistics[0]]),
            numbers: numbers(&placed, plan.privacy.unit.bound().is_some()),
            statistics,
        }
    }

    /// More numbers than the noise can be drawn for, and how many it can be.
    fn excess(&self) -> Option<usize> {
        match self.law {
            SharedLaw::Cube => Some(DiscreteCube::MOST_DIMENSIONS).filter(|most| self.numbers.len() > *most),
            SharedLaw::Gaussian => None,
        }
    }

    /// Its statistics for its numbers, from variants for shared numbers, however many.
    fn variants(
        &self,
        plan: &Plan,
        tasks: &[PreparedStatistic],
        any_size: &[Variant],
    ) -> Result<Vec<Variant>, Mistake> {
        // All have the same rows, groups and epsilon, so the numbers of one are those of all.
        let together = any_size[0].setting.numbers(self.numbers.len());
        let of_statistic = |(place, any_size): (&usize, &Variant)| {
            debug_assert!(
                any_size.setting.numbers(self.numbers.len()) == together,
                "statistics of other rows share no numbers"
            );
            variant(plan, &tasks[*place], Setting { together: Some(together.clone()), ..any_size.setting.clone() })
        };
        self.statistics.iter().zip(any_size).map(of_statistic).collect()
    }

    /// The groups that a plan names, each with its statistics for vectors of any size.
    fn named(
        plan: &Plan,
        tasks: &[PreparedStatistic],
        grants: &Grants,
    ) -> Result<Vec<(Self, Vec<Variant>)>, Vec<Mistake>> {
        // Of the valid part of a refused plan a group may be empty.
        let there = groups(plan).zip(named(plan)).filter(|(statistics, _)| !statistics.is_empty());
        let shared_groups = there.map(|(statistics, written)| {
            let several = statistics.iter().find(|place| !has_one_number_a_cell(&tasks[**place].prepared));
            if let Some(place) = several {
                let statistic = &plan.statistics[*place];
                let name = &statistic.name.value;
                let message = format!(
                    "`together` in [privacy] must not name statistic `{name}`, whose numbers are measured as one"
                );
                let help = "remove the name, or `measure = \"matrix\"` from the statistic".to_owned();
                return Err(plan.mistake(written.span.clone(), message, Some(help)));
            }
            let variants: Vec<Variant> = statistics.iter().map(|place| tasks[*place].variant()).collect();
            let shared = Self::of_group(plan, statistics, &variants, grants);
            if let Some(most) = shared.excess() {
                let count = shared.numbers.len();
                let message =
                    format!("`together` in [privacy] must measure at most {most} numbers at once, got {count}");
                let help = "divide the statistics into two groups".to_owned();
                return Err(plan.mistake(written.span.clone(), message, Some(help)));
            }
            Ok((shared, variants))
        });
        let (sound, mistakes): (Vec<_>, Vec<_>) = shared_groups.partition(Result::is_ok);
        let mistakes: Vec<Mistake> = mistakes.into_iter().filter_map(Result::err).collect();
        if mistakes.is_empty() { Ok(sound.into_iter().flatten().collect()) } else { Err(mistakes) }
    }

    /// The one that a statistic is in, by its place.
    pub(crate) fn of_statistic(together: &[Self], statistic: usize) -> Option<&Self> {
        together.iter().find(|shared| shared.statistics.contains(&statistic))
    }

    /// `true` for the first statistic, which represents all where they are one.
    pub(crate) fn begins_with(&self, statistic: usize) -> bool {
        self.statistics.first() == Some(&statistic)
    }

    /// The components of a statistic that are numbers of no statistic before it.
    pub(crate) fn own_numbers(&self, statistic: usize) -> impl Iterator<Item = usize> {
        let first = self.numbers.iter().map(|members| members[0]);
        first.filter(move |(place, _)| *place == statistic).map(|(_, component)| component)
    }

    /// The squared epsilon by which each number has its rho at a rate.
    pub(crate) fn weight(&self) -> Rational {
        &self.squares / &Rational::from(self.numbers.len() as u128)
    }

    /// A rate for each square of its epsilon, from one for each square of the epsilons of its statistics.
    pub(crate) fn rate(&self, rate: &Rational) -> Rational {
        let epsilon = self.epsilon.value();
        &(rate * &self.squares) / &(epsilon * epsilon)
    }

    /// Measures the answers of all its statistics, which it takes: by one vector of noise for each of their groups of
    /// rows, or number by number.
    pub(crate) fn measure(
        &self,
        tasks: &[PreparedStatistic],
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
        let components: Vec<&Component> =
            first.clone().map(|(place, index)| tasks[place].prepared.components()[index]).collect();
        let of_numbers = first.map(|member| answers.remove(&member).expect("each number is measured once")).collect();
        let measured = inbounds_statistics::measure(&components, of_numbers, entropy);
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
        let needed = self.numbers.iter().map(Vec::len).sum::<usize>();
        SharedNoiseEntry {
            statistics: plan.statistic_names(&self.statistics),
            law: Id::Known(self.law),
            epsilon: self.epsilon.value().into(),
            numbers: self.numbers.len() as u64,
            needed: Some(needed as u64),
        }
    }
}
