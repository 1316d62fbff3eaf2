//! How the cells of columns are spelled: `missing_values`, `trim`, `thousands` and `decimal`.

use inbounds_data::{CellRules, DateFormat};
use inbounds_input::document::{Field, Item, Mistakes, Reported, Spanned, Table, shorten};
use toml::de::DeValue;

use super::layout;
use crate::plan::{ColumnCells, Kind};

/// Keys of a column's table that are read here.
pub(super) const KEYS: [&str; 5] = ["missing_values", "trim", "thousands", "decimal", "format"];

const HELP_MISSING_VALUES: &str =
    "list what stands for a missing value, such as missing_values = [\"NA\", -99, \"?\"]; an empty cell always does";
const HELP_TRIM: &str = "write trim = false if blanks around a text tell it from another";
const HELP_FORMAT: &str = "write format = \"%d.%m.%Y\" for dates such as 31.12.2024, or a list if they are written \
    in several ways; without it they are 2024-12-31";
const HELP_THOUSANDS: &str = "write thousands = \",\" for cells such as 1,234; or \".\", \" \", \"'\" or \"_\"";

/// The list `missing_values` of [data] or of a column; it may be empty.
pub(super) fn missing_values(table: &Table, mistakes: &mut Mistakes) -> Field<Spanned<Vec<Spanned<String>>>> {
    table.optional("missing_values", |item| match item.value {
        DeValue::Array(entries) if entries.is_empty() => Ok(item.put(Vec::new())),
        _ => item.list(HELP_MISSING_VALUES, mistakes, spelling),
    })
}

/// A text, or a number as it is written.
fn spelling(entry: &Item, mistakes: &mut Mistakes) -> Result<Spanned<String>, Reported> {
    match entry.value {
        DeValue::String(text) => Ok(entry.put(text.to_string())),
        DeValue::Integer(digits) if digits.radix() == 10 => Ok(entry.put(digits.as_str().to_owned())),
        DeValue::Float(digits) => Ok(entry.put(digits.as_str().to_owned())),
        _ => Err(entry.refuse("a string or a decimal number", HELP_MISSING_VALUES, mistakes)),
    }
}

/// The keys of a column's table.
pub(super) fn of_column(
    table: &Table,
    declared: Option<Kind>,
    mistakes: &mut Mistakes,
) -> Result<ColumnCells, Reported> {
    let missing_values = missing_values(table, mistakes);
    let trim = table.optional("trim", |item| {
        let value = item.value.as_bool();
        let value = value.ok_or_else(|| item.refuse("true or false", HELP_TRIM, mistakes))?;
        only_for(&[Kind::Text], declared, &item, mistakes)?;
        Ok(item.put(value))
    });
    let numbers = [Kind::Integer, Kind::Number];
    let thousands = table.optional("thousands", |item| {
        let separator = separator(&item, &CellRules::THOUSANDS, HELP_THOUSANDS, mistakes)?;
        only_for(&numbers, declared, &item, mistakes)?;
        Ok(separator)
    });
    let decimal = table.optional("decimal", |item| {
        let separator = layout::decimal(&item, mistakes)?;
        only_for(&numbers, declared, &item, mistakes)?;
        Ok(separator)
    });
    let date = table.optional("format", |item| {
        let patterns = match item.value {
            DeValue::Array(_) => {
                item.list(HELP_FORMAT, mistakes, |entry, mistakes| entry.text(HELP_FORMAT, mistakes))?.value
            }
            _ => vec![item.text(HELP_FORMAT, mistakes)?],
        };
        only_for(&[Kind::Date], declared, &item, mistakes)?;
        for pattern in &patterns {
            DateFormat::new(&pattern.value).map_err(|problem| {
                let message = format!("{} {problem}, got \"{}\"", item.subject, shorten(&pattern.value));
                mistakes.note(&pattern.span, message, HELP_FORMAT)
            })?;
        }
        let patterns: Vec<&str> = patterns.iter().map(|pattern| pattern.value.as_str()).collect();
        let format = DateFormat::any(&patterns).map_err(|problem| {
            let help = "leave one of them out: which is meant cannot be told from a cell";
            mistakes.note(&item.span, format!("{} {problem}", item.subject), help)
        })?;
        Ok(item.put(format))
    });
    let (missing_values, trim) = (missing_values?, trim?);
    Ok(ColumnCells { missing_values, trim, thousands: thousands?, decimal: decimal?, date: date? })
}

fn separator(item: &Item, known: &[char], help: &str, mistakes: &mut Mistakes) -> Result<Spanned<char>, Reported> {
    let letter = item.value.as_str().and_then(|text| {
        let mut letters = text.chars();
        letters.next().filter(|letter| known.contains(letter) && letters.next().is_none())
    });
    letter.map(|letter| item.put(letter)).ok_or_else(|| item.refuse("one of the separators", help, mistakes))
}

fn only_for(kinds: &[Kind], declared: Option<Kind>, item: &Item, mistakes: &mut Mistakes) -> Result<(), Reported> {
    match declared.filter(|declared| !kinds.contains(declared)) {
        None => Ok(()),
        Some(other) => {
            let words: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
            let message = format!("{} must be left out for a column of type {other}", item.subject);
            Err(mistakes.note(&item.span, message, format!("it is for columns of type {}", words.join(" or "))))
        }
    }
}
