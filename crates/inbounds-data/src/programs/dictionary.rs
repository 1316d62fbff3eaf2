//! What a file says of its variables: labels, values, codes for missing.

use crate::Kind;

/// A variable of a file of a statistical program, as its header describes it. No row is read.
///
/// Cells that the file declares missing are read as missing, and none of them is among the values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DictionaryVariable {
    /// Its name.
    pub name: String,
    /// Its label.
    pub label: Option<String>,
    /// Its kind; none for numbers that need not be whole, since one that is shown without decimals is not whole by that
    /// alone.
    pub kind: Option<Kind>,
    /// Labelled values, in order.
    pub values: Vec<DictionaryValue>,
    /// What the file declares missing, in words: codes, and ranges such as `97 to 99`.
    pub missing: Vec<String>,
}

/// A value with a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DictionaryValue {
    /// The value, as its cells are read.
    pub code: String,
    /// Its label.
    pub label: String,
}
