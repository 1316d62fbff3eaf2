//! The footer of an Arrow file: its schema and where its record batches are.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::ipc::convert::fb_to_schema;
use arrow::ipc::reader::read_footer_length;
use arrow::ipc::root_as_footer;

use crate::DataError;

/// The schema of a file, and its number of record batches.
pub(super) fn footer(path: &Path) -> Result<(SchemaRef, usize), DataError> {
    let unreadable = |source| DataError::Unreadable { file: path.to_path_buf(), source };
    let damaged = || DataError::DamagedArrow { file: path.to_path_buf() };
    let mut file = File::open(path).map_err(unreadable)?;
    let Some(footer) = bytes(&mut file).map_err(unreadable)? else { return Err(damaged()) };
    // The parser's own message is dropped: a damaged footer may lead it to read, and quote, anything. It may panic too, and on
    // a thread of its own that is one more sign of damage.
    let parse = || {
        let footer = root_as_footer(&footer).ok()?;
        let schema = fb_to_schema(footer.schema()?);
        Some((Arc::new(schema), footer.recordBatches()?.len()))
    };
    std::thread::scope(|scope| scope.spawn(parse).join()).ok().flatten().ok_or_else(damaged)
}

/// The bytes of the footer; none if the file has none.
fn bytes(file: &mut File) -> io::Result<Option<Vec<u8>>> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut end = [0; 10];
    if length < end.len() as u64 {
        return Ok(None);
    }
    file.seek(SeekFrom::End(-10))?;
    file.read_exact(&mut end)?;
    let Ok(footer) = read_footer_length(end) else { return Ok(None) };
    let Some(begin) = length.checked_sub(10 + footer as u64) else { return Ok(None) };
    file.seek(SeekFrom::Start(begin))?;
    let mut bytes = vec![0; footer];
    file.read_exact(&mut bytes)?;
    Ok(Some(bytes))
}
