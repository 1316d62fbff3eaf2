//! The options of cells that hold several, one node for each that a row may have.

use super::super::read::Way;
use super::nodes::Node;
use super::{NodeId, Program};
use crate::{Column, DataError, Keys, Kind, SetColumn};

impl<'a> Program<'a> {
    /// The column among these keys in which a cell holds several answers.
    pub(super) fn set_of(&self, keys: Option<&Keys>) -> Option<&'a SetColumn> {
        let table = self.table;
        keys.into_iter().flat_map(Keys::columns).find_map(|name| table.set(name))
    }

    /// In how many cells a row can be that has some of these keys.
    pub(super) fn cells_of_a_row(&self, keys: Option<&Keys>) -> u32 {
        self.set_of(keys).map_or(1, |set| set.most)
    }

    /// A key column, of which the option at `place` is the key where a cell holds several.
    pub(super) fn key_column(&mut self, column: &'a Column, place: u32) -> std::result::Result<NodeId, DataError> {
        let Some(set) = self.table.set(&column.name) else { return self.read(column, Way::Stored) };
        let column = self.column("keys", &set.column, &[Kind::Text])?;
        let cells = self.read(column, Way::Text)?;
        Ok(self.node(Node::Option { cells, set, place }))
    }
}
