//! Line numbers as an editor shows them.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// The line, from 1, of the first record at or after a byte of a CSV file.
///
/// The `csv` crate's own line is that of the end of the record before: it is short by the empty lines between, and by
/// one if lines end in CR LF. A file that cannot be read any more gives the line reached.
pub fn line_at(path: &Path, byte: u64) -> u64 {
    File::open(path).map_or(1, |file| line_in(BufReader::new(file), byte, None))
}

/// The same in a text that is read from its beginning, in which lines that begin with a `comment` are no records.
pub fn line_in(mut text: impl BufRead, byte: u64, comment: Option<u8>) -> u64 {
    let (mut line, mut position, mut is_comment) = (1, 0, false);
    while let Ok(buffer) = text.fill_buf()
        && !buffer.is_empty()
    {
        for &letter in buffer {
            if position >= byte && !is_comment && !matches!(letter, b'\r' | b'\n') {
                if comment != Some(letter) {
                    return line;
                }
                is_comment = true;
            }
            if letter == b'\n' {
                (line, is_comment) = (line + 1, false);
            }
            position += 1;
        }
        let read = buffer.len();
        text.consume(read);
    }
    line
}
