//! Text with rows: how it is laid out, and from the bytes of a file to UTF-8.

mod encoding;
mod fitting;
mod header;
mod members;
mod stream;

use std::fmt;

pub use self::encoding::TextEncoding;
pub use self::fitting::FittingEncodings;
pub(crate) use self::header::header;
pub(crate) use self::stream::{damage, fitting, line_in, open};

use crate::RowFormat;

/// How text with rows is laid out. Public: it is written before any row is read.
///
/// - `separator`: what stands between fields; `None` is a comma, or a tab in a [`RowFormat::Tsv`].
/// - `quote`: what a field stands in that holds a separator or a line break; inside, it is doubled. `None` is for files in
///   which it is a letter like any other.
/// - `encoding`: how letters are written as bytes.
///
/// Separator and quote are ASCII characters. Text that is compressed with gzip or zstd is recognised by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "distributed", derive(serde::Serialize, serde::Deserialize))]
pub struct TextLayout {
    /// Separator of fields.
    pub separator: Option<u8>,
    /// Quotation mark.
    pub quote: Option<u8>,
    /// Encoding of letters.
    pub encoding: TextEncoding,
}

impl Default for TextLayout {
    fn default() -> Self {
        Self { separator: None, quote: Some(b'"'), encoding: TextEncoding::ByMark }
    }
}

impl TextLayout {
    /// Checks separator and quote of files of a format.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn check(&self, format: RowFormat) -> Result<(), &'static str> {
        let is_sign = |byte: u8| byte.is_ascii() && !byte.is_ascii_alphanumeric() && !matches!(byte, b'\n' | b'\r' | 0);
        let Dialect { separator, quote } = self.dialect(format);
        if ![separator].into_iter().chain(quote).all(is_sign) {
            return Err("separator and quote must be ASCII characters that are no letters, digits or line breaks");
        }
        if quote == Some(separator) {
            return Err("separator and quote must be two characters");
        }
        Ok(())
    }

    pub(crate) fn dialect(&self, format: RowFormat) -> Dialect {
        let usual = if format == RowFormat::Tsv { b'\t' } else { b',' };
        Dialect { separator: self.separator.unwrap_or(usual), quote: self.quote }
    }
}

/// How the text of a file is compressed.
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

/// What ends fields and records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) separator: u8,
    pub(crate) quote: Option<u8>,
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
        builder.quoting(self.quote.is_some()).quote(self.quote_or_never());
        builder
    }
}
