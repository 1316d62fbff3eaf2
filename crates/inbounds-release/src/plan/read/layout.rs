//! Layout of text and of workbooks: `separator`, `quote`, `encoding`, `decimal` and `sheet` of [data], and the lines
//! that are no rows.

use inbounds_input::document::{Field, Item, Mistakes, Reported, Spanned, Table, given};

use crate::plan::{RowFormat, TextEncoding, TextLayout};

/// Keys of [data] that are read here.
pub(super) const KEYS: [&str; 10] =
    ["separator", "quote", "encoding", "decimal", "skip", "skip_rows", "footer", "comment", "header", "sheet"];

/// Most lines that are left out at one place.
const MOST_LINES: u64 = 1_000_000;

const HELP_SEPARATOR: &str = "write separator = \";\", or \"\\t\" for a tab, or \"|\"";
const HELP_QUOTE: &str = "write quote = \"'\", or quote = \"\" if quotation marks are letters like any other";
const HELP_ENCODING: &str = "write encoding = \"utf-8\", \"utf-16\", \"latin-1\", \"windows-1250\", \"iso-8859-2\", \
                             \"shift_jis\" or another label of the WHATWG Encoding Standard; convert a file in any \
                             other encoding, such as with `iconv -f CP850 -t UTF-8`";
const HELP_SKIP: &str = "write how many lines stand before the header: skip = 3; leave it out for none";
const HELP_SKIP_ROWS: &str =
    "write how many rows below the header are no data, such as the questions of a survey: skip_rows = 2";
const HELP_FOOTER: &str = "write how many of the last lines of each file are no rows: footer = 2";
const HELP_COMMENT: &str = "write what a line begins with that is no row: comment = \"#\"";
const HELP_HEADER: &str = "write header = true if the first line has the names of the columns although they are \
                           numbers, such as years; a file without a header must be given one";
const HELP_SHEET: &str =
    "write the name of the sheet that has the rows: sheet = \"Data\"; the first one is the default";
const HELP_DECIMAL: &str = "write decimal = \",\" for cells such as 0,5; the default is \".\"";

/// The layout of [data], as far as it could be read.
pub(in crate::plan) struct LayoutDraft {
    separator: Field<Spanned<u8>>,
    /// The mark, or none for text without one.
    quote: Field<Spanned<Option<u8>>>,
    encoding: Field<Spanned<TextEncoding>>,
    decimal: Field<Spanned<char>>,
    lines: LinesDraft,
}

/// Which lines are no rows.
struct LinesDraft {
    skip: Field<Spanned<u32>>,
    skip_rows: Field<Spanned<u32>>,
    footer: Field<Spanned<u32>>,
    comment: Field<Spanned<u8>>,
    header: Field<Spanned<bool>>,
    sheet: Field<Spanned<String>>,
}

impl LayoutDraft {
    pub(super) fn decimal(&self) -> Option<char> {
        given(&self.decimal).map(|decimal| decimal.value)
    }

    /// The layout of text, and the separator of decimals.
    pub(super) fn finish(self) -> Result<(TextLayout, Option<Spanned<char>>), Reported> {
        let default = TextLayout::default();
        let LinesDraft { skip, skip_rows, footer, comment, header, sheet } = self.lines;
        let number = |lines: Option<Spanned<u32>>| lines.map_or(0, |lines| lines.value);
        let text = TextLayout {
            separator: self.separator?.map(|separator| separator.value),
            quote: self.quote?.map_or(default.quote, |quote| quote.value),
            encoding: self.encoding?.map_or(default.encoding, |encoding| encoding.value),
            skip: number(skip?),
            skip_rows: number(skip_rows?),
            footer: number(footer?),
            comment: comment?.map(|comment| comment.value),
            header: header?.is_some_and(|header| header.value),
            sheet: sheet?.map(|sheet| sheet.value),
        };
        Ok((text, self.decimal?))
    }
}

pub(super) fn read(table: &Table, format: Option<RowFormat>, mistakes: &mut Mistakes) -> LayoutDraft {
    // Refuses a key for data of another format.
    let only = |fits: fn(RowFormat) -> bool, those: &'static str| {
        move |item: &Item, mistakes: &mut Mistakes| match format.filter(|format| !fits(*format)) {
            None => Ok(()),
            Some(format) => {
                let message = format!("{} must be left out for {format} data", item.subject);
                Err(mistakes.note(&item.span, message, format!("it is for {those}")))
            }
        }
    };
    let for_separators = only(RowFormat::has_separators, "CSV and TSV");
    let for_lines = only(RowFormat::has_lines, "CSV, TSV and workbooks");
    let for_text = only(RowFormat::is_text, "CSV, TSV and JSON lines");
    let for_sheets = only(RowFormat::has_sheets, "workbooks of Excel and OpenDocument");
    let separator = table.optional("separator", |item| {
        let one = sign(&item, HELP_SEPARATOR, mistakes)?;
        for_separators(&item, mistakes)?;
        Ok(item.put(one))
    });
    let quote = table.optional("quote", |item| {
        let one = if item.value.as_str() == Some("") { None } else { Some(sign(&item, HELP_QUOTE, mistakes)?) };
        for_separators(&item, mistakes)?;
        Ok(item.put(one))
    });
    let encoding = table.optional("encoding", |item| {
        let encoding = item.value.as_str().and_then(TextEncoding::named);
        let wanted = "the name of an encoding, such as \"windows-1250\"";
        let encoding = encoding.ok_or_else(|| item.refuse(wanted, HELP_ENCODING, mistakes))?;
        for_text(&item, mistakes).map(|()| item.put(encoding))
    });
    let decimal = table.optional("decimal", |item| {
        let decimal = decimal(&item, mistakes)?;
        match format.filter(|format| format.has_dictionary() && decimal.value == ',') {
            None => Ok(decimal),
            Some(format) => {
                let message =
                    format!("{} must be left out for {format} data, whose numbers are stored as numbers", item.subject);
                Err(mistakes.note(&item.span, message, "leave it out"))
            }
        }
    });
    let quote = match (given(&separator), given(&quote)) {
        (Some(separator), Some(mark)) if mark.value == Some(separator.value) => {
            let message = "[data] must not have one character for `separator` and `quote`";
            Err(mistakes.note(&mark.span, message, HELP_QUOTE))
        }
        _ => quote,
    };
    let lines = |key, help, mistakes: &mut Mistakes| {
        table.optional(key, |item| {
            let lines = lines(&item, help, mistakes)?;
            for_lines(&item, mistakes)?;
            Ok(lines)
        })
    };
    let skip = lines("skip", HELP_SKIP, mistakes);
    let skip_rows = lines("skip_rows", HELP_SKIP_ROWS, mistakes);
    let footer = lines("footer", HELP_FOOTER, mistakes);
    let comment = table.optional("comment", |item| {
        let mark = sign(&item, HELP_COMMENT, mistakes)?;
        for_lines(&item, mistakes)?;
        let others = [given(&separator).map(|one| one.value), given(&quote).and_then(|one| one.value)];
        if others.contains(&Some(mark)) {
            let message = "[data] must not have one character for `comment` and for `separator` or `quote`";
            return Err(mistakes.note(&item.span, message, HELP_COMMENT));
        }
        Ok(item.put(mark))
    });
    let header = table.optional("header", |item| match item.value.as_bool() {
        Some(true) => for_lines(&item, mistakes).map(|()| item.put(true)),
        _ => Err(item.refuse("true", HELP_HEADER, mistakes)),
    });
    let sheet = table.optional("sheet", |item| {
        let sheet = item.text(HELP_SHEET, mistakes)?;
        for_sheets(&item, mistakes).map(|()| sheet)
    });
    let lines = LinesDraft { skip, skip_rows, footer, comment, header, sheet };
    LayoutDraft { separator, quote, encoding, decimal, lines }
}

/// A number of lines.
fn lines(item: &Item, help: &str, mistakes: &mut Mistakes) -> Result<Spanned<u32>, Reported> {
    let number = item.counting_number(help, mistakes)?;
    match u32::try_from(number.value).ok().filter(|_| number.value <= MOST_LINES) {
        Some(lines) => Ok(item.put(lines)),
        None => Err(item.refuse(&format!("at most {MOST_LINES}"), help, mistakes)),
    }
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
