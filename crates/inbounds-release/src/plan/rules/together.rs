//! Statistics that get one vector of noise: they count the same rows in the same groups, and are made of sums.

use std::collections::HashSet;

use inbounds_input::{
    document::{Mistakes, Spanned, given, shorten},
    nearest,
};

use crate::plan::{
    MechanismChoice, PossibleFile, Sharing, kinds,
    read::{Draft, StatisticDraft},
};

/// Every name is of a statistic, in one group; the statistics of a group can be measured together.
pub(super) fn check(statistics: &[StatisticDraft], draft: &Draft, mistakes: &mut Mistakes) {
    let Ok(privacy) = &draft.privacy else { return };
    let Some(Sharing::Named(groups)) = given(&privacy.together) else { return };
    let mut seen: HashSet<&str> = HashSet::new();
    for group in groups {
        if group.value.len() < 2 {
            let help = "name a second statistic, or remove `together`: the noise of one statistic is its own";
            mistakes.note(&group.span, "`together` in [privacy] must name at least two statistics", help);
        }
        let mut members: Vec<(&Spanned<String>, &StatisticDraft)> = Vec::new();
        for name in &group.value {
            if !seen.insert(&name.value) {
                let message = format!(
                    "`together` in [privacy] must name each statistic once, got `{}` again",
                    shorten(&name.value)
                );
                mistakes.note(&name.span, message, "remove the name here");
            } else if let Some(statistic) = of_name(statistics, &name.value) {
                members.push((name, statistic));
            } else if statistics.iter().all(|statistic| statistic.name.is_ok()) {
                note_unknown(name, statistics, mistakes);
            }
        }
        members.iter().for_each(|(name, statistic)| check_one(name, statistic, draft, mistakes));
        let wants = statistics.iter().find(|statistic| given(&statistic.want).is_some());
        let is_gaussian = |statistic: &StatisticDraft| {
            given(&statistic.mechanism).is_some_and(|mechanism| mechanism.value.entry().is_clamped_gaussian())
        };
        if let (Some(wants), Some((name, statistic))) = (wants, members.iter().find(|(_, one)| is_gaussian(one))) {
            let message = format!(
                "`together` in [privacy] must not name {}, whose noise is Gaussian, where {} has `want`: what it needs is found for \
                 Gaussian noise of each statistic by itself",
                statistic.place, wants.place
            );
            mistakes.note(&name.span, message, "remove the name, or `want`");
        }
        if let Some(((_, first), others)) = members.split_first() {
            others.iter().for_each(|(name, other)| check_pair(first, name, other, mistakes));
        }
    }
}

fn of_name<'s>(statistics: &'s [StatisticDraft], name: &str) -> Option<&'s StatisticDraft> {
    statistics.iter().find(|statistic| statistic.name.as_ref().is_ok_and(|own| own.value == name))
}

fn note_unknown(name: &Spanned<String>, statistics: &[StatisticDraft], mistakes: &mut Mistakes) {
    let message = format!("`together` in [privacy] must name statistics of the plan, got `{}`", shorten(&name.value));
    let names = statistics.iter().filter_map(|statistic| statistic.name.as_ref().ok()).map(|name| name.value.as_str());
    let help = match nearest(&name.value, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "write the `name` of a statistic".to_owned(),
    };
    mistakes.note(&name.span, message, help);
}

/// Refuses a statistic that cannot share noise with any other.
fn check_one(name: &Spanned<String>, statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let place = &statistic.place;
    if let Ok(kind) = statistic.kind.as_ref()
        && !kind.entry.shares_noise
    {
        let kinds = kinds::that_share_noise();
        let message =
            format!("`together` in [privacy] must not name {place}: {} has noise of its own", kind.entry.with_article);
        mistakes.note(&name.span, message, format!("remove the name; noise is shared by {kinds}"));
    }
    if let Some(levels) = given(&statistic.levels) {
        let message = format!(
            "`levels` in {place} must be left out with `together` in [privacy]: each level has noise of its own"
        );
        mistakes.note(&levels.span, message, "remove `levels`, or the name from `together`");
    }
    if let Some(margins) = given(&statistic.margins) {
        let message = format!(
            "`margins` in {place} must be left out with `together` in [privacy]: each margin has noise of its own"
        );
        mistakes.note(&margins.span, message, "remove `margins`, or the name from `together`");
    }
    if let Some(learn) = given(&statistic.learn_keys).filter(|learn| learn.value.is_some()) {
        let message = format!(
            "`learn_keys` in {place} must be left out with `together` in [privacy]: its noise decides which cells are published"
        );
        mistakes.note(&learn.span, message, "list the keys, or remove the name from `together`");
    }
    if let Some(want) = given(&statistic.want) {
        let message = format!(
            "`want` in {place} must be left out with `together` in [privacy]: what a share of epsilon buys depends on the others"
        );
        mistakes.note(&want.span, message, "remove `want`, or the name from `together`");
    }
    if let Some(mechanism) = given(&statistic.mechanism).filter(|mechanism| !mechanism.value.may_be_shared()) {
        let message =
            format!("`mechanism` in {place} must be left out with `together` in [privacy], or be \"clamped-gaussian\"");
        let help = match mechanism.value.rule_file() {
            Some(_) => "remove `mechanism`, or the name from `together`".to_owned(),
            None => format!("remove `mechanism = \"{}\"`, or the name from `together`", mechanism.value.word()),
        };
        mistakes.note(&mechanism.span, message, help);
    }
    let has_rows = matches!(draft.privacy.as_ref().map(|privacy| &privacy.unit), Ok(Ok(unit)) if !unit.has_one_row());
    if let (true, Some(by)) = (has_rows, given(&statistic.by)) {
        let message = format!(
            "`by` in {place} must be left out with `together` in [privacy] where a unit has several rows: which of them are kept depends \
             on the columns of each statistic"
        );
        mistakes.note(
            &by.span,
            message,
            "make one row of each unit with [per_unit], or remove the name from `together`",
        );
    }
}

/// Digests of the files of its possible combinations.
fn possible(statistic: &StatisticDraft) -> Vec<&str> {
    given(&statistic.possible).map_or_else(Vec::new, |files| PossibleFile::digests(&files.value))
}

/// Refuses two statistics that cannot share noise with each other.
fn check_pair(first: &StatisticDraft, name: &Spanned<String>, other: &StatisticDraft, mistakes: &mut Mistakes) {
    let mut refuse = |key: &str, why: &str| {
        let message =
            format!("`{key}` in {} must be that of {}, with which it shares its noise{why}", other.place, first.place);
        mistakes.note(&name.span, message, format!("give both the same `{key}`, or remove the name from `together`"));
    };
    let columns = |statistic: &StatisticDraft| {
        given(&statistic.by).map(|by| by.value.iter().map(|column| column.value.clone()).collect::<Vec<_>>())
    };
    let mechanism =
        |given: &Option<Spanned<MechanismChoice>>| given.as_ref().map(|given| given.value.clone()).unwrap_or_default();
    let text = |field: &Option<Spanned<String>>| field.as_ref().map(|text| text.value.clone());
    if let (Ok(one), Ok(two)) = (&first.mechanism, &other.mechanism)
        && let both = [mechanism(one), mechanism(two)]
        && both.iter().all(|mechanism| mechanism.may_be_shared())
        && both[0].entry() != both[1].entry()
    {
        refuse("mechanism", "");
    }
    if first.by.is_ok() && other.by.is_ok() && columns(first) != columns(other) {
        refuse("by", "");
    } else if let (Ok(one), Ok(two)) = (&first.keys, &other.keys)
        && text(one) != text(two)
    {
        refuse("keys", "");
    } else if first.possible.is_ok() && other.possible.is_ok() && possible(first) != possible(other) {
        refuse("possible", "");
    }
    if let (Ok(one), Ok(two)) = (&first.filter, &other.filter)
        && text(one) != text(two)
    {
        refuse("where", ": the condition must be written in the same words");
    }
}
