//! Text in blocks of whole records, so that several threads can decode them.
//!
//! A line of JSON is a record. One of CSV ends at a line break outside quotes. A block without a quotation mark has its
//! last line break searched from behind; in any other block every byte is followed through the states of the tokenizer,
//! which decodes the block later: a quotation mark opens a quoted field at the beginning of a field only, inside quotes
//! it closes the field unless it is doubled, and whatever follows a closed field belongs to it without quotes.
//!
//! The tokenizer knows no empty record: it takes an empty line for none. In a file of one column such a line is a row,
//! so there it becomes a quoted empty field before it is decoded.

use std::io::{self, Read};

use inbounds_input::FileLocation;

use crate::text::{self, Dialect, is_break};
use crate::{RowFormat, TextLayout};

/// Bytes in a block, unless a record is longer.
const BLOCK: usize = 1 << 20;

/// Blocks of one file after the other, headers and byte order marks left out.
pub(super) struct TextBlocks {
    files: Vec<FileLocation>,
    /// Files that were opened, the last of which is being read.
    opened: usize,
    open: Option<Open>,
    layout: TextLayout,
    format: RowFormat,
    records: Records,
}

/// Definition of a record.
#[derive(Clone, Copy)]
pub(super) struct Records {
    pub(super) dialect: Dialect,
    pub(super) first_line: FirstLine,
    pub(super) empty_lines: EmptyLines,
}

/// Beginning of a file.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum FirstLine {
    /// A record with the names of columns, and `skip_rows` records below it that are no rows either.
    Header { skip_rows: u32 },
    /// A record, as every line is: quotation marks do not hide the end of a line.
    Record,
}

/// Meaning of a line without characters.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum EmptyLines {
    /// No record.
    Nothing,
    /// A record of one empty field.
    Cells,
}

struct Open {
    file: Box<dyn Read + Send>,
    records: Records,
    /// Bytes read from the file and not yet in a block; they begin with a record.
    carried: Vec<u8>,
    /// True while nothing was handed out.
    new: bool,
    /// True if the bytes handed out last end in a carriage return, so that a line feed belongs to it.
    returned: bool,
    /// The same of a comment that was left out.
    comment_returned: bool,
}

impl TextBlocks {
    pub(super) fn new(files: Vec<FileLocation>, layout: TextLayout, format: RowFormat, records: Records) -> Self {
        Self { files, opened: 0, open: None, layout, format, records }
    }

    /// The next block and the place of its file; none after the last one.
    pub(super) fn next_block(&mut self) -> io::Result<Option<(usize, Vec<u8>)>> {
        loop {
            let Some(open) = &mut self.open else {
                let Some(file) = self.files.get(self.opened) else { return Ok(None) };
                self.open = Some(Open::new(text::open_rows(file, &self.layout, self.format)?.text, self.records));
                self.opened += 1;
                continue;
            };
            if let Some(block) = open.next_block(BLOCK)? {
                return Ok(Some((self.opened - 1, block)));
            }
            self.open = None;
        }
    }
}

impl Open {
    fn new(file: Box<dyn Read + Send>, records: Records) -> Self {
        Self { file, records, carried: Vec::new(), new: true, returned: false, comment_returned: false }
    }

    fn next_block(&mut self, size: usize) -> io::Result<Option<Vec<u8>>> {
        let Some(mut block) = self.cut(size)? else { return Ok(None) };
        if let Some(mark) = self.records.dialect.comment.filter(|mark| memchr::memchr(*mark, &block).is_some()) {
            block = self.without_comments(&block, mark);
        } else if self.comment_returned {
            // Behind a comment that ends in two bytes, of which the block before had the first.
            drop(block.drain(..usize::from(block.first() == Some(&b'\n'))));
            self.comment_returned = false;
        }
        if self.records.dialect.quote.is_none() && memchr::memchr(Dialect::NEVER, &block).is_some() {
            // It would be taken for a quotation mark, and is no text in any case.
            return Err(io::ErrorKind::InvalidData.into());
        }
        match self.records.empty_lines {
            EmptyLines::Nothing => Ok(Some(block)),
            EmptyLines::Cells => {
                let filled = filled(&block, self.records.dialect, self.returned);
                self.returned = block.last() == Some(&b'\r');
                Ok(Some(filled))
            }
        }
    }

    /// Records without the lines between them that begin with a mark.
    fn without_comments(&mut self, block: &[u8], mark: u8) -> Vec<u8> {
        let mut kept = Vec::with_capacity(block.len());
        let mut begin = 0;
        for end in ends(block, self.records.dialect).chain([block.len()]) {
            let line = &block[begin..end];
            begin = end;
            match line.first() {
                None => {}
                Some(&first) if first == mark => self.comment_returned = line.ends_with(b"\r"),
                Some(b'\n') if std::mem::take(&mut self.comment_returned) => {}
                Some(_) => {
                    self.comment_returned = false;
                    kept.extend(line);
                }
            }
        }
        kept
    }

    /// The next whole records.
    fn cut(&mut self, size: usize) -> io::Result<Option<Vec<u8>>> {
        let mut block = std::mem::take(&mut self.carried);
        let mut wanted = size;
        loop {
            // Longer than what is carried, so that there is progress.
            wanted = wanted.max(2 * block.len());
            block.reserve(wanted - block.len());
            let missing = wanted - block.len();
            let ended = (&mut self.file).take(missing as u64).read_to_end(&mut block)? < missing;
            if self.new {
                match self.records.begin(&block) {
                    Some(begin) => {
                        self.returned = block[..begin].ends_with(b"\r");
                        drop(block.drain(..begin));
                    }
                    None if ended => block.clear(),
                    None => continue,
                }
                self.new = false;
            }
            if ended {
                return Ok((!block.is_empty()).then_some(block));
            }
            if let Some(end) = self.records.last_end(&block) {
                self.carried = block.split_off(end);
                return Ok(Some(block));
            }
        }
    }
}

impl Records {
    /// Where the first record of a file begins.
    fn begin(self, block: &[u8]) -> Option<usize> {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        let mark = if block.starts_with(MARK) { MARK.len() } else { 0 };
        match self.first_line {
            FirstLine::Record if block.len() < MARK.len() && MARK.starts_with(block) => None,
            FirstLine::Record => Some(mark),
            FirstLine::Header { skip_rows } => self.rows_begin(&block[mark..], skip_rows).map(|end| mark + end),
        }
    }

    /// The end of the last record that ends in a block, which begins with a record.
    fn last_end(self, block: &[u8]) -> Option<usize> {
        match self.first_line {
            FirstLine::Record => memchr::memrchr(b'\n', block).map(|place| place + 1),
            FirstLine::Header { .. } => last_end(block, self.dialect),
        }
    }

    /// The end of the header and of what is left out below it; empty lines and comments before the header are no part
    /// of it.
    fn rows_begin(self, block: &[u8], skip_rows: u32) -> Option<usize> {
        let (mut begin, mut lines, mut returned) = (0, 0, false);
        for end in ends(block, self.dialect) {
            let line = &block[begin..end];
            let is_comment = self.dialect.comment == line.first().copied();
            let is_empty = line.iter().all(|&byte| is_break(byte));
            let ends_other = returned && line == b"\n";
            let is_cell = self.empty_lines == EmptyLines::Cells && lines > 0 && !ends_other;
            lines += u32::from(!is_comment && (!is_empty || is_cell));
            (begin, returned) = (end, line.ends_with(b"\r"));
            if lines > skip_rows {
                return Some(end);
            }
        }
        None
    }
}

/// Where the tokenizer is.
#[derive(Clone, Copy, PartialEq)]
enum State {
    RecordStart,
    /// In a line that is no record, in which quotation marks mean nothing.
    Comment,
    FieldStart,
    Plain,
    Quoted,
    /// After a quotation mark in a quoted field.
    Closed,
}

impl State {
    #[inline]
    fn after(self, byte: u8, Dialect { separator, quote, comment }: Dialect) -> Self {
        let quotes = quote == Some(byte);
        match self {
            Self::Quoted if quotes => Self::Closed,
            Self::Quoted => Self::Quoted,
            Self::RecordStart | Self::FieldStart | Self::Closed if quotes => Self::Quoted,
            _ if is_break(byte) => Self::RecordStart,
            Self::Comment => Self::Comment,
            Self::RecordStart if comment == Some(byte) => Self::Comment,
            _ if byte == separator => Self::FieldStart,
            _ => Self::Plain,
        }
    }
}

/// The end of the last record that ends in a block, which begins with a record.
fn last_end(block: &[u8], dialect: Dialect) -> Option<usize> {
    if dialect.quote.is_none_or(|quote| memchr::memchr(quote, block).is_none()) {
        return memchr::memrchr2(b'\n', b'\r', block).map(|place| place + 1);
    }
    ends(block, dialect).last()
}

/// Where lines break outside quotes in what begins with a record: behind each such break.
fn ends(block: &[u8], dialect: Dialect) -> impl Iterator<Item = usize> {
    let mut state = State::RecordStart;
    block.iter().enumerate().filter_map(move |(place, &byte)| {
        let quoted = state == State::Quoted;
        state = state.after(byte, dialect);
        (!quoted && is_break(byte)).then_some(place + 1)
    })
}

/// Records with a quoted empty field in each empty line; `returned` says whether a line feed at the beginning ends the
/// line of the block before.
fn filled(block: &[u8], dialect: Dialect, mut returned: bool) -> Vec<u8> {
    let quote = dialect.quote_or_never();
    let mut filled = Vec::with_capacity(block.len());
    let mut begin = 0;
    for end in ends(block, dialect) {
        let line = &block[begin..end];
        if line.len() == 1 && !(returned && line == b"\n") {
            filled.extend([quote, quote]);
        }
        filled.extend(line);
        returned = line.ends_with(b"\r");
        begin = end;
    }
    filled.extend(&block[begin..]);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMAS: Dialect = Dialect { separator: b',', quote: Some(b'"'), comment: None };

    fn with_header(dialect: Dialect) -> Records {
        Records { dialect, first_line: FirstLine::Header { skip_rows: 0 }, empty_lines: EmptyLines::Nothing }
    }

    /// Records as the tokenizer finds them: all of a text at once.
    fn records(text: &[u8], dialect: Dialect) -> Vec<Vec<Vec<u8>>> {
        let mut reader = dialect.builder().buffer_capacity(64).from_reader(text);
        let fields = |record: csv::ByteRecord| record.iter().map(<[u8]>::to_vec).collect();
        reader.byte_records().map(|record| fields(record.expect("bytes in memory"))).collect()
    }

    /// The records of a file that is cut into blocks of a size.
    fn in_blocks(text: &[u8], size: usize, layout: Records) -> Vec<Vec<Vec<u8>>> {
        let mut open = Open::new(Box::new(io::Cursor::new(text.to_vec())), layout);
        let mut all_records = Vec::new();
        // A tokenizer that must have a quotation mark, as the one that decodes has.
        let dialect = Dialect { quote: Some(layout.dialect.quote_or_never()), ..layout.dialect };
        while let Some(block) = open.next_block(size).expect("readable") {
            all_records.extend(records(&block, dialect));
        }
        all_records
    }

    /// All texts of `length` of these letters.
    fn texts(letters: &[u8], length: u32) -> impl Iterator<Item = Vec<u8>> {
        let letter = |code: usize, place: u32| letters[code / letters.len().pow(place) % letters.len()];
        (0..letters.len().pow(length)).map(move |code| (0..length).map(|place| letter(code, place)).collect())
    }

    /// All texts of five letters that matter, or of four in rarer layouts, in blocks of every size: whatever is cut,
    /// the records are those of the whole.
    #[test]
    fn blocks_have_the_records_of_the_whole() {
        let semicolons = Dialect { separator: b';', quote: Some(b'\''), ..COMMAS };
        let unquoted = Dialect { separator: b',', quote: None, comment: None };
        for (dialect, letters, length) in
            [(COMMAS, b"a,\"\n\r", 5), (semicolons, b"\";'\n\r", 4), (unquoted, b"a,\"\n\r", 4)]
        {
            for body in texts(letters, length) {
                let header = format!("h{}i\r\n", char::from(dialect.separator));
                let text = [header.as_bytes(), &body, header.as_bytes()].concat();
                let expected = records(&text, dialect)[1..].to_vec();
                for size in 1..8 {
                    let actual = in_blocks(&text, size, with_header(dialect));
                    assert_eq!(actual, expected, "{:?} in blocks of {size}", String::from_utf8_lossy(&text));
                }
            }
        }
    }

    /// Every line of a file of one column is a row: as many as there are line ends outside quotes.
    #[test]
    fn empty_lines_of_one_column_are_cells() {
        for (quote, letters) in [(Some(b'"'), b"a\"\n\r"), (None, b"a\"\n\r")] {
            let dialect = Dialect { separator: b',', quote, comment: None };
            let cells = Records { empty_lines: EmptyLines::Cells, ..with_header(dialect) };
            for body in texts(letters, 5) {
                let text = [b"h\r\n".as_slice(), &body].concat();
                let lines = String::from_utf8(body).expect("ASCII").replace("\r\n", "\n").replace('\r', "\n");
                if quote.is_some() && lines.contains('"') {
                    let sizes: Vec<_> = (1..8).map(|size| in_blocks(&text, size, cells)).collect();
                    assert!(sizes.windows(2).all(|pair| pair[0] == pair[1]), "{text:?}");
                    continue;
                }
                let expected: Vec<_> =
                    lines.split_terminator('\n').map(|line| vec![line.as_bytes().to_vec()]).collect();
                for size in 1..8 {
                    assert_eq!(in_blocks(&text, size, cells), expected, "{text:?} in blocks of {size}");
                }
            }
        }
    }

    /// Lines of JSON end at a line feed alone: a carriage return may stand inside, and so may quotation marks.
    #[test]
    fn lines_are_cut_at_line_feeds() {
        let text = b"\xef\xbb\xbf{\"a\":\r1}\n{\"a\":\"\"}\r\n\n{}";
        for size in 1..30 {
            let lines = Records {
                first_line: FirstLine::Record,
                ..with_header(Dialect { separator: b'\n', quote: None, comment: None })
            };
            let mut open = Open::new(Box::new(io::Cursor::new(text.to_vec())), lines);
            let blocks: Vec<_> = std::iter::from_fn(|| open.next_block(size).expect("readable")).collect();
            assert!(blocks[..blocks.len() - 1].iter().all(|block| block.ends_with(b"\n")), "{size}");
            assert_eq!(blocks.concat(), text[3..], "{size}");
        }
    }

    #[test]
    fn a_file_of_a_header_alone_has_no_row() {
        for text in ["a,b", "a,b\n", "\n\r\na,b\r\n", "\u{feff}a,b\n", "\"a\n\",b"] {
            assert!(in_blocks(text.as_bytes(), BLOCK, with_header(COMMAS)).is_empty(), "{text:?}");
        }
        let cells = Records { empty_lines: EmptyLines::Cells, ..with_header(COMMAS) };
        for text in ["a", "a\n", "a\r\n", "a\r"] {
            assert!(in_blocks(text.as_bytes(), BLOCK, cells).is_empty(), "{text:?}");
        }
    }
}
