//! Records about program and files, common to both manifests.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The program that made the bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct Program {
    pub name: String,
    pub version: String,
}

impl Program {
    /// The one that runs.
    pub fn this() -> Self {
        Self { name: "inbounds".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.name, self.version)
    }
}

/// A file of the bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see Program")]
pub struct FileEntry {
    pub name: String,
    pub sha256: String,
}

/// A manifest as indented JSON.
pub(crate) fn to_json(manifest: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(manifest).expect("strings, numbers and lists serialise");
    bytes.push(b'\n');
    bytes
}
