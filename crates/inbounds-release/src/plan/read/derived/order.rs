//! The order in which derived columns are completed, and what is held against them then.

use std::collections::HashMap;

use inbounds_input::document::{Mistakes, column_header, given, shorten};

use super::DerivedDraft;
use crate::plan::read::{ColumnDraft, Draft, column::check_missing};
use crate::plan::{Kind, fit};

/// The places of derived columns, each behind those that it is made of. Columns that are made of themselves are noted.
pub(super) fn in_order(draft: &mut Draft, mistakes: &mut Mistakes) -> Vec<usize> {
    let Ok(columns) = &mut draft.columns else { return Vec::new() };
    let names: HashMap<String, usize> =
        columns.iter().enumerate().map(|(place, column)| (column.name.value.clone(), place)).collect();
    let inputs = |column: &ColumnDraft| -> Vec<usize> {
        let inputs = given(&column.derived).map(DerivedDraft::inputs).unwrap_or_default();
        inputs.iter().filter_map(|input| names.get(&input.value).copied()).collect()
    };
    let inputs: Vec<Vec<usize>> = columns.iter().map(inputs).collect();
    let mut known: Vec<bool> = columns.iter().map(|column| given(&column.derived).is_none()).collect();
    let (mut order, mut waiting): (Vec<usize>, Vec<usize>) =
        (Vec::new(), (0..columns.len()).filter(|&place| !known[place]).collect());
    loop {
        let (ready, rest): (Vec<usize>, Vec<usize>) =
            waiting.iter().partition(|&&place| inputs[place].iter().all(|&input| known[input]));
        if ready.is_empty() {
            break;
        }
        ready.iter().for_each(|&place| known[place] = true);
        order.extend(ready);
        waiting = rest;
    }
    for place in waiting {
        let column = &mut columns[place];
        let message =
            format!("{} must not be made of itself, directly or through others", column_header(&column.name.value));
        column.made = Err(mistakes.note(&column.name.span, message, "make it of columns of the data"));
    }
    order
}

/// What the table says of the values, against what they are.
pub(super) fn check(column: &ColumnDraft, mistakes: &mut Mistakes) {
    let header = column_header(&column.name.value);
    let kind = given(&column.column_type).map(|kind| kind.value);
    // Those of truth values are their own.
    let bounds = given(&column.bounds).filter(|_| kind != Some(Kind::Boolean));
    for (key, bound) in bounds.iter().flat_map(|bounds| [("lower", &bounds.lower), ("upper", &bounds.upper)]) {
        if let Err(complaint) = fit::number(&format!("`{key}` in {header}"), &bound.value, kind) {
            mistakes.note_complaint(&bound.span, complaint);
        }
    }
    if let Some(missing) = given(&column.missing) {
        let _noted = check_missing(missing, &header, kind, &column.bounds, mistakes);
    }
    let Some(possible) = given(&column.made).and_then(|derived| derived.rule.values()) else { return };
    for value in given(&column.values).into_iter().flatten().filter(|value| !possible.contains(&value.value)) {
        let message = format!(
            "`values` in {header} must be among those that the column can have, got {}",
            shorten(&fit::written(&value.value))
        );
        let known: Vec<String> = possible.iter().take(12).map(fit::written).collect();
        mistakes.note(&value.span, message, format!("they are {}; left out, all of them are listed", known.join(", ")));
    }
}
