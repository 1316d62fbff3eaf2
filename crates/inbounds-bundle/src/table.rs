//! Tidy tables, as Arrow with units and descriptions in the field metadata.

use std::{collections::HashMap, ops::Range, sync::Arc};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_csv::{Writer, WriterBuilder};
use arrow_schema::{Field, Schema};

use crate::{
    BundleError, ColumnSink, FileEntry, PartialBundle, dictionary::plain, error::unencoded, in_order::in_order,
    join::join, parquet, parquet::ParquetTable,
};

/// A table of a bundle, or a block of its rows.
pub struct TidyTable {
    /// File name without extension.
    name: &'static str,
    rows: RecordBatch,
}

/// Columns under construction: fields with metadata, arrays of equal length.
pub struct TidyColumns {
    name: &'static str,
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
}

impl TidyColumns {
    /// No column yet of the table of this name.
    pub fn new(name: &'static str) -> Self {
        Self { name, fields: Vec::new(), arrays: Vec::new() }
    }

    /// The table.
    ///
    /// # Errors
    /// [`BundleError::Encode`] if the columns differ in length, or one that may have no gaps has one.
    pub fn finish(self) -> Result<TidyTable, BundleError> {
        let rows = RecordBatch::try_new(Arc::new(Schema::new(self.fields)), self.arrays);
        let rows = rows.map_err(|error| unencoded(self.name, error))?;
        Ok(TidyTable { name: self.name, rows })
    }
}

impl ColumnSink for TidyColumns {
    fn push(&mut self, name: &str, unit: &str, description: &str, array: ArrayRef, nullable: bool) {
        let metadata = [("unit", unit), ("description", description)]
            .into_iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(key, text)| (key.to_owned(), text.to_owned()))
            .collect::<HashMap<_, _>>();
        self.fields.push(Field::new(name, array.data_type().clone(), nullable).with_metadata(metadata));
        self.arrays.push(array);
    }
}

impl TidyTable {
    /// The table as CSV.
    fn to_csv(&self, with_header: bool) -> Result<Vec<u8>, BundleError> {
        let mut text = Vec::new();
        let mut writer = WriterBuilder::new().with_header(with_header).build(&mut text);
        writer.write(&self.rows).map_err(|error| unencoded(self.name, error))?;
        drop(writer);
        Ok(text)
    }

    /// Writes the table as CSV with a header line.
    ///
    /// # Errors
    /// [`BundleError::Encode`] or [`BundleError::Write`].
    pub fn write_csv(&self, partial: &PartialBundle) -> Result<FileEntry, BundleError> {
        partial.write(&format!("{}.csv", self.name), &self.to_csv(true)?)
    }
}

/// Writes a table as CSV with a header line and, with the feature `parquet`, as Parquet with its Arrow schema, metadata
/// included; block by block, so that it is never whole in memory. All blocks have the columns of the first.
///
/// # Errors
/// Those of the blocks, [`BundleError::Encode`] or [`BundleError::Write`].
pub fn write_blocks(
    partial: &PartialBundle,
    first: TidyTable,
    others: impl IntoIterator<Item = Result<TidyTable, BundleError>>,
) -> Result<Vec<FileEntry>, BundleError> {
    let name = first.name;
    let mut text = Writer::new(partial.create(format!("{name}.csv"))?);
    let mut columns = ParquetTable::create(partial, name, first.rows.schema())?;
    for block in std::iter::once(Ok(first)).chain(others) {
        let block = block?;
        text.write(&block.rows).map_err(|error| unencoded(name, error))?;
        columns.write(&block.rows)?;
    }
    Ok([text.into_inner().finish()?].into_iter().chain(columns.finish()?).collect())
}

/// Rows that are turned into text at a time: their columns fit into the cache of a processor.
const TEXT_ROWS: usize = 1 << 12;

/// Writes the same files for a table of `rows` rows as [`write_blocks`] for one block of them all, and never has all of
/// it in memory.
///
/// `fill` gives all columns of some of the rows, and the same columns each time. It is asked for few rows at a time
/// where they become text, and for all of them where they become Parquet, which takes a column after the other and
/// keeps none. Both happen at once. Texts may be dictionaries: files have their values.
///
/// # Errors
/// [`BundleError::Encode`] or [`BundleError::Write`].
///
/// # Panics
/// If `fill` does.
///
/// # Example
/// ```
/// use std::{fs, sync::Arc};
///
/// use arrow_array::UInt64Array;
/// use inbounds_bundle::{BundleError, ColumnSink, Destination, write_columns};
///
/// # let folder = tempfile::tempdir().expect("a folder");
/// let destination = Destination::claim(&folder.path().join("bundle"))?;
/// let (bundle, files) = destination.commit(|partial| {
///     write_columns(partial, "squares", 4, |rows, columns| {
///         let squares = UInt64Array::from_iter_values(rows.map(|row| (row * row) as u64));
///         columns.push("square", "", "square of the number of the row", Arc::new(squares), false);
///     })
/// })?;
/// assert_eq!(fs::read_to_string(bundle.join("squares.csv")).expect("a table"), "square\n0\n1\n4\n9\n");
/// assert_eq!(files[0].name, "squares.csv");
/// # Ok::<(), BundleError>(())
/// ```
pub fn write_columns(
    partial: &PartialBundle,
    name: &'static str,
    rows: usize,
    fill: impl Fn(Range<usize>, &mut dyn ColumnSink) + Sync,
) -> Result<Vec<FileEntry>, BundleError> {
    let block = |begin: usize| {
        let mut columns = TidyColumns::new(name);
        fill(begin..rows.min(begin + TEXT_ROWS), &mut columns);
        columns.finish()
    };
    let first = block(0)?;
    let schema = Arc::new(plain(&first.rows.schema()));
    let others = rows.div_ceil(TEXT_ROWS).max(1) - 1;
    let other = |number: usize| block((number + 1) * TEXT_ROWS);
    let columns = || parquet::write_columns(partial, name, &schema, rows, &fill);
    let (columns, text) = join(columns, || write_text(partial, first, (others, &other)));
    Ok([text?].into_iter().chain(columns?).collect())
}

/// Blocks that wait to be written, of each thread that turns them into text.
const WAITING: usize = 2;

/// Writes blocks as CSV: the first, and a number of others. The next ones are turned into text on all processors while
/// this thread writes and digests those before.
fn write_text(
    partial: &PartialBundle,
    first: TidyTable,
    (others, other): (usize, &(impl Fn(usize) -> Result<TidyTable, BundleError> + Sync)),
) -> Result<FileEntry, BundleError> {
    let mut file = partial.create(format!("{}.csv", first.name))?;
    file.append(&first.to_csv(true)?)?;
    let text = |number: usize| other(number)?.to_csv(false);
    in_order(others, WAITING, text, |texts| {
        for text in texts {
            file.append(&text?)?;
        }
        Ok::<(), BundleError>(())
    })?;
    file.finish()
}

#[cfg(test)]
mod tests {
    use std::{fs, panic::AssertUnwindSafe};

    use arrow_array::{Float64Array, StringArray};

    use super::*;
    use crate::Destination;

    /// Words to be quoted, most of them often, numbers with gaps, and numbers whose only gap is in the first row.
    fn fill(rows: Range<usize>, columns: &mut dyn ColumnSink) {
        let words = rows.clone().map(|row| if row % 7 == 0 { format!("{row}, \"or so\"\n") } else { "one".to_owned() });
        columns.push("word", "", "a word", Arc::new(StringArray::from_iter_values(words)), false);
        let gaps = rows.clone().map(|row| (row % 3 > 0).then(|| (row as f64).sqrt()));
        columns.push("gaps", "metre", "", Arc::new(Float64Array::from_iter(gaps)), true);
        let tail = rows.map(|row| (row > 0).then_some(row as f64));
        columns.push("tail", "", "", Arc::new(Float64Array::from_iter(tail)), true);
    }

    fn integer_table(rows: usize) -> TidyTable {
        let mut columns = TidyColumns::new("numbers");
        fill(0..rows, &mut columns);
        columns.finish().expect("columns of one length")
    }

    #[test]
    fn columns_are_the_files_of_one_block() {
        // The last has two groups of rows in Parquet.
        for rows in [0, 1, TEXT_ROWS, TEXT_ROWS + 1, 50_000, (1 << 20) + 30_000] {
            let folder = tempfile::tempdir().expect("folder");
            let at = |name: &str| Destination::claim(&folder.path().join(name)).expect("free");
            let block = at("block").commit(|partial| write_blocks(partial, integer_table(rows), std::iter::empty()));
            let columns = at("columns").commit(|partial| write_columns(partial, "numbers", rows, fill));
            let ((block, of_block), (columns, of_columns)) = (block.expect("writes"), columns.expect("writes"));
            assert_eq!(of_block, of_columns, "{rows} rows");
            for file in of_block {
                let [block, columns] =
                    [&block, &columns].map(|bundle| fs::read(bundle.join(&file.name)).expect("reads"));
                assert!(block == columns, "{} of {rows} rows", file.name);
            }
        }
    }

    #[test]
    fn columns_that_change_are_refused() {
        let folder = tempfile::tempdir().expect("folder");
        let change = |rows: Range<usize>, columns: &mut dyn ColumnSink| {
            fill(rows.clone(), columns);
            if rows.start == 0 && rows.len() > TEXT_ROWS {
                fill(rows, columns);
            }
        };
        let destination = Destination::claim(&folder.path().join("bundle")).expect("free");
        let written = destination.commit(|partial| write_columns(partial, "numbers", 2 * TEXT_ROWS, change));
        assert_eq!(written.is_err(), cfg!(feature = "parquet"));
    }

    #[test]
    fn a_panic_leaves_nothing() {
        for most in [TEXT_ROWS, 2 * TEXT_ROWS] {
            let folder = tempfile::tempdir().expect("folder");
            let panics = |rows: Range<usize>, columns: &mut dyn ColumnSink| {
                assert!(rows.start < TEXT_ROWS && rows.len() <= most, "as asked");
                fill(rows, columns);
            };
            let destination = Destination::claim(&folder.path().join("bundle")).expect("free");
            let write = || destination.commit(|partial| write_columns(partial, "numbers", 2 * TEXT_ROWS, panics));
            assert!(std::panic::catch_unwind(AssertUnwindSafe(write)).is_err());
            assert_eq!(fs::read_dir(folder.path()).expect("folder").count(), 0, "nothing is left");
        }
    }
}
