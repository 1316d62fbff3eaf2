//! The `[columns.<name>]` tables.

use std::collections::HashSet;
use std::ops::Range;

use inbounds_core::Rational;
use inbounds_input::document::{
    Complaint, Field, Item, Mistakes, Reported, Spanned, Table, column_header, given, refuse_repeats, shorten,
};
use toml::de::DeValue;

use super::derived::{self, DerivedDraft};
use super::{PublicFiles, cells, labels, map, range};
use crate::plan::{
    Bounds, Column, ColumnCells, Derived, KeyValue, Kind, Missing, PublicMap, SetOfValues, TakenPerUnit, fit,
};

/// Keys of a column's table that are read here.
const KEYS: [&str; 7] = ["type", "lower", "upper", "missing", "values", "separator", "max_options"];

const HELP_TYPE: &str =
    "write type = \"integer\", \"number\", \"text\", \"boolean\", \"date\", or \"set\" for several answers in a cell";
const HELP_SEPARATOR: &str =
    "write what stands between two answers in a cell, such as separator = \";\"; without it a blank does";
const HELP_MAX_OPTIONS: &str = "max_options is the most answers of a cell that count; leave it out for all options";
const HELP_MISSING: &str = "write missing = \"drop\", or a number inside the bounds that stands for a missing value";
const HELP_VALUES: &str = "list every possible value once, such as values = [\"female\", \"male\"], or a range: \
    values = \"2019 to 2024\", \"2023-01 to 2024-06\", \"2023Q1 to 2024Q4\" or \"2023-W01 to 2023-W52\"";

/// `[columns.<name>]` as far as it could be read.
pub(in crate::plan) struct ColumnDraft {
    pub(in crate::plan) name: Spanned<String>,
    pub(in crate::plan) column_type: Field<Spanned<Kind>>,
    /// Its derivation from others, if it has one.
    pub(in crate::plan) derived: Field<DerivedDraft>,
    /// The same with all columns at hand.
    pub(in crate::plan) made: Field<Derived>,
    pub(in crate::plan) per_unit: Field<TakenPerUnit>,
    pub(in crate::plan) bounds: Field<Bounds>,
    pub(in crate::plan) missing: Field<Spanned<Missing>>,
    pub(in crate::plan) values: Field<Vec<Spanned<KeyValue>>>,
    /// Format of a cell with several of them.
    pub(in crate::plan) set: Field<SetOfValues>,
    pub(in crate::plan) cells: Result<ColumnCells, Reported>,
    pub(super) label: Field<String>,
    pub(super) unit: Field<String>,
    pub(super) labels: Field<Vec<(KeyValue, String)>>,
    pub(super) map: Field<PublicMap>,
}

impl ColumnDraft {
    /// `true` if rows without a value of this column are left out.
    pub(in crate::plan) fn drops_missing(&self) -> bool {
        given(&self.missing).is_some_and(|missing| missing.value == Missing::Drop)
    }

    /// `true` if it is taken, per unit, from one of these columns.
    pub(super) fn reads_any(&self, columns: &HashSet<String>) -> bool {
        let taken = given(&self.per_unit);
        taken.is_some_and(|taken| taken.from.iter().chain(&taken.order).any(|column| columns.contains(&column.value)))
    }

    /// `true` if blanks around its texts are no part of them.
    pub(super) fn trims(&self) -> bool {
        trims(&self.cells)
    }

    pub(in crate::plan) fn finish(self) -> Result<Column, Reported> {
        Ok(Column {
            name: self.name,
            column_type: self.column_type?,
            derived: self.made?,
            per_unit: self.per_unit?,
            bounds: self.bounds?,
            missing: self.missing?.map(|missing| missing.value),
            values: self.values?,
            set: self.set?,
            cells: self.cells?,
            label: self.label?,
            unit: self.unit?,
            labels: self.labels?.unwrap_or_default(),
            map: self.map?,
        })
    }
}

fn trims(cells: &Result<ColumnCells, Reported>) -> bool {
    !matches!(cells, Ok(ColumnCells { trim: Some(Spanned { value: false, .. }), .. }))
}

pub(super) fn read_all(
    root: &Table,
    files: &PublicFiles,
    mistakes: &mut Mistakes,
) -> Result<Vec<ColumnDraft>, Reported> {
    let Some(item) = root.item("columns") else { return Ok(Vec::new()) };
    let DeValue::Table(entries) = item.value else {
        return Err(item.refuse("a table", "write [columns.age] for a column `age`, its keys below", mistakes));
    };
    // Any name is a column here, so no key of this table is unknown.
    let names: Vec<&str> = entries.iter().map(|(key, _)| key.get_ref().as_ref()).collect();
    let columns = Table::open("[columns]", item.span, entries, &names, mistakes);
    let drafts: Vec<_> = columns
        .keys_in_order()
        .into_iter()
        .map(|(name, span)| read_one(&columns, name, span, files, mistakes))
        .collect();
    drafts.into_iter().collect()
}

fn read_one(
    columns: &Table,
    name: String,
    span: Range<usize>,
    files: &PublicFiles,
    mistakes: &mut Mistakes,
) -> Result<ColumnDraft, Reported> {
    let place = column_header(&name);
    let known: Vec<&str> =
        KEYS.into_iter().chain(labels::KEYS).chain([map::KEY]).chain(cells::KEYS).chain(derived::KEYS).collect();
    let table = columns.table(&name, &place, &known, mistakes);
    let table = columns.required(&name, table, HELP_TYPE, mistakes)?;
    let words = [Kind::Integer, Kind::Number, Kind::Text, Kind::Boolean, Kind::Date];
    let words = words.map(|column_type| (column_type.name(), (column_type, false)));
    // Of the cells of a set each is read as a text.
    let words = [&words[..], &[("set", (Kind::Text, true))]].concat();
    let written = table.optional("type", |item| item.word(&words, HELP_TYPE, mistakes));
    let is_set = matches!(&written, Ok(Some(Spanned { value: (_, true), .. })));
    let column_type = written.map(|written| written.map(|written| written.map(|(column_type, _)| column_type)));
    let set = read_set(&table, is_set, mistakes);
    let derived = derived::read(&table, &place, mistakes);
    let column_type = match given(&derived) {
        Some(derived) => {
            let from = Spanned::new(name.clone(), span.clone());
            derived::check_type(derived, column_type, &from, &place, mistakes)
        }
        None => column_type,
    };
    let declared = given(&column_type).map(|column_type| column_type.value);
    let bounds = read_bounds(&table, &place, declared, &span, mistakes);
    let missing = match derived {
        Ok(None) => read_missing(&table, &place, declared, &bounds, mistakes),
        // The bounds of a derived column may follow from others.
        _ => table.optional("missing", |item| missing(&item, mistakes)),
    };
    // Spellings in a column without any have been noted.
    let cells = match &derived {
        Ok(None) => cells::of_column(&table, declared, mistakes),
        _ => Ok(ColumnCells::default()),
    };
    let trim = trims(&cells);
    let of_cells = if is_set { ValuesOf::Sets } else { ValuesOf::Cells { trim } };
    let values = table.optional("values", |item| read_values(&item, declared, of_cells, mistakes));
    let label = labels::read_label(&table, mistakes);
    let unit = labels::read_unit(&table, mistakes);
    let own = given(&derived).and_then(DerivedDraft::values);
    let values = match (values, own) {
        (Ok(None), Some(own)) => Ok(Some(own.into_iter().map(|value| Spanned::new(value, span.clone())).collect())),
        (values, _) => values,
    };
    let labels = labels::read_labels(&table, declared, &values, mistakes);
    let map = map::read(&table, files, &values, mistakes);
    Ok(ColumnDraft {
        name: Spanned::new(name, span),
        column_type,
        made: derived.as_ref().map(|_| None).map_err(|reported| *reported),
        derived,
        per_unit: Ok(None),
        bounds,
        missing,
        values,
        set,
        cells,
        label,
        unit,
        labels,
        map,
    })
}

pub(super) fn read_bounds(
    table: &Table,
    place: &str,
    declared: Option<Kind>,
    span: &Range<usize>,
    mistakes: &mut Mistakes,
) -> Field<Bounds> {
    match written_bounds(table, place, declared, mistakes) {
        // Truth values are 0 and 1.
        Ok(None) if declared == Some(Kind::Boolean) => {
            let end = |end| Spanned::new(end, span.clone());
            Ok(Some(Bounds { lower: end(Rational::ZERO), upper: end(Rational::ONE) }))
        }
        bounds => bounds,
    }
}

fn written_bounds(table: &Table, place: &str, declared: Option<Kind>, mistakes: &mut Mistakes) -> Field<Bounds> {
    let lower = table.optional("lower", |item| item.number(mistakes));
    let upper = table.optional("upper", |item| item.number(mistakes));
    let (lower, upper) = match (lower?, upper?) {
        (None, None) => return Ok(None),
        (Some(lower), Some(upper)) => (lower, upper),
        (Some(alone), None) => return Err(one_bound(&alone, place, "lower", "upper", mistakes)),
        (None, Some(alone)) => return Err(one_bound(&alone, place, "upper", "lower", mistakes)),
    };
    if lower.value >= upper.value {
        return Err(note_order(place, &lower, &upper, mistakes));
    }
    for (key, bound) in [("lower", &lower), ("upper", &upper)] {
        if let Err(complaint) = fit::number(&format!("`{key}` in {place}"), &bound.value, declared) {
            return Err(mistakes.note_complaint(&bound.span, complaint));
        }
    }
    Ok(Some(Bounds { lower, upper }))
}

fn one_bound(alone: &Spanned<Rational>, place: &str, present: &str, absent: &str, mistakes: &mut Mistakes) -> Reported {
    let message = format!("{place} must have both bounds or none, got only `{present}`");
    mistakes.note(&alone.span, message, format!("add `{absent}`, or remove `{present}`"))
}

/// Notes that a lower end is not below its upper end.
pub(super) fn note_order(
    place: &str,
    lower: &Spanned<Rational>,
    upper: &Spanned<Rational>,
    mistakes: &mut Mistakes,
) -> Reported {
    let message = format!(
        "`lower` must be less than `upper` in {place}, got lower = {} and upper = {}",
        lower.value, upper.value
    );
    mistakes.note(&lower.span, message, "swap or widen the two")
}

pub(super) fn read_missing(
    table: &Table,
    place: &str,
    declared: Option<Kind>,
    bounds: &Field<Bounds>,
    mistakes: &mut Mistakes,
) -> Field<Spanned<Missing>> {
    table.optional("missing", |item| {
        let missing = missing(&item, mistakes)?;
        check_missing(&missing, place, declared, bounds, mistakes)?;
        Ok(missing)
    })
}

fn missing(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<Missing>, Reported> {
    match item.value {
        DeValue::String(word) if word == "drop" => Ok(item.put(Missing::Drop)),
        DeValue::Integer(_) | DeValue::Float(_) => Ok(item.number(mistakes)?.map(Missing::Impute)),
        DeValue::Boolean(truth) => Ok(item.put(Missing::Impute(if *truth { Rational::ONE } else { Rational::ZERO }))),
        _ => Err(item.refuse("\"drop\" or a number", HELP_MISSING, mistakes)),
    }
}

/// A value that stands for a missing one must be possible: inside the bounds, and of the column's type.
pub(super) fn check_missing(
    missing: &Spanned<Missing>,
    place: &str,
    declared: Option<Kind>,
    bounds: &Field<Bounds>,
    mistakes: &mut Mistakes,
) -> Result<(), Reported> {
    let Missing::Impute(value) = &missing.value else { return Ok(()) };
    let subject = format!("`missing` in {place}");
    // A truth value is a whole number, 0 or 1.
    let declared = declared.map(|declared| if declared == Kind::Boolean { Kind::Integer } else { declared });
    if let Err(complaint) = fit::number(&subject, value, declared) {
        return Err(mistakes.note_complaint(&missing.span, complaint));
    }
    match bounds {
        Ok(Some(bounds)) if *value < bounds.lower.value || *value > bounds.upper.value => {
            let (lower, upper) = (&bounds.lower.value, &bounds.upper.value);
            let written = shorten(mistakes.text().get(missing.span.clone()).unwrap_or_default());
            let message = format!("{subject} must be inside the bounds {lower} and {upper}, got {written}");
            Err(mistakes.note(&missing.span, message, HELP_MISSING))
        }
        Ok(None) => {
            let message = format!("a number for `missing` needs bounds to lie in, and {place} has none");
            Err(mistakes.note(&missing.span, message, "add `lower` and `upper`, or write missing = \"drop\""))
        }
        _ => Ok(()),
    }
}

/// Reads the format of a cell with several values.
fn read_set(table: &Table, is_set: bool, mistakes: &mut Mistakes) -> Field<SetOfValues> {
    let only = |item: &Item, mistakes: &mut Mistakes| match is_set {
        true => Ok(()),
        false => {
            let message = format!("{} must be left out unless type = \"set\"", item.subject);
            Err(mistakes.note(&item.span, message, HELP_TYPE))
        }
    };
    let separator = table.optional("separator", |item| {
        only(&item, mistakes)?;
        let text = item.value.as_str().filter(|text| !text.is_empty());
        text.map(str::to_owned).ok_or_else(|| item.refuse("a string that is not empty", HELP_SEPARATOR, mistakes))
    });
    let most = table.optional("max_options", |item| {
        only(&item, mistakes)?;
        item.counting_number(HELP_MAX_OPTIONS, mistakes)
    });
    let (separator, most) = (separator?, most?);
    Ok(is_set.then(|| SetOfValues { separator: separator.unwrap_or_else(|| " ".to_owned()), most }))
}

/// Places of listed values.
#[derive(Clone, Copy)]
pub(super) enum ValuesOf {
    /// A cell is one of them.
    Cells {
        /// True if blanks around a text are no part of it.
        trim: bool,
    },
    /// A cell holds several of them, as texts.
    Sets,
}

impl ValuesOf {
    /// A listed value as the cells are read.
    fn read(self, value: KeyValue) -> KeyValue {
        match (value, self) {
            (KeyValue::Text(text), Self::Cells { trim: true } | Self::Sets) => KeyValue::Text(text.trim().to_owned()),
            (KeyValue::Integer(integer), Self::Sets) => KeyValue::Text(integer.to_string()),
            (other, _) => other,
        }
    }
}

pub(super) fn read_values(
    item: &Item,
    declared: Option<Kind>,
    values_of: ValuesOf,
    mistakes: &mut Mistakes,
) -> Result<Vec<Spanned<KeyValue>>, Reported> {
    if let Some(text) = item.value.as_str() {
        let kind = declared.unwrap_or(Kind::Integer);
        let all = range::values(text, kind).ok_or_else(|| item.refuse(range::WANTED, HELP_VALUES, mistakes))?;
        let list: Vec<_> = all.into_iter().map(|value| item.put(value)).collect();
        return match declared.map(|kind| fit::values(&item.subject, &list, kind)).unwrap_or_default().into_iter().next()
        {
            Some((span, complaint)) => Err(mistakes.note_complaint(&span, complaint)),
            None => Ok(list),
        };
    }
    let read = |entry: &Item, mistakes: &mut Mistakes| {
        let value = super::key_value::read(entry, mistakes)?;
        if matches!((&value.value, values_of), (KeyValue::Missing, ValuesOf::Sets)) {
            return Err(entry.refuse(
                "an answer",
                "leave `missing` out: a cell without an answer is in no cell",
                mistakes,
            ));
        }
        Ok(value.map(|value| values_of.read(value)))
    };
    let list = item.list(HELP_VALUES, mistakes, read)?.value;
    refuse_repeats(&list, mistakes, |value| {
        Complaint::new(
            format!("{} must name each value once, got {} twice", item.subject, shorten(&fit::written(value))),
            "remove the second one",
        )
    })?;
    // Without a declared type the first value decides what the others must be.
    let expected = declared.or(list.iter().find_map(|value| value.value.kind()));
    let mut outcome = both_missing(item, &list, mistakes);
    for (span, complaint) in expected.map(|expected| fit::values(&item.subject, &list, expected)).unwrap_or_default() {
        outcome = Err(mistakes.note_complaint(&span, complaint));
    }
    outcome.map(|()| list)
}

/// Tables write the missing cell as the word that a text may be.
fn both_missing(item: &Item, list: &[Spanned<KeyValue>], mistakes: &mut Mistakes) -> Result<(), Reported> {
    let is_listed = |value: &KeyValue| list.iter().find(|listed| listed.value == *value);
    let text = is_listed(&KeyValue::Text(KeyValue::MISSING.to_owned()));
    match text.filter(|_| is_listed(&KeyValue::Missing).is_some()) {
        None => Ok(()),
        Some(text) => {
            let message = format!("{} must not list both the missing cell and the text `missing`", item.subject);
            let help =
                "make a column of it in which the text has another word: recode = { \"'missing'\" = \"lost\", ... }";
            Err(mistakes.note(&text.span, message, help))
        }
    }
}
