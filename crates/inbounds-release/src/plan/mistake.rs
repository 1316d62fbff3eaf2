//! What is wrong with a plan: one record a mistake, and all of them as an error.

use std::{error::Error, fmt, ops::Range};

/// Most mistakes that an error holds. More are counted: a person mends the first ones, and most of the others with them.
pub const MOST_MISTAKES: usize = 20;

/// One thing wrong with a plan, and how to mend it, before its line and column are counted.
///
/// A mistake holds only what stands in the plan or in the public schema of the data.
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
    pub(crate) fn at(span: &Range<usize>, message: impl Into<String>, help: Option<String>) -> Self {
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

/// A mistake with its place in the text of the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlacedMistake {
    /// Byte range of the offending text, always inside the plan and on character boundaries.
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

/// What was found wrong with one plan, in the order of the text: the first [`MOST_MISTAKES`], and how many more there are.
///
/// `Display` writes one block a mistake: `name:line:column: message`, then `help: ...` where there is help.
///
/// # Example
/// ```
/// use inbounds_release::plan::Plan;
/// use std::path::Path;
/// let errors = Plan::parse("title = 7", Path::new(".")).expect_err("a title is a string");
/// assert!(errors.to_string().starts_with("plan.toml:1:1: the table [data] is missing\n  help: write path = "));
/// let last = errors.mistakes.last().expect("an error is never empty");
/// assert_eq!((last.line, last.column), (1, 9));
/// assert_eq!(last.message, "`title` in the plan must be a string, got 7");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanErrors {
    /// Path of the plan as it was given; `plan.toml` for a plan that was not read from a file.
    pub name: String,
    /// The whole plan, for showing the lines around a mistake; empty if the file is no plan, so that none of its lines is
    /// shown.
    pub text: String,
    /// The first mistakes; never empty in an error returned by the reader.
    pub mistakes: Vec<PlacedMistake>,
    /// How many mistakes there are beside these.
    pub more: usize,
}

impl PlanErrors {
    pub(crate) fn new(name: &str, text: &str, mut mistakes: Vec<Mistake>) -> Self {
        mistakes.sort_by_key(|mistake| mistake.span.start);
        let more = mistakes.len().saturating_sub(MOST_MISTAKES);
        let first = mistakes.into_iter().take(MOST_MISTAKES).map(|mistake| mistake.place(text)).collect();
        Self { name: name.to_owned(), text: text.to_owned(), mistakes: first, more }
    }

    /// How many mistakes were found.
    pub fn count(&self) -> usize {
        self.mistakes.len() + self.more
    }
}

impl fmt::Display for PlanErrors {
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

impl Error for PlanErrors {}

/// A message and its remedy, before it has a place.
#[derive(Debug)]
pub(crate) struct Complaint {
    pub(crate) message: String,
    pub(crate) help: String,
}

impl Complaint {
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }
}

/// Proof that a mistake has been noted. Only [`Mistakes`] makes one, so an `Err(Reported)` is never silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reported(());

/// The mistakes noted so far.
#[derive(Debug)]
pub(crate) struct Mistakes<'t> {
    text: &'t str,
    list: Vec<Mistake>,
}

impl<'t> Mistakes<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, list: Vec::new() }
    }

    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    pub(crate) fn note(
        &mut self,
        span: &Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Reported {
        self.note_mistake(Mistake::at(span, message, Some(help.into())))
    }

    pub(crate) fn note_complaint(&mut self, span: &Range<usize>, complaint: Complaint) -> Reported {
        self.note(span, complaint.message, complaint.help)
    }

    pub(crate) fn note_mistake(&mut self, mistake: Mistake) -> Reported {
        self.list.push(mistake);
        Reported(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The mistakes noted so far, in the order in which they were found.
    pub(crate) fn list(&self) -> &[Mistake] {
        &self.list
    }

    pub(crate) fn into_list(self) -> Vec<Mistake> {
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
        let errors = PlanErrors::new("plan.toml", &text, mistakes);
        assert_eq!((errors.mistakes.len(), errors.more, errors.count()), (20, 99_980, 100_000));
        assert_eq!((errors.mistakes[19].line, errors.mistakes[19].column), (20, 1));
        assert!(errors.to_string().ends_with("plan.toml:20:1: m\n... and 99980 more mistakes"));
    }
}
