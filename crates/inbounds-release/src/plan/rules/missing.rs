//! Where a statistic reads the numbers of a column, the plan says what a missing one counts as.
//!
//! There is no default: leaving such rows out makes the number of rows private, and counting them as some number biases
//! every statistic towards it. Which of the two is right only the author of the plan can know.

use std::collections::HashSet;

use inbounds_input::document::{Mistakes, Spanned, given, shorten};

use crate::plan::fit;
use crate::plan::read::{ColumnDraft, Draft, StatisticDraft};

const HELP: &str = "missing = \"drop\" leaves rows without a number out, and the number of rows that count is then private; \
                    missing = 0, or another number inside the bounds, counts each of them as that number";

/// One note a column, at its table, or at its first use where it has none.
pub(super) fn check(draft: &Draft, mistakes: &mut Mistakes) {
    let mut seen = HashSet::new();
    for statistic in draft.statistics.iter().flatten() {
        for column in statistic.columns() {
            if seen.insert(&column.value) {
                check_column(column, statistic, draft, mistakes);
            }
        }
    }
}

fn check_column(column: &Spanned<String>, statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let header = draft.header(&column.value);
    match draft.column(&column.value) {
        Some(declared) if declared.missing == Ok(None) && is_numeric(declared) => {
            let message = format!(
                "{header} must have `missing`: {} reads its numbers, and a cell may hold none",
                statistic.place
            );
            mistakes.note(&declared.name.span, message, HELP);
        }
        // A CSV column without a table has been noted as such, and a column that needs bounds as one without.
        None if draft.may_be_undeclared() && has_edges(statistic) => {
            let message = format!(
                "{} reads numbers of `{}`, and the plan does not say what a missing one counts as",
                statistic.place,
                shorten(&column.value)
            );
            mistakes.note(&column.span, message, format!("add {header} with `missing`: {HELP}"));
        }
        _ => {}
    }
}

fn has_edges(statistic: &StatisticDraft) -> bool {
    statistic.kind.as_ref().is_ok_and(|kind| kind.entry.has_edges)
}

/// `true` if the numbers of a column can be read, as far as its type is known.
fn is_numeric(column: &ColumnDraft) -> bool {
    given(&column.column_type).is_none_or(|column_type| fit::is_numeric(column_type.value))
}
