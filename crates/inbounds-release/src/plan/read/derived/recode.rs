//! Outcomes of codes: `recode` or `lookup`, with `others`.

use inbounds_core::Rational;
use inbounds_input::document::{Field, Item, Mistakes, Reported, Spanned, Table};
use toml::de::DeValue;

use crate::plan::{KeyValue, Kind, read::key_value};

const HELP_RECODE: &str = "write what each code stands for, such as recode = { 1 = \"yes\", 2 = \"no\" }; missing, on either side, is a missing value";
const HELP_OTHERS: &str = "write what every value that is not listed stands for: others = \"other\", or others = \"missing\" for a missing value";
const HELP_OTHER_NUMBERS: &str =
    "write the number of every value that is not in the file: others = 0, or others = \"missing\" for a missing value";
const HELP_LOOKUP: &str = "write the path of a public CSV or Parquet file, such as lookup = \"regions.csv\"";

/// Outcomes of codes, before the type of the codes is known.
pub(in crate::plan) struct RecodeDraft {
    /// Codes as keys of TOML, which are text, and what they stand for; nothing for a missing value.
    pub(in crate::plan) codes: Vec<(Spanned<String>, Option<KeyValue>)>,
    /// Outcome of every other value.
    pub(in crate::plan) others: Option<KeyValue>,
}

/// A public file that says what values stand for.
pub(in crate::plan) struct LookupDraft {
    pub(in crate::plan) file: Spanned<String>,
    /// The type of what they stand for.
    pub(in crate::plan) kind: Kind,
    /// Outcome of every value that is not in the file.
    pub(in crate::plan) others: LookupOthers,
}

/// Outcome of all values that a file does not have; nothing for a missing value.
pub(in crate::plan) enum LookupOthers {
    /// A value.
    Value(Option<KeyValue>),
    /// A number.
    Number(Option<Rational>),
}

impl RecodeDraft {
    pub(super) fn outcomes(&self) -> impl Iterator<Item = &KeyValue> {
        self.codes.iter().filter_map(|(_, to)| to.as_ref()).chain(&self.others)
    }

    pub(super) fn kind(&self) -> Option<Kind> {
        self.outcomes().find_map(KeyValue::kind)
    }
}

pub(super) fn read(item: &Item, table: &Table, mistakes: &mut Mistakes) -> Result<RecodeDraft, Reported> {
    let DeValue::Table(entries) = item.value else {
        return Err(item.refuse("a table of codes and what they stand for", HELP_RECODE, mistakes));
    };
    let names: Vec<&str> = entries.iter().map(|(key, _)| key.get_ref().as_ref()).collect();
    let codes = Table::open(item.subject.clone(), item.span.clone(), entries, &names, mistakes);
    let one = |(name, span): (String, std::ops::Range<usize>), mistakes: &mut Mistakes| {
        let to = codes.item(&name).map(|item| outcome(&item, mistakes)).transpose()?;
        Ok((Spanned::new(name, span), to.and_then(|to| to.value)))
    };
    let all: Vec<_> = codes.keys_in_order().into_iter().map(|key| one(key, mistakes)).collect();
    let codes = all.into_iter().collect::<Result<Vec<_>, Reported>>()?;
    let others = required_others(table, mistakes)?;
    let draft = RecodeDraft { codes, others: others.value.clone() };
    let Some(kind) = draft.kind() else {
        let message = format!("{} must have a code that stands for a value", item.subject);
        return Err(mistakes.note(&item.span, message, HELP_RECODE));
    };
    if let Some(other) = draft.outcomes().find_map(|to| to.kind().filter(|other| *other != kind)) {
        let message =
            format!("{} and `others` must stand for values of one type, got {kind} and {other}", item.subject);
        return Err(mistakes.note(&item.span, message, "write all of them with quotes, or all without"));
    }
    Ok(draft)
}

pub(super) fn read_lookup(item: &Item, table: &Table, mistakes: &mut Mistakes) -> Result<LookupDraft, Reported> {
    let file = item.text(HELP_LOOKUP, mistakes)?;
    let written: Field<Spanned<Kind>> = table.optional("type", |item| {
        let words = [Kind::Text, Kind::Integer, Kind::Number, Kind::Boolean].map(|kind| (kind.name(), kind));
        item.word(&words, "a file can be looked up for texts, numbers and booleans", mistakes)
    });
    let kind = written?.map_or(Kind::Text, |kind| kind.value);
    if kind == Kind::Number {
        let others = table.optional("others", |item| match item.value {
            DeValue::String(word) if word == KeyValue::MISSING => Ok(item.put(None)),
            _ => item.number(mistakes).map(|number| number.map(Some)),
        });
        let others = table.required("others", others, HELP_OTHER_NUMBERS, mistakes)?;
        return Ok(LookupDraft { file, kind, others: LookupOthers::Number(others.value) });
    }
    let others = required_others(table, mistakes)?;
    if let Some(value) = others.value.as_ref().and_then(KeyValue::kind).filter(|other| *other != kind) {
        let message = format!("`others` must be of type {kind}, as what is looked up, got {value}");
        return Err(mistakes.note(&others.span, message, "mend it, or write `type` for what the file has"));
    }
    Ok(LookupDraft { file, kind, others: LookupOthers::Value(others.value) })
}

/// A value that people see: a text without blanks around it, and not blank.
pub(super) fn named(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<KeyValue>, Reported> {
    let value = key_value::read(item, mistakes)?.map(|value| match value {
        KeyValue::Text(text) => KeyValue::Text(text.trim().to_owned()),
        other => other,
    });
    if value.value == KeyValue::Text(String::new()) {
        return Err(item.refuse(
            "a value that is not blank",
            "write \"missing\" in `recode` and `others` for a missing value",
            mistakes,
        ));
    }
    Ok(value)
}

/// A value, or none for a missing one.
fn outcome(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<Option<KeyValue>>, Reported> {
    let value = named(item, mistakes)?;
    Ok(value.map(|value| Some(value).filter(|value| *value != KeyValue::Missing)))
}

fn required_others(table: &Table, mistakes: &mut Mistakes) -> Result<Spanned<Option<KeyValue>>, Reported> {
    let others = table.optional("others", |item| outcome(&item, mistakes));
    table.required("others", others, HELP_OTHERS, mistakes)
}
