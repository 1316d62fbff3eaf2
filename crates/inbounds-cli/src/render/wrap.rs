//! Lines broken where they are too long.

use textwrap::{Options, WordSeparator, WordSplitter};

/// The lines of a text of one line, broken between words only.
pub(super) fn wrapped(line: &str, columns: usize) -> Vec<String> {
    let indent = &line[..line.len() - line.trim_start().len()];
    let options = Options::new(columns)
        .initial_indent(indent)
        .subsequent_indent(indent)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .break_words(false);
    textwrap::wrap(line.trim_start(), options).into_iter().map(std::borrow::Cow::into_owned).collect()
}
