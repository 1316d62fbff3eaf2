//! The parts of epsilon, as far as the text of the plan says by itself that a row can count in all statistics.

use inbounds_core::Rational;
use inbounds_input::document::{Mistakes, given};
use inbounds_ledger::Composition;

use crate::plan::read::{Draft, PrivacyDraft, StatisticDraft};

/// Shares are on all statistics without a want or on none, and add up to at most 1, exactly. Where conditions or keys
/// may keep rows apart, the types of the columns say whether they do, and the sums are left to
/// [`Grants`](crate::Grants).
pub(super) fn check(statistics: &[StatisticDraft], draft: &Draft, mistakes: &mut Mistakes) {
    let others = || statistics.iter().filter(|statistic| statistic.want == Ok(None));
    if others().any(|statistic| matches!(statistic.share, Ok(Some(_)) | Err(_))) {
        for statistic in others().filter(|statistic| statistic.share == Ok(None)) {
            let message =
                format!("{} must have `share`: some statistics have one, so all without `want` must", statistic.place);
            mistakes.note(&statistic.span, message, "add `share` here, or remove all shares for equal parts");
        }
    }
    if may_be_apart(statistics, draft) {
        return;
    }
    let mut total = Rational::ZERO;
    let mut first_over = None;
    for share in others().filter_map(|statistic| given(&statistic.share)) {
        total = &total + &share.value;
        if total > Rational::ONE && first_over.is_none() {
            first_over = Some(&share.span);
        }
    }
    if let Some(span) = first_over {
        let message = format!("the shares must add up to at most 1, got {total}");
        mistakes.note(span, message, format!("lower the shares by {} in all", &total - &Rational::ONE));
    }
}

/// `true` if two statistics could each be about rows that are not the other's, and this could count.
fn may_be_apart(statistics: &[StatisticDraft], draft: &Draft) -> bool {
    let is_limited = |statistic: &&StatisticDraft| statistic.filter != Ok(None) || statistic.by != Ok(None);
    let composes = |privacy: &PrivacyDraft| match (&privacy.unit, privacy.neighbours) {
        (Ok(unit), Ok(neighbours)) => {
            Composition::within_release(&unit.protected(), neighbours) == Composition::Parallel
        }
        // What is wrong with them has been noted.
        _ => true,
    };
    statistics.iter().filter(is_limited).count() > 1 && draft.privacy.as_ref().map_or(true, composes)
}
