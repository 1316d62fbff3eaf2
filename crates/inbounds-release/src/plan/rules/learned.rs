//! Keys that are learned from the rows: what is counted in them, and what they do not go with.

use inbounds_core::Delta;
use inbounds_data::KeySpace;
use inbounds_input::document::{Mistakes, Spanned, given, shorten};
use inbounds_mechanisms::partition::KeyNoise;

use crate::{
    plan::domain::domain,
    plan::{
        KeyValue, Kind,
        read::{ColumnDraft, Draft, StatisticDraft},
    },
};

pub(super) fn check(statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let place = &statistic.place;
    let Some(learn) = given(&statistic.learn_keys).filter(|learn| learn.value.is_some()) else {
        check_alone(statistic, mistakes);
        return;
    };
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
    match &statistic.spurious {
        Ok(None) => {
            check_delta(learn, place, draft, mistakes);
            check_listed(learn, statistic, draft, mistakes);
        }
        Ok(Some(_)) => {
            check_noise(learn, place, mistakes);
            check_space(statistic, draft, mistakes);
        }
        Err(_) => {}
    }
    check_joint(statistic, draft, mistakes);
    check_keys(statistic, mistakes);
    check_missing(statistic, draft, mistakes);
    check_rest(statistic, mistakes);
}

/// A key that one unit alone has may be published, with a probability that must be granted.
fn check_delta(learn: &Spanned<Option<KeyNoise>>, place: &str, draft: &Draft, mistakes: &mut Mistakes) {
    let Ok(Ok(delta)) = draft.privacy.as_ref().map(|privacy| &privacy.delta) else { return };
    if delta.as_ref().is_none_or(|delta| delta.value == Delta::ZERO) {
        let message = format!(
            "`learn_keys` in {place} must come with `delta` in [privacy]: a key that one unit alone has is published with a small \
             probability, never with none"
        );
        let help = "add a delta such as delta = 1e-9, list the keys with `values` or `keys`, or write how many published cells may be empty \
                    with `spurious`";
        mistakes.note(&learn.span, message, help);
    }
}

/// Every key of a space has noise without end.
fn check_noise(learn: &Spanned<Option<KeyNoise>>, place: &str, mistakes: &mut Mistakes) {
    if learn.value == Some(KeyNoise::Optimal) {
        let message = format!(
            "`learn_keys` in {place} must be true with `spurious`: the optimal selection is one of the keys that rows have, by a delta"
        );
        mistakes.note(&learn.span, message, "write learn_keys = true, or replace `spurious` by a delta in [privacy]");
    }
}

/// Refuses the key of learned keys in a statistic without these.
fn check_alone(statistic: &StatisticDraft, mistakes: &mut Mistakes) {
    if let (Some(spurious), Ok(_)) = (given(&statistic.spurious), &statistic.learn_keys) {
        let message = format!("`spurious` in {} must come with learn_keys = true", statistic.place);
        mistakes.note(&spurious.span, message, "add learn_keys = true, or remove `spurious`");
    }
}

/// The number of cells is not known before noise chose them, and so neither is the chance of a miss that each may have.
fn check_joint(statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let own = given(&statistic.interval.joint);
    let of_plan = given(&draft.interval.joint).filter(|_| statistic.interval.joint == Ok(None));
    if let Some(joint) = own.or(of_plan).filter(|joint| joint.value) {
        let place = &statistic.place;
        let message = format!(
            "`joint` must be false for {place}: noise chooses which of its cells are published, so no interval can hold for all of them at once"
        );
        let help = "write joint = false in the statistic, or list its keys with `values` or `keys`";
        mistakes.note(&joint.span, message, help);
    }
}

/// A file lists the keys, and so there is nothing to choose.
fn check_keys(statistic: &StatisticDraft, mistakes: &mut Mistakes) {
    if let Some(keys) = given(&statistic.keys) {
        let place = &statistic.place;
        let message = format!("`keys` in {place} must be left out with `learn_keys`: a key file lists every cell");
        mistakes.note(&keys.span, message, "remove `keys`, or remove `learn_keys`");
    }
}

/// All keys that can be must be known, and not too many.
fn check_space(statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let Some(by) = given(&statistic.by) else { return };
    if draft.columns.is_err() {
        return;
    }
    let mut domains = Vec::new();
    for name in &by.value {
        let declared = draft.column(&name.value);
        let unread = |column: &ColumnDraft| {
            column.values.is_err() || column.bounds.is_err() || column.column_type.is_err() || column.made.is_err()
        };
        let kind = declared.and_then(|column| given(&column.column_type)).map(|kind| kind.value);
        let is_undeclared = declared.is_none() && !draft.may_be_undeclared();
        if is_undeclared || declared.is_some_and(unread) || matches!(kind, Some(Kind::Number | Kind::Date)) {
            // Noted where it stands.
            return;
        }
        let domain = declared.and_then(|column| {
            let values = given(&column.values).map(|values| values.iter().map(|value| value.value.clone()).collect());
            domain(kind, values, given(&column.bounds))
        });
        match domain {
            Some(domain) => domains.push((name.value.clone(), domain)),
            None => {
                let shown = shorten(&name.value);
                let message = format!(
                    "`by` in {} needs all values that `{shown}` can have, because `spurious` puts noise on every one",
                    statistic.place
                );
                let help = format!(
                    "add `values`, or for whole numbers `lower` and `upper`, to {}; or write a delta in place of `spurious`",
                    draft.header(&name.value)
                );
                mistakes.note(&name.span, message, help);
            }
        }
    }
    if domains.len() == by.value.len() && KeySpace::new(domains).is_err() {
        let message = format!("`by` in {} must have at most 2^63 keys with `spurious`", statistic.place);
        mistakes.note(&by.span, message, "group by fewer columns, or write narrower bounds");
    }
}

/// A missing cell is none of the keys that are learned.
fn check_missing(statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    for name in given(&statistic.by).into_iter().flat_map(|by| &by.value) {
        let values = draft.column(&name.value).and_then(|column| given(&column.values));
        if let Some(value) = values.and_then(|values| values.iter().find(|value| value.value == KeyValue::Missing)) {
            let message = format!(
                "`values` in {} must not list the missing cell where {} learns its keys",
                draft.header(&name.value),
                statistic.place
            );
            let help = "give missing cells a word: a column with recode = { missing = \"not stated\", ... }";
            mistakes.note(&value.span, message, help);
        }
    }
}

/// Something must be left to learn.
fn check_listed(learn: &Spanned<Option<KeyNoise>>, statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let place = &statistic.place;
    let Some(by) = given(&statistic.by) else { return };
    let lists =
        |column: &Spanned<String>| draft.column(&column.value).is_some_and(|column| !matches!(column.values, Ok(None)));
    if by.value.iter().all(lists) {
        let message = format!("`learn_keys` in {place} has nothing to learn: every column of `by` lists its `values`");
        mistakes.note(&learn.span, message, "remove `learn_keys`, or the `values` of a column");
    }
}

/// Refuses keys that give a statistic with learned keys noise, a range or parts of its own.
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
