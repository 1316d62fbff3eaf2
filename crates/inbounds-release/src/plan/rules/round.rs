//! `round` is for counts.

use inbounds_bundle::KindWord;
use inbounds_input::document::Mistakes;

use crate::plan::read::{Draft, StatisticDraft};

pub(super) fn check(statistics: &[StatisticDraft], draft: &Draft, mistakes: &mut Mistakes) {
    let Ok(Some(round)) = &draft.round else { return };
    // A kind that could not be read may be one.
    let counts = |statistic: &StatisticDraft| {
        let word = statistic.kind.as_ref().map(|kind| kind.entry.word);
        word.is_err() || matches!(word, Ok(KindWord::Count | KindWord::Units | KindWord::Histogram))
    };
    if !statistics.iter().any(counts) {
        mistakes.note(
            &round.span,
            "`round` is for numbers of rows, and no statistic of the plan is a count",
            "leave it out, or ask for a statistic of kind \"count\", \"units\" or \"histogram\"",
        );
    }
}
