//! The `[per_unit.<name>]` tables: columns of the one row that is made of all rows of a unit.

use std::ops::Range;

use inbounds_core::{Named as _, Rational};
use inbounds_input::document::{Field, Mistakes, Reported, Spanned, Table, given};
use toml::de::DeValue;

use super::column::{self, ColumnDraft, ValuesOf};
use super::labels;
pub(in crate::plan) use crate::plan::per_unit::header;
use crate::plan::per_unit::kind;
use crate::plan::{Bounds, ColumnCells, Missing, PerUnitWord, TakenPerUnit};

/// Keys of a table that are read here.
const KEYS: [&str; 7] = ["take", "from", "order", "where", "lower", "upper", "values"];

const MISSING: &str = "missing";

const HELP: &str =
    "write [per_unit.stays] and below it take = \"rows\", for a column `stays` with the number of rows of each unit";
const HELP_TAKE: &str =
    "write take = \"rows\", \"sum\", \"mean\", \"min\", \"max\", \"first\", \"last\", \"any\" or \"all\"";
const HELP_FROM: &str =
    "name the column of the data from which a cell is taken; without `from` it is the column of this name";
const HELP_ORDER: &str = "name a column of numbers or dates, such as order = \"admitted\"";
const HELP_WHERE: &str = "a condition on rows, as in a statistic, such as where = \"cost > 0\"";

/// The columns of units, if the plan makes the rows of a unit into one. What is said of a cell in [columns] is said of
/// it here too.
pub(super) fn read_all(
    root: &Table,
    columns: &Result<Vec<ColumnDraft>, Reported>,
    mistakes: &mut Mistakes,
) -> Field<Vec<ColumnDraft>> {
    let Some(item) = root.item("per_unit") else { return Ok(None) };
    let DeValue::Table(entries) = item.value else { return Err(item.refuse("a table", HELP, mistakes)) };
    let names: Vec<&str> = entries.iter().map(|(key, _)| key.get_ref().as_ref()).collect();
    let table = Table::open("[per_unit]", item.span.clone(), entries, &names, mistakes);
    if names.is_empty() {
        return Err(mistakes.note(&item.span, "[per_unit] must have a column", HELP));
    }
    let of_rows = |name: &str| columns.iter().flatten().find(|column| column.name.value == name);
    let drafts: Vec<_> = table
        .keys_in_order()
        .into_iter()
        .map(|(name, span)| read_one(&table, name, span, &of_rows, mistakes))
        .collect();
    drafts.into_iter().collect::<Result<_, _>>().map(Some)
}

fn read_one<'c>(
    columns: &Table,
    name: String,
    span: Range<usize>,
    of_rows: &impl Fn(&str) -> Option<&'c ColumnDraft>,
    mistakes: &mut Mistakes,
) -> Result<ColumnDraft, Reported> {
    let place = header(&name);
    let known: Vec<&str> = KEYS.into_iter().chain([MISSING]).chain(labels::KEYS).collect();
    let table = columns.table(&name, &place, &known, mistakes);
    let table = columns.required(&name, table, HELP_TAKE, mistakes)?;
    let name = Spanned::new(name, span);
    let taken = taken(&table, &name, &place, mistakes);
    let take = given(&taken).map(|taken| taken.take.value);
    let source = given(&taken).and_then(|taken| of_rows(&taken.from.as_ref()?.value));
    let cell = source.filter(|_| take.is_some_and(PerUnitWord::is_cell));
    let source_kind = source.and_then(|source| given(&source.column_type).map(|known| known.value));
    let declared = take.and_then(|take| kind(take, source_kind));
    let bounds = column::read_bounds(&table, &place, declared, &name.span, mistakes).map(|own| {
        let inherits = cell.or(source.filter(|_| take == Some(PerUnitWord::Mean)));
        own.or_else(|| inherits.and_then(|source| given(&source.bounds).cloned()))
    });
    let missing = match take.and_then(PerUnitWord::why_never_missing) {
        Some(why) => never_missing(why, &name, &table, &bounds, mistakes),
        None => column::read_missing(&table, &place, declared, &bounds, mistakes),
    };
    let trim = cell.is_none_or(ColumnDraft::trims);
    let values =
        table.optional("values", |item| column::read_values(&item, declared, ValuesOf::Cells { trim }, mistakes));
    let values = values.map(|own| own.or_else(|| cell.and_then(|source| given(&source.values).cloned())));
    let label = labels::read_label(&table, mistakes);
    let unit = labels::read_unit(&table, mistakes);
    let own_labels = labels::read_labels(&table, declared, &values, mistakes);
    let inherited = |own: Field<String>, source: Option<&'c ColumnDraft>, field: fn(&ColumnDraft) -> &Field<String>| {
        own.map(|own| own.or_else(|| source.and_then(|source| given(field(source)).cloned())))
    };
    let adds = take.is_some_and(PerUnitWord::adds);
    Ok(ColumnDraft {
        column_type: Ok(declared.map(|kind| Spanned::new(kind, name.span.clone()))),
        name,
        derived: Ok(None),
        made: Ok(None),
        per_unit: taken,
        bounds,
        missing,
        values,
        set: Ok(None),
        cells: Ok(ColumnCells::default()),
        label: inherited(label, cell, |source| &source.label),
        unit: inherited(unit, source.filter(|_| adds || cell.is_some()), |source| &source.unit),
        map: Ok(cell.and_then(|source| given(&source.map).cloned())),
        labels: own_labels.map(|own| own.or_else(|| cell.and_then(|source| given(&source.labels).cloned()))),
    })
}

/// `take`, `from`, `order` and `where`, as they go together.
fn taken(table: &Table, name: &Spanned<String>, place: &str, mistakes: &mut Mistakes) -> Field<TakenPerUnit> {
    let words: Vec<_> = PerUnitWord::all().iter().map(|word| (word.name(), *word)).collect();
    let take = table.optional("take", |item| item.word(&words, HELP_TAKE, mistakes));
    let take = table.required("take", take, HELP_TAKE, mistakes);
    let from = table.optional("from", |item| item.text(HELP_FROM, mistakes));
    let order = table.optional("order", |item| item.text(HELP_ORDER, mistakes));
    let filter = table.optional("where", |item| item.text(HELP_WHERE, mistakes));
    let (take, from, order, filter) = (take?, from?, order?, filter?);
    let word = take.value;
    if let Some(from) = from.as_ref().filter(|_| word == PerUnitWord::Rows) {
        let message = format!("`from` in {place} must be left out: a number of rows is taken from no column");
        return Err(mistakes.note(&from.span, message, "remove `from`, or take something else"));
    }
    match &order {
        None if word.is_ordered() => {
            let message = format!("{place} must have `order`, which says which row is {word}");
            let help = format!("{HELP_ORDER}; if all rows of a unit have the same cell, write take = \"min\"");
            return Err(mistakes.note(&take.span, message, help));
        }
        Some(order) if !word.is_ordered() => {
            let message = format!("`order` in {place} must be left out: what is taken depends on no order");
            return Err(mistakes.note(&order.span, message, "remove `order`, or write take = \"first\" or \"last\""));
        }
        _ => {}
    }
    let from = from.or_else(|| (word != PerUnitWord::Rows).then(|| name.clone()));
    Ok(Some(TakenPerUnit { take, from, order, filter }))
}

/// A number that every unit has is never missing; the value in its place is not used, and is within the bounds.
fn never_missing(
    why: &str,
    name: &Spanned<String>,
    table: &Table,
    bounds: &Field<Bounds>,
    mistakes: &mut Mistakes,
) -> Field<Spanned<Missing>> {
    if let Some(item) = table.item(MISSING) {
        let message = format!("{} must be left out: {}", item.subject, why);
        return Err(mistakes.note(&item.span, message, "remove it"));
    }
    let zero = || Spanned::new(Rational::ZERO, name.span.clone());
    Ok(Some(given(bounds).map_or_else(zero, |bounds| bounds.lower.clone()).map(Missing::Impute)))
}
