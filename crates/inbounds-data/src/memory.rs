//! Rows that a program hands over: in memory, as a stream, or as a schema of rows that are elsewhere.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::{RecordBatch, RecordBatchOptions, RecordBatchReader, new_null_array};
use arrow::datatypes::{Field, FieldRef, Schema, SchemaRef};

use crate::{Column, DataError};

/// Most rows of a chunk, so that threads share a table that came as one batch.
const CHUNK_ROWS: usize = 1 << 17;

/// A stream of batches that can be read once.
pub(crate) type BatchReader = Box<dyn RecordBatchReader + Send>;

/// Rows in record batches of one schema, which take the place of files. Private, but for the schema.
///
/// They are held in memory ([`MemoryRows::new`]); or come as a stream ([`MemoryRows::once`]), of which no batch is
/// kept, so that memory does not grow with the rows; or are elsewhere ([`MemoryRows::elsewhere`]), where another
/// process reads them.
///
/// Cloning copies no row.
#[derive(Clone)]
pub struct MemoryRows {
    schema: SchemaRef,
    held: Held,
}

/// Where the rows are.
#[derive(Clone)]
pub(crate) enum Held {
    /// In memory.
    Chunks(Arc<[RecordBatch]>),
    /// In a stream, which the first reader takes.
    Once(Arc<Once>),
    /// Not here. The pointer tells one such table from another.
    Elsewhere(Arc<()>),
}

/// A stream until it is read.
pub(crate) struct Once(Mutex<Option<BatchReader>>);

impl Once {
    /// The stream, for the first who asks.
    pub(crate) fn take(&self) -> Option<BatchReader> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl MemoryRows {
    /// Rows of these batches; `name` is what messages call them.
    ///
    /// # Errors
    /// [`DataError::SchemaDisagrees`] if a batch has other columns than the schema says.
    pub fn new(name: &str, schema: SchemaRef, batches: &[RecordBatch]) -> Result<Self, DataError> {
        for batch in batches {
            let batch_schema = batch.schema();
            let types = |schema: &SchemaRef| -> Vec<_> {
                schema.fields().iter().map(|field| (field.name().clone(), field.data_type().clone())).collect()
            };
            if types(&batch_schema) != types(&schema) {
                let odd = types(&schema).into_iter().zip(types(&batch_schema)).find(|(known, other)| known != other);
                let column = odd.map(|(known, _)| known.0).unwrap_or_default();
                return Err(DataError::SchemaDisagrees { first: name.into(), file: name.into(), column });
            }
        }
        let cut = |batch: &RecordBatch| {
            let rows = batch.num_rows();
            let starts = (0..rows).step_by(CHUNK_ROWS);
            starts.map(|begin| batch.slice(begin, CHUNK_ROWS.min(rows - begin))).collect::<Vec<_>>()
        };
        Ok(Self { schema, held: Held::Chunks(batches.iter().flat_map(cut).collect()) })
    }

    /// Rows of a stream, which is read once, in the order in which its batches come, and of which none is kept.
    ///
    /// What is asked of them is found in one reading, also the rows of units, in whatever order they are. Keys that are
    /// learned need a second one ([`DataError::LearnedOfStream`]), and so does another question
    /// ([`DataError::ReadOnce`]).
    ///
    /// # Example
    /// ```
    /// use arrow::array::{Int64Array, RecordBatch, RecordBatchIterator};
    /// # use arrow::datatypes::{DataType, Field, Schema};
    /// use inbounds_data::{DataError, Engine, FileEngine, MemoryRows, Query, Source};
    /// # let schema = std::sync::Arc::new(Schema::new(vec![Field::new("age", DataType::Int64, true)]));
    /// let batch = RecordBatch::try_new(schema.clone(), vec![std::sync::Arc::new(Int64Array::from(vec![30, 40]))])?;
    /// let stream = RecordBatchIterator::new((0..1_000).map(move |_| Ok(batch.clone())), schema);
    /// let engine = FileEngine::open(&Source::in_memory("a stream", MemoryRows::once(Box::new(stream))))?;
    /// assert_eq!(engine.tally(&Query::default())?.counts.private_steps(), [2_000]);
    /// assert!(matches!(engine.tally(&Query::default()), Err(DataError::ReadOnce)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn once(stream: Box<dyn RecordBatchReader + Send>) -> Self {
        Self { schema: stream.schema(), held: Held::Once(Arc::new(Once(Mutex::new(Some(stream))))) }
    }

    /// Rows that are elsewhere and have this schema: questions can be checked, and are answered from
    /// [shares](crate::Shares).
    pub fn elsewhere(schema: SchemaRef) -> Self {
        Self { schema, held: Held::Elsewhere(Arc::new(())) }
    }

    /// `true` for rows that can be read only once.
    pub fn is_read_once(&self) -> bool {
        matches!(self.held, Held::Once(_))
    }

    /// `true` for rows that are not here.
    pub fn is_elsewhere(&self) -> bool {
        matches!(self.held, Held::Elsewhere(_))
    }

    pub(crate) fn held(&self) -> &Held {
        &self.held
    }

    /// These columns, of which those that are read (`true`) are there, and no cell of another is.
    pub(crate) fn with_columns(&self, columns: &[(&Column, bool)]) -> Self {
        let place = |column: &Column| self.schema.index_of(&column.name).expect("a column that is read is there");
        let field = |&(column, is_read): &(&Column, bool)| match is_read {
            true => self.schema.fields()[place(column)].clone(),
            false => Arc::new(Field::new(&column.name, column.kind.stored(), true)),
        };
        let schema: SchemaRef = Schema::new(columns.iter().map(field).collect::<Vec<FieldRef>>()).into();
        let cut = |batch: &RecordBatch| {
            let rows = batch.num_rows();
            let cells = |&(column, is_read): &(&Column, bool)| match is_read {
                true => batch.column(place(column)).clone(),
                false => new_null_array(&column.kind.stored(), rows),
            };
            let options = RecordBatchOptions::new().with_row_count(Some(rows));
            let cells = columns.iter().map(cells).collect();
            RecordBatch::try_new_with_options(schema.clone(), cells, &options).expect("the types of the batch")
        };
        let held = match &self.held {
            Held::Chunks(chunks) => Held::Chunks(chunks.iter().map(cut).collect()),
            // Columns of a stream are found by their names.
            held => held.clone(),
        };
        Self { schema, held }
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    pub(crate) fn chunks(&self) -> &[RecordBatch] {
        match &self.held {
            Held::Chunks(chunks) => chunks,
            Held::Once(_) | Held::Elsewhere(_) => &[],
        }
    }
}

/// The columns alone: the derived one would print cells.
impl fmt::Debug for MemoryRows {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.schema.fields().iter().map(|field| field.name());
        formatter.debug_struct("MemoryRows").field("columns", &columns.collect::<Vec<_>>()).finish_non_exhaustive()
    }
}

/// Equal if both are the very same rows; cells are not compared.
impl PartialEq for MemoryRows {
    fn eq(&self, other: &Self) -> bool {
        match (&self.held, &other.held) {
            (Held::Chunks(ours), Held::Chunks(theirs)) => Arc::ptr_eq(ours, theirs),
            (Held::Once(ours), Held::Once(theirs)) => Arc::ptr_eq(ours, theirs),
            (Held::Elsewhere(ours), Held::Elsewhere(theirs)) => Arc::ptr_eq(ours, theirs),
            _ => false,
        }
    }
}

impl Eq for MemoryRows {}
