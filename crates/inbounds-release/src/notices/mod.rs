//! Notices of the program about its own numbers, before anybody uses them.
//!
//! A release has measured how many rows its statistics are of, whether the plan asks for it or not. Compared with what
//! the plan says and against one another, these numbers show rows that vanished on the way: keys that are spelled
//! otherwise in the data, missing values, a column of another type. This reads measurements only, so it costs no
//! privacy.
//!
//! - `counted`: every number of rows with an interval, all of which hold together but for one release in
//!   [`ODDS_OF_FALSE_NOTICE`](inbounds_bundle::ODDS_OF_FALSE_NOTICE);
//! - `moments`: estimates against what a want says is public about a column;
//! - `rows`: what follows from these intervals. Nothing else is tested, so that is how often a notice is false.

mod counted;
mod moments;
mod promise;
mod public;
mod rows;

use inbounds_bundle::Notice;
use inbounds_statistics::{Doubt, Estimate};

pub(crate) use counted::{Between, miss_of_statistic};
pub(crate) use moments::of_moments;
pub(crate) use promise::{of_budget, of_cells, of_expected, of_factor, of_intervals, secret};
pub(crate) use rows::{Known, RowsRead};

use crate::{
    plan::Plan,
    prepared_statistic::Ends,
    released::{Released, tells_nothing},
};

/// Notices from the estimates themselves; `ranges` are those of the outputs of a cell.
pub(crate) fn of_estimates(estimates: &[Estimate], ranges: &[Ends]) -> Vec<Notice> {
    let mut notices = Vec::new();
    let outside = |estimate: &&Estimate| estimate.value < estimate.lower || estimate.value > estimate.upper;
    let count = estimates.iter().filter(outside).count();
    if count > 0 {
        notices.push(Notice::OutsideInterval { estimates: count });
    }
    let ranged = estimates.iter().zip(ranges.iter().cycle());
    let told = ranged.filter(|(estimate, range)| tells_nothing(estimate, range)).count();
    if told > 0 {
        notices.push(Notice::IntervalsFillRange { estimates: told, of: estimates.len() });
    }
    notices
}

/// Notices from a statistic's own measurements.
pub(crate) fn of_doubts(doubts: Vec<Doubt>) -> impl Iterator<Item = Notice> {
    doubts.into_iter().map(|doubt| match doubt {
        Doubt::ClassesLikeNoise => Notice::ClassesLikeNoise,
        Doubt::VariancesLikeNoise { variances, total } => Notice::VariancesLikeNoise { variances, of: total },
    })
}

/// The rows that count in a statistic, where their number was measured, in an interval that misses with probability at
/// most `miss`.
pub(crate) fn rows_counted(released: &Released, miss: f64) -> Option<Between> {
    counted::total(released, miss)
}

/// Notices from the numbers of rows of all statistics, a list each.
pub(crate) fn of_rows(plan: &Plan, known: &Known, released: &[Released]) -> Vec<Vec<Notice>> {
    let miss = miss_of_statistic(released.len());
    let counted: Vec<_> = released.iter().map(|released| counted::Counted::new(plan, released, miss)).collect();
    let of_one = |(one, released): (&Option<counted::Counted>, &Released)| {
        let rows = one.as_ref().map_or_else(Vec::new, |one| rows::notices(one, &counted, known));
        rows.into_iter().chain(public::contradicted(released, 0.25 * miss)).collect()
    };
    counted.iter().zip(released).map(of_one).collect()
}
