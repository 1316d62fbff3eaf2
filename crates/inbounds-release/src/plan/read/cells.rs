//! Spelling of the cells of columns: `missing_values`, `trim`, `thousands`, `decimal` and other marks in numbers.

use inbounds_core::Rational;
use inbounds_data::{CellRules, DateFormat, Negative, NumberStyle};
use inbounds_input::document::{Field, Item, Mistakes, Reported, Spanned, Table, shorten};
use toml::de::DeValue;

use super::layout;
use crate::plan::{ColumnCells, Kind, fit};

/// Keys of a column's table that are read here.
pub(super) const KEYS: [&str; 9] =
    ["missing_values", "trim", "thousands", "decimal", "marks", "numbers", "negative", "groups", "format"];

const HELP_MISSING_VALUES: &str =
    "list what stands for a missing value, such as missing_values = [\"NA\", -99, \"?\"]; an empty cell always does";
const HELP_TRIM: &str = "write trim = false if blanks around a text tell it from another";
const HELP_FORMAT: &str = "write format = \"%d.%m.%Y\" for dates such as 31.12.2024, or a list if they are written \
    in several ways; without it they are 2024-12-31";
const HELP_MARKS: &str =
    "list what may stand beside a number and is no part of it, such as marks = [\"+\", \"<\", \"%\", \"EUR\"]";
const HELP_NUMBERS: &str = "write the cells that stand for a number, such as numbers = { none = 0, \"<5\" = 2.5 }";
const HELP_NEGATIVE: &str = "write negative = \"(5)\" or \"5-\"; without it a negative number is -5";
const HELP_GROUPS: &str = "write how many digits stand in a group, the last group first: groups = [3, 2] for 12,34,567; \
    without it groups have three digits";
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
        // Both of them are a style, read below.
        let separator = if is_either(&item) { item.put('.') } else { layout::decimal(&item, mistakes)? };
        only_for(&numbers, declared, &item, mistakes)?;
        Ok(separator)
    });
    let number = style(table, declared, mistakes);
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
    Ok(ColumnCells { missing_values, trim, thousands: thousands?, decimal: decimal?, number: number?, date: date? })
}

/// The keys that say what numbers are written with; none without any of them.
fn style(table: &Table, declared: Option<Kind>, mistakes: &mut Mistakes) -> Field<Spanned<NumberStyle>> {
    let numbers = [Kind::Integer, Kind::Number];
    let marks = table.optional("marks", |item| {
        only_for(&numbers, declared, &item, mistakes)?;
        item.list(HELP_MARKS, mistakes, |entry, mistakes| entry.text(HELP_MARKS, mistakes))
    });
    let spelled = table.optional("numbers", |item| {
        only_for(&numbers, declared, &item, mistakes)?;
        spelled(&item, declared, mistakes)
    });
    let words = [("(5)", Negative::Brackets), ("5-", Negative::Behind)];
    let negative = table.optional("negative", |item| {
        only_for(&numbers, declared, &item, mistakes)?;
        item.word(&words, HELP_NEGATIVE, mistakes)
    });
    let groups = table.optional("groups", |item| {
        only_for(&numbers, declared, &item, mistakes)?;
        item.list(HELP_GROUPS, mistakes, |entry, mistakes| {
            let digits = match entry.value {
                DeValue::Integer(digits) => {
                    digits.as_str().parse::<u8>().ok().filter(|digits| (1..10).contains(digits))
                }
                _ => None,
            };
            digits
                .map(|digits| entry.put(digits))
                .ok_or_else(|| entry.refuse("a number from 1 to 9", HELP_GROUPS, mistakes))
        })
    });
    let (marks, spelled, negative, groups) = (marks?, spelled?, negative?, groups?);
    let either = table.item("decimal").filter(is_either);
    let spans = [
        either.as_ref().map(|key| &key.span),
        marks.as_ref().map(|key| &key.span),
        spelled.as_ref().map(|key| &key.span),
        negative.as_ref().map(|key| &key.span),
        groups.as_ref().map(|key| &key.span),
    ];
    let Some(span) = spans.into_iter().flatten().next().cloned() else { return Ok(None) };
    let style = NumberStyle {
        marks: marks.map(|list| list.value.into_iter().map(|mark| mark.value).collect()).unwrap_or_default(),
        spelled: spelled.map(|key| key.value).unwrap_or_default(),
        negative: negative.map(|key| key.value).unwrap_or_default(),
        either_decimal: either.is_some(),
        groups: groups.map(|list| list.value.into_iter().map(|digits| digits.value).collect()).unwrap_or_default(),
    };
    Ok(Some(Spanned::new(style, span)))
}

/// `true` if `decimal` lists both separators.
fn is_either(item: &Item) -> bool {
    let DeValue::Array(entries) = item.value else { return false };
    let mut listed: Vec<&str> = entries.iter().filter_map(|entry| entry.get_ref().as_str()).collect();
    listed.sort_unstable();
    entries.len() == 2 && listed == [",", "."]
}

/// Cells that stand for a number, in the order of the text.
fn spelled(
    item: &Item,
    declared: Option<Kind>,
    mistakes: &mut Mistakes,
) -> Result<Spanned<Vec<(String, String)>>, Reported> {
    let DeValue::Table(entries) = item.value else { return Err(item.refuse("a table", HELP_NUMBERS, mistakes)) };
    let names: Vec<&str> = entries.iter().map(|(key, _)| key.get_ref().as_ref()).collect();
    let table = Table::open(item.subject.clone(), item.span.clone(), entries, &names, mistakes);
    let mut numbers = Vec::new();
    for (cell, _) in table.keys_in_order() {
        let number = table.optional(&cell, |item| {
            let number = item.number(mistakes)?;
            match fit::number(&item.subject, &number.value, declared) {
                Ok(()) => Ok(number),
                Err(complaint) => Err(mistakes.note_complaint(&item.span, complaint)),
            }
        })?;
        numbers.extend(number.map(|number| (cell, decimal(&number.value))));
    }
    Ok(item.put(numbers))
}

/// A number as cells are written: a whole one exactly.
fn decimal(number: &Rational) -> String {
    let (numerator, denominator) = number.parts();
    if denominator.is_one() { numerator.to_string() } else { number.to_f64().to_string() }
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
