//! Errors of statistics, put at the words of the plan that caused them, with the remedy in the words of a plan.

use inbounds_core::Rational;
use inbounds_data::Keys;
use inbounds_mechanisms::calibrate::CalibrationError;
use inbounds_statistics::{RawRule, StatisticError, population::NoInterval};

use crate::{
    levels::{Asked, LevelsError},
    plan::{Missing, Mistake, Plan, Spanned, Statistic, StatisticKind},
};

/// Puts a statistic's error at its place; `keys` are its cells, where they are listed.
pub(crate) fn statistic_mistake(
    plan: &Plan,
    statistic: &Statistic,
    keys: Option<&Keys>,
    error: &StatisticError,
) -> Mistake {
    use StatisticError as E;
    let column_span = || statistic.column().map_or(&statistic.name.span, |column| &column.span);
    let named = |name: &String| {
        let column = statistic.columns().into_iter().rfind(|column| column.value == *name);
        column.map_or_else(column_span, |column| &column.span)
    };
    let place = match error {
        E::EmptyRange { .. } | E::SensitivityWiderThanRange { .. } | E::UnboundedRatio => &statistic.range.span,
        E::RatioMechanism
        | E::SumsMechanism { .. }
        | E::RuleMechanism { .. }
        | E::RuleOfOneNumber
        | E::Calibration(
            CalibrationError::NeedsDelta
            | CalibrationError::PureOnly
            | CalibrationError::RanksOnly
            | CalibrationError::Stairs { .. }
            | CalibrationError::Shape { .. }
            | CalibrationError::NeedsBothEnds { .. }
            | CalibrationError::Table(_)
            | CalibrationError::TableNeedsEnd,
        ) => &statistic.mechanism.span,
        E::ConstantColumn { column, .. }
        | E::SquaresTooWide { column, .. }
        | E::RepeatedColumn { column, .. }
        | E::Weight { column, .. } => named(column),
        E::Edges { .. } | E::TooManyBins { .. } | E::Calibration(CalibrationError::Bins { .. }) => {
            statistic.edges().map_or_else(column_span, |edges| &edges.span)
        }
        E::TooFewClasses { .. } | E::FewCategories { .. } => {
            statistic.by.first().map_or_else(column_span, |by| &by.span)
        }
        _ => column_span(),
    };
    let drops = |column: &&Spanned<String>| {
        plan.column(&column.value).is_some_and(|column| column.missing == Some(Missing::Drop))
    };
    let drops = statistic.columns().iter().any(drops);
    plan.mistake(
        place.clone(),
        message(plan, statistic, keys, error),
        help(&statistic.kind, drops, error).map(str::to_owned),
    )
}

/// An error in the words of a plan, where the library's own remedy names what a plan calls otherwise.
fn message(plan: &Plan, statistic: &Statistic, keys: Option<&Keys>, error: &StatisticError) -> String {
    use StatisticError as E;
    match error {
        E::FewCategories { found } => match keys.and_then(|keys| statistic.kind.planned().lone_group(keys)) {
            Some(group) => format!(
                "shares within groups need at least 2 cells in each, and the group {group} has {found}: list another of its cells, \
                 or none"
            ),
            None => error.to_string(),
        },
        E::Calibration(CalibrationError::NeedsDelta) => {
            "Gaussian noise keeps no epsilon with certainty: state a `delta` greater than 0 beside `epsilon`, or choose a mechanism \
             with Laplace noise"
                .to_owned()
        }
        E::Calibration(CalibrationError::Scale { epsilon, l1, scale }) => format!(
            "epsilon {} over a sensitivity of {l1} grid steps calls for a noise scale of {scale:.3e} steps; it must be between \
             0.001 and 1e30: change epsilon or the share",
            epsilon.value().rounded_up()
        ),
        E::Bounds { lower, upper, epsilon } => {
            let [lower, upper] = bounds(plan, statistic, [*lower, *upper]);
            format!(
                "the column's bounds [{lower}, {upper}] do not fit the grid that epsilon = {} calls for: their sizes, their width, \
                 and their width over epsilon must be between 1e-60 and 1e60, and their width not too small for their size; give \
                 the column another unit",
                epsilon.value().rounded_up()
            )
        }
        E::RatioMechanism => {
            "this mean is a ratio of noisy sums, in range by construction: no other mechanism than \"clamped\" or \"clamped-gaussian\" \
             applies; leave out `mechanism`, or use substitute neighbours with a public number of rows"
                .to_owned()
        }
        E::UnboundedRatio => {
            "this mean is a ratio of noisy sums and lies within the column's bounds by construction: leave out \
             `range = \"unbounded\"`; the two measurements are in the bundle, unbiased"
                .to_owned()
        }
        E::SlowConditioning { categories, scale } => format!(
            "conditioning of {categories} categories with noise of scale {scale:.3e} rows would take too long: use \
             rule = \"simplex\", or fewer categories"
        ),
        E::TooManyBins { kind, most, found } => {
            format!("a {kind} has at most {most} bins, got {found}: give `edges` that make wider ones")
        }
        E::NoWholeNumber { lower, upper } => format!(
            "the bin from {} to {} holds no whole number below 2^53, and the column has no others: leave out `edges` \
             for a bin of each value, or put them at whole numbers",
            digits(*lower),
            digits(*upper)
        ),
        E::NoEdges { column } => format!(
            "a quantile of `{column}` needs `edges`: only a column of type \"integer\" with `lower` and `upper` has bins of its \
             own, one a value; or choose mechanism = \"permute-and-flip\", which divides the bounds by itself"
        ),
        E::RuleMechanism { rule, mechanism, accepted } => {
            let rule = match rule {
                RawRule::Simplex => "rule = \"simplex\"",
                RawRule::Conditioning => "rule = \"conditioning\"",
                RawRule::Quantile => "a quantile",
            };
            format!(
                "{rule} reads raw noisy counts, so that mechanism = \"{mechanism}\" would go unused: use {accepted}"
            )
        }
        _ => error.to_string(),
    }
}

/// Bounds as the plan has them, which a double may round.
fn bounds(plan: &Plan, statistic: &Statistic, rounded: [f64; 2]) -> [String; 2] {
    let columns = statistic.columns();
    let stated = columns.iter().filter_map(|column| plan.column(&column.value)?.bounds.as_ref());
    let mut ends = stated.map(|bounds| [&bounds.lower.value, &bounds.upper.value]);
    let stated = ends.find(|ends| ends.map(Rational::to_f64) == rounded);
    stated.map_or_else(|| rounded.map(digits), |ends| ends.map(Rational::to_string))
}

/// A double with the digits that it has: those of a whole number are not made up.
fn digits(x: f64) -> String {
    if x.fract() == 0.0 { format!("{x:.0}") } else { x.to_string() }
}

/// Puts an error of levels or margins at its place.
pub(crate) fn levels_mistake(plan: &Plan, statistic: &Statistic, asked: Asked<'_>, error: &LevelsError) -> Mistake {
    match error {
        LevelsError::Statistic(error) => statistic_mistake(plan, statistic, None, error),
        LevelsError::Linked { .. } => plan.mistake(
            statistic.name.span.clone(),
            error.to_string(),
            Some("write a statistic for each grouping, with `levels` from the coarsest column to the finest, or list fewer cells".to_owned()),
        ),
        LevelsError::LinkedShares => plan.mistake(
            asked.shares_place(),
            error.to_string(),
            Some("leave it out for equal parts, or write parts that add up to 1, one a margin".to_owned()),
        ),
        LevelsError::LinkedTotal => plan.mistake(
            statistic.name.span.clone(),
            error.to_string(),
            Some("leave `total` out; or write `levels` from the coarsest column to the finest, which can have it".to_owned()),
        ),
        LevelsError::LinkedFit => {
            plan.mistake(statistic.name.span.clone(), error.to_string(), Some("leave `fit` out".to_owned()))
        }
        LevelsError::TableColumns { .. } => {
            let by = statistic.by.last().map_or(&statistic.name.span, |column| &column.span);
            plan.mistake(by.clone(), error.to_string(), Some("write a statistic without `margins`, or with fewer columns".to_owned()))
        }
        LevelsError::Contradiction { .. }
        | LevelsError::MoreThanAllRows { .. }
        | LevelsError::PublicCell { .. }
        | LevelsError::PublicNoCell { .. }
        | LevelsError::PublicApart { .. }
        | LevelsError::PublicWithin { .. } => {
            let place = statistic.public.first().map_or(&statistic.name.span, |numbers| &numbers.span);
            let help = "mend the numbers, or remove them from `public`: nothing was read or spent";
            plan.mistake(place.clone(), error.to_string(), Some(help.to_owned()))
        }
        LevelsError::AllKnown => plan.mistake(statistic.name.span.clone(), error.to_string(), Some("remove the statistic".to_owned())),
        LevelsError::KnownShare { .. } | LevelsError::Scale { .. } => {
            plan.mistake(asked.shares_place(), error.to_string(), None)
        }
    }
}

/// Puts the refusal of intervals for a population at the word that asked for them.
pub(crate) fn population_mistake(plan: &Plan, statistic: &Statistic, refused: NoInterval) -> Mistake {
    let reason = match refused {
        NoInterval::WholeMatrix => "a covariance matrix has them only with measure = \"entries\"".to_owned(),
        NoInterval::NoParameter
        | NoInterval::OneRow
        | NoInterval::MeanOfPrivateRows
        | NoInterval::CovariancesOfPrivateRows => refused.to_string(),
    };
    let message = format!("`population` in statistic `{}` must be left out: {reason}", statistic.name.value);
    plan.mistake(statistic.population.span.clone(), message, Some("remove `population`".to_owned()))
}

/// The remedy, for errors that do not say it; `drops` if rows without a value are left out.
fn help(kind: &StatisticKind, drops: bool, error: &StatisticError) -> Option<&'static str> {
    match error {
        StatisticError::TooFewRows { .. } | StatisticError::FewRows { .. } => {
            Some("remove the statistic, or mend `rows` in [privacy]")
        }
        _ => kind.planned().remedy(error, drops),
    }
}
