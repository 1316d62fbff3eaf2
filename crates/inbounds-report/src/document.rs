//! A page as plain data, and its template.

use askama::Template;

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
    pub(crate) sections: Vec<Section>,
    pub(crate) program: String,
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
    /// Words taken from the manifest.
    Quote(String),
    List(Vec<String>),
    /// Lines to type.
    Code(String),
    Bar(Bar),
    Table(Table),
    Pictures(Vec<Picture>),
}

/// Parts of a whole, side by side.
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) parts: Vec<Part>,
}

pub(crate) struct Part {
    /// What it is called in the table below; empty for what is left over.
    pub(crate) number: String,
    /// In percent of the bar.
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
}

pub(crate) struct Picture {
    /// An `svg` element, whose words are escaped.
    pub(crate) svg: String,
    pub(crate) caption: String,
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
        Self { text: text.into(), note: String::new() }
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
