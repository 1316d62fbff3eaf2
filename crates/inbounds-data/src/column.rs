//! A column of the data.

use crate::Kind;

/// A column of the data.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Column {
    /// Its name, as in the header or schema.
    pub name: String,
    /// Kind of its content.
    pub kind: Kind,
}
