//! `[data.longer]`: a unit has several rows where each of its rows becomes several.

use inbounds_input::document::{Mistakes, given, shorten};

use crate::plan::read::Draft;
use crate::plan::{KeyValue, Unit};

pub(super) fn check(draft: &Draft, mistakes: &mut Mistakes) {
    let Some(longer) = draft.longer() else { return };
    let rows = longer.value.columns.len() as u64;
    let unit = draft.privacy.as_ref().ok().and_then(|privacy| privacy.unit.as_ref().ok());
    let too_few = match unit {
        Some(Unit::Row) if rows > 1 && !draft.is_undecided() => Some("this unit protects fewer"),
        Some(Unit::Rows { most }) if most.value < rows => Some("this unit protects fewer"),
        Some(Unit::Column { most, .. }) if most.contribution().rows() < rows => {
            Some("`max_rows` keeps fewer of each unit")
        }
        // All rows of a unit, however many, are made into one.
        Some(Unit::Row | Unit::Rows { .. } | Unit::OneRow { .. } | Unit::Column { .. }) | None => None,
    };
    if let Some(reason) = too_few {
        let message = format!("[data.longer] makes {rows} rows of each row of the files, and {reason}");
        let help = format!(
            "name the column that identifies people, unit = {{ column = \"...\", max_rows = {rows} }}, or write unit = {{ \
             max_rows = {rows} }} where each row of the file is a person"
        );
        mistakes.note(&longer.span, message, help);
    }
    let makes = |column: &String| *column == longer.value.names_to || *column == longer.value.values_to;
    if let Some(Unit::Column { column, .. } | Unit::OneRow { column }) = unit
        && draft.origins(&column.value).iter().any(makes)
    {
        let message = format!(
            "`unit` must not be `{}`, by [data.longer]: it differs between the rows of one row of the files",
            shorten(&column.value)
        );
        mistakes.note(&column.span, message, "name a column of the files that identifies people");
    }
    if let Some(frequency) = draft.frequency() {
        let message = "`frequency` in [data] must be left out with [data.longer]: a row of the files becomes several rows, each of \
                       which would stand for several";
        mistakes.note(&frequency.span, message, "write the table with one row for each of the rows that it stands for");
    }
    for column in draft.columns.iter().flatten().filter(|column| column.name.value == longer.value.names_to) {
        let is_name = |value: &KeyValue| longer.value.columns.contains(&value.to_string());
        for value in given(&column.values).into_iter().flatten().filter(|value| !is_name(&value.value)) {
            let message = format!(
                "`values` of `{}` must be names of gathered columns, and `{}` is none",
                shorten(&column.name.value),
                shorten(&value.value.to_string())
            );
            mistakes.note(&value.span, message, "leave `values` out: they are the names in `columns` of [data.longer]");
        }
    }
    for column in draft.columns.iter().flatten() {
        if longer.value.columns.contains(&column.name.value) {
            let (name, values_to) = (shorten(&column.name.value), shorten(&longer.value.values_to));
            let message = format!("[data.longer] gathers the column `{name}`, which is no column any more");
            mistakes.note(&column.name.span, message, format!("say of [columns.{values_to}] how its cells are read"));
        }
    }
}
