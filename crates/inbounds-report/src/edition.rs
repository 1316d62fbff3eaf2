//! Content of workbooks, metadata and pictures, as plain data.

use inbounds_plot::Graphic;

use crate::document::Cross;

/// Published content of a bundle, for every file format.
pub(crate) struct Edition {
    pub(crate) title: String,
    /// Warnings to read before anything else.
    pub(crate) warnings: Vec<String>,
    /// What was counted, when, from where, and whom to ask.
    pub(crate) about: Vec<(&'static str, String)>,
    pub(crate) language: &'static str,
    /// How sure the numbers are, in a sentence.
    pub(crate) sure: Option<String>,
    pub(crate) heading: &'static str,
    /// A sentence each.
    pub(crate) methods: Vec<String>,
    pub(crate) sheets: Vec<Sheet>,
    /// Each with the name of its file.
    pub(crate) pictures: Vec<(String, Graphic)>,
}

/// A statistic.
pub(crate) struct Sheet {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) notes: Vec<String>,
    pub(crate) tables: Vec<Cross>,
    pub(crate) list: List,
}

/// Numbers one a line, each of its own type.
pub(crate) struct List {
    pub(crate) heads: Vec<String>,
    pub(crate) rows: Vec<Vec<Value>>,
    /// Under it; empty for nothing.
    pub(crate) note: String,
}

/// A field of a list.
pub(crate) enum Value {
    Text(String),
    Number(f64),
    Flag(bool),
    Empty,
}

impl From<Option<f64>> for Value {
    fn from(number: Option<f64>) -> Self {
        number.filter(|number| number.is_finite()).map_or(Self::Empty, Self::Number)
    }
}

/// A name of a file made of words: letters, digits and hyphens.
pub(crate) fn file_name(words: &str) -> String {
    let kept: String = words.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect();
    let parts: Vec<&str> = kept.split('-').filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "picture".to_owned() } else { parts.join("-").to_lowercase() }
}
