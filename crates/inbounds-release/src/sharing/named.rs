//! Groups of statistics that a plan names, with what they are granted together.

use inbounds_core::{Delta, Epsilon, Rational};
use inbounds_input::document::Spanned;

use crate::{
    grants::Grants,
    plan::{Plan, Sharing},
};

/// The groups that the plan names, as written; none if it leaves them to the program.
pub(super) fn named(plan: &Plan) -> &[Spanned<Vec<Spanned<String>>>] {
    match &plan.privacy.together {
        Sharing::Named(groups) => groups,
        Sharing::Best => &[],
    }
}

/// The statistics of each group that the plan names, by their places; the reader has judged the names.
pub(super) fn groups(plan: &Plan) -> impl Iterator<Item = Vec<usize>> {
    let place = |name: &String| plan.statistics.iter().position(|statistic| statistic.name.value == *name);
    named(plan).iter().map(move |group| {
        let mut places: Vec<usize> = group.value.iter().filter_map(|name| place(&name.value)).collect();
        places.sort_unstable();
        places
    })
}

/// Epsilon and delta of the group that the plan names a statistic in, if it does.
pub(crate) fn granted(plan: &Plan, statistic: usize, grants: &Grants) -> Option<(Epsilon, Delta)> {
    groups(plan).find(|group| group.contains(&statistic)).map(|group| sums_of(&group, grants))
}

/// Epsilon and delta of statistics together.
pub(super) fn sums_of(group: &[usize], grants: &Grants) -> (Epsilon, Delta) {
    let sum = |part: &dyn Fn(usize) -> Rational| group.iter().fold(Rational::ZERO, |sum, place| &sum + &part(*place));
    let epsilon = Epsilon::new(sum(&|place| grants.epsilon(place).value().clone()));
    let delta = Delta::new(sum(&|place| grants.delta(place).value().clone()));
    (epsilon.expect("parts of epsilon are positive"), delta.expect("parts of a delta are less than it"))
}
