//! Lines that are neither header nor rows: those before the header, and the last ones of a file.
//!
//! Which lines these are follows from where they stand, and never from what rows hold: a number of lines from the
//! beginning or from
//! the end, and a first line `sep=;`, in which spreadsheets name the separator. Claim: `lines-by-place`.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use inbounds_input::FileLocation;

use super::{TextLayout, open};
use crate::RowFormat;

/// Bytes that are read at once.
const CHUNK: usize = 1 << 16;

/// Bytes in which a line `sep=;` ends.
const NAMED: usize = 32;

/// Source of text.
type Text = Box<dyn Read + Send>;

/// The text of a file from its header on.
pub(crate) struct RowText {
    pub(crate) text: Text,
    /// Bytes of the text before it.
    pub(crate) begin: u64,
    /// The separator that the first line names.
    pub(crate) separator: Option<u8>,
}

/// The text of a file without the lines before its header and without its last ones.
pub(crate) fn open_rows(location: &FileLocation, layout: &TextLayout, format: RowFormat) -> io::Result<RowText> {
    let text = open(location, layout, format)?;
    if !format.is_delimited() {
        return Ok(RowText { text, begin: 0, separator: None });
    }
    let (mut text, first) = named_separator(text)?;
    let (mut begin, mut separator) = (0, first.map(|(separator, _)| separator));
    if layout.skip > 0 {
        let mut lines = BufReader::with_capacity(CHUNK, text);
        begin = skip_lines(&mut lines, layout.skip)?;
        text = Box::new(lines);
    }
    let (mut text, named) = if layout.skip > 0 { named_separator(text)? } else { (text, first) };
    if let Some((byte, length)) = named {
        begin += io::copy(&mut (&mut text).take(length), &mut io::sink())?;
        separator = Some(byte);
    }
    if layout.footer > 0 {
        text = Box::new(WithoutFooter::new(text, layout.footer));
    }
    Ok(RowText { text, begin, separator })
}

/// A text as it was, and the separator that its first line names, with the length of the line.
fn named_separator(mut text: Text) -> io::Result<(Text, Option<(u8, u64)>)> {
    // No further than the first line: what is wrong behind it is wrong with rows.
    let mut head = Vec::with_capacity(NAMED);
    while head.len() < NAMED && !head.iter().any(|byte| is_break(*byte)) {
        let mut more = [0; NAMED];
        let read = text.read(&mut more[..NAMED - head.len()])?;
        if read == 0 {
            break;
        }
        head.extend(&more[..read]);
    }
    let named = separator_in(&head);
    Ok((Box::new(Cursor::new(head).chain(text)), named))
}

/// The separator of a line `sep=;`, and where the line ends.
fn separator_in(head: &[u8]) -> Option<(u8, u64)> {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    let text = head.strip_prefix(MARK).unwrap_or(head);
    let end = text.iter().position(|byte| is_break(*byte)).unwrap_or(text.len());
    let (name, rest) = text[..end].split_at_checked(4)?;
    let separator = *rest.first()?;
    // A program that writes the file anew may fill the line up with separators.
    if !name.eq_ignore_ascii_case(b"sep=") || !rest.iter().all(|byte| *byte == separator) || !separator.is_ascii() {
        return None;
    }
    let breaks = if text[end..].starts_with(b"\r\n") { 2 } else { usize::from(end < text.len()) };
    Some((separator, (head.len() - text.len() + end + breaks) as u64))
}

/// `true` for a byte that ends a line, or is a part of such an end.
pub(crate) fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Reads lines, quoted or not, and says how many bytes they have.
fn skip_lines(text: &mut impl BufRead, lines: u32) -> io::Result<u64> {
    let mut bytes = 0;
    for _ in 0..lines {
        loop {
            let buffer = text.fill_buf()?;
            if buffer.is_empty() {
                return Ok(bytes);
            }
            let line_break = buffer.iter().position(|byte| is_break(*byte));
            let is_return = line_break.is_some_and(|place| buffer[place] == b'\r');
            let taken = line_break.map_or(buffer.len(), |place| place + 1);
            text.consume(taken);
            bytes += taken as u64;
            if is_return && text.fill_buf()?.first() == Some(&b'\n') {
                text.consume(1);
                bytes += 1;
            }
            if line_break.is_some() {
                break;
            }
        }
    }
    Ok(bytes)
}

/// A text without its last lines. What may be one of them waits until more is read.
struct WithoutFooter<R> {
    file: R,
    lines: u32,
    /// Bytes read and not handed out, from the place in `taken`; those before the place in `ready` are no footer.
    held: Vec<u8>,
    taken: usize,
    ready: usize,
    ended: bool,
}

impl<R: Read> WithoutFooter<R> {
    fn new(file: R, lines: u32) -> Self {
        Self { file, lines, held: Vec::new(), taken: 0, ready: 0, ended: false }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.held.drain(..self.taken);
        self.taken = 0;
        let read = (&mut self.file).take(CHUNK as u64).read_to_end(&mut self.held)?;
        self.ended = read < CHUNK;
        self.ready = if self.ended {
            last_lines(&self.held, self.lines)
        } else {
            // A line ends in two bytes at most, and the last one may not have ended.
            let most = 2 * (self.lines as usize + 2);
            memchr::memrchr2_iter(b'\n', b'\r', &self.held).nth(most - 1).unwrap_or(0)
        };
        Ok(())
    }
}

impl<R: Read> Read for WithoutFooter<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.ready {
            if self.ended || out.is_empty() {
                return Ok(0);
            }
            self.fill()?;
        }
        let taken = (&self.held[self.taken..self.ready]).read(out)?;
        self.taken += taken;
        Ok(taken)
    }
}

/// Where the last lines of a text begin. A line break at its end begins no line.
fn last_lines(text: &[u8], lines: u32) -> usize {
    let before = |end: usize| {
        let end = end - 1;
        if text[end] == b'\n' && end > 0 && text[end - 1] == b'\r' { end - 1 } else { end }
    };
    let mut end = if text.last().is_some_and(|byte| is_break(*byte)) { before(text.len()) } else { text.len() };
    let mut begin = text.len();
    for _ in 0..lines {
        match memchr::memrchr2(b'\n', b'\r', &text[..end]) {
            None => return 0,
            Some(place) => (begin, end) = (place + 1, before(place + 1)),
        }
    }
    begin
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a few bytes at a time.
    struct Slow<'t>(&'t [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let size = self.1.min(out.len());
            self.0.read(&mut out[..size])
        }
    }

    /// Lines with what ends each.
    fn lines(text: &str) -> Vec<String> {
        let mut lines: Vec<String> = vec![String::new()];
        let mut signs = text.chars().peekable();
        while let Some(sign) = signs.next() {
            lines.last_mut().expect("a line").push(sign);
            if sign == '\n' || sign == '\r' && signs.peek() != Some(&'\n') {
                lines.push(String::new());
            }
        }
        if lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    }

    fn texts() -> impl Iterator<Item = String> {
        let letters = ['a', '"', '\n', '\r'];
        (0..4_usize.pow(6)).map(move |code| (0..6).map(|place| letters[code / 4_usize.pow(place) % 4]).collect())
    }

    #[test]
    fn lines_at_both_ends_are_those_of_an_editor() {
        for text in texts() {
            let all = lines(&text);
            for count in 1..4 {
                let kept = all.len().saturating_sub(count as usize);
                let mut without = String::new();
                WithoutFooter::new(Slow(text.as_bytes(), 2), count).read_to_string(&mut without).expect("text");
                assert_eq!(without, all[..kept].concat(), "{text:?} without {count}");
                let mut reader = BufReader::with_capacity(1, text.as_bytes());
                let bytes = skip_lines(&mut reader, count).expect("text");
                assert_eq!(bytes as usize, all.iter().take(count as usize).map(String::len).sum::<usize>(), "{text:?}");
            }
        }
    }

    /// Held text does not grow with the file.
    #[test]
    fn a_footer_waits_and_nothing_else_does() {
        let text = "a line of some length\n".repeat(20_000) + "Source: x\r\n\r\nNote";
        let mut without = WithoutFooter::new(text.as_bytes(), 3);
        let (mut read, mut buffer) = (0, vec![0; 1 << 12]);
        loop {
            let bytes = without.read(&mut buffer).expect("text");
            if bytes == 0 {
                break;
            }
            read += bytes;
            assert!(without.held.len() <= 2 * CHUNK);
        }
        assert_eq!(read, 22 * 20_000);
    }

    #[test]
    fn the_first_line_may_name_the_separator() {
        assert_eq!(separator_in(b"sep=;\nYear"), Some((b';', 6)));
        assert_eq!(separator_in(b"\xef\xbb\xbfSEP=\t\r\n"), Some((b'\t', 10)));
        assert_eq!(separator_in(b"sep=,,,"), Some((b',', 7)));
        for head in ["sep=", "sep=ab", "sepal;x", "", "sep", "sep=;,"] {
            assert_eq!(separator_in(head.as_bytes()), None, "{head}");
        }
    }
}
