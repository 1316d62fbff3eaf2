//! Columns that are taken from dates: `from` and `take`.

use inbounds_data::{DatePart, Day};
use inbounds_input::document::{Field, Item, Mistakes, Reported, Spanned, Table};

use super::cells;
use crate::plan::{Kind, TakenFrom};

/// Keys of a column's table that are read here.
pub(super) const KEYS: [&str; 2] = ["from", "take"];

const HELP_FROM: &str = "write from = \"birth\" for a number that is taken from the dates in the column `birth`";
const HELP_TAKE: &str = "write take = \"year\", \"month\" or \"age at 2024-12-31\"";

/// Where a column is taken from, if it is.
pub(super) fn read(table: &Table, place: &str, mistakes: &mut Mistakes) -> Field<TakenFrom> {
    let from = table.optional("from", |item| item.text(HELP_FROM, mistakes));
    let part = table.optional("take", |item| part(&item, mistakes));
    let (from, part) = match (from?, part?) {
        (None, None) => return Ok(None),
        (Some(from), Some(part)) => (from, part),
        (Some(from), None) => {
            return Err(mistakes.note(&from.span, format!("{place} must have `take` beside `from`"), HELP_TAKE));
        }
        (None, Some(part)) => {
            return Err(mistakes.note(&part.span, format!("{place} must have `from` beside `take`"), HELP_FROM));
        }
    };
    // A number that is taken from a date is no cell, and has no spelling.
    let mut outcome = Ok(());
    for key in cells::KEYS {
        if let Some(item) = table.item(key) {
            let message = format!("{} must be left out for a column that is taken from a date", item.subject);
            outcome = Err(mistakes.note(&item.span, message, "write it for the column of dates"));
        }
    }
    outcome.map(|()| Some(TakenFrom { from, part }))
}

/// The type of such a column, which may be written.
pub(super) fn check_type(
    taken: &TakenFrom,
    written: Field<Spanned<Kind>>,
    place: &str,
    mistakes: &mut Mistakes,
) -> Field<Spanned<Kind>> {
    match written? {
        Some(kind) if kind.value != Kind::Integer => {
            let message = format!("`type` in {place} must be \"integer\": what is taken from a date is a whole number");
            Err(mistakes.note(&kind.span, message, "remove it"))
        }
        _ => Ok(Some(Spanned::new(Kind::Integer, taken.from.span.clone()))),
    }
}

fn part(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<DatePart>, Reported> {
    let part = item.value.as_str().and_then(|text| match text {
        "year" => Some(DatePart::Year),
        "month" => Some(DatePart::Month),
        _ => text.strip_prefix("age at ").and_then(Day::parse).map(DatePart::AgeAt),
    });
    let wanted = "\"year\", \"month\", or \"age at\" and a date such as 2024-12-31";
    part.map(|part| item.put(part)).ok_or_else(|| item.refuse(wanted, HELP_TAKE, mistakes))
}
