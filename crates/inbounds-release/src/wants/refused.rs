//! Wants that nothing meets, each with its place and remedy.

use inbounds_bundle::figures::figure;
use inbounds_statistics::{ImpossibleMoments, MomentRegion};

use super::{Needs, Unknown, WantedError, short_decimal::ShortDecimal};
use crate::plan::{Mistake, Plan, PublicMoments, Spanned, Statistic, Want};

/// A want for an error that is not known before rows are read, or of rows that cannot be.
pub(super) fn unknown(plan: &Plan, statistic: &Statistic, want: &Spanned<Want>, why: Unknown) -> Mistake {
    if let (Unknown::Moments(region, why), Some(about)) = (why, &want.value.about) {
        return impossible(plan, statistic, &about.value, (region, why));
    }
    let (kind, place) = (statistic.kind.name(), format!("`want` in statistic `{}`", statistic.name.value));
    let (reason, help) = match why {
        Unknown::Values => (
            format!("must be left out: the error of kind = \"{kind}\" depends on the values in the rows"),
            "remove `want`, and give the statistic a `share`",
        ),
        Unknown::Rows => (
            "must have `rows`: the error depends on the number of rows, which is private".to_owned(),
            "write the number of rows of a group that the error is for, such as want = { rmse = 0.5, rows = 1000 }",
        ),
        Unknown::NoRows => {
            ("must not have `rows`: the error does not depend on their number".to_owned(), "remove `rows` from `want`")
        }
        Unknown::AnyMoments | Unknown::Moments(..) => (
            format!(
                "must not have `about`: the error of this kind = \"{kind}\" is not stated by mean or standard deviation of a column"
            ),
            "remove `about`; it is for means, variances and standard deviations over a private number of rows, without levels",
        ),
        Unknown::Intervals => (
            "must be an `rmse`: the intervals are simulated once the rows are read".to_owned(),
            "write want = { rmse = 5 } in place of `margin`",
        ),
    };
    plan.mistake(want.span.clone(), format!("{place} {reason}"), Some(help.to_owned()))
}

/// Moments that no column within the bounds has, or that its error does not depend on.
fn impossible(
    plan: &Plan,
    statistic: &Statistic,
    about: &PublicMoments,
    (region, why): (MomentRegion, ImpossibleMoments),
) -> Mistake {
    let place = format!("`about` in `want` in statistic `{}`", statistic.name.value);
    let (key, number) = match why {
        ImpossibleMoments::Mean => ("mean", &about.mean),
        ImpossibleMoments::Deviation { .. } | ImpossibleMoments::UnusedDeviation => ("sd", &about.sd),
    };
    let given = number.as_ref().map_or_else(String::new, |number| number.value.to_string());
    let (requirement, help) = match why {
        ImpossibleMoments::Mean => (
            format!("between {} and {}, got {given}", figure(region.lower), figure(region.upper)),
            "write a mean within the bounds of the column and the `range` of the statistic",
        ),
        ImpossibleMoments::Deviation { most } if about.mean.is_some() => (
            format!("at most {}, the largest with this mean within the bounds, got {given}", figure(most)),
            "write the standard deviation of the values as they are bounded, or leave out `mean`",
        ),
        ImpossibleMoments::Deviation { most } => (
            format!("at most {}, half the width of the bounds, got {given}", figure(most)),
            "write the standard deviation of the values as they are bounded",
        ),
        ImpossibleMoments::UnusedDeviation => (
            format!("left out, got {given}: the error of a mean does not depend on the spread of its column"),
            "write about = { mean = ... } alone",
        ),
    };
    let span = number.as_ref().map_or_else(|| statistic.name.span.clone(), |number| number.span.clone());
    plan.mistake(span, format!("`{key}` in {place} must be {requirement}"), Some(help.to_owned()))
}

/// A want that no epsilon meets.
pub(super) fn never(plan: &Plan, statistic: &Statistic, want: &Spanned<Want>, error: f64) -> Mistake {
    let error_word = match want.value.error {
        WantedError::Rmse => "RMSE",
        WantedError::Margin => "margin",
    };
    let message = format!(
        "`want` in statistic `{}` must be for more than {} is: with epsilon = {} the {error_word} is still {}",
        statistic.name.value,
        want.value.most,
        ShortDecimal::HIGHEST.epsilon(),
        figure(error)
    );
    plan.mistake(want.span.clone(), message, Some(format!("want a larger {error_word}")))
}

/// Wants that need more than the plan grants; `enough` is enough for them.
pub(super) fn too_little(plan: &Plan, needs: &Needs, enough: &Needs) -> Mistake {
    let dearest = enough.dearest().map_or("", |place| &plan.statistics[place].name.value);
    let own = enough
        .dearest()
        .and_then(|place| enough.by_statistic[place].as_ref())
        .map_or_else(String::new, ToString::to_string);
    let others = needs.by_statistic.iter().any(Option::is_none);
    let (leaves, more) = if others { (", and leave other statistics something", "more than ") } else { ("", "") };
    let message = format!(
        "`epsilon` in [privacy] must be {more}{} to give statistics what they want{leaves}, got {}: `{dearest}` is the dearest and \
         needs {own}",
        enough.granted, needs.granted
    );
    let help = match others {
        true => format!("grant more than epsilon = {}, or want less, of `{dearest}` first", enough.granted),
        false => format!(
            "write epsilon = {}, or \"least\" for the least that will do, or want less, of `{dearest}` first",
            enough.granted
        ),
    };
    plan.mistake(plan.privacy.epsilon.span.clone(), message, Some(help))
}
