//! What a kind makes of the rest of its statistic, and names.

use inbounds_input::document::{Complaint, Mistakes, given, refuse_repeats, shorten};

use crate::plan::OutputRange;
use crate::plan::read::{Draft, StatisticDraft};

pub(super) fn check(statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let Ok(kind) = &statistic.kind else { return };
    kind.entry.check(kind, statistic, draft, mistakes);
    let unbounded = given(&statistic.range).is_some_and(|range| range.value == OutputRange::Unbounded);
    let conditioned = given(&statistic.mechanism).filter(|mechanism| !mechanism.value.entry().is_post_processing());
    if let Some(mechanism) = conditioned.filter(|_| unbounded) {
        let message = format!(
            "`mechanism` in {} must be \"clamped\" with range = \"unbounded\": there is no range to condition on",
            statistic.place
        );
        mistakes.note(&mechanism.span, message, "give the range an end, or remove `mechanism`");
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
