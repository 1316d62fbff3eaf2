//! What a statistic that wants an accuracy has no use for, and what an epsilon that is found needs.

use inbounds_input::document::{Mistakes, given};

use crate::plan::{
    Fit, GrantedEpsilon,
    read::{Draft, StatisticDraft},
};

pub(super) fn check(statistics: &[StatisticDraft], draft: &Draft, mistakes: &mut Mistakes) {
    let granted = draft.privacy.as_ref().ok().and_then(|privacy| privacy.epsilon.as_ref().ok());
    let is_found = granted.is_some_and(|granted| granted.value == GrantedEpsilon::Least);
    for statistic in statistics {
        if given(&statistic.want).is_some() {
            check_one(statistic, mistakes);
        } else if is_found && statistic.want == Ok(None) {
            let message = format!(
                "{} must have `want`: with epsilon = \"least\" its epsilon follows from nothing else",
                statistic.place
            );
            mistakes.note(&statistic.span, message, "add a want such as want = { rmse = 5 }, or give epsilon a number");
        }
    }
}

fn check_one(statistic: &StatisticDraft, mistakes: &mut Mistakes) {
    let place = &statistic.place;
    if let Some(share) = given(&statistic.share) {
        let message =
            format!("`share` in {place} must be left out with `want`, from which its part of epsilon follows");
        mistakes.note(&share.span, message, "remove `share`, or remove `want`");
    }
    if let Some(fit) = given(&statistic.fit).filter(|fit| fit.value != Fit::TopDown) {
        let message =
            format!("`fit` in {place} must be \"top-down\" with `want`: the error of the others depends on the rows");
        mistakes.note(&fit.span, message, "remove `fit`, or remove `want`");
    }
}
