//! Without bounds one row could move a statistic without limit. Edges are bounds of their own.

use inbounds_input::document::{Mistakes, Spanned, column_header, given, shorten};

use crate::plan::read::{Draft, StatisticDraft};
use crate::plan::{RowFormat, fit};

pub(super) fn check(statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let Ok(kind) = &statistic.kind else { return };
    for column in kind.columns.iter().filter(|column| kind.needs_bounds && lacks_bounds(column, draft)) {
        let name = shorten(&column.value);
        let message = format!(
            "`{}` in {} needs bounds, and `{name}` has none: without them one row could move {} without limit",
            kind.entry.column_key, statistic.place, kind.entry.with_article,
        );
        let declared = draft.column(&column.value).is_some();
        let keys = if declared { "`lower` and `upper`" } else { "`lower`, `upper` and `missing`" };
        mistakes.note(&column.span, message, format!("add {keys} to {}", column_header(&column.value)));
    }
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
        None => draft.columns.is_ok() && draft.format().is_some_and(RowFormat::has_types),
    }
}
