//! Arrow IPC, and rows in memory: threads take the record batches in turn. Texts become views, as those of Parquet.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, FieldRef, Schema};
use arrow::error::Result;
use arrow::ipc::reader::FileReader;
use inbounds_input::OpenedFile;

use super::batch::BATCH;
use crate::Kind;
use crate::arrow_sizes::ArrowSizes;
use crate::schema::Table;

/// The record batches of all files.
pub(super) struct ArrowBatches<'a> {
    table: &'a Table,
    /// Places of the columns that are read.
    columns: Vec<usize>,
    /// File and place of each batch.
    batches: Vec<(usize, usize)>,
    next: AtomicUsize,
}

/// A file that a thread has open.
pub(super) struct OpenArrow<'a> {
    file: usize,
    reader: Reader<'a>,
    /// Places of the columns in a batch of the file.
    order: Vec<usize>,
}

/// Where record batches come from.
enum Reader<'a> {
    File { reader: Box<FileReader<OpenedFile>>, sizes: ArrowSizes },
    Memory(&'a [RecordBatch]),
}

impl Reader<'_> {
    /// The record batch at a place, if there is one.
    fn batch(&mut self, place: usize) -> Result<Option<RecordBatch>> {
        match self {
            Self::File { reader, sizes } => {
                sizes.check_batch(place)?;
                reader.set_index(place)?;
                reader.next().transpose()
            }
            Self::Memory(batches) => Ok(batches.get(place).cloned()),
        }
    }
}

impl<'a> ArrowBatches<'a> {
    /// The columns at these places.
    pub(super) fn new(table: &'a Table, columns: &[usize]) -> Self {
        let of_file = |(file, table_file): (usize, &crate::schema::TableFile)| {
            (0..table_file.batches).map(move |batch| (file, batch))
        };
        let batches = table.files.iter().enumerate().flat_map(of_file).collect();
        Self { table, columns: columns.to_vec(), batches, next: AtomicUsize::new(0) }
    }

    /// Reads the next record batch in batches of the usual size, with the place of its file; false if there is none.
    /// `open` is the file that the thread read last.
    pub(super) fn next(
        &self,
        open: &mut Option<OpenArrow<'a>>,
        stop: &AtomicBool,
        each: &mut impl FnMut(usize, &RecordBatch) -> Result<()>,
    ) -> Result<bool> {
        let Some(&(file, place)) = self.batches.get(self.next.fetch_add(1, Ordering::Relaxed)) else {
            return Ok(false);
        };
        let open = match open {
            Some(known) if known.file == file => known,
            other => other.insert(self.open(file)?),
        };
        let Some(batch) = open.reader.batch(place)? else { return Ok(true) };
        let batch = usual(&batch.project(&open.order)?)?;
        for begin in (0..batch.num_rows()).step_by(BATCH) {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            each(file, &batch.slice(begin, BATCH.min(batch.num_rows() - begin)))?;
        }
        Ok(true)
    }

    fn open(&self, file: usize) -> Result<OpenArrow<'a>> {
        let table_file = &self.table.files[file];
        let sizes = match &table_file.rows {
            Some(_) => None,
            None => Some(ArrowSizes::open(table_file.location.open()?)?),
        };
        let schema = match &table_file.rows {
            Some(rows) => rows.schema().clone(),
            None => FileReader::try_new(table_file.location.open()?, None)?.schema(),
        };
        let place = |&column: &usize| schema.index_of(&self.table.columns[column].name);
        let places = self.columns.iter().map(place).collect::<Result<Vec<_>>>()?;
        let Some(sizes) = sizes else {
            let chunks = table_file.rows.as_ref().map_or(&[][..], |rows| rows.chunks());
            return Ok(OpenArrow { file, reader: Reader::Memory(chunks), order: places });
        };
        let mut sorted = places.clone();
        sorted.sort_unstable();
        if sorted.is_empty() {
            // Without a column the number of rows is what the batch says, and nothing holds it against the size of
            // anything.
            let has_cells = |field: &FieldRef| Kind::from_data_type(field.data_type()) != Kind::Other;
            sorted.extend(schema.fields().iter().position(has_cells));
        }
        let order = places.iter().map(|place| sorted.binary_search(place).expect("one of them")).collect();
        let reader = FileReader::try_new(table_file.location.open()?, Some(sorted))?;
        Ok(OpenArrow { file, reader: Reader::File { reader: Box::new(reader), sizes }, order })
    }
}

/// Texts in the layouts that everything after knows best: views, and dictionaries with 32-bit numbers.
pub(in super::super) fn usual(batch: &RecordBatch) -> Result<RecordBatch> {
    let cast_one = |array: &ArrayRef| match array.data_type() {
        DataType::Dictionary(..) if Kind::from_data_type(array.data_type()) == Kind::Text => {
            cast(array, &DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)))
        }
        known if Kind::from_data_type(known) == Kind::Text => cast(array, &DataType::Utf8View),
        _ => Ok(array.clone()),
    };
    let arrays = batch.columns().iter().map(cast_one).collect::<Result<Vec<ArrayRef>>>()?;
    let schema = batch.schema();
    let typed = |(field, array): (&FieldRef, &ArrayRef)| Field::new(field.name(), array.data_type().clone(), true);
    let fields: Vec<Field> = schema.fields().iter().zip(&arrays).map(typed).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
}
