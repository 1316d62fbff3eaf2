//! Line numbers as an editor shows them.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// The line, from 1, of the first record at or after a byte of a CSV file.
///
/// The `csv` crate's own line is that of the end of the record before: it is short by the empty lines between, and by
/// one if lines end in CR LF. A file that cannot be read any more gives the line reached.
pub fn line_at(path: &Path, byte: u64) -> u64 {
    File::open(path).map_or(1, |file| line_in(BufReader::new(file), byte))
}

/// The same in a text that is read from its beginning.
pub fn line_in(mut text: impl BufRead, byte: u64) -> u64 {
    let (mut line, mut position) = (1, 0);
    while let Ok(buffer) = text.fill_buf()
        && !buffer.is_empty()
    {
        for &found in buffer {
            if position >= byte && !matches!(found, b'\r' | b'\n') {
                return line;
            }
            line += u64::from(found == b'\n');
            position += 1;
        }
        let read = buffer.len();
        text.consume(read);
    }
    line
}
