//! Columns without rows, for a user who has a plan and no data.

use std::sync::atomic::AtomicBool;

use crate::{
    Column, DataError, Engine, LearnKeys, LearnedCells, Query, Source, UnitMemory,
    engine::{
        Answers, Questions,
        files::{per_unit::UnitTable, program::Program},
    },
    schema::Table,
};

/// Columns that are described and not read: a query can be checked against them, and has no answer.
pub struct Described {
    table: Table,
    filters: bool,
}

impl Described {
    /// The declared columns of a source, whether there are files at its path or not. With `filters` false, conditions
    /// are taken as they are: they may name columns that are not declared.
    ///
    /// # Errors
    /// The errors of declarations that no file could satisfy.
    pub fn new(source: &Source, filters: bool) -> Result<Self, DataError> {
        let rows = Table::described(source)?;
        let table = match &source.per_unit {
            None => rows,
            Some(per_unit) => UnitTable::new(&rows, per_unit)?.table,
        };
        Ok(Self { table, filters })
    }
}

impl Engine for Described {
    fn columns(&self) -> &[Column] {
        &self.table.columns
    }

    /// Nothing: it reads no row.
    fn limit_units(&mut self, _: &UnitMemory) {}

    fn check(&self, query: &Query) -> Result<(), DataError> {
        let filter = query.filter.clone().filter(|_| self.filters);
        Program::new(&self.table).ask(&Query { filter, ..query.clone() })
    }

    fn check_keys(&self, asked: &LearnKeys) -> Result<(), DataError> {
        let filter = asked.filter.clone().filter(|_| self.filters);
        let asked = LearnKeys { filter, ..asked.clone() };
        Program::new(&self.table).check_learned(&asked)
    }

    /// Always [`DataError::NoFiles`].
    fn learn(&self, _: &LearnKeys, _: Option<&AtomicBool>) -> Result<LearnedCells, DataError> {
        Err(DataError::NoFiles { path: self.table.path.clone() })
    }

    /// Always [`DataError::NoFiles`].
    fn answer(&self, _: &Questions<'_>) -> Result<Answers, DataError> {
        Err(DataError::NoFiles { path: self.table.path.clone() })
    }
}
