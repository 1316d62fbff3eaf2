//! An Excel workbook: contents, a sheet a statistic, and the methods.
//!
//! Numbers are numbers with all of their digits, written as the page writes them; how far they may be off stands beside
//! them in words, and both ends in the list below.

use std::collections::HashSet;

use rust_xlsxwriter::{
    Color, DocProperties, ExcelDateTime, Format, FormatAlign, FormatBorder, Workbook, Worksheet, XlsxError,
};

use crate::{
    document::{Cross, CrossCell},
    edition::{Edition, List, Sheet, Value},
};

/// A4 in Excel's numbering of papers.
const A4: u8 = 9;

/// Most letters of the name of a sheet.
const NAME: usize = 31;

struct Formats {
    title: Format,
    strong: Format,
    head: Format,
    number_head: Format,
    words: Format,
    quiet: Format,
    warning: Format,
}

impl Formats {
    fn new() -> Self {
        let head = Format::new().set_bold().set_text_wrap().set_border_bottom(FormatBorder::Thin);
        let quiet = Format::new().set_font_color(Color::RGB(0x51_60_6e));
        Self {
            title: Format::new().set_bold().set_font_size(14),
            strong: Format::new().set_bold(),
            number_head: head.clone().set_align(FormatAlign::Right),
            head,
            words: Format::new().set_text_wrap().set_align(FormatAlign::Top),
            quiet: quiet.set_align(FormatAlign::Right),
            warning: Format::new().set_bold().set_font_color(Color::RGB(0x7a_1f_0a)),
        }
    }
}

/// The workbook as the bytes of its file.
pub(super) fn workbook(edition: &Edition) -> Result<Vec<u8>, XlsxError> {
    let formats = Formats::new();
    let mut workbook = Workbook::new();
    // The same bundle gives the same bytes: the day is that of the first archive, and no news.
    let made = ExcelDateTime::from_ymd(1980, 1, 1)?;
    workbook.set_properties(&DocProperties::new().set_title(&edition.title).set_creation_datetime(&made));
    let mut taken: HashSet<String> = ["contents", "methods"].map(str::to_owned).into();
    let names: Vec<String> = edition.sheets.iter().map(|sheet| sheet_name(&sheet.name, &mut taken)).collect();
    contents(workbook.add_worksheet(), edition, &names, &formats)?;
    for (sheet, name) in edition.sheets.iter().zip(&names) {
        statistic(workbook.add_worksheet().set_name(name)?, (edition, sheet), &formats)?;
    }
    methods(workbook.add_worksheet().set_name("Methods")?, edition, &formats)?;
    workbook.save_to_buffer()
}

/// A name that Excel takes, and no other sheet has.
fn sheet_name(words: &str, taken: &mut HashSet<String>) -> String {
    let is_kept = |letter: &char| !letter.is_control() && !"[]:*?/\\'".contains(*letter);
    let kept: String = words.chars().filter(is_kept).collect();
    let kept = if kept.trim().is_empty() { "Statistic" } else { kept.trim() };
    let tries = (1..).map(|number| {
        let end = if number == 1 { String::new() } else { format!(" {number}") };
        let room = NAME - end.len();
        kept.chars().take(room).collect::<String>() + &end
    });
    let free = tries.into_iter().find(|name| taken.insert(name.to_lowercase()));
    free.expect("some number is free")
}

fn contents(sheet: &mut Worksheet, edition: &Edition, names: &[String], formats: &Formats) -> Result<(), XlsxError> {
    sheet.set_name("Contents")?.set_paper_size(A4).set_print_fit_to_pages(1, 0);
    sheet.set_column_width(0, 28)?.set_column_width(1, 80)?;
    sheet.write_string_with_format(0, 0, &edition.title, &formats.title)?;
    let mut row = 1;
    for warning in &edition.warnings {
        sheet.write_string_with_format(row, 0, warning, &formats.warning)?;
        row += 1;
    }
    for (name, words) in &edition.about {
        sheet.write_string_with_format(row, 0, *name, &formats.strong)?;
        sheet.write_string_with_format(row, 1, words, &formats.words)?;
        row += 1;
    }
    if let Some(sure) = &edition.sure {
        sheet.write_string_with_format(row, 1, sure, &formats.words)?;
        row += 1;
    }
    row += 1;
    for (own, name) in edition.sheets.iter().zip(names) {
        sheet.write_url_with_text(row, 0, format!("internal:'{name}'!A1").as_str(), name)?;
        sheet.write_string_with_format(row, 1, &own.title, &formats.words)?;
        row += 1;
    }
    sheet.write_url_with_text(row, 0, "internal:'Methods'!A1", edition.heading)?;
    Ok(())
}

fn methods(sheet: &mut Worksheet, edition: &Edition, formats: &Formats) -> Result<(), XlsxError> {
    sheet.set_paper_size(A4).set_print_fit_to_pages(1, 0).set_column_width(0, 100)?;
    sheet.write_string_with_format(0, 0, edition.heading, &formats.title)?;
    for (row, sentence) in (1..).zip(&edition.methods) {
        sheet.write_string_with_format(row, 0, sentence, &formats.words)?;
    }
    Ok(())
}

fn statistic(sheet: &mut Worksheet, (edition, own): (&Edition, &Sheet), formats: &Formats) -> Result<(), XlsxError> {
    sheet.set_paper_size(A4).set_landscape().set_print_fit_to_pages(1, 0).set_column_width(0, 30)?;
    sheet.write_string_with_format(0, 0, &own.title, &formats.title)?;
    let mut row = 1;
    for (words, format) in edition
        .warnings
        .iter()
        .map(|words| (words, &formats.warning))
        .chain(own.notes.iter().map(|words| (words, &formats.strong)))
    {
        sheet.write_string_with_format(row, 0, words, format)?;
        row += 1;
    }
    for table in &own.tables {
        row = cross(sheet, row + 1, table, formats)?;
    }
    list(sheet, row + 1, &own.list, formats)
}

/// Writes a table from this row on, and returns the row below it.
fn cross(sheet: &mut Worksheet, mut row: u32, table: &Cross, formats: &Formats) -> Result<u32, XlsxError> {
    sheet.write_string_with_format(row, 0, &table.caption, &formats.strong)?;
    row += 1;
    if !table.across.is_empty() {
        sheet.write_string_with_format(row, 1, &table.across, &formats.strong)?;
        row += 1;
    }
    sheet.write_string_with_format(row, 0, &table.stub, &formats.head)?;
    for (column, head) in (1_u16..).step_by(2).zip(&table.heads) {
        sheet.write_string_with_format(row, column, head, &formats.number_head)?;
        sheet.write_string_with_format(row, column + 1, "plus or minus", &formats.number_head)?;
        sheet.set_column_width(column + 1, 14)?;
    }
    for own in &table.rows {
        row += 1;
        let name = Format::new().set_indent(u8::try_from(own.depth.min(15)).unwrap_or(15));
        let name = if own.total { name.set_bold() } else { name };
        sheet.write_string_with_format(row, 0, &own.name, &name)?;
        for (column, cell) in (1_u16..).step_by(2).zip(&own.cells) {
            let Some(cell) = cell else { continue };
            match cell.number {
                Some(number) => sheet.write_number_with_format(row, column, number, &written(cell))?,
                None => sheet.write_string_with_format(row, column, &cell.value, &formats.quiet)?,
            };
            let told =
                if cell.tells_nothing { format!("{} (tells nothing)", cell.beside) } else { cell.beside.clone() };
            sheet.write_string_with_format(row, column + 1, told, &formats.quiet)?;
        }
    }
    if !table.note.is_empty() {
        row += 1;
        sheet.write_string_with_format(row, 0, &table.note, &formats.words)?;
    }
    Ok(row + 1)
}

/// As many decimals as the page shows.
fn written(cell: &CrossCell) -> Format {
    let shown = cell.value.trim_end_matches(" %");
    let decimals = shown.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let format = Format::new();
    let places = if decimals == 0 { String::new() } else { format!(".{}", "0".repeat(decimals)) };
    if shown.contains('e') {
        format
    } else if shown.len() < cell.value.len() {
        format.set_num_format(format!("0{places} %"))
    } else {
        format.set_num_format(format!("#,##0{places}"))
    }
}

fn list(sheet: &mut Worksheet, first: u32, list: &List, formats: &Formats) -> Result<(), XlsxError> {
    if list.rows.is_empty() {
        return Ok(());
    }
    sheet.write_string_with_format(first, 0, "All numbers, one a line", &formats.strong)?;
    let head = first + 1;
    for (column, name) in (0_u16..).zip(&list.heads) {
        sheet.write_string_with_format(head, column, name, &formats.head)?;
    }
    let mut row = head;
    for own in &list.rows {
        row += 1;
        for (column, value) in (0_u16..).zip(own) {
            match value {
                Value::Text(words) => sheet.write_string(row, column, words)?,
                Value::Number(number) => sheet.write_number(row, column, *number)?,
                Value::Flag(flag) => sheet.write_boolean(row, column, *flag)?,
                Value::Empty => continue,
            };
        }
    }
    let last = u16::try_from(list.heads.len().saturating_sub(1)).unwrap_or(u16::MAX);
    sheet.autofilter(head, 0, row, last)?;
    if !list.note.is_empty() {
        sheet.write_string_with_format(row + 1, 0, &list.note, &formats.words)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{NAME, sheet_name};

    #[test]
    fn names_of_sheets_are_those_that_excel_takes() {
        let mut taken = ["contents".to_owned()].into();
        let long = "a name of more letters than a sheet has room for";
        let names =
            ["people", "People", "a/b: [c]?", "", "Contents", long, long].map(|name| sheet_name(name, &mut taken));
        assert_eq!(names[..5], ["people", "People 2", "ab c", "Statistic", "Contents 2"]);
        assert!(names[5..].iter().all(|name| name.chars().count() == NAME) && names[5] != names[6], "{names:?}");
    }
}
