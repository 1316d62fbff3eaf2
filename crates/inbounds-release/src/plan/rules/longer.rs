//! `[data.longer]`: a unit has several rows where each of its rows becomes several.

use inbounds_input::document::{Mistakes, shorten};

use crate::plan::Unit;
use crate::plan::read::Draft;

pub(super) fn check(draft: &Draft, mistakes: &mut Mistakes) {
    let Some(longer) = draft.longer() else { return };
    let rows = longer.value.columns.len() as u64;
    let unit = draft.privacy.as_ref().ok().and_then(|privacy| privacy.unit.as_ref().ok());
    let too_few = match unit {
        Some(Unit::Row | Unit::OneRow { .. }) => rows > 1,
        Some(Unit::Rows { most }) => most.value < rows,
        Some(Unit::Column { .. }) | None => false,
    };
    if too_few {
        let message = format!("[data.longer] makes {rows} rows of each row of the files, and this unit protects fewer");
        let help = format!(
            "name the column that identifies people, unit = {{ column = \"...\", max_rows = {rows} }}, or write unit = {{ \
             max_rows = {rows} }} where each row of the file is a person"
        );
        mistakes.note(&longer.span, message, help);
    }
    for column in draft.columns.iter().flatten() {
        if longer.value.columns.contains(&column.name.value) {
            let (name, values_to) = (shorten(&column.name.value), shorten(&longer.value.values_to));
            let message = format!("[data.longer] gathers the column `{name}`, which is no column any more");
            mistakes.note(&column.name.span, message, format!("say of [columns.{values_to}] how its cells are read"));
        }
    }
}
