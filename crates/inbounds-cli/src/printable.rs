//! Words that are not the program's own, made fit for a terminal.
//!
//! Titles, values, names and paths come from files. A control character in one of them would move the cursor, change
//! colours or hide text; a formatting character could show words in another order than they are read. Both are written
//! as escapes, `\u001b` for an escape character. JSON reads the same escapes, and holds such characters in strings
//! alone.

use std::borrow::Cow;

/// A text of several lines, such as all that a command prints: every control character but the end of a line is
/// escaped.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, |character| character != '\n' && is_hidden(character))
}

/// Words that stand in a line or a cell of a table: the end of a line is escaped too, so that one value cannot pass
/// for several lines.
pub(crate) fn in_line(words: &str) -> Cow<'_, str> {
    escaped(words, is_hidden)
}

/// Printable text in which every character keeps its place in bytes, for texts into which spans point.
pub(crate) fn in_place(text: &str) -> Cow<'_, str> {
    let hidden = |character: char| !matches!(character, '\n' | '\t' | '\r') && is_hidden(character);
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let one = |character: char| match character.len_utf8() {
        _ if !hidden(character) => character,
        1 => '?',
        2 => '¿',
        _ => '␦',
    };
    Cow::Owned(text.chars().map(one).collect())
}

/// Control characters, and formatting characters that reorder or hide what follows them.
fn is_hidden(character: char) -> bool {
    let formatting = matches!(
        character,
        '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    );
    character.is_control() || formatting
}

fn escaped(text: &str, hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&hidden) {
        return Cow::Borrowed(text);
    }
    let one = |character: char| match character {
        hide if hidden(hide) => format!("\\u{:04x}", u32::from(hide)),
        keep => keep.to_string(),
    };
    Cow::Owned(text.chars().map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::{in_line, in_place, printable};

    #[test]
    fn nothing_moves_the_cursor_or_turns_the_text_around() {
        assert_eq!(printable("a\u{1b}[31mb\r\nc\u{9b}0m\u{202e}d"), "a\\u001b[31mb\\u000d\nc\\u009b0m\\u202ed");
        assert_eq!(in_line("two\nlines\tand\u{7f}"), "two\\u000alines\\u0009and\\u007f");
        let (before, after) = ("a\u{1b}b\u{9b}c\u{202e}d\n", in_place("a\u{1b}b\u{9b}c\u{202e}d\n"));
        assert_eq!((after.as_ref(), after.len()), ("a?b¿c␦d\n", before.len()));
        assert_eq!(printable("Größe 東京 é 😀\n"), "Größe 東京 é 😀\n");
    }
}
