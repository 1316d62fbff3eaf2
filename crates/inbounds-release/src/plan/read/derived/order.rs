//! The order in which derived columns are completed, and what they are compared with then.

use std::collections::{HashMap, HashSet};

use inbounds_data::together;
use inbounds_input::document::{Mistakes, Spanned, column_header, given, shorten};

use super::DerivedDraft;
use crate::plan::read::{ColumnDraft, Draft, column::check_missing};
use crate::plan::{KeyValue, Kind, fit, possible::OfDraft};

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

/// Checks the table's statements about the values against the values.
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
}

/// Listed values of derived columns that their rules never give.
pub(super) fn check_values(draft: &Draft, mistakes: &mut Mistakes) {
    for column in draft.columns.iter().flatten() {
        let (Some(derived), Some(values)) = (given(&column.made), given(&column.values)) else { continue };
        let name = column.name.value.as_str();
        let listed: Vec<KeyValue> = values.iter().map(|value| value.value.clone()).collect();
        let possible = possible_places(draft, name, listed);
        // What the plan does not list itself stands at the rule.
        let is_written = |value: &&Spanned<KeyValue>| value.span != derived.span && value.span != column.name.span;
        let wrong = values.iter().zip(0..).filter(|(_, place)| !possible.contains(place)).map(|(value, _)| value);
        for value in wrong.filter(is_written) {
            let message = format!(
                "`values` in {} must be among those that the column can have, got {}",
                column_header(name),
                shorten(&fit::written(&value.value))
            );
            let help = derived.rule.values().map(|known| {
                let known: Vec<String> = known.iter().take(12).map(fit::written).collect();
                format!("they are {}; left out, all of them are listed", known.join(", "))
            });
            mistakes.note(&value.span, message, help.unwrap_or_else(|| "remove it, or mend the rule".to_owned()));
        }
    }
}

/// A code that a derived column never has.
pub(super) fn idle_code<'c>(draft: &Draft, from: &str, codes: impl Iterator<Item = &'c KeyValue>) -> Option<usize> {
    given(&draft.row_column(from)?.made)?.rule.values()?;
    let codes: Vec<KeyValue> = codes.cloned().collect();
    let all = codes.len();
    let possible = possible_places(draft, from, codes);
    (0..all).find(|place| !possible.contains(&(*place as u32)))
}

/// Places of the values that a column can have, as far as the rules say.
fn possible_places(draft: &Draft, column: &str, values: Vec<KeyValue>) -> HashSet<u32> {
    together(&[(column, values)], &OfDraft(draft)).into_iter().flat_map(|group| group.rows).flatten().collect()
}
