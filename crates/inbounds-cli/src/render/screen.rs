//! Width of the text that the program prints.

use std::{
    io,
    num::{NonZero, ParseIntError},
};

use terminal_size::Width;
use textwrap::core::display_width;

use super::{
    columns::{self, Table},
    wrap::wrapped,
};

/// Columns of a pipe or a file, unless `COLUMNS` says otherwise.
const PIPED: usize = 100;

/// Where text goes.
///
/// A terminal has its own width, and `COLUMNS` gives any other place one; sentences are wrapped to it. A pipe or a file
/// has 100 columns for tables, and sentences stay whole there, so that they can be searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Screen {
    columns: usize,
    wraps: bool,
}

impl Screen {
    /// Where results go.
    pub(crate) fn output() -> Self {
        Self::new(terminal_size::terminal_size_of(io::stdout()))
    }

    /// Where failures go.
    pub(crate) fn errors() -> Self {
        Self::new(terminal_size::terminal_size_of(io::stderr()))
    }

    fn new(terminal: Option<(Width, terminal_size::Height)>) -> Self {
        let terminal = terminal.map(|(width, _)| usize::from(width.0)).filter(|columns| *columns > 0);
        let variable = || columns_of(&std::env::var("COLUMNS").ok()?).ok();
        terminal.or_else(variable).map_or(Self { columns: PIPED, wraps: false }, Self::with_columns)
    }

    /// A screen of this many columns.
    pub(crate) fn with_columns(columns: usize) -> Self {
        Self { columns, wraps: true }
    }

    /// Number of columns.
    pub(crate) fn columns(self) -> usize {
        self.columns
    }

    /// `true` if lines are wrapped at a width, as they are not in a pipe.
    pub(crate) fn wraps(self) -> bool {
        self.wraps
    }

    /// Sentences, line by line; a line that is too long goes on with the indent that it began with. No word is broken.
    pub(crate) fn prose(self, text: &str) -> String {
        if !self.wraps {
            return text.to_owned();
        }
        let lines: Vec<String> = text.lines().map(|line| wrapped(line, self.columns).join("\n")).collect();
        lines.join("\n")
    }

    /// A word and what it means, indented, the meanings in one column; a meaning that is too long goes on below its
    /// beginning.
    pub(crate) fn beside(self, word: &str, meaning: &str, width: usize) -> String {
        let line = format!("  {word:width$}  {meaning}");
        if !self.wraps || display_width(&line) <= self.columns {
            return line;
        }
        let body = columns::beside(word, meaning, width, self.columns.saturating_sub(2));
        body.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
    }

    /// A table, or a block for each of its rows where its columns do not fit.
    pub(crate) fn table(self, table: &Table) -> String {
        table.shown(self.columns)
    }

    /// A table with sentences below it.
    pub(crate) fn table_with_notes(self, table: &Table, notes: &str) -> String {
        table.with_notes(self.columns, &self.prose(notes))
    }
}

/// A width as `COLUMNS` gives it.
fn columns_of(text: &str) -> Result<usize, ParseIntError> {
    text.trim().parse::<NonZero<u16>>().map(|columns| usize::from(columns.get()))
}

#[cfg(test)]
mod tests {
    use super::{Screen, columns_of};

    #[test]
    fn sentences_are_broken_between_words_and_keep_their_indent() {
        let text = "  one two-three four\n\nfive";
        assert_eq!(Screen::with_columns(11).prose(text), "  one\n  two-three\n  four\n\nfive");
        // A word that is wider than the screen stays whole.
        assert_eq!(Screen::with_columns(3).prose("a verylongword b"), "a\nverylongword\nb");
    }

    #[test]
    fn pipes_keep_sentences_whole() {
        let pipe = Screen { columns: 5, wraps: false };
        assert_eq!(pipe.prose("a sentence of many words"), "a sentence of many words");
    }

    #[test]
    fn widths_are_positive_numbers() {
        assert_eq!(columns_of(" 80\n"), Ok(80));
        for odd in ["", "0", "-1", "wide", "70000"] {
            assert!(columns_of(odd).is_err(), "{odd}");
        }
    }
}
