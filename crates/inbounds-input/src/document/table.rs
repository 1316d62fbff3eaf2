//! One table of the TOML tree: its keys are checked, its entries handed out.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::{
    mistake::{Mistakes, Reported},
    value::{Item, shorten},
};
use crate::nearest;

/// A node of the tree as the parser gives it.
type Node<'i> = toml::Spanned<DeValue<'i>>;

/// State of an optional entry: absent, read, or wrong and noted.
pub type Field<T> = Result<Option<T>, Reported>;

/// The value of an optional entry that is there and right.
pub fn given<T>(field: &Field<T>) -> Option<&T> {
    field.as_ref().ok().and_then(Option::as_ref)
}

/// Fills in a value that the document does not state itself.
pub fn fill<T>(field: &mut Field<T>, value: Option<T>) {
    if let Ok(none @ None) = field {
        *none = value;
    }
}

/// A table with the words that name it in messages.
pub struct Table<'a, 'i> {
    /// For example "[privacy]" or "statistic `people`".
    place: String,
    /// The header, or the whole of an inline table.
    pub span: Range<usize>,
    entries: &'a DeTable<'i>,
}

impl<'a, 'i> Table<'a, 'i> {
    /// Takes hold of a table and notes the keys it should not have.
    pub fn open(
        place: impl Into<String>,
        span: Range<usize>,
        entries: &'a DeTable<'i>,
        known: &[&str],
        mistakes: &mut Mistakes,
    ) -> Self {
        let table = Self { place: place.into(), span, entries };
        for (key, _) in entries.iter().filter(|(key, _)| !known.contains(&key.get_ref().as_ref())) {
            let name = key.get_ref();
            let near = other_names(name).iter().find(|other| known.contains(other)).copied();
            // A parameter of another guarantee, which plans do not state, is no slip of the pen.
            let near = near.or_else(|| nearest(name, known.iter().copied()).filter(|_| name != "rho"));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            let message = format!("unknown key `{}` in {}{near}", shorten(name), table.place);
            mistakes.note(&key.span(), message, format!("the keys here are {}", known.join(", ")));
        }
        table
    }

    /// The table in an entry of this one. `place` names it in messages.
    pub fn table(&self, key: &str, place: &str, known: &[&str], mistakes: &mut Mistakes) -> Field<Table<'a, 'i>> {
        let Some(item) = self.item(key) else { return Ok(None) };
        let DeValue::Table(entries) = item.value else {
            return Err(item.refuse(
                "a table",
                format!("write {place} on a line of its own, its keys below"),
                mistakes,
            ));
        };
        Ok(Some(Table::open(place, item.span, entries, known, mistakes)))
    }

    /// The value of a key.
    pub fn item(&self, key: &str) -> Option<Item<'a, 'i>> {
        let node: &'a Node<'i> = self.entries.get(key)?;
        Some(Item { subject: format!("`{key}` in {}", self.place), value: node.get_ref(), span: node.span() })
    }

    /// Reads the value of a key that may be left out.
    pub fn optional<T>(&self, key: &str, read: impl FnOnce(Item<'a, 'i>) -> Result<T, Reported>) -> Field<T> {
        self.item(key).map(read).transpose()
    }

    /// Turns the absence of a key into a mistake.
    pub fn required<T>(&self, key: &str, field: Field<T>, help: &str, mistakes: &mut Mistakes) -> Result<T, Reported> {
        field?.ok_or_else(|| mistakes.note(&self.span, format!("{} must have `{key}`", self.place), help))
    }

    /// The keys in the order of the text.
    pub fn keys_in_order(&self) -> Vec<(String, Range<usize>)> {
        let mut keys: Vec<_> = self.entries.iter().map(|(key, _)| (key.get_ref().to_string(), key.span())).collect();
        keys.sort_by_key(|(_, span)| span.start);
        keys
    }
}

/// The keys that may be meant by what other languages and libraries call them, the likeliest first.
fn other_names(written: &str) -> &'static [&'static str] {
    match written.to_lowercase().replace('-', "_").as_str() {
        "filter" | "condition" | "conditions" | "subset" | "query" | "having" | "if" => &["where"],
        "group_by" | "groupby" | "group" | "groups" | "grouping" | "strata" | "stratify" => &["by"],
        "variable" | "field" | "col" | "var" => &["column"],
        "variables" | "fields" | "cols" | "vars" => &["columns", "column"],
        "function" | "statistic" | "aggregate" | "agg" | "type" => &["kind"],
        "dtype" | "datatype" | "data_type" | "class" | "kind" => &["type"],
        "min" | "minimum" | "lo" | "low" | "from" => &["lower"],
        "max" | "maximum" | "hi" | "high" | "to" => &["upper"],
        "levels" | "categories" | "keys" | "domain" => &["values"],
        "na" | "na_values" | "null" | "nulls" | "null_values" => &["missing_values", "missing"],
        "impute" | "fill" | "fillna" | "default" => &["missing"],
        "breaks" | "cuts" | "bins" | "breakpoints" => &["edges"],
        "quantiles" | "percentiles" | "probability" | "prob" | "probs" | "p" | "q" => &["probabilities"],
        "noise" | "method" | "algorithm" => &["mechanism"],
        "file" | "filename" | "source" | "input" | "csv" | "parquet" => &["path"],
        "l0" | "max_partitions" | "max_partitions_contributed" => &["max_groups"],
        "linf" | "max_contributions_per_partition" => &["max_rows_per_group"],
        "split" | "delimiter" | "sep" => &["separator"],
        "max_choices" | "max_answers" => &["max_options"],
        "max_contributions" | "contributions" | "contribution_bound" => &["max_rows"],
        "top" | "below" | "flag" | "flags" | "percent" | "prefix" | "suffix" | "symbols" => &["marks"],
        "budget" | "privacy_budget" => &["epsilon", "share"],
        "weight" | "fraction" | "part" => &["share"],
        "adjacency" | "relation" => &["neighbours"],
        "n" | "nrow" | "nrows" | "size" | "records" => &["rows"],
        _ => &[],
    }
}
