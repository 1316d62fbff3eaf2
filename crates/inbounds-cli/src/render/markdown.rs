//! Markdown on a terminal: the part of it that the project's documents use.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use textwrap::{WordSeparator, WordSplitter, core::display_width};

use super::columns::Table;

/// A document set for this many columns. Code is indented and never wrapped.
pub(crate) fn markdown(text: &str, columns: usize) -> String {
    let mut page = Page { columns, ..Page::default() };
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        page.take(event);
    }
    page.finish()
}

/// A document while it is read.
#[derive(Default)]
struct Page {
    columns: usize,
    /// Finished blocks, and whether each is an item of a list.
    blocks: Vec<(String, bool)>,
    /// Words of the block that is being read.
    inline: String,
    /// The lists around it: the number of the next item, if they are numbered.
    lists: Vec<Option<u64>>,
    /// Text before the first line of an item.
    marker: Option<String>,
    rows: Vec<Vec<String>>,
}

impl Page {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.inline.push_str(&text),
            Event::Code(text) => self.inline.push_str(&format!("`{text}`")),
            Event::SoftBreak => self.inline.push(' '),
            Event::HardBreak => self.inline.push('\n'),
            // The documents have no other markup with words in it.
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::List(first) => {
                self.flush();
                self.lists.push(*first);
            }
            Tag::Item => {
                self.flush();
                self.marker = Some(match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "- ".to_owned(),
                });
            }
            Tag::CodeBlock(_) => self.flush(),
            Tag::Table(_) => {
                self.flush();
                self.rows.clear();
            }
            Tag::TableHead | Tag::TableRow => self.rows.push(Vec::new()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) => self.heading(level),
            TagEnd::Paragraph | TagEnd::Item => self.flush(),
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
            }
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.inline);
                self.rows.last_mut().into_iter().for_each(|row| row.push(cell.clone()));
            }
            TagEnd::Table => self.table(),
            _ => {}
        }
    }

    fn heading(&mut self, level: HeadingLevel) {
        let text = std::mem::take(&mut self.inline);
        let rule = match level {
            HeadingLevel::H1 => "═",
            HeadingLevel::H2 => "─",
            _ => "",
        };
        let width = display_width(&text).min(self.columns);
        let below = if rule.is_empty() { String::new() } else { format!("\n{}", rule.repeat(width)) };
        let lines = textwrap::wrap(&text, self.columns).join("\n");
        self.blocks.push((format!("{lines}{below}"), false));
    }

    /// Sets the words that were read as a paragraph or an item.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.inline);
        if text.trim().is_empty() {
            return;
        }
        let depth = self.lists.len();
        let margin = "  ".repeat(depth);
        let marker = self.marker.take();
        let first = match &marker {
            Some(marker) => format!("{}{marker}", "  ".repeat(depth.saturating_sub(1))),
            None => margin.clone(),
        };
        let hanging = " ".repeat(display_width(&first));
        let options = textwrap::Options::new(self.columns)
            .initial_indent(&first)
            .subsequent_indent(&hanging)
            .word_separator(WordSeparator::AsciiSpace)
            .word_splitter(WordSplitter::NoHyphenation)
            .break_words(false);
        self.blocks.push((textwrap::fill(&text, options), depth > 0));
    }

    fn code_block(&mut self) {
        let text = std::mem::take(&mut self.inline);
        let lines: Vec<String> = text.lines().map(|line| format!("    {line}").trim_end().to_owned()).collect();
        self.blocks.push((lines.join("\n"), false));
    }

    fn table(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        let Some((header, rows)) = rows.split_first() else { return };
        let cell = |row: &[String], index: usize| row.get(index).cloned().unwrap_or_default();
        let table = header
            .iter()
            .enumerate()
            .fold(Table::default().ruled(), |table, (index, name)| table.words(name, rows, |row| cell(row, index)));
        self.blocks.push((table.shown(self.columns), false));
    }

    /// Blocks with an empty line between them; items of a list stand together.
    fn finish(mut self) -> String {
        self.flush();
        let mut text = String::new();
        let mut before = None;
        for (block, item) in self.blocks {
            text.push_str(match before {
                None => "",
                Some(true) if item => "\n",
                Some(_) => "\n\n",
            });
            text.push_str(&block);
            before = Some(item);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::markdown;

    #[test]
    fn blocks_are_set_apart_and_words_stay_whole() {
        let text = "# A title\n\nSome *plain* words with [a link](elsewhere.md) and `code`.\n\n- one item that is long\n- two\n\n\
                    1. first\n\n```toml\nepsilon = 1   # kept as it is, however long the line\n```\n";
        let expected = "\
A title
═══════

Some plain words
with a link and
`code`.

- one item that is
  long
- two
1. first

    epsilon = 1   # kept as it is, however long the line";
        assert_eq!(markdown(text, 18), expected);
    }

    #[test]
    fn tables_have_rules_between_rows_that_are_wrapped() {
        let text = "| key | meaning |\n|---|---|\n| `rows` | how many there are |\n| `unit` | whose |\n";
        let shown = markdown(text, 24);
        assert_eq!(shown.lines().filter(|line| line.starts_with('─')).count(), 3, "{shown}");
        assert!(
            shown.contains("`rows`")
                && shown.contains("`unit`")
                && shown.lines().all(|line| line.chars().count() <= 24)
        );
    }
}
