//! Keys that are learned from the rows: what is counted in them, and what they do not go with.

use inbounds_core::Delta;
use inbounds_input::document::{Mistakes, Spanned, given};

use crate::plan::read::{Draft, StatisticDraft};

pub(super) fn check(statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let place = &statistic.place;
    let Some(learn) = given(&statistic.learn_keys).filter(|learn| learn.value) else { return };
    if let Ok(kind) = statistic.kind.as_ref()
        && !kind.entry.learns_keys
    {
        let message = format!(
            "`learn_keys` in {place} must be left out: only counts and numbers of units are published with keys that nobody listed"
        );
        let help = "list the keys with `values` or `keys`, or write kind = \"count\"";
        mistakes.note(&learn.span, message, help);
        return;
    }
    if statistic.by == Ok(None) {
        let message = format!("`learn_keys` in {place} must come with `by`, whose columns the keys are of");
        mistakes.note(&learn.span, message, "add `by`, or remove `learn_keys`");
    }
    check_delta(learn, place, draft, mistakes);
    check_listed(learn, statistic, draft, mistakes);
    check_rest(statistic, mistakes);
}

/// A key that one unit alone has may be published, with a probability that must be granted.
fn check_delta(learn: &Spanned<bool>, place: &str, draft: &Draft, mistakes: &mut Mistakes) {
    let Ok(Ok(delta)) = draft.privacy.as_ref().map(|privacy| &privacy.delta) else { return };
    if delta.as_ref().is_none_or(|delta| delta.value == Delta::ZERO) {
        let message = format!(
            "`learn_keys` in {place} must come with `delta` in [privacy]: a key that one unit alone has is published with a small \
             probability, never with none"
        );
        let help = "add a delta such as delta = 1e-9, or list the keys with `values` or `keys`";
        mistakes.note(&learn.span, message, help);
    }
}

/// Something must be left to learn.
fn check_listed(learn: &Spanned<bool>, statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let place = &statistic.place;
    if let Some(keys) = given(&statistic.keys) {
        let message = format!("`keys` in {place} must be left out with `learn_keys`: a key file lists every cell");
        mistakes.note(&keys.span, message, "remove `keys`, or remove `learn_keys`");
    }
    let Some(by) = given(&statistic.by) else { return };
    let lists =
        |column: &Spanned<String>| draft.column(&column.value).is_some_and(|column| !matches!(column.values, Ok(None)));
    if by.value.iter().all(lists) {
        let message = format!("`learn_keys` in {place} has nothing to learn: every column of `by` lists its `values`");
        mistakes.note(&learn.span, message, "remove `learn_keys`, or the `values` of a column");
    }
}

/// What has noise, a range or parts of its own.
fn check_rest(statistic: &StatisticDraft, mistakes: &mut Mistakes) {
    let place = &statistic.place;
    let mut refuse = |span: &std::ops::Range<usize>, key: &str, why: &str| {
        let message = format!("`{key}` in {place} must be left out with `learn_keys`: {why}");
        mistakes.note(span, message, format!("remove `{key}`, or remove `learn_keys`"));
    };
    if let Some(levels) = given(&statistic.levels) {
        refuse(&levels.span, "levels", "cells that are not published have nothing to add up to");
    }
    if let Some(margins) = given(&statistic.margins) {
        refuse(&margins.span, "margins", "cells that are not published have nothing to add up to");
    }
    if let Some(want) = given(&statistic.want) {
        refuse(&want.span, "want", "which cells are published, and how they err, depends on the rows");
    }
    if let Some(mechanism) = given(&statistic.mechanism).filter(|mechanism| !mechanism.value.may_be_default()) {
        refuse(&mechanism.span, "mechanism", "a threshold on noisy counts is a mechanism of its own");
    }
    if let Some(range) = given(&statistic.range) {
        refuse(&range.span, "range", "a published count is at least the threshold");
    }
}
