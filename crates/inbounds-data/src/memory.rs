//! Rows that a program holds in memory.

use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use crate::DataError;

/// Most rows of a piece, so that threads share a table that came as one batch.
const PIECE: usize = 1 << 17;

/// Rows in record batches of one schema, which take the place of files. Private, but for the schema.
///
/// Cloning copies no row.
#[derive(Clone)]
pub struct MemoryRows {
    schema: SchemaRef,
    pieces: Arc<[RecordBatch]>,
}

impl MemoryRows {
    /// Rows of these batches; `name` is what messages call them.
    ///
    /// # Errors
    /// [`DataError::SchemaDisagrees`] if a batch has other columns than the schema says.
    pub fn new(name: &str, schema: SchemaRef, batches: &[RecordBatch]) -> Result<Self, DataError> {
        for batch in batches {
            let found = batch.schema();
            let types = |schema: &SchemaRef| -> Vec<_> {
                schema.fields().iter().map(|field| (field.name().clone(), field.data_type().clone())).collect()
            };
            if types(&found) != types(&schema) {
                let odd = types(&schema).into_iter().zip(types(&found)).find(|(known, other)| known != other);
                let column = odd.map(|(known, _)| known.0).unwrap_or_default();
                return Err(DataError::SchemaDisagrees { first: name.into(), file: name.into(), column });
            }
        }
        let cut = |batch: &RecordBatch| {
            let rows = batch.num_rows();
            let starts = (0..rows).step_by(PIECE);
            starts.map(|begin| batch.slice(begin, PIECE.min(rows - begin))).collect::<Vec<_>>()
        };
        Ok(Self { schema, pieces: batches.iter().flat_map(cut).collect() })
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    pub(crate) fn pieces(&self) -> &[RecordBatch] {
        &self.pieces
    }
}

/// The columns alone: the derived one would print cells.
impl fmt::Debug for MemoryRows {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.schema.fields().iter().map(|field| field.name());
        formatter.debug_struct("MemoryRows").field("columns", &columns.collect::<Vec<_>>()).finish_non_exhaustive()
    }
}

/// Whether both are the very same rows; cells are not compared.
impl PartialEq for MemoryRows {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.pieces, &other.pieces)
    }
}

impl Eq for MemoryRows {}
