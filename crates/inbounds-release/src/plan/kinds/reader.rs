//! Reading the keys of one kind.

use std::{collections::HashSet, ops::Range};

use inbounds_bundle::KindWord;
use inbounds_core::{Named as _, Rational};
use inbounds_input::document::{Field, Item, Mistakes, Reported, Spanned, Table, shorten};
use toml::de::DeValue;

use super::{ENTRIES, KindEntry, StatisticKind};
use crate::plan::read::names;

/// A key that only some kinds have.
pub(super) struct Key {
    pub(super) name: &'static str,
    /// The remedy where it is missing or cannot be read.
    pub(super) help: &'static str,
}

pub(super) const COLUMN: Key =
    Key { name: "column", help: "write the name of one column, such as column = \"income\"" };
pub(super) const COLUMNS: Key =
    Key { name: "columns", help: "list columns, such as columns = [\"height\", \"weight\"]" };
pub(super) const EDGES: Key = Key {
    name: "edges",
    help: "list increasing edges, such as edges = [0, 10, 20, 50], or write edges = { lower = 0, upper = 100, bins = 20 }",
};
/// Read with every statistic, and refused for kinds that do not list it.
pub(super) const RANGE: Key = Key { name: "range", help: "" };
/// Read with every statistic, and refused for kinds that do not list it.
pub(super) const POPULATION: Key = Key { name: "population", help: "" };

/// Most bins of a column.
const MOST_BINS: u64 = 1_000_000;

/// A kind as far as it could be read.
pub(in crate::plan) struct KindDraft {
    pub(in crate::plan) entry: &'static KindEntry,
    /// The columns whose values it reads, as far as they are known.
    pub(in crate::plan) columns: Vec<Spanned<String>>,
    /// True if these need bounds.
    pub(in crate::plan) needs_bounds: bool,
    pub(in crate::plan) kind: Result<StatisticKind, Reported>,
}

/// Every key that some kind has, in the order of the kinds.
pub(in crate::plan) fn keys_of_any() -> Vec<&'static str> {
    let mut seen = HashSet::new();
    ENTRIES.iter().flat_map(|entry| entry.keys).map(|key| key.name).filter(|name| seen.insert(*name)).collect()
}

/// Reads what a kind says of itself; keys that only others have are refused.
pub(in crate::plan) fn read(word: KindWord, table: &Table, place: &str, mistakes: &mut Mistakes) -> KindDraft {
    let entry = super::entry(word);
    for name in keys_of_any() {
        let owners = ENTRIES.iter().filter(|other| other.keys.iter().any(|key| key.name == name));
        let owners: Vec<&KindEntry> = owners.collect();
        if let Some(item) = table.item(name).filter(|_| owners.iter().all(|owner| owner.word != word)) {
            let kinds: Vec<_> = owners.iter().map(|owner| format!("\"{}\"", owner.word.name())).collect();
            let message = format!("`{name}` in {place} must be left out: {} has none", entry.with_article);
            mistakes.note(&item.span, message, format!("remove `{name}`; kinds that have it are {}", kinds.join(", ")));
        }
    }
    let mut reader = KindReader { table, place, entry, mistakes, columns: Vec::new(), needs_bounds: !entry.has_edges };
    let kind = (entry.read)(&mut reader);
    KindDraft { entry, columns: reader.columns, needs_bounds: reader.needs_bounds, kind }
}

/// The table of a statistic, for the kind that reads its own keys of it.
pub(super) struct KindReader<'r, 't, 'i, 'm> {
    table: &'r Table<'t, 'i>,
    place: &'r str,
    entry: &'static KindEntry,
    mistakes: &'r mut Mistakes<'m>,
    columns: Vec<Spanned<String>>,
    /// True if the columns need bounds.
    pub(super) needs_bounds: bool,
}

impl<'t, 'i, 'm> KindReader<'_, 't, 'i, 'm> {
    /// A key that may be left out.
    pub(super) fn optional<T>(
        &mut self,
        key: &Key,
        read: impl FnOnce(Item<'t, 'i>, &'static str, &mut Mistakes<'m>) -> Result<T, Reported>,
    ) -> Field<T> {
        self.table.optional(key.name, |item| read(item, key.help, self.mistakes))
    }

    /// A key that the kind cannot do without.
    pub(super) fn required<T>(
        &mut self,
        key: &Key,
        read: impl FnOnce(Item<'t, 'i>, &'static str, &mut Mistakes<'m>) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        let field = self.optional(key, read);
        field?.ok_or_else(|| {
            let message = format!("{} must have `{}`: {} needs it", self.place, key.name, self.entry.with_article);
            self.mistakes.note(&self.table.span, message, key.help)
        })
    }

    /// One of a few words, or the first where the key is left out.
    pub(super) fn word<T: Copy>(&mut self, key: &Key, words: &[(&str, T)]) -> Result<Option<Spanned<T>>, Reported> {
        self.optional(key, |item, help, mistakes| item.word(words, help, mistakes))
    }

    /// A list of names, each once, that may be left out.
    pub(super) fn names(&mut self, key: &Key) -> Field<Spanned<Vec<Spanned<String>>>> {
        self.optional(key, |item, help, mistakes| names(&item, help, mistakes))
    }

    /// Where the table stands.
    pub(super) fn span(&self) -> Range<usize> {
        self.table.span.clone()
    }

    /// The one column that is read.
    pub(super) fn column(&mut self) -> Result<Spanned<String>, Reported> {
        let column = self.required(&COLUMN, |item, help, mistakes| item.text(help, mistakes))?;
        self.columns.push(column.clone());
        Ok(column)
    }

    /// The columns that are read, each once.
    pub(super) fn columns(&mut self) -> Result<Spanned<Vec<Spanned<String>>>, Reported> {
        let columns = self.required(&COLUMNS, |item, help, mistakes| names(&item, help, mistakes))?;
        self.columns.extend(columns.value.iter().cloned());
        Ok(columns)
    }

    /// Notes that columns are read which another key names.
    pub(super) fn reads(&mut self, columns: impl IntoIterator<Item = Spanned<String>>) {
        self.columns.extend(columns);
    }
}

/// Increasing edges, as a list or as bins of equal width.
pub(super) fn edges(
    item: Item,
    help: &'static str,
    mistakes: &mut Mistakes,
) -> Result<Spanned<Vec<Rational>>, Reported> {
    if let DeValue::Table(entries) = item.value {
        let known = ["lower", "upper", "bins"];
        let table = Table::open(item.subject.clone(), item.span.clone(), entries, &known, mistakes);
        return equal_bins(&table, mistakes).map(|edges| item.put(edges));
    }
    let edges = item.list(help, mistakes, |entry, mistakes| entry.number(mistakes))?;
    if edges.value.len() < 2 {
        return Err(mistakes.note(&item.span, format!("{} must have at least two edges", item.subject), help));
    }
    for pair in edges.value.windows(2) {
        if pair[0].value >= pair[1].value {
            let message = format!("{} must increase, and {} follows {}", item.subject, pair[1].value, pair[0].value);
            return Err(mistakes.note(&pair[1].span, message, help));
        }
    }
    Ok(edges.map(|edges| edges.into_iter().map(|edge| edge.value).collect()))
}

/// Bins of equal width, exactly.
fn equal_bins(table: &Table, mistakes: &mut Mistakes) -> Result<Vec<Rational>, Reported> {
    let help = EDGES.help;
    let lower = table.optional("lower", |item| item.number(mistakes));
    let upper = table.optional("upper", |item| item.number(mistakes));
    let bins = table.optional("bins", |item| item.counting_number(help, mistakes));
    let lower = table.required("lower", lower, help, mistakes);
    let upper = table.required("upper", upper, help, mistakes);
    let bins = table.required("bins", bins, help, mistakes);
    let (lower, upper, bins) = (lower?, upper?, bins?);
    if lower.value >= upper.value {
        let message = format!("`edges` must have lower below upper, got {} and {}", lower.value, upper.value);
        return Err(mistakes.note(&upper.span, message, "exchange them"));
    }
    if bins.value > MOST_BINS {
        let message = format!("`bins` must be at most {MOST_BINS}, got {}", bins.value);
        return Err(mistakes.note(&bins.span, message, "take wider bins"));
    }
    let width = &upper.value - &lower.value;
    let edge = |index: u64| &lower.value + &(&width * &Rational::ratio(index.into(), bins.value.into()));
    Ok((0..=bins.value).map(edge).collect())
}

/// Numbers by name, in the order of the text.
pub(super) type NamedNumbers = Vec<(Spanned<String>, Spanned<Rational>)>;

/// The numbers of a table, each the `quantity` of its name and accepted by `judge`; another value than a table with an
/// entry is refused with a requirement and its help.
pub(super) fn numbers_by_name(
    item: &Item,
    quantity: &str,
    (requirement, help): (&str, &'static str),
    mistakes: &mut Mistakes,
    mut judge: impl FnMut(&Item, &Rational, &mut Mistakes) -> Result<(), Reported>,
) -> Result<NamedNumbers, Reported> {
    let entries = match item.value {
        DeValue::Table(entries) if !entries.is_empty() => entries,
        _ => return Err(item.refuse(requirement, help, mistakes)),
    };
    let mut numbers = Vec::with_capacity(entries.len());
    let mut outcome = Ok(());
    for (name, value) in entries {
        let subject = format!("the {quantity} of `{}` in {}", shorten(name.get_ref()), item.subject);
        let entry = Item { subject, value: value.get_ref(), span: value.span() };
        let number = entry.number(mistakes);
        match number.and_then(|number| judge(&entry, &number.value, mistakes).map(|()| number)) {
            Ok(number) => numbers.push((Spanned::new(name.get_ref().to_string(), name.span()), number)),
            Err(reported) => outcome = Err(reported),
        }
    }
    numbers.sort_by_key(|(name, _)| name.span.start);
    outcome.map(|()| numbers)
}
