//! Contents of the cells that a plan cannot use, as they are written. **Private.**

use std::collections::{BTreeMap, BTreeSet};

use inbounds_data::{
    Column, Engine as _, FileEngine, KeyColumn, Keys, Kind, LearnKeys, NumberCell, NumberReader, Source,
};
use serde::Serialize;

use crate::{
    ReleaseError,
    open_data::stored,
    plan::{self, KeyValue, Plan},
};

/// Most spellings of a column that are kept.
const MOST: usize = 5;

/// Cells that a plan cannot use, the most frequent first.
#[derive(Serialize, Default)]
pub struct PeekedSpellings {
    /// Some of their spellings.
    pub most_frequent: Vec<PeekedSpelling>,
    /// Number of further spellings.
    pub others: u64,
    /// Rows with any of them; of answers, each counts by itself.
    pub rows: u64,
}

/// One spelling.
#[derive(Serialize)]
pub struct PeekedSpelling {
    /// The cell as it is written, without blanks around it.
    pub cell: String,
    /// Rows with it.
    pub rows: u64,
}

/// A cell as its only part.
fn whole_cell(cell: &str) -> BTreeSet<String> {
    BTreeSet::from([cell.to_owned()])
}

/// Reads columns as texts, whatever the plan declares.
pub(super) struct Spellings<'a> {
    plan: &'a Plan,
    /// Columns of the data with the types by which the plan reads them.
    columns: &'a [Column],
}

impl<'a> Spellings<'a> {
    pub(super) fn new(plan: &'a Plan, columns: &'a [Column]) -> Self {
        Self { plan, columns }
    }

    /// Separator of the answers of a cell, in a column of several.
    pub(super) fn separator(&self, name: &str) -> Option<&'a str> {
        let column = self.plan.row_column(name)?;
        Some(column.set.as_ref()?.separator.as_str())
    }

    /// The cells of a grouping column that are no listed key and no code for missing, or the answers in them that are
    /// not listed. None of a column that is made of others.
    pub(super) fn not_listed(&self, keys: &Keys) -> Result<Option<PeekedSpellings>, ReleaseError> {
        let name = &keys.columns()[0];
        let rules = self.plan.cell_rules(name);
        let kind = self.kind(name);
        let as_key = KeyColumn { name: name.clone(), kind, cells: rules.clone() };
        let is_listed = |key: KeyValue| keys.values(0).any(|value| *value == key);
        let is_code = |cell: &str| rules.text(cell).is_none();
        // In cells `missing` is a text as others are; what cannot be read is the missing cell.
        let key = |cell: &str| match kind {
            Kind::Text => rules.text(cell).map(|text| KeyValue::Text(text.into_owned())),
            _ => as_key.read(cell),
        };
        let has_listed_key = |cell: &str| is_listed(key(cell).unwrap_or(KeyValue::Missing));
        match self.separator(name) {
            None => self.those(name, whole_cell, |cell| !is_code(cell) && !has_listed_key(cell)),
            Some(separator) => {
                let answers = |cell: &str| match is_code(cell) {
                    true => BTreeSet::new(),
                    false => cell.split(separator).map(|answer| answer.trim().to_owned()).collect(),
                };
                self.those(name, answers, |answer| !answer.is_empty() && !is_listed(KeyValue::Text(answer.to_owned())))
            }
        }
    }

    /// The cells of a column of numbers that are none and no code for missing. None of a column that is made of others.
    pub(super) fn no_numbers(&self, name: &str) -> Result<Option<PeekedSpellings>, ReleaseError> {
        let (rules, kind) = (self.plan.cell_rules(name), self.kind(name));
        if kind == Kind::Boolean {
            let as_key = KeyColumn { name: name.to_owned(), kind, cells: rules.clone() };
            return self.those(name, whole_cell, |cell| rules.text(cell).is_some() && as_key.read(cell).is_none());
        }
        let reader = NumberReader::new(&rules, kind);
        self.those(name, whole_cell, |cell| reader.read(cell) == NumberCell::Unreadable)
    }

    /// Type by which the plan reads a column.
    pub(super) fn kind(&self, name: &str) -> Kind {
        self.columns.iter().find(|column| column.name == name).map_or(Kind::Text, |column| column.kind)
    }

    /// Those parts of the cells of a stored column.
    fn those(
        &self,
        name: &str,
        parts: impl Fn(&str) -> BTreeSet<String>,
        is_meant: impl Fn(&str) -> bool,
    ) -> Result<Option<PeekedSpellings>, ReleaseError> {
        let is_stored = |column: &plan::Column| column.derived.is_none();
        if self.plan.per_unit.is_some() || !self.plan.row_column(name).is_none_or(is_stored) {
            return Ok(None);
        }
        let raw = Source { declared: vec![(name.to_owned(), Kind::Text)], ..stored(self.plan) };
        let learned = FileEngine::open(&raw)?.learn(&LearnKeys::from_columns(&[name]), None)?;
        let counts = super::exact(learned.counts);
        let every: Vec<usize> = (0..counts.len()).collect();
        let Some(keys) = learned.keys.published(&every) else { return Ok(Some(PeekedSpellings::default())) };
        let mut rows_with: BTreeMap<String, u64> = BTreeMap::new();
        for (key, rows) in keys.rows().zip(counts) {
            let meant = parts(&key[0].to_string()).into_iter().filter(|part| is_meant(part));
            meant.for_each(|part| *rows_with.entry(part).or_default() += rows);
        }
        let mut spellings: Vec<_> = rows_with.into_iter().map(|(cell, rows)| PeekedSpelling { cell, rows }).collect();
        spellings.sort_by(|a, b| b.rows.cmp(&a.rows).then_with(|| a.cell.cmp(&b.cell)));
        let rows = spellings.iter().map(|spelling| spelling.rows).sum();
        let others = spellings.len().saturating_sub(MOST) as u64;
        spellings.truncate(MOST);
        Ok(Some(PeekedSpellings { most_frequent: spellings, others, rows }))
    }
}
