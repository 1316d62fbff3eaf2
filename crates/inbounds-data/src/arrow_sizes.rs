//! Tests that the sizes stated in an Arrow file can be true, before its library believes them and takes the memory.
//!
//! A block lies within the file, and a compressed buffer states no more bytes than compression could have put into it.
//! What is wrong in another way the library notices, or panics, which is taken for damage.

use std::io::{self, Read, Seek, SeekFrom};

use arrow::error::{ArrowError, Result};
use arrow::ipc::reader::read_footer_length;
use arrow::ipc::{Block, MessageHeader, RecordBatch, root_as_footer, root_as_message};
use inbounds_input::OpenedFile;

/// Bytes that a byte of zstd can stand for: a block of four bytes repeats one byte up to 128 kB. Those of LZ4 stand for
/// at most 255.
const MOST_PER_BYTE: u64 = 1 << 15;

/// Blocks of a file, whose sizes are looked at before they are read.
pub(crate) struct ArrowSizes {
    file: OpenedFile,
    batches: Vec<Block>,
}

impl ArrowSizes {
    /// Reads the footer, and looks at the dictionaries, which are read when a file is opened.
    ///
    /// # Errors
    /// An error that says that the file is damaged, or cannot be read.
    pub(crate) fn open(mut file: OpenedFile) -> Result<Self> {
        let bytes = footer(&mut file)?.ok_or_else(damaged)?;
        let footer = root_as_footer(&bytes).map_err(|_| damaged())?;
        let dictionaries: Vec<Block> = footer.dictionaries().iter().flatten().copied().collect();
        let batches = footer.recordBatches().iter().flatten().copied().collect();
        let mut sizes = Self { file, batches };
        dictionaries.iter().try_for_each(|block| sizes.check(block))?;
        Ok(sizes)
    }

    /// Looks at a record batch by its place; one that is not there has no size.
    ///
    /// # Errors
    /// An error that says that the file is damaged, or cannot be read.
    pub(crate) fn check_batch(&mut self, place: usize) -> Result<()> {
        match self.batches.get(place).copied() {
            Some(block) => self.check(&block),
            None => Ok(()),
        }
    }

    /// Looks at all record batches.
    ///
    /// # Errors
    /// An error that says that the file is damaged, or cannot be read.
    pub(crate) fn check_all(&mut self) -> Result<()> {
        (0..self.batches.len()).try_for_each(|place| self.check_batch(place))
    }

    fn check(&mut self, block: &Block) -> Result<()> {
        let end = self.file.seek(SeekFrom::End(0))?;
        let [offset, about, body] = [block.offset(), i64::from(block.metaDataLength()), block.bodyLength()]
            .map(|size| u64::try_from(size).ok().filter(|size| *size <= end));
        let (Some(offset), Some(about), Some(body)) = (offset, about, body) else { return Err(damaged()) };
        if offset + about + body > end {
            return Err(damaged());
        }
        let mut message = vec![0; usize::try_from(about).map_err(|_| damaged())?];
        self.file.seek(SeekFrom::Start(offset))?;
        self.file.read_exact(&mut message)?;
        // Since 2019 a mark stands before the length.
        let skipped = if message.starts_with(&[0xff; 4]) { 8 } else { 4 };
        let message = message.get(skipped..).and_then(|message| root_as_message(message).ok()).ok_or_else(damaged)?;
        let batch = match message.header_type() {
            MessageHeader::RecordBatch => message.header_as_record_batch(),
            MessageHeader::DictionaryBatch => message.header_as_dictionary_batch().and_then(|batch| batch.data()),
            _ => None,
        };
        self.check_buffers(offset + about, body, batch.ok_or_else(damaged)?)
    }

    /// Looks at what compressed buffers say they hold; `begin` is where the body of their batch stands.
    fn check_buffers(&mut self, begin: u64, body: u64, batch: RecordBatch) -> Result<()> {
        if batch.compression().is_none() {
            return Ok(());
        }
        for buffer in batch.buffers().iter().flatten() {
            let [at, length] = [buffer.offset(), buffer.length()].map(|size| u64::try_from(size).unwrap_or(u64::MAX));
            if at.checked_add(length).is_none_or(|end| end > body) {
                return Err(damaged());
            }
            // Empty buffers state no size, and what is not compressed states -1.
            if length < 8 {
                continue;
            }
            let mut stated = [0; 8];
            self.file.seek(SeekFrom::Start(begin + at))?;
            self.file.read_exact(&mut stated)?;
            let stated = i64::from_le_bytes(stated);
            if stated > 0 && stated.unsigned_abs() > length.saturating_mul(MOST_PER_BYTE) {
                return Err(damaged());
            }
        }
        Ok(())
    }
}

/// The bytes of the footer; none if the file has none.
pub(crate) fn footer(file: &mut OpenedFile) -> io::Result<Option<Vec<u8>>> {
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

fn damaged() -> ArrowError {
    ArrowError::IpcError("a size that cannot be".to_owned())
}
