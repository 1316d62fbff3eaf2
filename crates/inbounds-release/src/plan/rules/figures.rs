//! Figures are made of statistics of the plan whose noise has a known law, and of public tables that are there.
//!
//! What only the released numbers can show, such as a fit that is too large, is said in the release beside the figures
//! that were made.

use inbounds_bundle::KindWord;
use inbounds_figures::NamedStatistic;
use inbounds_input::{
    document::{Mistakes, given, shorten},
    nearest,
};

use crate::plan::read::{Draft, StatisticDraft};

pub(super) fn check(statistics: &[StatisticDraft], draft: &Draft, mistakes: &mut Mistakes) {
    let Ok(Some(figures)) = &draft.figures else { return };
    for named in figures.statistics() {
        check_one(&named, statistics, mistakes);
    }
    if let Err((span, error)) = figures.tables() {
        mistakes.note(&span, error.to_string(), "name a CSV file beside the plan, with a column of numbers");
    }
}

fn check_one(named: &NamedStatistic<'_>, statistics: &[StatisticDraft], mistakes: &mut Mistakes) {
    let NamedStatistic { figure, span, statistic: name, columns } = named;
    let (figure, called) = (shorten(figure), shorten(name));
    let of_name = |statistic: &&StatisticDraft| statistic.name.as_ref().is_ok_and(|own| own.value == *name);
    let Some(statistic) = statistics.iter().find(of_name) else {
        let names = || statistics.iter().filter_map(|statistic| Some(statistic.name.as_ref().ok()?.value.as_str()));
        // A statistic whose name is wrong may be the one.
        if names().count() == statistics.len() {
            let help = match nearest(name, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the statistics are {}", names().collect::<Vec<_>>().join(", ")),
            };
            mistakes.note(span, format!("figure `{figure}` is made of `{called}`, which is no statistic"), help);
        }
        return;
    };
    let by = || given(&statistic.by).into_iter().flat_map(|by| &by.value).map(|column| column.value.as_str());
    if let Some(column) = columns.iter().find(|column| statistic.by.is_ok() && by().all(|own| own != **column)) {
        let message = format!("figure `{figure}`: `{called}` is not grouped by `{}`", shorten(column));
        let known: Vec<&str> = by().collect();
        let help = if known.is_empty() {
            format!("`{called}` has one cell")
        } else {
            format!("it is by {}", known.join(", "))
        };
        mistakes.note(span, message, help);
        return;
    }
    if let Some((reason, help)) = without_law(statistic) {
        mistakes.note(span, format!("figure `{figure}` cannot be made of `{called}`: {reason}"), help);
    }
}

/// Why the noise of a statistic has no law that figures could be made with.
fn without_law(statistic: &StatisticDraft) -> Option<(&'static str, &'static str)> {
    let kind = statistic.kind.as_ref().ok()?.entry.word;
    let has_law = match kind {
        KindWord::Count
        | KindWord::Sum
        | KindWord::Mean
        | KindWord::Units
        | KindWord::Proportion
        | KindWord::Histogram
        | KindWord::Combination => true,
        KindWord::Quantile
        | KindWord::Variance
        | KindWord::StandardDeviation
        | KindWord::Covariance
        | KindWord::Correlation
        | KindWord::NaiveBayes => false,
    };
    if !has_law {
        return Some((
            "its numbers are neither sums of measurements nor quotients of two",
            "figures are made of counts, sums and means",
        ));
    }
    if given(&statistic.learn_keys).is_some_and(|learned| learned.value.is_some()) {
        return Some(("noise chooses its cells", "list its keys in the plan"));
    }
    let mechanism = given(&statistic.mechanism).map(|mechanism| mechanism.value.entry());
    mechanism.is_some_and(|entry| !entry.is_post_processing()).then_some((
        "the law of noise that is conditioned on the range, or is a factor, depends on the answer",
        "choose another mechanism, such as \"clamped\"",
    ))
}
