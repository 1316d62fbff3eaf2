//! The keys of all cells of a statistic.

use inbounds_data::{KeyValue, Keys};

use crate::{
    key::Key,
    levels::{Granularity, Nodes},
};

/// Public keys of the cells of a statistic, in cell order.
pub(crate) enum CellKeys<'a> {
    /// There is one cell, and no key.
    None,
    /// One public key a cell.
    Listed(&'a Keys),
    /// One key a cell, of those that noise chose.
    Learned(&'a [Vec<KeyValue>]),
    /// The cells of levels or margins.
    Nodes(Nodes<'a>),
}

impl<'a> CellKeys<'a> {
    /// Number of keys.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::None => 1,
            Self::Listed(keys) => keys.len(),
            Self::Learned(rows) => rows.len(),
            Self::Nodes(nodes) => nodes.len(),
        }
    }

    /// The same of places that follow one another; `level` is where the last of levels or margins was found.
    pub(crate) fn next(&self, level: &mut usize, place: usize) -> (Key<'a>, Option<&'a Granularity>) {
        match self {
            Self::Nodes(nodes) => {
                let (key, granularity) = nodes.next(level, place);
                (key, Some(granularity))
            }
            Self::None | Self::Listed(_) | Self::Learned(_) => self.get(place),
        }
    }

    /// The key at a place, with its level or margin if there are some.
    pub(crate) fn get(&self, place: usize) -> (Key<'a>, Option<&'a Granularity>) {
        match self {
            Self::None => (Key::NONE, None),
            Self::Listed(keys) => (Key::whole(keys.row(place)), None),
            Self::Learned(rows) => (Key::learned(&rows[place]), None),
            Self::Nodes(nodes) => {
                let (key, granularity) = nodes.get(place);
                (key, Some(granularity))
            }
        }
    }
}
