//! Margins are those of a grouped count, sum or mean: sets of columns of `by`, which together name all of them.

use inbounds_core::Rational;
use inbounds_input::document::{Mistakes, Spanned, given, shorten};
use inbounds_project::table::Axes;

use super::{
    cells,
    levels::{check_kind, check_rest},
};
use crate::plan::read::{Draft, StatisticDraft};
use crate::plan::{Fit, MarginColumns, MarginShares, beside_large};

/// Sets of columns, with what the plan wrote.
type Sets<'a> = Vec<(Axes, &'a MarginColumns)>;

pub(super) fn check(statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let place = &statistic.place;
    check_every(statistic, mistakes);
    let margins = match &statistic.margins {
        Ok(Some(margins)) => margins,
        Ok(None) => {
            if let Some(shares) = given(&statistic.margin_shares) {
                let message =
                    format!("`margin_shares` in {place} must come with `margins`, among which it divides epsilon");
                mistakes.note(&shares.span, message, "add `margins`, or remove `margin_shares`");
            }
            return;
        }
        Err(_) => return,
    };
    if !check_kind("margins", &margins.span, statistic, mistakes) {
        return;
    }
    check_statistic(margins, statistic, mistakes);
    let Some(by) = given(&statistic.by) else { return };
    // Beside levels the margins are those of the columns beyond the last level.
    let table = match given(&statistic.levels).and_then(|levels| levels.value.last()) {
        None => &by.value[..],
        Some(last) => match by.value.iter().position(|column| column.value == last.value) {
            // What is noted where the levels are.
            Some(place) if place + 1 == by.value.len() => return,
            Some(place) => &by.value[place + 1..],
            None => return,
        },
    };
    if by.value.len() > Axes::MOST {
        let message =
            format!("`by` in {place} must name at most {} columns with `margins`, got {}", Axes::MOST, by.value.len());
        mistakes.note(&by.span, message, "leave out columns");
        return;
    }
    if let Some(sets) = sets(&margins.value, (table, given(&statistic.levels).is_some()), place, mistakes) {
        check_sets(&sets, table, margins, place, mistakes);
        if given(&statistic.levels).is_some() {
            check_whole(&sets, table, margins, place, mistakes);
        }
        // Where some combinations are no cells all margins are solved for at once.
        if !cells::lacks_some(statistic, draft) {
            check_large(&sets, place, mistakes);
        }
        if let Some(shares) = given(&statistic.margin_shares) {
            check_shares(shares, &sets, place, mistakes);
        }
    }
}

/// Margins that are not listed are left out of tables at every level alone: elsewhere the solver needs them.
fn check_every(statistic: &StatisticDraft, mistakes: &mut Mistakes) {
    let Some(every) = given(&statistic.every_margin).filter(|every| !every.value) else { return };
    if statistic.margins == Ok(None) || statistic.levels == Ok(None) {
        let place = &statistic.place;
        let message = format!("`every_margin` in {place} must come with `levels` and `margins`, tables at every level");
        mistakes.note(&every.span, message, "remove `every_margin`");
    }
}

/// Checks the remaining requirements on a statistic with margins, and refuses the keys that it must not have.
fn check_statistic(margins: &Spanned<Vec<MarginColumns>>, statistic: &StatisticDraft, mistakes: &mut Mistakes) {
    let place = &statistic.place;
    if statistic.by == Ok(None) {
        let message = format!("`margins` in {place} must come with `by`, whose columns they are made of");
        mistakes.note(&margins.span, message, "add `by` with all columns of the table, or remove `margins`");
    }
    if let Some(fit) = given(&statistic.fit).filter(|fit| fit.value == Fit::Joint) {
        let message = format!("`fit` in {place} must be \"top-down\" or \"shrunk\" with `margins`");
        mistakes.note(&fit.span, message, "leave `fit` out for \"top-down\", in which cells never move margins");
    }
    check_rest("margins", &["clamped", "clamped-gaussian"], statistic, mistakes);
}

/// The sets of columns; none if one names what is no column of `by`, or a column twice.
fn sets<'a>(
    margins: &'a [MarginColumns],
    (by, has_levels): (&[Spanned<String>], bool),
    place: &str,
    mistakes: &mut Mistakes,
) -> Option<Sets<'a>> {
    let mut sets = Vec::new();
    for margin in margins {
        let mut axes = Axes::NONE;
        for column in &margin.value {
            let name = shorten(&column.value);
            let Some(axis) = by.iter().position(|by| by.value == column.value) else {
                let columns: Vec<String> = by.iter().map(|by| shorten(&by.value)).collect();
                let after = if has_levels { " after that of the last level" } else { "" };
                let message = format!("each margin in {place} must be made of columns of `by`{after}, got `{name}`");
                mistakes.note(&column.span, message, format!("the columns here are {}", columns.join(", ")));
                return None;
            };
            if axes.contains(axis) {
                let message = format!("a margin in {place} must name each column once, got `{name}` twice");
                mistakes.note(&column.span, message, "remove the second one");
                return None;
            }
            axes = axes.with(axis);
        }
        sets.push((axes, margin));
    }
    Some(sets)
}

/// Each set is listed once, together they have all columns, and what the fit takes them for is so.
fn check_sets(
    sets: &Sets<'_>,
    by: &[Spanned<String>],
    margins: &Spanned<Vec<MarginColumns>>,
    place: &str,
    mistakes: &mut Mistakes,
) {
    for (index, (axes, margin)) in sets.iter().enumerate() {
        if sets[..index].iter().any(|(earlier, _)| earlier == axes) {
            let message = format!("`margins` in {place} must list each set of columns once, in any order");
            mistakes.note(&margin.span, message, "remove the second one");
            return;
        }
    }
    let unused = |(axis, _): &(usize, &Spanned<String>)| !sets.iter().any(|(axes, _)| axes.contains(*axis));
    if let Some((_, column)) = by.iter().enumerate().find(unused) {
        let name = shorten(&column.value);
        let message = format!("`margins` in {place} must name every column of `by`, and none has `{name}`");
        mistakes.note(&margins.span, message, format!("add a margin with \"{name}\", or take it out of `by`"));
    }
}

/// Tables at every level are told by their cells: one margin has all of their columns.
fn check_whole(
    sets: &Sets<'_>,
    table: &[Spanned<String>],
    margins: &Spanned<Vec<MarginColumns>>,
    place: &str,
    mistakes: &mut Mistakes,
) {
    if sets.iter().any(|(axes, _)| axes.count() == table.len()) {
        return;
    }
    let columns: Vec<String> = table.iter().map(|column| format!("\"{}\"", shorten(&column.value))).collect();
    let message =
        format!("with `levels`, `margins` in {place} must list the cells of the tables: a margin of all their columns");
    mistakes.note(&margins.span, message, format!("add [{}]", columns.join(", ")));
}

/// A margin of three or more columns is solved for from those that it has.
fn check_large(sets: &Sets<'_>, place: &str, mistakes: &mut Mistakes) {
    let axes: Vec<Axes> = sets.iter().map(|(axes, _)| *axes).collect();
    if let Some((_, margin)) = beside_large(&axes).map(|place| sets[place]) {
        let message = format!(
            "with a margin of three or more columns, all `margins` in {place} must be part of it, and one is not"
        );
        let help = "list a margin that has the columns of both, or write two statistics";
        mistakes.note(&margin.span, message, help);
    }
}

/// `true` if a margin is part of no other.
fn is_largest(axes: Axes, sets: &Sets<'_>) -> bool {
    axes.is_largest(sets.iter().map(|(other, _)| *other))
}

fn check_shares(shares: &Spanned<MarginShares>, sets: &Sets<'_>, place: &str, mistakes: &mut Mistakes) {
    let MarginShares::Given(parts) = &shares.value else { return };
    if parts.len() != sets.len() {
        let message =
            format!("`margin_shares` in {place} must have one part a margin, {}, got {}", sets.len(), parts.len());
        mistakes.note(&shares.span, message, "write as many parts as there are margins, in their order");
        return;
    }
    let untold = |((axes, _), part): &(&(Axes, _), &Rational)| !part.is_positive() && is_largest(*axes, sets);
    if sets.iter().zip(parts).any(|pair| untold(&pair)) {
        let message = format!(
            "`margin_shares` in {place} must have a part above 0 for a margin that is part of no other: nothing else tells its \
             cells apart"
        );
        mistakes.note(&shares.span, message, "give it a part, or take it out of `margins`");
        return;
    }
    let total = parts.iter().fold(Rational::ZERO, |total, part| &total + part);
    if total != Rational::ONE {
        let message = format!("`margin_shares` in {place} must add up to 1, got {total}");
        let help = "write parts of the statistic's epsilon, such as [0.2, 0.8] or [\"1/3\", \"2/3\"]";
        mistakes.note(&shares.span, message, help);
    }
}
