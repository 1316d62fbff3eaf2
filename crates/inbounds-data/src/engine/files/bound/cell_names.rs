//! Words that stand for cells in the hash of a row.

use std::sync::Arc;

use super::super::units::name_of;
use crate::Keys;

/// The word that stands for a cell in the hash of a row: its number in a public list, or a hash of its key where keys
/// are learned.
///
/// The number of a learned key depends on the keys that others have, and with it would the choice of a unit's rows.
/// Keys of one hash are distinguished by their order, which is that of their values.
#[derive(Clone, Default)]
pub(in super::super) struct CellNames(Option<Arc<[u64]>>);

impl CellNames {
    /// Those of learned keys, sorted.
    pub(in super::super) fn learned(keys: &Keys) -> Self {
        Self(Some(keys.rows().map(name_of).collect()))
    }

    /// The word of a cell.
    pub(super) fn word(&self, cell: u32) -> u64 {
        self.0.as_ref().map_or_else(|| cell.into(), |names| names[cell as usize])
    }
}
