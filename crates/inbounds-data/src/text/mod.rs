//! Text with rows: how it is laid out, and from the bytes of a file to UTF-8.

mod encoding;
mod fitting;
mod header;
mod lines;
mod members;
mod stream;

use std::fmt;

pub use self::encoding::TextEncoding;
pub use self::fitting::FittingEncodings;
pub(crate) use self::header::{Header, header};
pub(crate) use self::lines::{RowText, is_break, open_rows};
pub(crate) use self::stream::{damage, fitting, line_in, open};

use crate::RowFormat;

/// Layout of text with rows. Public: it is written before any row is read.
///
/// - `separator`: what stands between fields; `None` is a comma, or a tab in a [`RowFormat::Tsv`].
/// - `quote`: what a field stands in that holds a separator or a line break; inside, it is doubled. `None` is for files
///   in which it is a letter like any other.
/// - `encoding`: how letters are written as bytes.
/// - `skip`: lines before the header; `footer`: last lines of each file. Lines are counted as an editor shows them,
///   quoted or not, and empty ones too.
/// - `skip_rows`: records below the header that are no rows, such as the questions of a survey.
/// - `comment`: what a line begins with that is no row, wherever it stands.
/// - `header`: the names of columns may be numbers, as years are; otherwise such a first line seems to be a row and is
///   refused.
/// - `sheet`: the sheet of a workbook that has the rows; `None` is the first one.
///
/// Lines are those of delimited text and of workbooks. Which lines are rows follows from places and marks alone, and
/// never from what other rows hold. A first line `sep=;` names the separator and is no line of the table. Separator,
/// quote and comment are ASCII characters. Text that is compressed with gzip or zstd is recognised by its first bytes.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TextLayout {
    /// Separator of fields.
    pub separator: Option<u8>,
    /// Quotation mark.
    pub quote: Option<u8>,
    /// Encoding of letters.
    pub encoding: TextEncoding,
    /// Lines before the header.
    pub skip: u32,
    /// Records below the header that are no rows.
    pub skip_rows: u32,
    /// Last lines that are no rows.
    pub footer: u32,
    /// First byte of lines that are no rows.
    pub comment: Option<u8>,
    /// True if names of columns may be numbers.
    pub header: bool,
    /// Sheet of a workbook.
    pub sheet: Option<String>,
}

impl Default for TextLayout {
    fn default() -> Self {
        Self {
            separator: None,
            quote: Some(b'"'),
            encoding: TextEncoding::ByMark,
            skip: 0,
            skip_rows: 0,
            footer: 0,
            comment: None,
            header: false,
            sheet: None,
        }
    }
}

impl TextLayout {
    /// Checks separator and quote of files of a format.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn check(&self, format: RowFormat) -> Result<(), &'static str> {
        let is_sign = |byte: u8| byte.is_ascii() && !byte.is_ascii_alphanumeric() && !matches!(byte, b'\n' | b'\r' | 0);
        let Dialect { separator, quote, comment } = self.dialect(format);
        if ![separator].into_iter().chain(quote).chain(comment).all(is_sign) {
            return Err(
                "separator, quote and comment must be ASCII characters that are no letters, digits or line breaks",
            );
        }
        if quote == Some(separator) || comment.is_some_and(|comment| comment == separator || Some(comment) == quote) {
            return Err("separator, quote and comment must be different characters");
        }
        if !format.has_lines() && self.lines() != Self::default().lines() {
            return Err("`skip`, `skip_rows`, `footer`, `comment` and `header` are for CSV, TSV and workbooks");
        }
        if !format.has_sheets() && self.sheet.is_some() {
            return Err("`sheet` is for workbooks of Excel and OpenDocument");
        }
        Ok(())
    }

    /// Separator and quote of text files of a format, whether or not they are written.
    pub fn signs(&self, format: RowFormat) -> (u8, Option<u8>) {
        let Dialect { separator, quote, .. } = self.dialect(format);
        (separator, quote)
    }

    /// Which lines are no rows.
    fn lines(&self) -> (u32, u32, u32, Option<u8>, bool) {
        (self.skip, self.skip_rows, self.footer, self.comment, self.header)
    }

    pub(crate) fn dialect(&self, format: RowFormat) -> Dialect {
        if format.is_decoded() {
            return Dialect { separator: b',', quote: Some(b'"'), comment: None };
        }
        let usual = if format == RowFormat::Tsv { b'\t' } else { b',' };
        Dialect { separator: self.separator.unwrap_or(usual), quote: self.quote, comment: self.comment }
    }
}

/// Compression of the text of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// gzip, in one member or several.
    Gzip,
    /// Zstandard, in one frame or several.
    Zstd,
}

impl fmt::Display for Compression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        })
    }
}

/// Marks that end fields and records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) separator: u8,
    pub(crate) quote: Option<u8>,
    /// First byte of lines that are no records.
    pub(crate) comment: Option<u8>,
}

impl Dialect {
    /// A byte that UTF-8 never has: the quotation mark of text without one, for readers that must be given some.
    pub(crate) const NEVER: u8 = 0xff;

    /// The quotation mark, or a byte that no valid text has.
    pub(crate) fn quote_or_never(self) -> u8 {
        self.quote.unwrap_or(Self::NEVER)
    }

    /// A reader of records that may have any number of fields.
    pub(crate) fn reader<R: std::io::Read>(self, text: R) -> csv::Reader<R> {
        self.builder().from_reader(text)
    }

    pub(crate) fn builder(self) -> csv::ReaderBuilder {
        let mut builder = csv::ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(self.separator);
        builder.quoting(self.quote.is_some()).quote(self.quote_or_never()).comment(self.comment);
        builder
    }
}
