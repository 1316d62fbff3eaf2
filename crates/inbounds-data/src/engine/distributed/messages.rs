//! What a coordinator and a worker say, in the order in which they say it.
//!
//! ```text
//! both         Greeting
//! coordinator  Job                     worker  Ready or Refused
//! coordinator  Wait, or Read(pieces)   worker  Working ..., then Refused, or Share and the numbers
//! ```

use serde::{Deserialize, Serialize};

use super::super::files::Piece;
use crate::{Column, LearnKeys, PerUnit, Query, Source, Survey};

/// What a connection begins with, so that whatever else connects is told at once.
pub(super) const MAGIC: &[u8; 8] = b"inbounds";

/// What must be the same on both sides: the program, and how it lays out words.
pub(super) fn program() -> String {
    let order = if cfg!(target_endian = "little") { "least byte first" } else { "greatest byte first" };
    format!("{} (protocol 1, {order})", env!("CARGO_PKG_VERSION"))
}

/// Everything that a worker must know before it reads. It holds no cell but those of keys that were learned.
#[derive(Serialize, Deserialize)]
pub(in crate::engine) struct Job {
    pub(in crate::engine) source: Source,
    /// The files as the coordinator sees them.
    pub(in crate::engine) files: Vec<FileSeen>,
    pub(in crate::engine) columns: Vec<Column>,
    pub(in crate::engine) asked: Asked,
}

/// What is asked of the rows. It says nothing of noise, budget or bundle.
#[derive(Serialize, Deserialize)]
pub(in crate::engine) enum Asked {
    /// Tallies and counts.
    Numbers { queries: Vec<Query>, surveys: Vec<Survey> },
    /// The keys that rows have.
    Keys(LearnKeys),
    /// Numbers of rows of keys that were learned, which are private.
    Counts(Query),
    /// The rows that units are made of.
    Units(PerUnit),
}

/// A file, as far as it can be told from another one without reading its rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::engine) struct FileSeen {
    /// Its whole path.
    pub(in crate::engine) path: String,
    pub(in crate::engine) bytes: u64,
    /// When it was changed: seconds and nanoseconds since 1970.
    pub(in crate::engine) changed: (u64, u32),
    /// The entity tag of an object.
    pub(in crate::engine) tag: Option<String>,
    /// Number of its row groups or record batches.
    pub(in crate::engine) parts: usize,
}

/// What a coordinator says after the job.
#[derive(Serialize, Deserialize)]
pub(super) enum Order {
    /// Nothing to do yet; another worker may leave something.
    Wait,
    /// Read these.
    Read(Vec<Piece>),
}

/// What a worker says.
#[derive(Serialize, Deserialize)]
pub(super) enum Reply {
    /// The source is the same here, and can be read.
    Ready,
    /// Why not, in words that name no cell.
    Refused(String),
    /// The pieces are being read.
    Working,
    /// They are read; the exact numbers follow, which no record holds.
    Share,
}
