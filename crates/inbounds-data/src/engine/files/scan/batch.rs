//! The size of the batches that are read, and columns that stand behind those of the files.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, DictionaryArray, Int32Array, RecordBatch, RecordBatchOptions, StringArray};
use arrow::datatypes::{Field, Int32Type, Schema};
use arrow::error::Result;

/// Rows in a batch: its columns stay inside the L2 cache.
pub(in super::super) const BATCH: usize = 16_384;

/// One text in all rows, as a dictionary, so that it is looked up once; missing in all of them if it is not known.
pub(super) fn repeated(text: &Arc<StringArray>, is_known: bool, rows: usize) -> Result<ArrayRef> {
    let numbers = if is_known { Int32Array::from(vec![0; rows]) } else { Int32Array::new_null(rows) };
    Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(numbers, text.clone())?))
}

/// A batch with these columns behind its own.
pub(super) fn behind<'n>(
    batch: &RecordBatch,
    added: impl IntoIterator<Item = (&'n String, ArrayRef)>,
) -> Result<RecordBatch> {
    let mut arrays = batch.columns().to_vec();
    let mut fields: Vec<Field> = batch.schema().fields().iter().map(|field| field.as_ref().clone()).collect();
    for (name, array) in added {
        fields.push(Field::new(name, array.data_type().clone(), true));
        arrays.push(array);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
}
