//! The lines of a plan around a mistake, none of them longer than a terminal can show.

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

/// Longest line that is shown whole, in bytes.
const LONGEST: usize = 240;

/// Bytes shown of a longer line on each side of the mistake.
const AROUND: usize = 60;

/// The text of a file and its name. Of a line that is too long only the part around the mistake is shown: a list of a
/// million values may stand in one line.
pub(crate) struct Excerpt {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl Excerpt {
    /// The bytes to show for a span: its line, and the lines beside it if they are short.
    fn window(&self, start: usize, end: usize) -> (usize, usize) {
        let text = &self.text;
        let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |newline| at + newline);
        let (mut first, mut last) = (line_start(start), line_end(end));
        if last - first > LONGEST {
            let from = text.floor_char_boundary(start.saturating_sub(AROUND)).max(first);
            let to = text.ceil_char_boundary(end.min(start + LONGEST) + AROUND).min(last);
            return (from, to);
        }
        if first > 0 && first - line_start(first - 1) <= LONGEST {
            first = line_start(first - 1);
        }
        if last < text.len() && line_end(last + 1) - last <= LONGEST {
            last = line_end(last + 1);
        }
        (first, last)
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (start, end) = (span.offset(), span.offset() + span.len());
        if end > self.text.len() {
            return Err(MietteError::OutOfBounds);
        }
        // Without context lines it is the place of the mistake that is asked for.
        let (first, last) = if before + after == 0 { (start, end) } else { self.window(start, end) };
        let line_start = self.text[..first].rfind('\n').map_or(0, |newline| newline + 1);
        let line = self.text[..first].matches('\n').count();
        let column = self.text[line_start..first].chars().count();
        let shown = &self.text[first..last];
        let lines = shown.matches('\n').count() + 1;
        let (data, place) = (shown.as_bytes(), (first, last - first).into());
        Ok(Box::new(MietteSpanContents::new_named(self.name.clone(), data, place, line, column, lines)))
    }
}

#[cfg(test)]
mod tests {
    use miette::SourceCode;

    use super::Excerpt;

    fn shown(text: &str, word: &str) -> (String, usize) {
        let excerpt = Excerpt { name: "plan.toml".to_owned(), text: text.to_owned() };
        let at = text.find(word).expect("the word");
        let contents = excerpt.read_span(&(at, word.len()).into(), 1, 1).expect("inside");
        (String::from_utf8(contents.data().to_vec()).expect("UTF-8"), contents.line())
    }

    #[test]
    fn short_lines_have_their_neighbours_and_long_ones_are_cut() {
        assert_eq!(shown("a = 1\nb = 2\nc = 3\nd = 4\n", "c = 3"), ("b = 2\nc = 3\nd = 4".to_owned(), 1));
        let long = format!("x = [{}7, wrong, {}]\n", "ö, ".repeat(400_000), "1, ".repeat(400_000));
        let (cut, line) = shown(&long, "wrong");
        assert!(cut.contains("7, wrong, 1") && cut.len() <= 2 * 60 + 8, "{cut}");
        assert_eq!(line, 0);
        let (alone, line) = shown(&format!("{long}y = 2\n"), "y = 2");
        assert_eq!((alone.as_str(), line), ("y = 2\n", 1));
    }
}
