//! Public numbers are those of cells of a count with levels or margins, which it meets exactly.

use inbounds_bundle::KindWord;
use inbounds_input::document::{Mistakes, Spanned, given, shorten};

use crate::plan::{Levels, MarginColumns, PublicCells, PublicNumbers, read::StatisticDraft};

pub(super) fn check(statistic: &StatisticDraft, mistakes: &mut Mistakes) {
    let Some(public) = given(&statistic.public) else { return };
    let place = &statistic.place;
    if statistic.kind.as_ref().is_ok_and(|kind| kind.entry.word != KindWord::Count) {
        let message = format!("`public` in {place} must be left out: only counts can meet public numbers");
        mistakes.note(&public.span, message, "remove `public`, or write kind = \"count\"");
        return;
    }
    if statistic.levels == Ok(None) && statistic.margins == Ok(None) {
        let message = format!("`public` in {place} must come with `levels` or `margins`, whose cells it is of");
        mistakes.note(&public.span, message, "add `levels` or `margins`, or remove `public`");
        return;
    }
    public.value.iter().for_each(|numbers| check_one(numbers, statistic, mistakes));
}

fn check_one(numbers: &Spanned<PublicNumbers>, statistic: &StatisticDraft, mistakes: &mut Mistakes) {
    let place = &statistic.place;
    let PublicNumbers { level, margin, cells } = &numbers.value;
    let columns = margin.as_ref().map_or(&[][..], |margin| &margin.value);
    let levels = given(&statistic.levels);
    match (levels, level) {
        (Some(levels), Some(level)) if !levels.value.iter().any(|known| known.value == level.value) => {
            let message =
                format!("`level` of `public` in {place} must be one of `levels`, got `{}`", shorten(&level.value));
            let known: Vec<String> = levels.value.iter().map(|level| shorten(&level.value)).collect();
            mistakes.note(&level.span, message, format!("the levels here are {}", known.join(", ")));
            return;
        }
        (Some(_), None) if statistic.levels.is_ok() => {
            let message = format!("each of `public` in {place} must name the `level` that its numbers are of");
            mistakes.note(&numbers.span, message, "add `level`");
            return;
        }
        (None, Some(level)) if statistic.levels == Ok(None) => {
            let message =
                format!("`level` of `public` in {place} must be left out where the statistic has no `levels`");
            mistakes.note(&level.span, message, "remove `level`");
            return;
        }
        _ => {}
    }
    let by = given(&statistic.by).map_or(&[][..], |by| &by.value);
    let table = match (levels, given(&statistic.margins)) {
        (Some(levels), Some(_)) => {
            let last = levels.value.last().map_or("", |level| level.value.as_str());
            let begin = by.iter().position(|column| column.value == last).map_or(0, |place| place + 1);
            &by[begin..]
        }
        (None, Some(_)) => by,
        (_, None) => &[],
    };
    if let Some(column) = columns.iter().find(|column| !table.iter().any(|known| known.value == column.value)) {
        let message = format!(
            "`margin` of `public` in {place} must be made of columns of `margins`, got `{}`",
            shorten(&column.value)
        );
        mistakes.note(&column.span, message, "write [] for the total, or leave `margin` out");
        return;
    }
    if let (Some(margins), Some(false)) = (given(&statistic.margins), given(&statistic.every_margin).map(|it| it.value))
    {
        let is_it = |listed: &MarginColumns| {
            listed.value.len() == columns.len()
                && listed.value.iter().all(|listed| columns.iter().any(|column| column.value == listed.value))
        };
        if !margins.value.iter().any(is_it) {
            let message =
                format!("with every_margin = false, each `margin` of `public` in {place} must be one of `margins`");
            mistakes.note(&numbers.span, message, "list it in `margins`, or remove `every_margin`");
            return;
        }
    }
    let is_one = columns.is_empty() && level.as_ref().is_none_or(|level| level.value == Levels::ALL);
    if let (PublicCells::Number(_), false) = (cells, is_one) {
        let message = format!("`number` of `public` in {place} is for one cell, the total");
        mistakes.note(&numbers.span, message, "write `file` for several cells");
    }
}
