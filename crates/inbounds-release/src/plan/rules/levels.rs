//! Levels are those of a grouped count, sum or mean: prefixes of `by`, from coarse to fine, down to the whole of it.

use std::ops::Range;

use inbounds_bundle::KindWord;
use inbounds_core::Rational;
use inbounds_input::document::{Mistakes, Spanned, given, shorten};

use crate::plan::read::StatisticDraft;
use crate::plan::{LevelShares, Levels, MechanismChoice, OutputRange};

pub(super) fn check(statistic: &StatisticDraft, mistakes: &mut Mistakes) {
    let place = &statistic.place;
    let levels = match &statistic.levels {
        Ok(Some(levels)) => levels,
        Ok(None) => {
            if let Some(shares) = given(&statistic.level_shares) {
                let message =
                    format!("`level_shares` in {place} must come with `levels`, among which it divides epsilon");
                mistakes.note(&shares.span, message, "add `levels`, or remove `level_shares`");
            }
            if let Some(fit) = given(&statistic.fit).filter(|_| statistic.margins == Ok(None)) {
                let message = format!("`fit` in {place} must come with `levels` or `margins`, which it makes add up");
                mistakes.note(&fit.span, message, "add `levels` or `margins`, or remove `fit`");
            }
            return;
        }
        Err(_) => return,
    };
    check_statistic(levels, statistic, mistakes);
    if let Some(by) = given(&statistic.by) {
        check_order(&levels.value, by, given(&statistic.margins).is_some(), place, mistakes);
    }
    if let Some(shares) = given(&statistic.level_shares) {
        check_shares(shares, levels.value.len(), place, mistakes);
    }
}

/// Checks the remaining requirements on a statistic with levels, and refuses the keys that it must not have.
fn check_statistic(levels: &Spanned<Vec<Spanned<String>>>, statistic: &StatisticDraft, mistakes: &mut Mistakes) {
    let place = &statistic.place;
    if !check_kind("levels", &levels.span, statistic, mistakes) {
        return;
    }
    if statistic.by == Ok(None) {
        let message = format!("`levels` in {place} must come with `by`, whose columns tell the cells of a level apart");
        mistakes.note(&levels.span, message, "add `by`, coarse columns first, or remove `levels`");
    }
    // Levels of tables by themselves have margins to add up to, and what else must hold is that of margins.
    if given(&statistic.margins).is_some() {
        return;
    }
    if levels.value.len() == 1 {
        let message = format!("`levels` in {place} must name at least two levels: one has nothing to add up to");
        mistakes.note(&levels.span, message, "add a coarser level, such as \"all\", or remove `levels`");
    }
    check_rest("levels", &["clamped"], statistic, mistakes);
}

/// `true` if a statistic is of a kind that comes from sums; notes it if it is not. `key`, at `span`, is the key by
/// which it is to add up.
pub(super) fn check_kind(key: &str, span: &Range<usize>, statistic: &StatisticDraft, mistakes: &mut Mistakes) -> bool {
    if statistic.kind.as_ref().is_ok_and(|kind| !kind.entry.adds_up) {
        let message = format!(
            "`{key}` in {} must be left out: only counts, sums and means come from what adds up",
            statistic.place
        );
        let help = format!(
            "remove `{key}`, or write kind = \"count\", \"sum\" or \"mean\"; a mean of zeros and ones is a proportion"
        );
        mistakes.note(span, message, help);
        return false;
    }
    true
}

/// Refuses the keys that a statistic of sums must not have; `key` is the key by which it adds up, and `mechanisms` are
/// those that can measure it.
pub(super) fn check_rest(key: &str, mechanisms: &[&str], statistic: &StatisticDraft, mistakes: &mut Mistakes) {
    let place = &statistic.place;
    let is_other = |mechanism: &&Spanned<MechanismChoice>| !mechanisms.contains(&mechanism.value.entry().plan_name);
    if let Some(mechanism) = given(&statistic.mechanism).filter(is_other) {
        let accepted: Vec<String> = mechanisms.iter().map(|name| format!("\"{name}\"")).collect();
        let message = format!(
            "`mechanism` in {place} must be {} with `{key}`: what adds up is solved for from plain noise",
            accepted.join(" or ")
        );
        mistakes.note(&mechanism.span, message, format!("remove `mechanism`, or remove `{key}`"));
    }
    let is_of_sums = statistic.kind.as_ref().is_ok_and(|kind| kind.entry.word != KindWord::Mean);
    match given(&statistic.range) {
        Some(range) if range.value == OutputRange::Unbounded && is_of_sums => {
            if let Some(fit) = given(&statistic.fit) {
                let message =
                    format!("`fit` in {place} must be left out with range = \"unbounded\", which is the linear fit");
                mistakes.note(&fit.span, message, "remove `fit`, or remove `range`");
            }
        }
        Some(range) => {
            let message = format!(
                "`range` in {place} must be left out with `{key}`, or be \"unbounded\" for a count or a sum: what adds up has the \
                 range that follows from its terms"
            );
            mistakes.note(&range.span, message, format!("remove `range`, or remove `{key}`"));
        }
        None => {}
    }
    if let Some(population) = given(&statistic.population).filter(|population| population.value) {
        let message =
            format!("`population` in {place} must be left out with `{key}`: their intervals are for the rows");
        mistakes.note(&population.span, message, format!("remove `population`, or remove `{key}`"));
    }
}

/// Each level is a longer part of `by` than the one before, and the last is all of it, or all but the columns of a
/// table.
fn check_order(
    levels: &[Spanned<String>],
    by: &Spanned<Vec<Spanned<String>>>,
    has_table: bool,
    place: &str,
    mistakes: &mut Mistakes,
) {
    let columns = &by.value;
    if let Some(column) = columns.iter().find(|column| column.value == Levels::ALL) {
        let message = format!("`by` in {place} must not name a column `all` with `levels`, where \"all\" is the total");
        mistakes.note(&column.span, message, "rename the column in the data, or remove `levels`");
        return;
    }
    let depth = |level: &Spanned<String>| match columns.iter().position(|column| column.value == level.value) {
        Some(place) => Some(place + 1),
        None => (level.value == Levels::ALL).then_some(0),
    };
    let mut before: Option<usize> = None;
    for level in levels {
        let name = shorten(&level.value);
        let Some(depth) = depth(level) else {
            let message = format!("each level in {place} must be \"all\" or a column of `by`, got `{name}`");
            mistakes.note(&level.span, message, format!("the levels here are {}", possible(columns)));
            return;
        };
        if before.is_some_and(|before| depth <= before) {
            let message =
                format!("the levels in {place} must follow the order of `by`, each once, and `{name}` does not");
            mistakes.note(&level.span, message, format!("the levels here are {}", possible(columns)));
            return;
        }
        before = Some(depth);
    }
    if let (Some(level), Some(column), true) = (levels.last(), columns.last(), has_table) {
        if level.value == column.value {
            let message = format!(
                "with `margins`, the last level in {place} must have columns of `by` after it: those of the tables"
            );
            mistakes.note(&level.span, message, "add the columns of `margins` to the end of `by`, or remove `margins`");
        }
    } else if let (Some(level), Some(column)) = (levels.last(), columns.last())
        && level.value != column.value
    {
        let name = shorten(&column.value);
        let message = format!("the last level in {place} must be `{name}`, the last column of `by`");
        mistakes.note(&level.span, message, format!("add \"{name}\" to `levels`, or remove columns from `by`"));
    }
}

/// Every level that there could be, coarse to fine.
fn possible(columns: &[Spanned<String>]) -> String {
    let names = std::iter::once(Levels::ALL).chain(columns.iter().map(|column| column.value.as_str()));
    names.map(shorten).collect::<Vec<_>>().join(", ")
}

fn check_shares(shares: &Spanned<LevelShares>, levels: usize, place: &str, mistakes: &mut Mistakes) {
    let LevelShares::Given(parts) = &shares.value else { return };
    if parts.len() != levels {
        let message = format!("`level_shares` in {place} must have one part a level, {levels}, got {}", parts.len());
        mistakes.note(&shares.span, message, "write as many parts as there are levels, in their order");
        return;
    }
    if parts.last().is_some_and(|last| !last.is_positive()) {
        let message = format!(
            "`level_shares` in {place} must end with a part above 0: nothing else tells the finest cells apart"
        );
        mistakes.note(&shares.span, message, "give the last level a part, or take its column out of `by` and `levels`");
        return;
    }
    let total = parts.iter().fold(Rational::ZERO, |total, part| &total + part);
    if total != Rational::ONE {
        let message = format!("`level_shares` in {place} must add up to 1, got {total}");
        mistakes.note(
            &shares.span,
            message,
            "write parts of the statistic's epsilon, such as [0.2, 0.8] or [\"1/3\", \"2/3\"]",
        );
    }
}
