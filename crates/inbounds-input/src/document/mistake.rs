//! Mistakes in a document: one record a mistake, and all of them as an error.

use std::{error::Error, fmt, ops::Range};

/// Most mistakes that an error holds. More are counted: a person mends the first ones, and most of the others with
/// them.
pub const MOST_MISTAKES: usize = 20;

/// One thing wrong with a document, and how to mend it, before its line and column are counted.
///
/// A mistake holds only what stands in the document or in other public files.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mistake {
    /// Byte range of the offending text; it may come from elsewhere than the reader and end outside the text.
    pub span: Range<usize>,
    /// One sentence: the place and value found, and the requirement.
    pub message: String,
    /// The remedy, where there is one to name.
    pub help: Option<String>,
}

impl Mistake {
    /// A mistake at a byte range of the text.
    pub fn at(span: &Range<usize>, message: impl Into<String>, help: Option<String>) -> Self {
        Self { span: span.clone(), message: message.into(), help }
    }

    /// Counts the line and the column, which takes a pass over the text.
    fn place(self, text: &str) -> PlacedMistake {
        // A renderer must be able to slice the text with the span.
        let start = text.floor_char_boundary(self.span.start);
        let end = text.ceil_char_boundary(self.span.end.max(start));
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        PlacedMistake {
            span: start..end,
            line: before.matches('\n').count() + 1,
            column: before[line_start..].trim_start_matches('\u{feff}').chars().count() + 1,
            message: self.message,
            help: self.help,
        }
    }
}

/// A mistake with its place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlacedMistake {
    /// Byte range of the offending text, always inside the text and on character boundaries.
    pub span: Range<usize>,
    /// Line of the start of `span`, counted from 1.
    pub line: usize,
    /// Column of the start of `span` in characters, counted from 1.
    pub column: usize,
    /// One sentence: the place and value found, and the requirement.
    pub message: String,
    /// The remedy, where there is one to name.
    pub help: Option<String>,
}

/// Mistakes found in one document, in the order of the text: the first [`MOST_MISTAKES`], and the number of further
/// ones.
///
/// `Display` writes one block a mistake: `name:line:column: message`, then `help: ...` where there is help.
///
/// # Example
/// ```
/// use inbounds_input::document::{Document, DocumentErrors, Mistakes, Table};
/// let plan = Document { noun: "plan", keys: &["title"], former: &[], lists: &[], shape: "`title = \"...\"`" };
/// let text = "title = 7";
/// let mut mistakes = Mistakes::new(text);
/// let tree = plan.parse(&mut mistakes).expect("it is TOML");
/// let root = Table::open("the plan", 0..0, &tree, plan.keys, &mut mistakes);
/// let title = root.optional("title", |item| item.text("any words in quotes", &mut mistakes));
/// assert!(title.is_err());
/// let errors = DocumentErrors::new("plan.toml", text, mistakes.into_list());
/// assert_eq!((errors.mistakes[0].line, errors.mistakes[0].column), (1, 9));
/// assert_eq!(errors.mistakes[0].message, "`title` in the plan must be a string, got 7");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentErrors {
    /// Path of the file as it was given, or the name that stands for it.
    pub name: String,
    /// The whole text, for showing the lines around a mistake; empty if the file is another one, so that none of its
    /// lines is shown.
    pub text: String,
    /// The first mistakes; never empty in an error returned by the reader.
    pub mistakes: Vec<PlacedMistake>,
    /// Number of mistakes beside these.
    pub more: usize,
}

impl DocumentErrors {
    /// Mistakes of one document, put into the order of its text.
    pub fn new(name: &str, text: &str, mut mistakes: Vec<Mistake>) -> Self {
        mistakes.sort_by_key(|mistake| mistake.span.start);
        let more = mistakes.len().saturating_sub(MOST_MISTAKES);
        let first = mistakes.into_iter().take(MOST_MISTAKES).map(|mistake| mistake.place(text)).collect();
        Self { name: name.to_owned(), text: text.to_owned(), mistakes: first, more }
    }

    /// Number of mistakes found.
    pub fn count(&self) -> usize {
        self.mistakes.len() + self.more
    }
}

impl fmt::Display for DocumentErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, mistake) in self.mistakes.iter().enumerate() {
            if index > 0 {
                writeln!(formatter)?;
            }
            write!(formatter, "{}:{}:{}: {}", self.name, mistake.line, mistake.column, mistake.message)?;
            if let Some(help) = &mistake.help {
                write!(formatter, "\n  help: {help}")?;
            }
        }
        match self.more {
            0 => Ok(()),
            1 => write!(formatter, "\n... and 1 more mistake"),
            more => write!(formatter, "\n... and {more} more mistakes"),
        }
    }
}

impl Error for DocumentErrors {}

/// A message and its remedy, before it has a place.
#[derive(Debug)]
pub struct Complaint {
    /// One sentence: what was found, and the requirement.
    pub message: String,
    /// The remedy.
    pub help: String,
}

impl Complaint {
    /// A message and its remedy.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }
}

/// Proof that a mistake has been noted. Only [`Mistakes`] makes one, so an `Err(Reported)` is never silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reported(());

/// The mistakes noted so far.
#[derive(Debug)]
pub struct Mistakes<'t> {
    text: &'t str,
    list: Vec<Mistake>,
}

impl<'t> Mistakes<'t> {
    /// No mistake yet, of this text.
    pub fn new(text: &'t str) -> Self {
        Self { text, list: Vec::new() }
    }

    /// The text in which mistakes have their places.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// Notes a mistake with its remedy.
    pub fn note(&mut self, span: &Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Reported {
        self.note_mistake(Mistake::at(span, message, Some(help.into())))
    }

    /// Notes a complaint at its place.
    pub fn note_complaint(&mut self, span: &Range<usize>, complaint: Complaint) -> Reported {
        self.note(span, complaint.message, complaint.help)
    }

    /// Notes a mistake.
    pub fn note_mistake(&mut self, mistake: Mistake) -> Reported {
        self.list.push(mistake);
        Reported(())
    }

    /// `true` if nothing is wrong so far.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The mistakes noted so far, in the order in which they were found.
    pub fn list(&self) -> &[Mistake] {
        &self.list
    }

    /// The mistakes, in the order in which they were found.
    pub fn into_list(self) -> Vec<Mistake> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_spans_stay_inside() {
        let text = "a = 1\nname = \"Größe\" x";
        let place = text.find('x').expect("an x");
        let placed = |span: Range<usize>| Mistake::at(&span, "m", None).place(text);
        let mistake = placed(place..place + 1);
        assert_eq!((mistake.line, mistake.column), (2, 16));
        let beyond = placed(9_000..10_000);
        assert_eq!(beyond.span, text.len()..text.len());
        let inside_a_letter = text.find('ö').expect("an ö") + 1;
        let widened = placed(inside_a_letter..inside_a_letter);
        assert!(text.get(widened.span).is_some());
    }

    #[test]
    fn twenty_mistakes_are_told_and_the_others_counted() {
        let text = "x\n".repeat(100_000);
        let mistakes = (0..100_000).rev().map(|line| Mistake::at(&(2 * line..2 * line + 1), "m", None)).collect();
        let errors = DocumentErrors::new("plan.toml", &text, mistakes);
        assert_eq!((errors.mistakes.len(), errors.more, errors.count()), (20, 99_980, 100_000));
        assert_eq!((errors.mistakes[19].line, errors.mistakes[19].column), (20, 1));
        assert!(errors.to_string().ends_with("plan.toml:20:1: m\n... and 99980 more mistakes"));
    }
}
