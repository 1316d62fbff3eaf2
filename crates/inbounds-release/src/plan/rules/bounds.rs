//! Without bounds one row could move a statistic without limit. Edges are bounds of their own.

use inbounds_input::document::{Mistakes, Spanned, given, shorten};

use crate::plan::fit;
use crate::plan::read::{Draft, StatisticDraft};

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
        // Truth values have bounds, but only the data know of them where the plan does not.
        let boolean = match draft.column(&column.value).map(|declared| &declared.column_type) {
            Some(Ok(None)) | None if draft.may_be_undeclared() => ", or type = \"boolean\" if it holds truth values",
            _ => "",
        };
        mistakes.note(&column.span, message, format!("add {keys} to {}{boolean}", draft.header(&column.value)));
    }
}

/// `true` if the mistake of a column is its lack of bounds, and not one that is noted already.
fn lacks_bounds(column: &Spanned<String>, draft: &Draft) -> bool {
    match draft.column(&column.value) {
        Some(declared) => {
            let numeric = match given(&declared.column_type) {
                Some(column_type) => fit::is_numeric(column_type.value),
                None => true,
            };
            numeric && declared.bounds == Ok(None)
        }
        None => draft.may_be_undeclared(),
    }
}
