//! The rows that units were made into, in memory: threads take their batches in turn.

use std::sync::atomic::{AtomicUsize, Ordering};

use arrow::array::RecordBatch;
use arrow::error::Result;

/// Batches of the table of units.
pub(super) struct UnitBatches {
    batches: Vec<RecordBatch>,
    /// Places of the columns that are read.
    columns: Vec<usize>,
    next: AtomicUsize,
}

impl UnitBatches {
    /// The columns at these places.
    pub(super) fn new(batches: Vec<RecordBatch>, columns: &[usize]) -> Self {
        Self { batches, columns: columns.to_vec(), next: AtomicUsize::new(0) }
    }

    /// Reads the next batch, of no file; false if there is none.
    pub(super) fn next(&self, each: &mut impl FnMut(usize, &RecordBatch) -> Result<()>) -> Result<bool> {
        let Some(batch) = self.batches.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return Ok(false) };
        each(0, &batch.project(&self.columns)?)?;
        Ok(true)
    }
}
