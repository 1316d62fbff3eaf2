//! What each kind of statistic needs, and which combinations make no sense.

use inbounds_core::Neighbours;
use inbounds_input::document::{Complaint, Mistakes, Spanned, given, refuse_repeats, shorten};

use crate::plan::OutputRange;
use crate::plan::read::{Draft, KindWord, StatisticDraft};

pub(super) fn check(statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let Ok(kind) = &statistic.kind else { return };
    if kind.value == KindWord::Count {
        check_count(statistic, draft, mistakes);
    }
    if given(&statistic.mechanism).is_some_and(|mechanism| !mechanism.value.is_post_processing()) {
        check_conditioned(kind.value, statistic, draft, mistakes);
    }
}

/// Names are unique, because files and tables of the bundle go by them.
pub(super) fn check_names(statistics: &[StatisticDraft], mistakes: &mut Mistakes) {
    let names: Vec<_> = statistics.iter().filter_map(|statistic| statistic.name.as_ref().ok().cloned()).collect();
    // Repeats are noted, and nothing further hangs on the names.
    let _ = refuse_repeats(&names, mistakes, |name| {
        Complaint::new(
            format!("the name `{}` must be unique, and an earlier statistic has it", shorten(name)),
            "give each statistic its own name",
        )
    });
}

fn check_count(statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let place = &statistic.place;
    let plain = statistic.by == Ok(None) && statistic.filter == Ok(None);
    let public = draft.privacy.as_ref().is_ok_and(|privacy| privacy.rows_are_public());
    if plain && public {
        let message =
            format!("{place} counts all rows, which is the public `rows` of [privacy]: there is nothing to protect");
        mistakes.note(&statistic.span, message, "drop this statistic, or add `where` or `by`");
    }
}

fn check_conditioned(kind: KindWord, statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let place = &statistic.place;
    let Some(mechanism) = given(&statistic.mechanism) else { return };
    if given(&statistic.range).is_some_and(|range| range.value == OutputRange::Unbounded) {
        let message = format!(
            "`mechanism` in {place} must be \"clamped\" with range = \"unbounded\": \
             there is no range to condition on"
        );
        mistakes.note(&mechanism.span, message, "give the range an end, or remove `mechanism`");
    }
    if kind == KindWord::Mean
        && let Some(reason) = noisy_denominator(statistic, draft)
    {
        let message = format!(
            "`mechanism` in {place} must be \"clamped\" for a mean {reason}: \
             it is a ratio of noisy sums, clamped by construction"
        );
        mistakes.note(
            &mechanism.span,
            message,
            "remove `mechanism`, or release a conditioned sum and a conditioned count",
        );
    }
}

/// Why the number of rows that count is private, if it is.
pub(super) fn noisy_denominator(statistic: &StatisticDraft, draft: &Draft) -> Option<&'static str> {
    let privacy = draft.privacy.as_ref().ok()?;
    let drops = |column: &&Spanned<String>| draft.column(&column.value).is_some_and(|column| column.drops_missing());
    if statistic.by != Ok(None) {
        Some("with `by`")
    } else if statistic.filter != Ok(None) {
        Some("with `where`")
    } else if privacy.neighbours == Ok(Neighbours::AddRemove) {
        Some("under neighbours = \"add-remove\"")
    } else if privacy.unit.as_ref().is_ok_and(|unit| unit.column().is_some()) {
        Some("with a unit column")
    } else if statistic.columns().iter().any(drops) {
        Some("of a column with missing = \"drop\"")
    } else {
        None
    }
}
