//! Requirements on a delta that noise spends without needing it, and the keys with which it does not go.

use inbounds_core::Delta;
use inbounds_input::document::{Field, Mistakes, given};
use inbounds_mechanisms::registry::{self, Entry};

use crate::plan::{
    MechanismChoice, Sharing,
    read::{Draft, StatisticDraft},
};

pub(super) fn check(statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let place = &statistic.place;
    let Some(spend) = given(&statistic.spend_delta).filter(|spend| spend.value) else { return };
    let mut refuse = |message: String, help: &str| {
        mistakes.note(&spend.span, message, help);
    };
    let privacy = draft.privacy.as_ref().ok();
    if privacy
        .and_then(|privacy| privacy.delta.as_ref().ok())
        .is_some_and(|delta| delta.as_ref().is_none_or(|delta| delta.value == Delta::ZERO))
    {
        refuse(
            format!("`spend_delta` in {place} must come with `delta` in [privacy], of which it spends a part"),
            "add a delta such as delta = 1e-6, or remove `spend_delta`",
        );
    }
    let named = given(&statistic.mechanism).and_then(|mechanism| match &mechanism.value {
        MechanismChoice::Named(entry) => Some(*entry),
        MechanismChoice::Best | MechanismChoice::Rule(_) => None,
    });
    let keeps_epsilon = match given(&statistic.mechanism).map(|mechanism| &mechanism.value) {
        Some(MechanismChoice::Rule(_)) => Some("a rule of one's own, which is for the noise that it names"),
        Some(MechanismChoice::Named(entry)) if *entry == &registry::RANKS => {
            Some("mechanism = \"permute-and-flip\", which keeps epsilon with certainty")
        }
        Some(MechanismChoice::Named(_) | MechanismChoice::Best) | None => None,
    };
    if let Some(why) = keeps_epsilon {
        refuse(format!("`spend_delta` in {place} must be left out with {why}"), "remove `spend_delta`");
    }
    if let Some(entry) = named.filter(|entry| Entry::needs_delta(entry)) {
        refuse(
            format!(
                "`spend_delta` in {place} must be left out with mechanism = \"{}\", which spends delta anyway",
                entry.plan_name
            ),
            "remove `spend_delta`",
        );
    }
    let beside = [
        (
            "levels",
            is_given(&statistic.levels),
            "the parts of levels are those of noise that keeps epsilon with certainty",
        ),
        (
            "margins",
            is_given(&statistic.margins),
            "the parts of margins are those of noise that keeps epsilon with certainty",
        ),
        (
            "want",
            is_given(&statistic.want),
            "where delta begins to buy something the error jumps, and no least epsilon follows from it",
        ),
    ];
    for (key, _, why) in beside.into_iter().filter(|(_, is_given, _)| *is_given) {
        refuse(
            format!("`spend_delta` in {place} must be left out with `{key}`: {why}"),
            &format!("remove `spend_delta`, or remove `{key}`"),
        );
    }
    if statistic.learns_keys() {
        refuse(
            format!("`spend_delta` in {place} must be left out with `learn_keys`, whose threshold spends delta"),
            "remove `spend_delta`",
        );
    }
    let groups = privacy.and_then(|privacy| given(&privacy.together));
    let Ok(name) = &statistic.name else { return };
    if let Some(Sharing::Named(groups)) = groups
        && groups.iter().flat_map(|group| &group.value).any(|other| other.value == name.value)
    {
        refuse(
            format!(
                "`spend_delta` in {place} must be left out of what `together` names: noise that is shared takes epsilon alone"
            ),
            "remove `spend_delta`, or the name from `together`",
        );
    }
}

fn is_given<T>(field: &Field<T>) -> bool {
    given(field).is_some()
}
