//! Footers of Parquet files.

use inbounds_input::{FileLocation, ParquetFile, guarded};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::basic::Encoding;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};

use crate::DataError;

/// The footer of a Parquet file, as it was when the table was opened.
pub(crate) struct ParquetSchema {
    pub(crate) metadata: ArrowReaderMetadata,
    /// Per column, whether all its pages are dictionary-encoded.
    dictionary: Vec<bool>,
}

impl ParquetSchema {
    pub(super) fn read(location: &FileLocation) -> Result<Self, DataError> {
        let named = || location.path().to_path_buf();
        let file = location.open().map_err(|source| DataError::Unreadable { file: named(), source })?;
        // The parser's own message is dropped: a damaged footer may lead it to read, and quote, anything.
        let load = || ArrowReaderMetadata::load(&ParquetFile::open(file).ok()?, ArrowReaderOptions::new()).ok();
        let metadata = guarded(load).flatten();
        let metadata = metadata.filter(|metadata| rows_agree(metadata.metadata()));
        let metadata = metadata.ok_or_else(|| match location.failure() {
            Some(source) => DataError::Unreadable { file: named(), source },
            None => DataError::DamagedParquet { file: named() },
        })?;
        let fields = metadata.schema().fields();
        let dictionary = fields.iter().map(|field| all_dictionary(metadata.metadata(), field.name())).collect();
        Ok(Self { metadata, dictionary })
    }

    /// `true` if all pages of a column are dictionary-encoded.
    pub(crate) fn is_dictionary(&self, column: &str) -> bool {
        self.metadata.schema().index_of(column).is_ok_and(|index| self.dictionary[index])
    }
}

/// `true` if the footer states the same number of rows wherever it states one. Where no column is asked for, rows are
/// counted by the footer alone, so that a damaged footer would make rows.
fn rows_agree(metadata: &ParquetMetaData) -> bool {
    let agrees = |group: &RowGroupMetaData| {
        group.columns().iter().all(|chunk| {
            // A list has a value for each element, and one if it is empty.
            let is_list = chunk.column_descr().max_rep_level() > 0;
            chunk.num_values() == group.num_rows() || is_list && chunk.num_values() > group.num_rows()
        })
    };
    let groups = metadata.row_groups();
    let rows = groups.iter().try_fold(0i64, |rows, group| rows.checked_add(group.num_rows()));
    rows == Some(metadata.file_metadata().num_rows())
        && groups.iter().all(|group| group.num_rows() >= 0 && agrees(group))
}

/// `true` if every page of a column is dictionary-encoded, so that reading it as a dictionary copies no string.
fn all_dictionary(metadata: &ParquetMetaData, column: &str) -> bool {
    let chunks = metadata.row_groups().iter().flat_map(|group| group.columns());
    chunks.filter(|chunk| chunk.column_path().parts() == [column]).all(|chunk| {
        chunk.dictionary_page_offset().is_some()
            && chunk
                .page_encoding_stats_mask()
                .is_some_and(|mask| mask.is_only(Encoding::PLAIN_DICTIONARY) || mask.is_only(Encoding::RLE_DICTIONARY))
    })
}
