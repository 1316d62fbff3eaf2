//! Words for people: `label`, `unit`, and the `labels` of values.

use inbounds_data::nfc;
use inbounds_input::document::{Field, Item, Mistakes, Reported, Spanned, Table, given, shorten};
use inbounds_input::nearest;
use toml::de::DeValue;

use crate::plan::{KeyValue, Kind};

/// Most characters of a label: it has to fit beside a number.
const LONGEST: usize = 120;

/// The keys of a column that are words for people.
pub(super) const KEYS: [&str; 3] = ["label", "unit", "labels"];

const HELP_LABEL: &str = "write a few words for people, such as label = \"Cost of a stay\"";
const HELP_UNIT: &str = "write the unit of the column, such as unit = \"euros\"";
const HELP_LABELS: &str = "write a word for each value, such as labels = { f = \"female\", m = \"male\" }";
const HELP_TYPE: &str = "add `type` or `values`, which say whether a value is text, a whole number or a boolean";

/// `label`: what people call a column or a statistic.
pub(super) fn read_label(table: &Table, mistakes: &mut Mistakes) -> Field<String> {
    table.optional("label", |item| words(&item, HELP_LABEL, mistakes))
}

/// `unit` of a column.
pub(super) fn read_unit(table: &Table, mistakes: &mut Mistakes) -> Field<String> {
    table.optional("unit", |item| words(&item, HELP_UNIT, mistakes))
}

/// `labels` of a column's values, which are read by the type of the column.
pub(super) fn read_labels(
    table: &Table,
    declared: Option<Kind>,
    values: &Field<Vec<Spanned<KeyValue>>>,
    mistakes: &mut Mistakes,
) -> Field<Vec<(KeyValue, String)>> {
    table.optional("labels", |item| {
        let DeValue::Table(entries) = item.value else {
            return Err(item.refuse("a table with a word for each value", HELP_LABELS, mistakes));
        };
        let listed = given(values);
        let first = listed.and_then(|values| values.iter().find_map(|value| value.value.kind()));
        let Some(kind) = declared.or(first) else {
            return match values {
                // A list that could not be read has been noted.
                Err(reported) => Err(*reported),
                Ok(_) => Err(mistakes.note(
                    &item.span,
                    format!("{} must know the type of its values", item.subject),
                    HELP_TYPE,
                )),
            };
        };
        if matches!(kind, Kind::Number | Kind::Date | Kind::Other) {
            let message =
                format!("{} must be left out for a column of type {kind}: it has no list of values", item.subject);
            return Err(mistakes.note(&item.span, message, HELP_UNIT));
        }
        let names: Vec<&str> = entries.iter().map(|(key, _)| key.get_ref().as_ref()).collect();
        let labels = Table::open(item.subject.clone(), item.span.clone(), entries, &names, mistakes);
        let read = |(name, span): (String, std::ops::Range<usize>), mistakes: &mut Mistakes| {
            let value = typed(&name, kind).ok_or_else(|| {
                let message = format!("{} must name values of type {kind}, got `{}`", item.subject, shorten(&name));
                mistakes.note(&span, message, HELP_LABELS)
            })?;
            if let Some(listed) = listed.filter(|listed| listed.iter().all(|known| known.value != value)) {
                return Err(unlisted(&item, &name, &span, listed, mistakes));
            }
            let label = labels.optional(&name, |item| words(&item, HELP_LABELS, mistakes))?;
            Ok((value, label.unwrap_or_default()))
        };
        let all: Vec<_> = labels.keys_in_order().into_iter().map(|key| read(key, mistakes)).collect();
        all.into_iter().collect()
    })
}

fn unlisted(
    item: &Item,
    name: &str,
    span: &std::ops::Range<usize>,
    listed: &[Spanned<KeyValue>],
    mistakes: &mut Mistakes,
) -> Reported {
    let known: Vec<String> = listed.iter().map(|value| value.value.to_string()).collect();
    let near = nearest(name, known.iter().map(String::as_str));
    let help =
        near.map_or_else(|| "add it to `values`, or remove it".to_owned(), |near| format!("did you mean `{near}`?"));
    mistakes.note(span, format!("{} must name listed values, got `{}`", item.subject, shorten(name)), help)
}

/// The value of this type, or the missing cell, that a key stands for; TOML writes all keys as text.
pub(super) fn typed(name: &str, kind: Kind) -> Option<KeyValue> {
    match (KeyValue::of_word(name), kind) {
        (Some(KeyValue::Missing), Kind::Text | Kind::Integer | Kind::Boolean) => return Some(KeyValue::Missing),
        (Some(text), Kind::Text) => return Some(text),
        _ => {}
    }
    match kind {
        Kind::Text => Some(KeyValue::Text(nfc(name).into_owned())),
        Kind::Integer => name.parse().ok().map(KeyValue::Integer),
        Kind::Boolean => name.parse().ok().map(KeyValue::Boolean),
        Kind::Number | Kind::Date | Kind::Other => None,
    }
}

/// Words that can be printed in one line.
fn words(item: &Item, help: &str, mistakes: &mut Mistakes) -> Result<String, Reported> {
    let text = item.text(help, mistakes)?.value;
    if text.contains(char::is_control) {
        return Err(item.refuse("one line without control characters", help, mistakes));
    }
    if text.chars().count() > LONGEST {
        return Err(item.refuse(&format!("at most {LONGEST} characters long"), help, mistakes));
    }
    Ok(text)
}
