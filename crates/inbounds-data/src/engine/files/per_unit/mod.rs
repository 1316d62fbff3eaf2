//! One row for each unit: all rows are read, and what is left is a table in memory.
//!
//! **Idea.** What a column takes of a unit's rows is a fold that does not mind their order: a number of rows, an exact
//! sum of integers, or the first of (order, cell) in an order that is total. So it is folded row by row as rows come
//! by, and memory is that of the units. Cells of numbers, dates and truth values are folded as 64-bit words in the
//! order of their values.

mod cells;
mod fold;
mod reduction;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::compute::concat_batches;
use arrow::datatypes::{Field, Schema};
use arrow::error::Result as ReaderResult;

use self::fold::{BatchRows, Folds};
pub(super) use self::reduction::{End, Fold, FoldOf, Reduction};
use super::failure::Failure;
use super::program::Program;
use super::scan::{BATCH, Scan};
use super::threads::{on_batches, on_threads};
use super::units::{UnitNames, Units};
use crate::schema::Table;
use crate::{DataError, PerUnit, UnitMemory};

/// The rows of files, and the table of units that is made of them.
pub(super) struct UnitTable {
    per_unit: PerUnit,
    /// Its columns, without files.
    pub(super) table: Table,
}

impl UnitTable {
    /// Checks what the columns take from a table of rows.
    pub(super) fn new(rows: &Table, per_unit: &PerUnit) -> Result<Self, DataError> {
        Program::new(rows).reduction(per_unit)?;
        Ok(Self { per_unit: per_unit.clone(), table: Table::of_units(rows, per_unit)? })
    }

    /// Reads all rows, and returns the rows of the units in batches. A caller that sets `stopped` discards them.
    pub(super) fn read(
        &self,
        rows: &Table,
        (threads, memory): (usize, &UnitMemory),
        stopped: &(impl Fn() -> bool + Sync),
    ) -> Result<Vec<RecordBatch>, Failure> {
        let mut program = Program::new(rows);
        let reduction = self.reduction(&mut program);
        let scan = Scan::new(rows, &program, threads)?;
        let units = Self::units(&reduction, memory);
        on_batches(
            &scan,
            (threads, &|| stopped() || units.has_failed()),
            || units.collector(),
            |collector, batch| {
                let values = program.values(batch, &scan.columns)?;
                let names = UnitNames::new(values.array(reduction.unit))?;
                collector.add(&names, &BatchRows::new(&reduction.folds, &values));
                Ok(())
            },
            |mut collector| collector.finish(),
        )?;
        units.check()?;
        self.batches(&units, threads, stopped)
    }

    /// Has a program of the rows compute what units are made of.
    pub(super) fn ask(&self, program: &mut Program<'_>) {
        self.reduction(program);
    }

    fn reduction(&self, program: &mut Program<'_>) -> Reduction {
        program.reduction(&self.per_unit).expect("checked when the table was opened")
    }

    /// No units yet.
    fn units(reduction: &Reduction, memory: &UnitMemory) -> Units<Folds> {
        // What is made of the units has to fit, so it is of no use to let rows wait.
        let memory = UnitMemory { spill: None, ..memory.clone() };
        Units::new(&memory, || Folds::new(&reduction.folds))
    }

    /// The rows of the units, once all their rows are taken.
    fn batches(
        &self,
        units: &Units<Folds>,
        threads: usize,
        stopped: &(impl Fn() -> bool + Sync),
    ) -> Result<Vec<RecordBatch>, Failure> {
        let next = AtomicUsize::new(0);
        let parts = on_threads(threads, || {
            let mut batches = Batches::new(&self.table);
            while let Some(shard) = units.next_shard(&next).filter(|_| !stopped()) {
                units.with_shard(shard, |folds| batches.add(folds))?;
            }
            batches.finish()
        })?;
        Ok(parts.into_iter().flatten().collect())
    }
}

/// The rows of units, in batches of the usual size.
struct Batches<'t> {
    table: &'t Table,
    small: Vec<RecordBatch>,
    rows: usize,
    full: Vec<RecordBatch>,
}

impl<'t> Batches<'t> {
    fn new(table: &'t Table) -> Self {
        Self { table, small: Vec::new(), rows: 0, full: Vec::new() }
    }

    /// Adds the units of a shard, and lets go of what was kept of them.
    fn add(&mut self, folds: &mut Folds) -> ReaderResult<()> {
        let units = folds.units();
        if units == 0 {
            return Ok(());
        }
        let arrays: Vec<ArrayRef> = folds.finish();
        let names = self.table.columns.iter().zip(&arrays);
        let fields = names.map(|(column, array)| Field::new(&column.name, array.data_type().clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let options = RecordBatchOptions::new().with_row_count(Some(units));
        self.small.push(RecordBatch::try_new_with_options(schema, arrays, &options)?);
        self.rows += units;
        if self.rows >= BATCH { self.close() } else { Ok(()) }
    }

    fn close(&mut self) -> ReaderResult<()> {
        if let Some(first) = self.small.first() {
            self.full.push(concat_batches(&first.schema(), &self.small)?);
        }
        self.small.clear();
        self.rows = 0;
        Ok(())
    }

    fn finish(mut self) -> ReaderResult<Vec<RecordBatch>> {
        self.close()?;
        Ok(self.full)
    }
}
