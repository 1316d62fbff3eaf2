//! How text is laid out: `separator`, `quote`, `encoding` and `decimal` of [data].

use inbounds_input::document::{Field, Item, Mistakes, Reported, Spanned, Table, given};

use crate::plan::{RowFormat, TextEncoding, TextLayout};

/// Keys of [data] that are read here.
pub(super) const KEYS: [&str; 4] = ["separator", "quote", "encoding", "decimal"];

const HELP_SEPARATOR: &str = "write separator = \";\", or \"\\t\" for a tab, or \"|\"";
const HELP_QUOTE: &str = "write quote = \"'\", or quote = \"\" if quotation marks are letters like any other";
const HELP_ENCODING: &str = "write encoding = \"utf-8\", \"utf-16\", \"latin-1\", \"windows-1250\", \"iso-8859-2\", \"shift_jis\" or another label of the \
                             WHATWG Encoding Standard; convert a file in any other encoding, such as with `iconv -f CP850 -t UTF-8`";
const HELP_DECIMAL: &str = "write decimal = \",\" for cells such as 0,5; the default is \".\"";

/// The layout of [data], as far as it could be read.
pub(in crate::plan) struct LayoutDraft {
    separator: Field<Spanned<u8>>,
    /// The mark, or none for text without one.
    quote: Field<Spanned<Option<u8>>>,
    encoding: Field<Spanned<TextEncoding>>,
    decimal: Field<Spanned<char>>,
}

impl LayoutDraft {
    pub(super) fn decimal(&self) -> Option<char> {
        given(&self.decimal).map(|decimal| decimal.value)
    }

    /// The layout of text, and the separator of decimals.
    pub(super) fn finish(self) -> Result<(TextLayout, Option<Spanned<char>>), Reported> {
        let default = TextLayout::default();
        let text = TextLayout {
            separator: self.separator?.map(|separator| separator.value),
            quote: self.quote?.map_or(default.quote, |quote| quote.value),
            encoding: self.encoding?.map_or(default.encoding, |encoding| encoding.value),
        };
        Ok((text, self.decimal?))
    }
}

pub(super) fn read(table: &Table, format: Option<RowFormat>, mistakes: &mut Mistakes) -> LayoutDraft {
    let for_text = |item: &Item, mistakes: &mut Mistakes| match format.filter(|format| !format.is_delimited()) {
        None => Ok(()),
        Some(format) => {
            let message = format!("{} must be left out for {format} data", item.subject);
            Err(mistakes.note(&item.span, message, "it is for CSV and TSV"))
        }
    };
    let separator = table.optional("separator", |item| {
        let one = sign(&item, HELP_SEPARATOR, mistakes)?;
        for_text(&item, mistakes)?;
        Ok(item.put(one))
    });
    let quote = table.optional("quote", |item| {
        let one = if item.value.as_str() == Some("") { None } else { Some(sign(&item, HELP_QUOTE, mistakes)?) };
        for_text(&item, mistakes)?;
        Ok(item.put(one))
    });
    let encoding = table.optional("encoding", |item| {
        let encoding = item.value.as_str().and_then(TextEncoding::named);
        let wanted = "the name of an encoding, such as \"windows-1250\"";
        let encoding = encoding.ok_or_else(|| item.refuse(wanted, HELP_ENCODING, mistakes))?;
        match format.filter(|format| format.has_types()) {
            None => Ok(item.put(encoding)),
            Some(format) => {
                let message = format!("{} must be left out for {format} data", item.subject);
                Err(mistakes.note(&item.span, message, "it is for CSV, TSV and JSON lines"))
            }
        }
    });
    let decimal = table.optional("decimal", |item| decimal(&item, mistakes));
    let quote = match (given(&separator), given(&quote)) {
        (Some(separator), Some(mark)) if mark.value == Some(separator.value) => {
            let message = "[data] must not have one character for `separator` and `quote`";
            Err(mistakes.note(&mark.span, message, HELP_QUOTE))
        }
        _ => quote,
    };
    LayoutDraft { separator, quote, encoding, decimal }
}

/// A character that may separate or quote fields.
fn sign(item: &Item, help: &str, mistakes: &mut Mistakes) -> Result<u8, Reported> {
    let one = item.value.as_str().and_then(|text| <[u8; 1]>::try_from(text.as_bytes()).ok()).map(|[byte]| byte);
    let alone = |byte: u8| TextLayout { separator: Some(byte), quote: None, ..TextLayout::default() };
    let fits = |byte: &u8| alone(*byte).check(RowFormat::Csv).is_ok();
    let wanted = "one ASCII character that is no letter, digit or line break";
    one.filter(fits).ok_or_else(|| item.refuse(wanted, help, mistakes))
}

/// The separator of decimals.
pub(super) fn decimal(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<char>, Reported> {
    match item.value.as_str() {
        Some(".") => Ok(item.put('.')),
        Some(",") => Ok(item.put(',')),
        _ => Err(item.refuse("one of the separators", HELP_DECIMAL, mistakes)),
    }
}
