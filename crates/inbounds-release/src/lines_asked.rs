//! Signs, in the names of columns, of lines that are no rows. No row is read for it.

use inbounds_data::{Column, RowFormat, TextLayout};

/// Which lines a first plan asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinesAsked {
    /// None: the first line has names of columns.
    Nothing,
    /// The first line, which looks like a title.
    Title,
    /// The rows below the header, in which tools for surveys write their questions.
    Questions,
}

/// Columns that tools for surveys write, which have rows of questions below the header.
const OF_SURVEYS: [&str; 4] = ["ResponseId", "RecordedDate", "Respondent ID", "Collector ID"];

impl LinesAsked {
    /// Questions about data of a format with these columns.
    pub(super) fn detect(format: RowFormat, text: &TextLayout, columns: &[Column]) -> Self {
        if !format.is_delimited() {
            return Self::Nothing;
        }
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        if is_title(&names) {
            return Self::Title;
        }
        let is_of_survey = names.iter().any(|name| OF_SURVEYS.contains(name));
        if is_of_survey && text.skip_rows == 0 { Self::Questions } else { Self::Nothing }
    }

    /// The line of [data] that asks.
    pub(super) fn question(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Title => {
                "# skip = 1                  # (?) the first line looks like a title and not like names of columns: \
                    how many lines stand before these?\n\
                 # footer = 1                # (?) and how many notes at the end of the file?\n"
            }
            Self::Questions => {
                "# skip_rows = 2             # (?) tools for surveys write questions below the names of columns: how \
                    many rows are no answers?\n"
            }
        }
    }
}

/// `true` if a first line is a title: one field of several words, alone or before empty ones, or the first line of
/// World Bank files.
fn is_title(names: &[&str]) -> bool {
    let Some((first, rest)) = names.split_first() else { return false };
    let is_empty = |name: &&str| name.starts_with("(unnamed ");
    let says = first.split_whitespace().count() > 2 || first.contains(": ") || first.ends_with([':', '.']);
    let is_marked = first.starts_with(['#', '%', '/', '*', '-', '=']);
    if *first == "Data Source" && rest.last().is_some_and(is_empty) {
        return true;
    }
    rest.iter().all(is_empty) && (says || is_marked || !rest.is_empty() && first.contains(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_told_from_names() {
        for names in [
            &["Table 1: persons by year"][..],
            &["Hospital stays 2020"],
            &["# made by a tool"],
            &["Persons 2020", "(unnamed 2)", "(unnamed 3)"],
            &["Data Source", "World Development Indicators", "(unnamed 3)"],
        ] {
            assert!(is_title(names), "{names:?}");
        }
        for names in
            [&["age"][..], &["net income"], &["a b c", "d"], &["age", "(unnamed 2)"], &["Data Source", "Value"], &[]]
        {
            assert!(!is_title(names), "{names:?}");
        }
    }
}
