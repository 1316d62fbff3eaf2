//! A page as plain data, and its template.

use askama::Template;
use inbounds_plot::Graphic;

/// Source of most pages.
pub(crate) const OF_BUNDLE: &str = "the files of the bundle";

/// The page.
#[derive(Template)]
#[template(path = "page.html")]
pub(crate) struct Page {
    pub(crate) title: String,
    /// Kind of the page, over the title.
    pub(crate) kind: &'static str,
    /// Under the title.
    pub(crate) lead: String,
    /// Warnings to read before anything else.
    pub(crate) warnings: Vec<String>,
    /// How sure the numbers are, in a sentence.
    pub(crate) sure: Option<Spoken>,
    /// Name and value.
    pub(crate) facts: Vec<(&'static str, String)>,
    /// Notices to read before using the numbers of a section: its anchor and title, and sentences.
    pub(crate) notices: Vec<(String, String, Vec<String>)>,
    pub(crate) sections: Vec<Section>,
    pub(crate) program: String,
    /// Source of the page.
    pub(crate) source: &'static str,
}

/// Words with their language.
pub(crate) struct Spoken {
    /// As pages name it.
    pub(crate) language: &'static str,
    pub(crate) words: String,
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
    /// Notices to read before using the numbers below.
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
    /// Words in another language than the page.
    Spoken(Spoken),
    /// Names and values.
    Facts(Vec<(&'static str, String)>),
    Table(Table),
    Cross(Cross),
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
    /// Its label in the table below; empty for the rest, and where there is no room.
    pub(crate) number: String,
    /// True for the rest.
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

/// A table whose rows and columns are told by values of attributes.
pub(crate) struct Cross {
    pub(crate) caption: String,
    /// Name of the attribute of the rows.
    pub(crate) stub: String,
    /// Name of the attribute of the columns; empty where their heads say it.
    pub(crate) across: String,
    pub(crate) heads: Vec<String>,
    pub(crate) rows: Vec<CrossRow>,
    /// True if rows are places with a table each, that can be seen beside those that they lie in.
    pub(crate) places: bool,
    /// Under the table; empty for nothing.
    pub(crate) note: String,
}

pub(crate) struct CrossRow {
    pub(crate) name: String,
    /// Number of rows that it lies in.
    pub(crate) depth: usize,
    /// True if it is at the edge of the table.
    pub(crate) total: bool,
    /// One a column; none where nothing is published.
    pub(crate) cells: Vec<Option<CrossCell>>,
}

pub(crate) struct CrossCell {
    /// The number with all of its digits; none where it is not shown.
    #[cfg_attr(not(feature = "export"), expect(dead_code, reason = "pages have the text beside it"))]
    pub(crate) number: Option<f64>,
    pub(crate) value: String,
    /// Plus or minus, or the interval.
    pub(crate) beside: String,
    pub(crate) tells_nothing: bool,
}

/// Rows of a table beyond which it scrolls within the page.
const LONG: usize = 16;

impl Cross {
    fn is_long(&self) -> bool {
        self.rows.len() > LONG
    }

    /// Count of its numbers.
    pub(crate) fn numbers(&self) -> usize {
        self.rows.iter().map(|row| row.cells.iter().flatten().count()).sum()
    }
}

impl CrossRow {
    /// The class of its row in the style sheet, with what stands before it; empty for a plain one.
    fn class(&self) -> String {
        match (self.depth, self.total) {
            (0, false) => String::new(),
            (0, true) => " class=\"total\"".to_owned(),
            (depth, false) => format!(" class=\"in-{}\"", depth.min(5)),
            (depth, true) => format!(" class=\"in-{} total\"", depth.min(5)),
        }
    }
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
    /// True if it belongs to the row above.
    pub(crate) indented: bool,
}

pub(crate) struct Picture {
    pub(crate) graphic: Graphic,
    /// Tells its parts from those of the other pictures of the page.
    pub(crate) id: String,
    /// Text that is read out instead of it.
    pub(crate) spoken: String,
    pub(crate) caption: String,
}

impl Picture {
    /// An `svg` element, whose words are escaped, in the colours of the page.
    fn svg(&self) -> String {
        self.graphic.to_inline_svg(&self.id, &self.spoken)
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
    pub(crate) fn new(text: impl Into<String>) -> Self {
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
    fn is_long(&self) -> bool {
        self.rows.len() > LONG
    }

    /// `true` if a column holds numbers.
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
