//! The parts of epsilon.

use inbounds_core::Rational;
use inbounds_input::document::{Mistakes, given};

use crate::plan::read::StatisticDraft;

/// Shares are on all statistics or on none, and add up to at most 1, exactly.
pub(super) fn check(statistics: &[StatisticDraft], mistakes: &mut Mistakes) {
    if statistics.iter().any(|statistic| matches!(statistic.share, Ok(Some(_)) | Err(_))) {
        for statistic in statistics.iter().filter(|statistic| statistic.share == Ok(None)) {
            let message = format!("{} must have `share`: some statistics have one, so all must", statistic.place);
            mistakes.note(&statistic.span, message, "add `share` here, or remove all shares for equal parts");
        }
    }
    let mut total = Rational::ZERO;
    let mut first_over = None;
    for share in statistics.iter().filter_map(|statistic| given(&statistic.share)) {
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
