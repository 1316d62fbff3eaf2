//! Keys that are of no use to a statistic that wants an accuracy, and needs of an epsilon that is found.

use inbounds_input::document::{Mistakes, Spanned, given};

use crate::{
    plan::granularity::Granularity,
    plan::{
        Fit, GrantedEpsilon, MarginColumns,
        read::{Draft, StatisticDraft},
    },
};

pub(super) fn check(statistics: &[StatisticDraft], draft: &Draft, mistakes: &mut Mistakes) {
    let granted = draft.privacy.as_ref().ok().and_then(|privacy| privacy.epsilon.as_ref().ok());
    let is_found = granted.is_some_and(|granted| granted.value == GrantedEpsilon::Least);
    for statistic in statistics {
        if let Some(wants) = given(&statistic.want) {
            check_one(statistic, mistakes);
            wants
                .value
                .iter()
                .filter_map(|want| want.value.granularity.as_ref())
                .for_each(|granularity| check_part(statistic, granularity, mistakes));
        } else if is_found && statistic.want == Ok(None) {
            let message = format!(
                "{} must have `want`: with epsilon = \"least\" its epsilon follows from nothing else",
                statistic.place
            );
            mistakes.note(&statistic.span, message, "add a want such as want = { rmse = 5 }, or give epsilon a number");
        }
    }
}

/// The level or margin that a want is for is one of the statistic.
fn check_part(statistic: &StatisticDraft, granularity: &Spanned<Granularity>, mistakes: &mut Mistakes) {
    let place = &statistic.place;
    let levels = given(&statistic.levels).into_iter().flat_map(|levels| &levels.value);
    let margins = given(&statistic.margins).into_iter().flat_map(|margins| &margins.value);
    let levels = levels.map(|level| Granularity::Level(level.value.clone()));
    let columns = |margin: &MarginColumns| margin.value.iter().map(|column| column.value.clone()).collect();
    let parts: Vec<Granularity> = levels.chain(margins.map(|margin| Granularity::Margin(columns(margin)))).collect();
    if parts.iter().any(|part| part.is(&granularity.value)) || statistic.levels.is_err() || statistic.margins.is_err() {
        return;
    }
    let message =
        format!("`of` in `want` in {place} must be one of its `levels` or `margins`, got {}", granularity.value);
    let known: Vec<String> = parts.iter().map(Granularity::to_string).collect();
    let help = match known[..] {
        [] => "remove `of`: the statistic has neither".to_owned(),
        _ => format!("those here are: {}", known.join("; ")),
    };
    mistakes.note(&granularity.span, message, help);
}

fn check_one(statistic: &StatisticDraft, mistakes: &mut Mistakes) {
    let place = &statistic.place;
    if let Some(mechanism) = given(&statistic.mechanism).filter(|mechanism| mechanism.value.rule_file().is_some()) {
        let message = format!(
            "`mechanism` in {place} must be no rule of one's own with `want`: the rule is for one scale of the noise"
        );
        mistakes.note(
            &mechanism.span,
            message,
            "give the statistic a `share` of epsilon, or choose a mechanism by its name",
        );
    }
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
