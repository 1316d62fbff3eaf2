//! A page as plain data, and its template.

use askama::Template;
use inbounds_plot::Figure;

/// What most pages are made from.
pub(crate) const OF_BUNDLE: &str = "the files of the bundle";

/// The page.
#[derive(Template)]
#[template(path = "page.html")]
pub(crate) struct Page {
    pub(crate) title: String,
    /// What kind of page it is, over the title.
    pub(crate) kind: &'static str,
    /// Under the title.
    pub(crate) lead: String,
    /// What to know before anything else is read.
    pub(crate) warnings: Vec<String>,
    /// Name and value.
    pub(crate) facts: Vec<(&'static str, String)>,
    /// What to know before using the numbers of a section: its anchor and title, and sentences.
    pub(crate) notices: Vec<(String, String, Vec<String>)>,
    pub(crate) sections: Vec<Section>,
    pub(crate) program: String,
    /// What the page was made from.
    pub(crate) source: &'static str,
}

pub(crate) struct Section {
    /// Its anchor.
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) blocks: Vec<Block>,
}

pub(crate) enum Block {
    /// A heading below the section's.
    Heading(&'static str),
    Paragraph(String),
    /// What to know before using the numbers below.
    Notices(Vec<String>),
    /// Side by side where there is room.
    Pair(Vec<Block>, Vec<Block>),
    /// Blocks that are shown on demand, under a line that says what they are.
    Folded(String, Vec<Block>),
    Matrix(Matrix),
    /// Words taken from the manifest.
    Quote(String),
    List(Vec<String>),
    /// Lines to type.
    Code(String),
    Bar(Bar),
    Table(Table),
    Pictures(Vec<Picture>),
}

/// Words as HTML, with what stands between backticks as code.
pub(crate) fn marked(words: &str) -> String {
    let escaped = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    let mut parts = escaped.split('`');
    let mut html = parts.next().unwrap_or_default().to_owned();
    while let Some(code) = parts.next() {
        match parts.next() {
            Some(after) => html += &format!("<code>{code}</code>{after}"),
            // A backtick without its other half is one.
            None => html += &format!("`{code}"),
        }
    }
    html
}

/// A block with its own template, as blocks lie in blocks.
#[derive(Template)]
#[template(path = "block.html")]
pub(crate) struct Shown<'a> {
    block: &'a Block,
}

impl Block {
    fn shown(&self) -> Shown<'_> {
        Shown { block: self }
    }
}

/// Entries of a square matrix.
pub(crate) struct Matrix {
    pub(crate) caption: String,
    /// Names of the rows, which are those of the columns.
    pub(crate) names: Vec<String>,
    /// Row by row.
    pub(crate) entries: Vec<Vec<Tile>>,
    pub(crate) note: String,
}

/// An entry of a matrix.
pub(crate) struct Tile {
    pub(crate) value: String,
    pub(crate) interval: String,
    /// From -[`Tile::STEPS`] to [`Tile::STEPS`]: the colour behind it.
    pub(crate) shade: i32,
}

impl Tile {
    /// Shades of either sign.
    pub(crate) const STEPS: i32 = 4;

    /// The shade of a number between -1 and 1; 0 of what is neither.
    pub(crate) fn shade(part: f64) -> i32 {
        if part.is_finite() { (part.clamp(-1.0, 1.0) * f64::from(Self::STEPS)).round() as i32 } else { 0 }
    }

    /// The class of its shade in the style sheet.
    fn class(&self) -> String {
        match self.shade {
            0 => "even".to_owned(),
            shade if shade < 0 => format!("below-{}", -shade),
            shade => format!("above-{shade}"),
        }
    }
}

/// Parts of a whole, side by side.
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) parts: Vec<Part>,
}

#[derive(Clone)]
pub(crate) struct Part {
    /// What it is called in the table below; empty for what is left over, and where there is no room.
    pub(crate) number: String,
    /// Whether it is what is left over.
    pub(crate) rest: bool,
    /// Width in percent of the bar.
    pub(crate) width: f64,
}

pub(crate) struct Table {
    pub(crate) caption: String,
    pub(crate) columns: Vec<Column>,
    /// The first entry of each row is its header.
    pub(crate) rows: Vec<Vec<Entry>>,
    /// Under the table; empty for nothing.
    pub(crate) note: String,
}

pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) number: bool,
}

#[derive(Default)]
pub(crate) struct Entry {
    pub(crate) text: String,
    /// Under it, smaller; empty for nothing.
    pub(crate) note: String,
    /// The anchor that it leads to; empty for none.
    pub(crate) link: String,
    /// Whether it belongs to the row above.
    pub(crate) indented: bool,
}

pub(crate) struct Picture {
    pub(crate) figure: Figure,
    /// Tells its parts from those of the other pictures of the page.
    pub(crate) id: String,
    /// What is read out instead of it.
    pub(crate) spoken: String,
    pub(crate) caption: String,
}

impl Picture {
    /// An `svg` element, whose words are escaped, in the colours of the page.
    fn svg(&self) -> String {
        self.figure.to_inline_svg(&self.id, &self.spoken)
    }
}

impl Column {
    pub(crate) fn words(name: impl Into<String>) -> Self {
        Self { name: name.into(), number: false }
    }

    pub(crate) fn numbers(name: impl Into<String>) -> Self {
        Self { name: name.into(), number: true }
    }
}

impl Entry {
    pub(crate) fn of(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    pub(crate) fn leading_to(self, anchor: impl Into<String>) -> Self {
        Self { link: anchor.into(), ..self }
    }

    pub(crate) fn indented(self) -> Self {
        Self { indented: true, ..self }
    }

    pub(crate) fn with_note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }
}

impl Table {
    /// Whether a column holds numbers.
    fn number(&self, index: &usize) -> bool {
        self.columns.get(*index).is_some_and(|column| column.number)
    }
}

#[cfg(test)]
mod tests {
    use super::marked;

    #[test]
    fn names_are_code_and_nothing_is_markup() {
        assert_eq!(marked("a `b<c` & `d"), "a <code>b&lt;c</code> &amp; `d");
        assert_eq!(marked("plain"), "plain");
    }
}
