//! CSV files in blocks of whole records, so that several threads can decode them.
//!
//! A record ends at a line break outside quotes. A block without a quotation mark has its last line break searched from
//! behind; in any other block every byte is followed through the states of the tokenizer, which decodes the block later:
//! a quotation mark opens a quoted field at the beginning of a field only, inside quotes it closes the field unless it is
//! doubled, and whatever follows a closed field belongs to it without quotes.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

/// Bytes in a block, unless a record is longer.
const BLOCK: usize = 1 << 20;

/// Blocks of one file after the other, headers left out.
pub(super) struct CsvBlocks {
    /// Files to come, the next one last.
    paths: Vec<PathBuf>,
    open: Option<Open>,
}

struct Open {
    file: Box<dyn Read + Send>,
    /// What was read of the file and is in no block yet; it begins with a record.
    carried: Vec<u8>,
    /// Whether the header is still to come.
    header: bool,
}

impl CsvBlocks {
    pub(super) fn new(mut paths: Vec<PathBuf>) -> Self {
        paths.reverse();
        Self { paths, open: None }
    }

    /// The next block; none after the last one.
    pub(super) fn next_block(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            let Some(open) = &mut self.open else {
                let Some(path) = self.paths.pop() else { return Ok(None) };
                self.open = Some(Open::new(File::open(path)?));
                continue;
            };
            if let Some(block) = open.next_block(BLOCK)? {
                return Ok(Some(block));
            }
            self.open = None;
        }
    }
}

impl Open {
    fn new(file: impl Read + Send + 'static) -> Self {
        Self { file: Box::new(file), carried: Vec::new(), header: true }
    }

    fn next_block(&mut self, size: usize) -> io::Result<Option<Vec<u8>>> {
        let mut block = std::mem::take(&mut self.carried);
        let mut wanted = size;
        loop {
            // Longer than what is carried, so that there is progress.
            wanted = wanted.max(2 * block.len());
            block.reserve(wanted - block.len());
            let missing = wanted - block.len();
            let ended = (&mut self.file).take(missing as u64).read_to_end(&mut block)? < missing;
            if self.header {
                match header_end(&block) {
                    Some(end) => drop(block.drain(..end)),
                    None if ended => block.clear(),
                    None => continue,
                }
                self.header = false;
            }
            if ended {
                return Ok((!block.is_empty()).then_some(block));
            }
            if let Some(end) = last_end(&block) {
                self.carried = block.split_off(end);
                return Ok(Some(block));
            }
        }
    }
}

/// Where the tokenizer is.
#[derive(Clone, Copy, PartialEq)]
enum State {
    FieldStart,
    Plain,
    Quoted,
    /// After a quotation mark in a quoted field.
    Closed,
}

impl State {
    #[inline]
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Quoted, b'"') => Self::Closed,
            (Self::Quoted, _) => Self::Quoted,
            (Self::FieldStart | Self::Closed, b'"') => Self::Quoted,
            (_, b',' | b'\n' | b'\r') => Self::FieldStart,
            _ => Self::Plain,
        }
    }
}

fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// The end of the last record that ends in a block, which begins with a record.
fn last_end(block: &[u8]) -> Option<usize> {
    if memchr::memchr(b'"', block).is_none() {
        return memchr::memrchr2(b'\n', b'\r', block).map(|place| place + 1);
    }
    ends(block).last()
}

/// Where lines break outside quotes in what begins with a record: behind each such break.
fn ends(block: &[u8]) -> impl Iterator<Item = usize> {
    let mut state = State::FieldStart;
    block.iter().enumerate().filter_map(move |(place, &byte)| {
        let quoted = state == State::Quoted;
        state = state.after(byte);
        (!quoted && is_break(byte)).then_some(place + 1)
    })
}

/// The end of the first record of a file, after empty lines and a byte order mark.
fn header_end(block: &[u8]) -> Option<usize> {
    let mark = if block.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let begin = mark + block[mark..].iter().position(|&byte| !is_break(byte))?;
    ends(&block[begin..]).next().map(|end| begin + end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records as the tokenizer finds them: all of a text at once.
    fn records(text: &[u8]) -> Vec<Vec<Vec<u8>>> {
        let mut reader =
            csv::ReaderBuilder::new().has_headers(false).flexible(true).buffer_capacity(64).from_reader(text);
        let of = |record: csv::ByteRecord| record.iter().map(<[u8]>::to_vec).collect();
        reader.byte_records().map(|record| of(record.expect("bytes in memory"))).collect()
    }

    /// All texts of five letters that matter, in blocks of every size: whatever is cut, the records are those of the whole.
    #[test]
    fn blocks_have_the_records_of_the_whole() {
        let letters = b"a,\"\n\r";
        for code in 0..letters.len().pow(5) {
            let letter = |place: u32| letters[code / letters.len().pow(place) % letters.len()];
            let body: Vec<u8> = (0..5).map(letter).collect();
            let text = [b"h,\"i\n\"\r\n".as_slice(), &body, b"\nz,z\n"].concat();
            let whole = records(&text)[1..].to_vec();
            for size in 1..8 {
                let mut open = Open::new(io::Cursor::new(text.clone()));
                let mut found = Vec::new();
                while let Some(block) = open.next_block(size).expect("readable") {
                    found.extend(records(&block));
                }
                assert_eq!(found, whole, "{:?} in blocks of {size}", String::from_utf8_lossy(&text));
            }
        }
    }

    #[test]
    fn a_file_of_a_header_alone_has_no_row() {
        for text in ["a,b", "a,b\n", "\n\r\na,b\r\n", "\u{feff}a,b\n", "\"a\n\",b"] {
            let block = Open::new(text.as_bytes()).next_block(BLOCK).expect("readable");
            assert!(block.is_none_or(|block| records(&block).is_empty()), "{text:?}");
        }
    }
}
