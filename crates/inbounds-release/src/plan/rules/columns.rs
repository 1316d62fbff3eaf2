//! Types of columns: CSV data has none of its own, and a type must suit the use of the column.

use inbounds_input::document::{Mistakes, Spanned, column_header, given, shorten};
use inbounds_input::nearest;

use crate::plan::data::{or_public, why_untyped};
use crate::plan::read::{ColumnDraft, Draft, StatisticDraft};
use crate::plan::{CellRules, Kind, fit};

pub(super) fn check(draft: &Draft, mistakes: &mut Mistakes) {
    let untyped = draft.untyped();
    for column in draft.columns.iter().flatten() {
        check_separators(column, draft, mistakes);
        if let Some(format) = untyped
            && matches!((&column.column_type, &column.derived), (Ok(None), Ok(None)))
        {
            let header = column_header(&column.name.value);
            let message = format!("{header} must have `type`: {}", why_untyped(format));
            let help = "write type = \"integer\", \"number\", \"text\", \"boolean\" or \"date\"";
            mistakes.note(&column.name.span, message, format!("{help}{}", or_public(format)));
        }
    }
    if let Ok(privacy) = &draft.privacy
        && let Ok(unit) = &privacy.unit
        && let Some(column) = unit.column()
    {
        let role = "`unit` in [privacy]";
        let declared = declared_row_type(role, column, "`type`", draft, mistakes);
        judge_type(role, column, declared, fit::unit, mistakes);
    }
    for statistic in draft.statistics.iter().flatten() {
        check_uses(statistic, draft, mistakes);
    }
}

/// One separator cannot stand both for thousands and for decimals, which [data] may have set.
fn check_separators(column: &ColumnDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let Ok(cells) = &column.cells else { return };
    let decimal = cells.decimal.as_ref().map_or(draft.decimal(), |decimal| decimal.value);
    if let Some(thousands) = cells.thousands.as_ref().filter(|thousands| thousands.value == decimal) {
        let header = column_header(&column.name.value);
        let message = format!("{header} must not have `{decimal}` both for thousands and for decimals");
        mistakes.note(&thousands.span, message, "write the separator of decimals with `decimal`");
        return;
    }
    let typed = draft.untyped().filter(|format| format.has_types());
    if let (Some(format), Some(thousands)) = (typed, cells.thousands.as_ref().filter(|mark| mark.value == '.')) {
        let header = column_header(&column.name.value);
        let message =
            format!("{header} must not have `.` between thousands: {format} data may store 1.234 as a number");
        mistakes.note(&thousands.span, message, "write the file as CSV, or the column as numbers");
    }
    let Some(number) = &cells.number else { return };
    let thousands = cells.thousands.as_ref().map(|thousands| thousands.value);
    let rules = CellRules { thousands, decimal, number: number.value.clone(), ..CellRules::default() };
    if let Err(problem) = rules.check() {
        let message = format!("{} {problem}", column_header(&column.name.value));
        mistakes.note(&number.span, message, "leave it out of `marks`, or list whole cells in `numbers`");
        return;
    }
    let with_codes = CellRules { missing: draft.missing_values(column), ..rules };
    let lost = number.value.spelled.iter().find(|(cell, _)| with_codes.number(cell).is_none());
    if let Some((cell, _)) = lost {
        let header = column_header(&column.name.value);
        let message =
            format!("`numbers` in {header} must not give `{}` a number that stands for a missing value", shorten(cell));
        mistakes.note(&number.span, message, "list the cell itself in `missing_values`, or give it another number");
    }
}

fn check_uses(statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let key_needs =
        if statistic.keys == Ok(None) && !statistic.learns_keys() { "`type` and `values`" } else { "`type`" };
    for column in given(&statistic.by).iter().flat_map(|by| &by.value) {
        check_key(&format!("`by` in {}", statistic.place), column, key_needs, fit::key, draft, mistakes);
    }
    let Ok(kind) = statistic.kind.as_ref().map(|kind| kind.entry) else { return };
    let role = format!("`{}` in {}", kind.column_key, statistic.place);
    let needs = if kind.has_edges { "`type` and `missing`" } else { "`type`, `lower`, `upper` and `missing`" };
    for column in statistic.columns() {
        if let Some(column_type) = declared_type(&role, column, needs, draft, mistakes)
            && let Err(complaint) = kind.judge(&role, &column.value, column_type)
        {
            mistakes.note_complaint(&column.span, complaint);
        }
    }
}

fn check_key(
    role: &str,
    column: &Spanned<String>,
    needs: &str,
    judge: fit::Judge,
    draft: &Draft,
    mistakes: &mut Mistakes,
) {
    let declared = declared_type(role, column, needs, draft, mistakes);
    judge_type(role, column, declared, judge, mistakes);
}

/// Notes a type that does not suit its use, if there is one.
fn judge_type(
    role: &str,
    column: &Spanned<String>,
    declared: Option<Kind>,
    judge: fit::Judge,
    mistakes: &mut Mistakes,
) {
    if let Some(Err(complaint)) = declared.map(|declared| judge(role, &column.value, declared)) {
        mistakes.note_complaint(&column.span, complaint);
    }
}

/// The declared type of a column in use, if any; notes a column of CSV data that is not declared at all, and what its
/// table would need.
fn declared_type(
    role: &str,
    column: &Spanned<String>,
    needs: &str,
    draft: &Draft,
    mistakes: &mut Mistakes,
) -> Option<Kind> {
    if let Some(column) = draft.column(&column.value) {
        return given(&column.column_type).map(|column_type| column_type.value);
    }
    match &draft.per_unit {
        Ok(None) => {}
        Ok(Some(units)) => {
            let name = shorten(&column.value);
            let near = near(&column.value, units);
            let message =
                format!("{role} names `{name}`, which is not in [per_unit]: each unit is one row with its columns");
            mistakes.note(&column.span, message, format!("{near}add {} with `take`", draft.header(&column.value)));
            return None;
        }
        Err(_) => return None,
    }
    declared_row_type(role, column, needs, draft, mistakes)
}

/// The same in the rows of the data.
pub(super) fn declared_row_type(
    role: &str,
    column: &Spanned<String>,
    needs: &str,
    draft: &Draft,
    mistakes: &mut Mistakes,
) -> Option<Kind> {
    let Ok(declared) = &draft.columns else { return None };
    if let Some(column) = draft.row_column(&column.value) {
        return given(&column.column_type).map(|column_type| column_type.value);
    }
    if let Some(format) = draft.untyped() {
        let name = shorten(&column.value);
        let near = near(&column.value, declared);
        let message = format!("{role} names `{name}`, which must be declared: {}", why_untyped(format));
        let header = column_header(&column.value);
        mistakes.note(&column.span, message, format!("{near}add {header} with {needs}{}", or_public(format)));
    }
    None
}

/// The beginning of a help: a column of a name that is near, if there is one.
fn near(name: &str, columns: &[ColumnDraft]) -> String {
    let nearest_name = nearest(name, columns.iter().map(|column| column.name.value.as_str()));
    nearest_name.map(|near| format!("did you mean `{}`? Else ", shorten(near))).unwrap_or_default()
}
