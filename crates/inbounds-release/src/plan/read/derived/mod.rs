//! Columns that are made of others: `from` with `take`, `cut`, `recode` or `lookup`, and `is`.
//!
//! A table is read on its own here. What it is made of is looked at by [`complete`], with all columns at hand.

mod complete;
mod cut;
mod looked;
mod order;
mod recode;

use inbounds_data::{DatePart, DateSpan, Day, Expression, FormulaError};
use inbounds_input::document::{Complaint, Field, Item, Mistakes, Reported, Spanned, Table, refuse_repeats, shorten};
use toml::de::DeValue;

pub(super) use self::complete::complete;
use self::cut::CutDraft;
use self::recode::{LookupDraft, RecodeDraft};
use super::cells;
use crate::plan::{KeyValue, Kind};

/// Keys of a column's table that are read here.
pub(super) const KEYS: [&str; 8] = ["from", "take", "cut", "classes", "recode", "lookup", "others", "is"];

/// Ways to make a column of another.
const WAYS: [&str; 4] = ["take", "cut", "recode", "lookup"];

const HELP_FROM: &str = "write from = \"birth\" for a column that is made of the column `birth`, or from = [\"age_class\", \"district\"] for one that is looked \
                         up by both";
const HELP_WAYS: &str = "write take = \"year\" for a number of a date, cut = [18, 65] for classes, recode = { 1 = \"yes\", 2 = \"no\" } for \
                         what codes stand for, or lookup = \"regions.csv\" for a public file that says it";
const HELP_TAKE: &str = "write take = \"year\", \"quarter\", \"month\", \"week\", \"weekday\", \"hour\", \
                         \"year-month\", \"year-quarter\" or \"year-week\"; \"age at 2024-12-31\", or \"age at \
                         admitted\" and \"days to discharged\" for another column of dates";
const HELP_IS: &str =
    "write a number, such as is = \"income - 12 * rent\", or a condition, such as is = \"age >= 65 AND member\"";

/// Derivation of a column, as its table states it.
pub(in crate::plan) enum DerivedDraft {
    /// A number of a date, or its period.
    Taken { from: Spanned<String>, part: Spanned<DatePart> },
    /// The time from a date to another one.
    Elapsed { from: Spanned<String>, to: Spanned<String>, unit: DateSpan },
    /// A class.
    Cut { from: Spanned<String>, cut: CutDraft },
    /// Outcome of a code.
    Recoded { from: Spanned<String>, recode: RecodeDraft },
    /// Outcome of a value, from a public file.
    Lookup { from: Vec<Spanned<String>>, lookup: LookupDraft },
    /// A condition or a number.
    Is(Spanned<Expression>),
}

impl DerivedDraft {
    /// The columns that it is made of, at their place.
    pub(in crate::plan) fn inputs(&self) -> Vec<Spanned<String>> {
        match self {
            Self::Taken { from, .. } | Self::Cut { from, .. } | Self::Recoded { from, .. } => vec![from.clone()],
            Self::Lookup { from, .. } => from.clone(),
            Self::Elapsed { from, to, .. } => vec![from.clone(), to.clone()],
            Self::Is(is) => {
                let columns = match &is.value {
                    Expression::Condition { columns, .. } => columns,
                    Expression::Formula(formula) => formula.columns(),
                };
                columns.iter().map(|name| Spanned::new(name.clone(), is.span.clone())).collect()
            }
        }
    }

    /// The type of its values, if the table tells it.
    pub(super) fn kind(&self) -> Option<Kind> {
        match self {
            Self::Taken { part, .. } => Some(part.value.kind()),
            Self::Elapsed { .. } => Some(Kind::Integer),
            Self::Cut { cut, .. } => cut.classes.first().and_then(KeyValue::kind),
            Self::Recoded { recode, .. } => recode.kind(),
            Self::Lookup { lookup, .. } => Some(lookup.kind),
            Self::Is(Spanned { value: Expression::Condition { .. }, .. }) => Some(Kind::Boolean),
            Self::Is(_) => None,
        }
    }

    /// The values that it can have, if the table lists them.
    pub(super) fn values(&self) -> Option<Vec<KeyValue>> {
        let all: Vec<&KeyValue> = match self {
            Self::Cut { cut, .. } => cut.classes.iter().collect(),
            Self::Recoded { recode, .. } => recode.outcomes().collect(),
            Self::Is(Spanned { value: Expression::Condition { .. }, .. }) => {
                return Some([false, true].map(KeyValue::Boolean).into());
            }
            Self::Taken { part, .. } => return part.value.values(),
            Self::Elapsed { .. } | Self::Lookup { .. } | Self::Is(_) => return None,
        };
        let mut seen = std::collections::HashSet::new();
        Some(all.into_iter().filter(|value| seen.insert(*value)).cloned().collect())
    }
}

/// Reads the derivation of a column from others, if it has one.
pub(super) fn read(table: &Table, place: &str, mistakes: &mut Mistakes) -> Field<DerivedDraft> {
    let written: Vec<(&str, Item)> = KEYS.into_iter().filter_map(|key| Some((key, table.item(key)?))).collect();
    let Some((_, first)) = written.first() else { return Ok(None) };
    refuse_spellings(table, mistakes)?;
    let ways: Vec<&(&str, Item)> = written.iter().filter(|(key, _)| WAYS.contains(key)).collect();
    let has = |key: &str| written.iter().any(|(written, _)| *written == key);
    let lone = |key: &str, beside: &str| match table.item(key) {
        Some(item) if !beside.split(' ').any(has) => {
            let beside = beside.split(' ').map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" or ");
            Some((item.span, format!("{place} must have {beside} beside `{key}`")))
        }
        _ => None,
    };
    if let Some(is) = table.item("is") {
        if let Some((key, item)) = written.iter().find(|(key, _)| *key != "is") {
            let message = format!("{place} must have `is` or `{key}`, not both");
            return Err(mistakes.note(
                &item.span,
                message,
                "a column is made in one way; make two columns, one of the other",
            ));
        }
        return expression(&is, mistakes).map(|is| Some(DerivedDraft::Is(is)));
    }
    let Some(from) = table.item("from") else {
        let message = format!("{place} must have `from` beside `{}`", written[0].0);
        return Err(mistakes.note(&first.span, message, HELP_FROM));
    };
    let from = match (from.value, ways.as_slice()) {
        (DeValue::Array(_), [("lookup", item)]) => {
            let from = columns_of(&from, mistakes)?;
            return recode::read_lookup(item, table, mistakes)
                .map(|lookup| Some(DerivedDraft::Lookup { from, lookup }));
        }
        (DeValue::Array(_), _) => {
            let message =
                format!("`from` in {place} must be one column, unless values are looked up in a file with `lookup`");
            return Err(mistakes.note(&from.span, message, HELP_FROM));
        }
        _ => from.text(HELP_FROM, mistakes)?,
    };
    if let Some((span, message)) = lone("classes", "cut").or_else(|| lone("others", "recode lookup")) {
        return Err(mistakes.note(&span, message, HELP_WAYS));
    }
    match ways.as_slice() {
        [] => Err(mistakes.note(
            &from.span,
            format!("{place} must have `take`, `cut`, `recode` or `lookup` beside `from`"),
            HELP_WAYS,
        )),
        [(one, _), (other, item), ..] => {
            let message = format!("{place} must have `{one}` or `{other}`, not both");
            Err(mistakes.note(&item.span, message, "a column is made in one way; make two columns, one of the other"))
        }
        [("take", item)] => taken(from, item, mistakes).map(Some),
        [("cut", item)] => cut::read(item, table, mistakes).map(|cut| Some(DerivedDraft::Cut { from, cut })),
        [("recode", item)] => {
            recode::read(item, table, mistakes).map(|recode| Some(DerivedDraft::Recoded { from, recode }))
        }
        [(_, item)] => recode::read_lookup(item, table, mistakes)
            .map(|lookup| Some(DerivedDraft::Lookup { from: vec![from], lookup })),
    }
}

/// The columns whose values are looked up together.
fn columns_of(item: &Item, mistakes: &mut Mistakes) -> Result<Vec<Spanned<String>>, Reported> {
    let columns = item.list(HELP_FROM, mistakes, |entry, mistakes| entry.text(HELP_FROM, mistakes))?.value;
    refuse_repeats(&columns, mistakes, |name| {
        let message = format!("{} must name each column once, got `{}` twice", item.subject, shorten(name));
        Complaint::new(message, "remove the second one")
    })?;
    Ok(columns)
}

/// A derived value is no cell, and has no spelling.
fn refuse_spellings(table: &Table, mistakes: &mut Mistakes) -> Result<(), Reported> {
    let mut outcome = Ok(());
    for key in cells::KEYS {
        if let Some(item) = table.item(key) {
            let message = format!("{} must be left out for a column that is made of others", item.subject);
            outcome = Err(mistakes.note(&item.span, message, "write it for the column that it is made of"));
        }
    }
    outcome
}

/// The type of such a column, which may be written.
pub(super) fn check_type(
    derived: &DerivedDraft,
    written: Field<Spanned<Kind>>,
    from: &Spanned<String>,
    place: &str,
    mistakes: &mut Mistakes,
) -> Field<Spanned<Kind>> {
    let kind = derived.kind();
    match (written?, kind) {
        (Some(written), Some(kind)) if written.value != kind => {
            let message = format!("`type` in {place} must be \"{kind}\", as its values are");
            Err(mistakes.note(&written.span, message, "remove it"))
        }
        (Some(written), None) => {
            let message = format!("`type` in {place} must be left out: that of a formula follows from its columns");
            Err(mistakes.note(&written.span, message, "remove it"))
        }
        (_, kind) => Ok(kind.map(|kind| Spanned::new(kind, from.span.clone()))),
    }
}

fn expression(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<Expression>, Reported> {
    let text = item.text(HELP_IS, mistakes)?;
    Expression::parse(&text.value).map(|expression| item.put(expression)).map_err(|error| {
        let message = match &error {
            FormulaError::Syntax { problem, .. } => format!("{} cannot be read: {problem}", item.subject),
            other => format!("{}: {other}", item.subject),
        };
        mistakes.note(&item.span, message, HELP_IS)
    })
}

/// The number taken from a date: a part of it, or the time to another date.
fn taken(from: Spanned<String>, item: &Item, mistakes: &mut Mistakes) -> Result<DerivedDraft, Reported> {
    let text = item.value.as_str().unwrap_or_default();
    if let Some(part) = DatePart::NAMED.into_iter().find(|part| part.word() == text) {
        return Ok(DerivedDraft::Taken { from, part: item.put(part) });
    }
    if let Some(day) = text.strip_prefix("age at ").and_then(Day::parse) {
        return Ok(DerivedDraft::Taken { from, part: item.put(DatePart::AgeAt(day)) });
    }
    let age = text.strip_prefix("age at ").map(|to| (DateSpan::Years, to.trim()));
    let days = || text.strip_prefix("days to ").map(|to| (DateSpan::Days, to.trim()));
    match age.or_else(days) {
        // What has no letter is no name, but a day that is written in another way.
        Some((unit, to)) if to.contains(char::is_alphabetic) => {
            Ok(DerivedDraft::Elapsed { from, to: item.put(to.to_owned()), unit })
        }
        _ => {
            let wanted =
                "a part of a date, such as \"year\", or \"age at\" and a date such as 2024-12-31 or a column of dates";
            Err(item.refuse(wanted, HELP_TAKE, mistakes))
        }
    }
}
