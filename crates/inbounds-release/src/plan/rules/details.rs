//! Which keys belong to which kind of statistic, and which a kind cannot do without.

use std::ops::Range;

use inbounds_core::Named as _;
use inbounds_input::document::{Field, Mistakes, Spanned, column_header, given, shorten};

use super::statistic::noisy_denominator;
use crate::plan::kind::KindInPlans as _;
use crate::plan::read::{Draft, KindWord, StatisticDraft};
use crate::plan::{Kind, MatrixRoute, fit};

use KindWord::{
    Combination, Correlation, Count, Covariance, Histogram, Mean, NaiveBayes, Proportion, Quantile, StandardDeviation,
    Sum, Variance,
};

/// A key with the kinds that have it, and of these the ones that must.
struct Belongs {
    key: &'static str,
    kinds: &'static [KindWord],
    needed: &'static [KindWord],
    help: &'static str,
}

/// Keys that are not for all kinds.
const KEYS: [Belongs; 12] = [
    Belongs {
        key: "column",
        kinds: &[Sum, Mean, Variance, StandardDeviation, Histogram, Quantile],
        needed: &[Sum, Mean, Variance, StandardDeviation, Histogram, Quantile],
        help: "write the name of one column, such as column = \"income\"",
    },
    Belongs {
        key: "columns",
        kinds: &[Covariance, Correlation, NaiveBayes],
        needed: &[Covariance, Correlation, NaiveBayes],
        help: "list columns, such as columns = [\"height\", \"weight\"]",
    },
    Belongs { key: "classes", kinds: &[NaiveBayes], needed: &[], help: "remove `classes`" },
    Belongs {
        key: "weights",
        kinds: &[Combination],
        needed: &[Combination],
        help: "write one weight a column, such as weights = { income = 1, cost = -1 }",
    },
    Belongs { key: "of", kinds: &[Combination], needed: &[Combination], help: "write of = \"sum\" or of = \"mean\"" },
    Belongs {
        key: "edges",
        kinds: &[Histogram, Quantile],
        needed: &[Histogram],
        help: "list increasing edges, such as edges = [0, 10, 20, 50]",
    },
    Belongs {
        key: "probabilities",
        kinds: &[Quantile],
        needed: &[Quantile],
        help: "list parts of the rows, such as probabilities = [0.25, 0.5, 0.75]",
    },
    Belongs { key: "rule", kinds: &[Proportion], needed: &[], help: "remove `rule`" },
    Belongs { key: "total", kinds: &[Proportion], needed: &[], help: "remove `total`" },
    Belongs { key: "measure", kinds: &[Covariance, Correlation], needed: &[], help: "remove `measure`" },
    Belongs {
        key: "population",
        kinds: &[Mean, Proportion, Variance, StandardDeviation, Covariance],
        needed: &[],
        help: "remove `population`",
    },
    Belongs { key: "range", kinds: &[Count, Sum, Mean, Proportion], needed: &[], help: "remove `range`" },
];

pub(super) fn check(statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let Ok(kind) = &statistic.kind else { return };
    for belongs in &KEYS {
        check_key(belongs, kind.value, statistic, mistakes);
    }
    for column in statistic.columns() {
        check_bounds(kind.value, column, statistic, draft, mistakes);
    }
    check_keys_of_cells(kind, statistic, mistakes);
    check_measure(statistic, draft, mistakes);
    check_unit_bins(kind.value, statistic, draft, mistakes);
}

fn check_key(belongs: &Belongs, kind: KindWord, statistic: &StatisticDraft, mistakes: &mut Mistakes) {
    let (place, key) = (&statistic.place, belongs.key);
    match place_of(key, statistic) {
        Ok(Some(span)) if !belongs.kinds.contains(&kind) => {
            let message = format!("`{key}` in {place} must be left out: {} has none", kind.with_article());
            let kinds: Vec<_> = belongs.kinds.iter().map(|kind| format!("\"{}\"", kind.name())).collect();
            mistakes.note(&span, message, format!("remove `{key}`; kinds that have it are {}", kinds.join(", ")));
        }
        Ok(None) if belongs.needed.contains(&kind) => {
            let message = format!("{place} must have `{key}`: {} needs it", kind.with_article());
            mistakes.note(&statistic.span, message, belongs.help);
        }
        _ => {}
    }
}

/// Where a key stands, if it was read.
fn place_of(key: &str, statistic: &StatisticDraft) -> Result<Option<Range<usize>>, ()> {
    fn span<T>(field: &Field<Spanned<T>>) -> Result<Option<Range<usize>>, ()> {
        field.as_ref().map(|value| value.as_ref().map(|value| value.span.clone())).map_err(|_| ())
    }
    let details = &statistic.details;
    match key {
        "column" => span(&statistic.column),
        "columns" => span(&details.columns),
        "classes" => span(&details.classes),
        "weights" => span(&details.weights),
        "of" => span(&details.of),
        "edges" => span(&details.edges),
        "probabilities" => span(&details.probabilities),
        "rule" => span(&details.rule),
        "total" => span(&details.total),
        "measure" => span(&details.measure),
        "range" => span(&statistic.range),
        _ => span(&details.population),
    }
}

/// Whether a bin for each whole number stands for edges.
fn unit_bins(kind: KindWord, statistic: &StatisticDraft) -> bool {
    kind == Quantile && statistic.details.edges == Ok(None)
}

/// Only whole numbers have bins of their own.
fn check_unit_bins(kind: KindWord, statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let columns = statistic.columns();
    let Some(column) = columns.first().filter(|_| unit_bins(kind, statistic)) else { return };
    let declared = draft.column(&column.value).and_then(|declared| given(&declared.column_type));
    if declared.is_some_and(|declared| declared.value == Kind::Number) {
        let name = shorten(&column.value);
        let message = format!(
            "{} must have `edges`: `{name}` is of type \"number\", and only whole numbers have bins of their own",
            statistic.place
        );
        let help = "write edges = { lower = 0, upper = 100, bins = 200 }, as fine as answers matter to you, or type = \"integer\"";
        mistakes.note(&statistic.span, message, help);
    }
}

/// Without bounds one row could move the statistic without limit. Edges are bounds of their own.
fn check_bounds(
    kind: KindWord,
    column: &Spanned<String>,
    statistic: &StatisticDraft,
    draft: &Draft,
    mistakes: &mut Mistakes,
) {
    if kind.has_edges() && !unit_bins(kind, statistic) || !lacks_bounds(column, draft) {
        return;
    }
    let name = shorten(&column.value);
    let message = format!(
        "`{}` in {} needs bounds, and `{name}` has none: without them one row could move {} without limit",
        kind.column_key(),
        statistic.place,
        kind.with_article(),
    );
    let keys =
        if draft.column(&column.value).is_some() { "`lower` and `upper`" } else { "`lower`, `upper` and `missing`" };
    mistakes.note(&column.span, message, format!("add {keys} to {}", column_header(&column.value)));
}

/// Whether bounds are what is wrong with a column, and not something noted already.
fn lacks_bounds(column: &Spanned<String>, draft: &Draft) -> bool {
    match draft.column(&column.value) {
        Some(declared) => {
            let numeric = match given(&declared.column_type) {
                Some(column_type) => fit::summed("", "", "", column_type.value).is_ok(),
                None => true,
            };
            numeric && declared.bounds == Ok(None)
        }
        None => draft.columns.is_ok() && draft.format() == Some(crate::plan::Format::Parquet),
    }
}

/// Which kinds need cells, and which are of all rows.
fn check_keys_of_cells(kind: &Spanned<KindWord>, statistic: &StatisticDraft, mistakes: &mut Mistakes) {
    let place = &statistic.place;
    let what = kind.value.with_article();
    match (&statistic.by, kind.value) {
        (Ok(None), NaiveBayes) => {
            let message = format!("{place} must have `by`: {what} predicts the values of a grouping column");
            mistakes.note(&statistic.span, message, "write by = [\"name of the column with the classes\"]");
        }
        (Ok(None), Proportion) if statistic.filter == Ok(None) => {
            let message =
                format!("{place} must have `by` or `where`: {what} is of cells, or of rows that meet a condition");
            mistakes.note(&statistic.span, message, "add `by` for proportions that add up to 1, or `where` for one");
        }
        (Ok(None), Proportion) => {
            if let Some(rule) = given(&statistic.details.rule) {
                let message =
                    format!("`rule` in {place} must come with `by`: it makes several proportions add up to 1");
                mistakes.note(&rule.span, message, "remove `rule`, or add `by`");
            }
            if let Some(total) = given(&statistic.details.total) {
                let message =
                    format!("`total` in {place} must come with `by`: a proportion with `where` is of all rows");
                mistakes.note(&total.span, message, "remove `total`, or add `by`");
            }
        }
        (Ok(Some(_)), Proportion) => {
            if let Some(range) = given(&statistic.range) {
                let message = format!(
                    "`range` in {place} must be left out with `by`: proportions that add up to 1 have their own"
                );
                mistakes.note(&range.span, message, "remove `range`");
            }
        }
        (Ok(Some(by)), Covariance | Correlation | Histogram | Quantile | Combination) => {
            let message = format!("`by` in {place} must be left out: {what} is of all rows that meet `where`");
            mistakes.note(&by.span, message, "remove `by`, or write a statistic with `where` for each group");
        }
        _ => {}
    }
    if let (Some(columns), Covariance | Correlation) = (given(&statistic.details.columns), kind.value)
        && columns.value.len() < 2
    {
        let message = format!("`columns` in {place} must name at least two columns: {what} of one is its variance");
        mistakes.note(&columns.span, message, "add a column, or write kind = \"variance\"");
    }
}

/// A choice between two measurements of a matrix, of which a private number of rows leaves one.
fn check_measure(statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let Some(measure) = given(&statistic.details.measure).filter(|measure| measure.value == MatrixRoute::Matrix) else {
        return;
    };
    if let Some(reason) = noisy_denominator(statistic, draft) {
        let place = &statistic.place;
        let message = format!(
            "`measure` in {place} must not be \"matrix\" {reason}: the number of rows is private, and the matrix is made of noisy sums"
        );
        mistakes.note(&measure.span, message, "remove `measure`");
    }
}
