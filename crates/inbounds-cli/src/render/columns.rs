//! Tables for the terminal: as a table where its columns fit, else as a block for each row. No word is broken.
//!
//! A table is made column by column, each with the text of every row, so that a column is added in one place. Where the
//! table would be too wide, headers and columns of words are wrapped between words; where that does not do, so are
//! numbers such as `4 to 26`.

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, TableComponent, Width, presets};
use textwrap::core::display_width;

use super::wrap::wrapped;
use crate::printable::in_line;

/// Columns between two columns of a table, and on either side of it.
const GAP: usize = 2;

/// Text in columns.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    columns: Vec<Column>,
    ruled: bool,
}

/// A column: what it shows of each row.
#[derive(Debug, Clone)]
struct Column {
    header: String,
    side: Side,
    once: bool,
    cells: Vec<String>,
}

/// Alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    /// Words: to the left, wrapped where they must be.
    Words,
    /// Numbers: to the right, on one line.
    Figures,
}

/// Form of a displayed table.
enum Form {
    /// A table whose columns have at least these widths.
    Drawn(Vec<usize>),
    /// A block for each row.
    Blocks,
}

impl Table {
    /// A column of words.
    pub(crate) fn words<R>(self, header: &str, rows: &[R], cell: impl Fn(&R) -> String) -> Self {
        self.column(header, Side::Words, false, rows.iter().map(cell).collect())
    }

    /// A column of numbers.
    pub(crate) fn figures<'a, R>(self, header: &str, rows: &'a [R], cell: impl Fn(&'a R) -> String) -> Self {
        self.column(header, Side::Figures, false, rows.iter().map(cell).collect())
    }

    /// A column of words that stand only where they, or those of such a column before them, change.
    pub(crate) fn words_once<R>(self, header: &str, rows: &[R], cell: impl Fn(&R) -> String) -> Self {
        self.column(header, Side::Words, true, rows.iter().map(cell).collect())
    }

    /// A column of numbers that stand only where they, or the words of such a column before them, change.
    pub(crate) fn figures_once<R>(self, header: &str, rows: &[R], cell: impl Fn(&R) -> String) -> Self {
        self.column(header, Side::Figures, true, rows.iter().map(cell).collect())
    }

    /// The table, with what `more` adds to it if there is anything to show there.
    pub(crate) fn and_if(self, shown: bool, more: impl FnOnce(Self) -> Self) -> Self {
        if shown { more(self) } else { self }
    }

    /// The table with lines between its rows.
    pub(crate) fn ruled(mut self) -> Self {
        self.ruled = true;
        self
    }

    fn column(mut self, header: &str, side: Side, once: bool, cells: Vec<String>) -> Self {
        debug_assert!(
            self.columns.first().is_none_or(|first| first.cells.len() == cells.len()),
            "columns of the same rows"
        );
        let header = in_line(header).replace(" %", &format!("{KEPT}%")).replace("± ", &format!("±{KEPT}"));
        let cells = cells.iter().map(|cell| in_line(cell).into_owned()).collect();
        self.columns.push(Column { header, side, once, cells });
        self
    }

    fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.cells.len())
    }

    /// `true` for a cell that repeats the one above it.
    fn repeats(&self, row: usize, column: usize) -> bool {
        let same = |column: &Column| row > 0 && column.cells[row] == column.cells[row - 1];
        self.columns[column].once && self.columns[..=column].iter().filter(|column| column.once).all(same)
    }

    /// `true` if the table fits into this number of columns.
    pub(crate) fn fits(&self, columns: usize) -> bool {
        matches!(self.form(columns), Form::Drawn(_))
    }

    /// `true` if it fits with each number on one line.
    pub(crate) fn fits_whole(&self, columns: usize) -> bool {
        self.width(&self.each(Column::least)) <= columns
    }

    /// The table, or a block for each row where it does not fit.
    pub(crate) fn shown(&self, columns: usize) -> String {
        match self.form(columns) {
            Form::Drawn(least) => self.drawn(self.widths(least, columns)),
            Form::Blocks => self.blocks(columns),
        }
    }

    /// The table with sentences below it, which stand apart from blocks.
    pub(crate) fn with_notes(&self, columns: usize, notes: &str) -> String {
        let gap = match self.form(columns) {
            _ if notes.is_empty() => "",
            Form::Drawn(_) => "\n",
            Form::Blocks => "\n\n",
        };
        format!("{}{gap}{notes}", self.shown(columns))
    }

    fn form(&self, columns: usize) -> Form {
        let widths = [Column::least, Column::longest_word].map(|width| self.each(width));
        widths.into_iter().find(|least| self.width(least) <= columns).map_or(Form::Blocks, Form::Drawn)
    }

    /// A width of each column.
    fn each(&self, width: fn(&Column) -> usize) -> Vec<usize> {
        self.columns.iter().map(width).collect()
    }

    fn width(&self, widths: &[usize]) -> usize {
        widths.iter().sum::<usize>() + GAP * widths.len()
    }

    fn drawn(&self, widths: Vec<usize>) -> String {
        let mut table = comfy_table::Table::new();
        table.load_preset(presets::UTF8_HORIZONTAL_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
        if !self.ruled {
            // One line under the header; lines between rows would double the height.
            table.remove_style(TableComponent::HorizontalLines).remove_style(TableComponent::MiddleIntersections);
        }
        let cell = |column: &Column, text: &str| Cell::new(text).set_alignment(column.side.alignment());
        table.set_header(self.columns.iter().map(|column| cell(column, &column.header)));
        for row in 0..self.rows() {
            let text =
                |index: usize| if self.repeats(row, index) { "" } else { self.columns[index].cells[row].as_str() };
            table.add_row(self.columns.iter().enumerate().map(|(index, column)| cell(column, text(index))));
        }
        for (column, width) in table.column_iter_mut().zip(&widths) {
            column.set_padding((1, 0));
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(*width as u16 + 1)));
        }
        let lines: Vec<String> = table.lines().map(|line| spaced(line.trim_end())).collect();
        lines.join("\n")
    }

    /// Widths that share the columns: room goes to the text of the rows first, then to headers.
    fn widths(&self, mut widths: Vec<usize>, columns: usize) -> Vec<usize> {
        let mut room = columns.saturating_sub(self.width(&widths));
        for wanted in [Column::widest_cell, Column::most] {
            let wanted = self.each(wanted);
            // One character at a time to the narrowest that wants more, so that long texts do not starve shorter ones.
            while room > 0 {
                let hungry = (0..widths.len()).filter(|&index| widths[index] < wanted[index]);
                let Some(index) = hungry.min_by_key(|&index| widths[index]) else { break };
                widths[index] += 1;
                room -= 1;
            }
        }
        widths
    }

    /// A block for each row: header and text side by side, without what is empty.
    fn blocks(&self, columns: usize) -> String {
        let label = self.columns.iter().map(|column| display_width(&column.header)).max().unwrap_or(0);
        let block = |row: usize| {
            let lines = self.columns.iter().filter(|column| !column.cells[row].trim().is_empty());
            let line = |column: &Column| beside(&column.header, column.cells[row].trim(), label, columns);
            lines.map(line).collect::<Vec<_>>().join("\n")
        };
        spaced(&(0..self.rows()).map(block).collect::<Vec<_>>().join("\n\n"))
    }
}

/// A space at which no line is broken, in headers such as `95 %`.
const KEPT: char = '\u{a0}';

/// The text with ordinary spaces, once its lines are broken.
fn spaced(text: &str) -> String {
    text.replace(KEPT, " ")
}

/// A header and what it heads, on as many lines as it takes; below the header where nothing fits beside it.
pub(super) fn beside(header: &str, text: &str, label: usize, columns: usize) -> String {
    let longest = text.split(' ').map(display_width).max().unwrap_or(0);
    let indent = if label + GAP + longest <= columns { label + GAP } else { GAP };
    let lines = wrapped(text, columns.saturating_sub(indent).max(1));
    let margin = " ".repeat(indent);
    let body = lines.join(&format!("\n{margin}"));
    if indent == GAP {
        format!("{}\n{margin}{body}", wrapped(header, columns).join("\n"))
    } else {
        format!("{header}{}{body}", " ".repeat(indent - display_width(header)))
    }
}

impl Column {
    /// The least width in which no number is wrapped.
    fn least(&self) -> usize {
        match self.side {
            Side::Words => self.longest_word(),
            Side::Figures => self.longest_word().max(self.widest_cell()),
        }
    }

    /// The least width in which no word is broken.
    fn longest_word(&self) -> usize {
        let word = |text: &str| text.split(' ').map(display_width).max().unwrap_or(0);
        // The indent of a first line is kept.
        let cells = self.cells.iter().map(|text| word(text.trim_start()) + text.len() - text.trim_start().len());
        cells.chain([word(&self.header)]).max().unwrap_or(0)
    }

    /// The width in which no cell is wrapped.
    fn widest_cell(&self) -> usize {
        self.cells.iter().map(|text| display_width(text)).max().unwrap_or(0)
    }

    /// The width in which nothing is wrapped.
    fn most(&self) -> usize {
        self.widest_cell().max(display_width(&self.header))
    }
}

impl Side {
    fn alignment(self) -> CellAlignment {
        match self {
            Self::Words => CellAlignment::Left,
            Self::Figures => CellAlignment::Right,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    const ROWS: [(&str, &str); 2] = [("a longer name", "1,234"), ("b", "5")];

    fn table() -> Table {
        Table::default()
            .words("name", &ROWS, |row| row.0.to_owned())
            .figures("root mean square", &ROWS, |row| row.1.to_owned())
    }

    #[test]
    fn wide_screens_wrap_nothing() {
        let expected = "\
────────────────────────────────
 name           root mean square
════════════════════════════════
 a longer name             1,234
 b                             5
────────────────────────────────";
        assert_eq!(table().shown(80), expected);
    }

    #[test]
    fn narrow_screens_wrap_between_words_and_no_line_is_wider() {
        let words = ["a", "longer", "name", "b", "1,234", "5", "root", "mean", "square"];
        for columns in 1..40 {
            let shown = table().shown(columns);
            for word in words {
                assert!(shown.contains(word), "{columns} columns break `{word}`:\n{shown}");
            }
            let widest = shown.lines().map(textwrap::core::display_width).max().unwrap_or(0);
            assert!(widest <= columns.max(8), "{columns} columns have a line of {widest}:\n{shown}");
        }
    }

    #[test]
    fn what_does_not_fit_is_a_block_a_row_without_empty_cells() {
        let rows = [("Aldermoor", "1,423"), ("Brackwater", "")];
        let table =
            Table::default()
                .words("district", &rows, |row| row.0.to_owned())
                .figures("estimate", &rows, |row| row.1.to_owned());
        assert_eq!(table.shown(20), "district  Aldermoor\nestimate  1,423\n\ndistrict  Brackwater");
    }

    #[test]
    fn intervals_are_wrapped_before_a_table_is_given_up() {
        let rows = [("a", "12,345 to 67,890")];
        let table = Table::default()
            .words("name", &rows, |row| row.0.to_owned())
            .figures("interval", &rows, |row| row.1.to_owned());
        assert!(table.shown(24).contains("12,345 to 67,890") && table.fits(24));
        assert!(table.fits(16) && table.shown(16).contains(" to\n"), "{}", table.shown(16));
        assert!(!table.fits(15));
    }

    #[test]
    fn words_stand_once_for_all_rows_that_share_them() {
        let rows = [("a", "x"), ("a", "x"), ("b", "x")];
        let table =
            Table::default()
                .words_once("by", &rows, |row| row.0.to_owned())
                .words_once("range", &rows, |row| row.1.to_owned());
        let blank = |row: usize| [table.repeats(row, 0), table.repeats(row, 1)];
        assert_eq!([0, 1, 2].map(blank), [[false, false], [true, true], [false, false]]);
    }
}
