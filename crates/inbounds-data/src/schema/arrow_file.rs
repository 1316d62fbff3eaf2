//! The footer of an Arrow file: its schema and where its record batches are.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::ipc::convert::fb_to_schema;
use arrow::ipc::root_as_footer;
use inbounds_input::{FileLocation, guarded};

use crate::{DataError, arrow_sizes};

/// The schema of a file, and its number of record batches.
pub(super) fn footer(location: &FileLocation) -> Result<(SchemaRef, usize), DataError> {
    let named = || location.path().to_path_buf();
    let unreadable = |source| DataError::Unreadable { file: named(), source };
    let damaged = || DataError::DamagedArrow { file: named() };
    let mut file = location.open().map_err(unreadable)?;
    let Some(footer) = arrow_sizes::footer(&mut file).map_err(unreadable)? else { return Err(damaged()) };
    // The parser's own message is dropped: a damaged footer may lead it to read, and quote, anything. It may panic too,
    // and on a thread of its own that is one more sign of damage.
    let parse = || {
        let footer = root_as_footer(&footer).ok()?;
        let schema = fb_to_schema(footer.schema()?);
        Some((Arc::new(schema), footer.recordBatches()?.len()))
    };
    guarded(parse).flatten().ok_or_else(damaged)
}
