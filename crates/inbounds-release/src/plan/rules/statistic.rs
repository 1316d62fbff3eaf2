//! Checks of a statistic against its kind, and of the names.

use inbounds_input::document::{Complaint, Mistakes, Spanned, given, refuse_repeats, shorten};

use crate::plan::read::{Draft, StatisticDraft};
use crate::plan::{MechanismChoice, OutputRange};

pub(super) fn check(statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let Ok(kind) = &statistic.kind else { return };
    kind.entry.check(kind, statistic, draft, mistakes);
    let multiplied = given(&statistic.mechanism).filter(|mechanism| mechanism.value.entry().is_multiplied());
    if let Some(mechanism) = multiplied {
        check_multiplied(mechanism, statistic, mistakes);
        return;
    }
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

/// Noise that is a factor has answers above zero, and errors that are parts of them.
fn check_multiplied(mechanism: &Spanned<MechanismChoice>, statistic: &StatisticDraft, mistakes: &mut Mistakes) {
    let (place, word) = (&statistic.place, mechanism.value.word());
    let is_positive = |range: &OutputRange| match range {
        OutputRange::Declared { lower: Some(lower), .. } => lower.is_positive(),
        _ => false,
    };
    // A range that is itself a mistake is told by itself.
    let Ok(range) = &statistic.range else { return };
    if !range.as_ref().is_some_and(|range| is_positive(&range.value)) {
        let message = format!(
            "mechanism = \"{word}\" in {place} must come with a `range` whose lower end is above 0: its noise is a factor, and makes nothing of 0"
        );
        let help = "add a lower end that everyone knows, such as range = { lower = 1 }, where the kind has a `range`, or choose another mechanism";
        mistakes.note(&mechanism.span, message, help);
    }
    if let Some(want) = given(&statistic.want) {
        let message = format!(
            "`want` in {place} must be left out with mechanism = \"{word}\": its error is a part of the answer, and no number for all of them"
        );
        mistakes.note(&want.span, message, "remove `want`, or choose another mechanism");
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
