//! Rows of a stream: threads take its batches in turn, and none is kept.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::error::{ArrowError, Result};

use super::arrow_file::usual;
use super::batch::BATCH;
use crate::memory::BatchReader;
use crate::schema::Table;

/// The batches of a stream, cut to the usual size as they come.
pub(super) struct StreamBatches {
    stream: Mutex<(BatchReader, VecDeque<RecordBatch>)>,
    schema: SchemaRef,
    /// Places of the columns in a batch.
    order: Vec<usize>,
}

impl StreamBatches {
    /// The columns at these places.
    pub(super) fn new(stream: BatchReader, table: &Table, columns: &[usize]) -> Result<Self> {
        let schema = stream.schema();
        let place = |&column: &usize| schema.index_of(&table.columns[column].name);
        let order = columns.iter().map(place).collect::<Result<_>>()?;
        Ok(Self { stream: Mutex::new((stream, VecDeque::new())), schema, order })
    }

    /// Reads the next batch, of no file; false if there is none.
    pub(super) fn next(
        &self,
        stop: &AtomicBool,
        each: &mut impl FnMut(usize, &RecordBatch) -> Result<()>,
    ) -> Result<bool> {
        let Some(batch) = self.take(stop)? else { return Ok(false) };
        each(0, &usual(&batch)?)?;
        Ok(true)
    }

    fn take(&self, stop: &AtomicBool) -> Result<Option<RecordBatch>> {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        let (reader, cut) = &mut *stream;
        while cut.is_empty() && !stop.load(Ordering::Relaxed) {
            let Some(batch) = reader.next().transpose()? else { return Ok(None) };
            let type_of = |schema: &SchemaRef, place: usize| schema.field(place).data_type().clone();
            let batch_schema = batch.schema();
            let is_same = |&place: &usize| {
                batch_schema.fields().len() > place && type_of(&batch_schema, place) == type_of(&self.schema, place)
            };
            if !self.order.iter().all(is_same) {
                return Err(ArrowError::SchemaError("a batch of another schema than the stream".to_owned()));
            }
            let batch = batch.project(&self.order)?;
            let rows = batch.num_rows();
            cut.extend((0..rows).step_by(BATCH).map(|begin| batch.slice(begin, BATCH.min(rows - begin))));
        }
        Ok(cut.pop_front())
    }
}
