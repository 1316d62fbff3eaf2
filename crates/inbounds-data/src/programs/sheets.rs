//! Workbooks of Excel and OpenDocument: one sheet, its cells as texts.
//!
//! The columns are those of the header, the first line that is neither skipped nor empty: what stands to the right of
//! the last name is no cell of the table. A line without any cell is no row.

use std::borrow::Cow;
use std::io::{Cursor, Read};

use calamine::{
    Data, Error, ExcelDateTime, HeaderRow, Ods, OdsError, Reader, Sheet, SheetVisible, Xls, XlsError, Xlsx, XlsxError,
};
use inbounds_input::OpenedFile;

use super::broken::Broken;
use super::cells::{Cells, number_text};
use crate::{RowFormat, TextLayout};

/// Most lines and columns that a sheet of any program has. A damaged place of a cell asks for more.
const MOST_LINES: u32 = 1 << 20;
const MOST_COLUMNS: u32 = 1 << 14;

/// A workbook in memory.
type Bytes = Cursor<Vec<u8>>;

/// Why a workbook gives no more rows.
fn broken(error: impl Into<Error>) -> Broken {
    match error.into() {
        Error::Xlsx(XlsxError::Password) | Error::Xls(XlsError::Password) | Error::Ods(OdsError::Password) => {
            Broken::Password
        }
        Error::Io(error)
        | Error::Xlsx(XlsxError::Io(error))
        | Error::Xls(XlsError::Io(error))
        | Error::Ods(OdsError::Io(error)) => error.into(),
        _ => Broken::Damaged,
    }
}

/// Writes the rows of a sheet: the one that the layout names, or the first.
pub(super) fn rows(
    mut file: OpenedFile,
    format: RowFormat,
    layout: &TextLayout,
    cells: &mut Cells,
) -> Result<(), Broken> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let bytes = Cursor::new(bytes);
    let lines = Lines { cells, layout, next: 0, width: None };
    if format == RowFormat::OpenDocument {
        return in_memory(Ods::new(bytes).map_err(broken)?, lines);
    }
    // A workbook since 2007 is an archive, and one before is none; nor is one with a password.
    if bytes.get_ref().starts_with(b"PK") {
        return in_order(Xlsx::new(bytes).map_err(broken)?, lines);
    }
    match Xls::new(bytes.clone()) {
        Ok(workbook) => in_memory(workbook, lines),
        Err(error) => Err(Xlsx::new(bytes).err().map_or_else(|| broken(error), broken)),
    }
}

/// The name of the sheet that is read: without one the first that people see.
fn chosen(layout: &TextLayout, sheets: &[Sheet]) -> Result<String, Broken> {
    let names: Vec<String> = sheets.iter().map(|sheet| sheet.name.clone()).collect();
    match &layout.sheet {
        None => {
            let visible = sheets.iter().find(|sheet| sheet.visible == SheetVisible::Visible).or(sheets.first());
            visible.map(|sheet| sheet.name.clone()).ok_or(Broken::Damaged)
        }
        Some(sheet) if names.contains(sheet) => Ok(sheet.clone()),
        Some(sheet) => Err(Broken::NoSheet { sheet: sheet.clone(), sheets: names }),
    }
}

/// A sheet whose cells come in order, none of which is kept.
fn in_order(mut workbook: Xlsx<Bytes>, mut lines: Lines<'_>) -> Result<(), Broken> {
    let sheet = chosen(lines.layout, workbook.sheets_metadata())?;
    let mut reader = workbook.worksheet_cells_reader(&sheet).map_err(broken)?;
    let (mut line, mut cells) = (0, Vec::new());
    while let Some(cell) = reader.next_cell().map_err(broken)? {
        let (at, column) = cell.get_position();
        if at < line || column >= MOST_COLUMNS {
            return Err(Broken::Damaged);
        }
        if at > line {
            lines.write(line, &cells)?;
            cells.clear();
            line = at;
        }
        cells.push((column, Data::from(cell.get_value().clone())));
    }
    lines.write(line, &cells)
}

/// A sheet that its reader holds in memory.
fn in_memory<W: Reader<Bytes>>(mut workbook: W, mut lines: Lines<'_>) -> Result<(), Broken>
where
    Error: From<W::Error>,
{
    let sheet = chosen(lines.layout, workbook.sheets_metadata())?;
    let range = workbook.with_header_row(HeaderRow::Row(0)).worksheet_range(&sheet).map_err(broken)?;
    let begin = range.start().map_or(0, |(_, column)| column);
    for (line, row) in (0..).zip(range.rows()) {
        let cells = (begin..).zip(row).filter(|(_, cell)| **cell != Data::Empty);
        let cells: Vec<(u32, Data)> = cells.map(|(column, cell)| (column, cell.clone())).collect();
        lines.write(line, &cells)?;
    }
    Ok(())
}

/// A writer of lines: each line of the sheet is one of the text.
struct Lines<'a> {
    cells: &'a mut Cells,
    layout: &'a TextLayout,
    /// The line that is written next.
    next: u32,
    /// Number of columns, once the header has told it.
    width: Option<u32>,
}

impl Lines<'_> {
    /// Writes a line, which is the same as the last one or comes behind it, with empty ones between them.
    fn write(&mut self, line: u32, cells: &[(u32, Data)]) -> Result<(), Broken> {
        if line >= MOST_LINES {
            return Err(Broken::Damaged);
        }
        let texts: Vec<(u32, Cow<'_, str>)> = cells.iter().map(|(column, cell)| (*column, text_of(cell))).collect();
        let texts: Vec<_> = texts.into_iter().filter(|(_, text)| !text.trim().is_empty()).collect();
        // What stands right of the header is no cell of the table, and formats alone make no line.
        let texts: Vec<_> = texts.into_iter().filter(|(at, _)| self.width.is_none_or(|width| *at < width)).collect();
        let Some(&(last, _)) = texts.last() else { return Ok(()) };
        while self.next < line {
            self.next += 1;
            self.cells.end_row()?;
        }
        self.next += 1;
        // Lines that are left out are written as empty lines, so that line numbers stay right.
        let is_comment =
            |mark: u8| texts.first().is_some_and(|(at, text)| *at == 0 && text.as_bytes().first() == Some(&mark));
        if line < self.layout.skip || self.layout.comment.is_some_and(is_comment) {
            return self.cells.end_row();
        }
        let width = *self.width.get_or_insert(last + 1);
        let mut texts = texts.into_iter().peekable();
        for column in 0..width {
            match texts.next_if(|(at, _)| *at == column) {
                Some((_, text)) => self.cells.text(&text),
                None => self.cells.missing(),
            }
        }
        self.cells.end_row()
    }
}

/// A cell as a text on one line.
fn text_of(cell: &Data) -> Cow<'_, str> {
    match cell {
        Data::Empty => Cow::Borrowed(""),
        // As the moments of other workbooks.
        Data::DateTimeIso(moment) => {
            let moment = moment.trim_end_matches("T00:00:00");
            moment.replacen('T', " ", 1).into()
        }
        Data::DurationIso(text) => length_of(text).into(),
        Data::String(text) => match text.contains(['\n', '\r']) {
            true => text.replace("\r\n", " ").replace(['\n', '\r'], " ").into(),
            false => Cow::Borrowed(text),
        },
        Data::Int(number) => number.to_string().into(),
        Data::Float(number) => number_text(*number).into(),
        Data::Bool(truth) => truth.to_string().into(),
        Data::DateTime(moment) => moment_of(moment).into(),
        Data::Error(error) => error.to_string().into(),
    }
}

/// A time of day as ISO 8601 has it, `PT12H30M00S`, or a number of days where it is a day or more.
fn length_of(text: &str) -> String {
    let mut seconds = 0.0;
    let mut rest = text.trim_start_matches('P').trim_start_matches('T');
    while let Some(end) = rest.find(|sign: char| !sign.is_ascii_digit() && sign != '.') {
        let (Ok(number), Some(unit)) = (rest[..end].parse::<f64>(), rest[end..].chars().next()) else {
            return text.to_owned();
        };
        seconds += match unit {
            'D' => 86_400.0 * number,
            'H' => 3_600.0 * number,
            'M' => 60.0 * number,
            'S' => number,
            _ => return text.to_owned(),
        };
        rest = rest[end + unit.len_utf8()..].trim_start_matches('T');
    }
    if seconds >= 86_400.0 {
        return number_text(seconds / 86_400.0);
    }
    let (hours, minutes) = ((seconds / 3_600.0).floor(), (seconds / 60.0).floor() % 60.0);
    let left = seconds - 3_600.0 * hours - 60.0 * minutes;
    let dot = if left.fract() == 0.0 { format!("{left:02}") } else { format!("{left:04.1}") };
    format!("{hours:02}:{minutes:02}:{dot}")
}

/// A date, a time of day where the number is below one day, or a number of days where it is a length of time or before
/// the first day.
fn moment_of(moment: &ExcelDateTime) -> String {
    let days = moment.as_f64();
    if moment.is_duration() {
        return number_text(days);
    }
    let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
    if days < 0.0 {
        return number_text(days);
    }
    match (days < 1.0, (hour, minute, second)) {
        (true, _) => format!("{hour:02}:{minute:02}:{second:02}"),
        (false, (0, 0, 0)) => format!("{year:04}-{month:02}-{day:02}"),
        (false, _) => format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_are_times_or_days() {
        let lengths = ["PT12H30M00S", "PT00H30M15.5S", "PT36H00M00S", "P1DT12H", "soon"].map(length_of);
        assert_eq!(lengths, ["12:30:00", "00:30:15.5", "1.5", "1.5", "soon"]);
    }
}
