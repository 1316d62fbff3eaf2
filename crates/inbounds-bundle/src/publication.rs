//! Notes of an office on its numbers, for the reader before the numbers.

use inbounds_core::ids;
use serde::{Deserialize, Serialize};

use crate::Id;

ids! {
    /// A language that the methods can be told in.
    Language {
        /// English.
        English = "en",
        /// German.
        German = "de",
        /// French.
        French = "fr",
    }
}

/// Subject of the numbers of a release, in the words of the plan; no part of the guarantee.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct PublicationEntry {
    /// Noun for the rows, in the plural.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit_of_rows: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Id<Language>>,
}

impl PublicationEntry {
    /// True if the plan says nothing of it.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
