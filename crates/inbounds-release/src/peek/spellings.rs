//! What stands in the cells that a plan cannot use, as it is written. **Private.**

use inbounds_data::{
    CellRules, ColumnTypes, Engine as _, FileEngine, KeyColumn, Keys, Kind, LearnKeys, NumberCell, NumberReader, Source,
};
use serde::Serialize;

use crate::{
    ReleaseError,
    opening::source,
    plan::{KeyValue, Plan},
};

/// Most spellings of a column that are kept.
const MOST: usize = 5;

/// Cells that a plan cannot use, the most frequent first.
#[derive(Serialize, Default)]
pub struct PeekedSpellings {
    /// Some of their spellings.
    pub most_frequent: Vec<PeekedSpelling>,
    /// How many more spellings there are.
    pub others: u64,
    /// Rows with any of them.
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

/// Reads columns as texts, whatever the plan declares.
pub(super) struct Spellings<'a> {
    plan: &'a Plan,
}

impl<'a> Spellings<'a> {
    pub(super) fn of(plan: &'a Plan) -> Self {
        Self { plan }
    }

    /// The cells of a grouping column that are no listed key and no code for missing. None of a column that is made of others.
    pub(super) fn not_listed(&self, keys: &Keys) -> Result<Option<PeekedSpellings>, ReleaseError> {
        let name = &keys.columns()[0];
        let rules = self.plan.cell_rules(name);
        let kind = self.kind(name);
        let as_key = KeyColumn { name: name.clone(), kind, cells: rules.clone() };
        let is_listed = |key: KeyValue| keys.rows().iter().any(|row| row[0] == key);
        let is_code = |cell: &str| rules.text(cell).is_none();
        self.those(name, |cell| !is_code(cell) && !as_key.read(cell).is_some_and(is_listed))
    }

    /// The cells of a column of numbers that are none and no code for missing. None of a column that is made of others.
    pub(super) fn no_numbers(&self, name: &str) -> Result<Option<PeekedSpellings>, ReleaseError> {
        let (rules, kind) = (self.plan.cell_rules(name), self.kind(name));
        if kind == Kind::Boolean {
            let as_key = KeyColumn { name: name.to_owned(), kind, cells: rules.clone() };
            return self.those(name, |cell| rules.text(cell).is_some() && as_key.read(cell).is_none());
        }
        let reader = NumberReader::new(&rules, kind);
        self.those(name, |cell| reader.read(cell) == NumberCell::Unreadable)
    }

    fn kind(&self, name: &str) -> Kind {
        let declared = self.plan.row_column(name).and_then(|column| column.column_type.as_ref());
        declared.map_or(Kind::Text, |declared| declared.value)
    }

    /// Those cells of a stored column.
    fn those(&self, name: &str, is_meant: impl Fn(&str) -> bool) -> Result<Option<PeekedSpellings>, ReleaseError> {
        let is_stored = |column: &crate::plan::Column| column.derived.is_none();
        if self.plan.per_unit.is_some() || !self.plan.row_column(name).is_none_or(is_stored) {
            return Ok(None);
        }
        let raw = Source {
            types: ColumnTypes::Declared,
            declared: vec![(name.to_owned(), Kind::Text)],
            derived: Vec::new(),
            cells: CellRules::default(),
            own_cells: Vec::new(),
            sets: Vec::new(),
            frequency: None,
            per_unit: None,
            ..source(self.plan)
        };
        let learned = FileEngine::open(&raw)?.learn(&LearnKeys::of(&[name]), None)?;
        let counts = super::exact(learned.counts);
        let every: Vec<usize> = (0..counts.len()).collect();
        let Some(keys) = learned.keys.published(&every) else { return Ok(Some(PeekedSpellings::default())) };
        let cells = keys.rows().iter().zip(counts).map(|(key, rows)| PeekedSpelling { cell: key[0].to_string(), rows });
        let mut found: Vec<PeekedSpelling> = cells.filter(|spelling| is_meant(&spelling.cell)).collect();
        found.sort_by(|a, b| b.rows.cmp(&a.rows).then_with(|| a.cell.cmp(&b.cell)));
        let rows = found.iter().map(|spelling| spelling.rows).sum();
        let others = found.len().saturating_sub(MOST) as u64;
        found.truncate(MOST);
        Ok(Some(PeekedSpellings { most_frequent: found, others, rows }))
    }
}
