//! The options of cells that hold several, one node for each that a row may have.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, DictionaryArray, Int32Array, StringArray};
use arrow::datatypes::{DataType, Int32Type};
use arrow::error::Result;

use super::super::read::{Way, cast};
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
        let of = self.read(column, Way::Text)?;
        Ok(self.node(Node::Option { of, set, place }))
    }
}

/// The option at this place of each cell, missing where a cell has fewer.
pub(super) fn option(cells: &ArrayRef, set: &SetColumn, place: u32) -> Result<ArrayRef> {
    let texts = cast(cells, &DataType::Utf8View)?;
    let number = |cell: &str| set.places(cell).get(place as usize).map(|&found| found as i32);
    let numbers: Int32Array = texts.as_string_view().iter().map(|cell| cell.and_then(number)).collect();
    let options: ArrayRef = Arc::new(StringArray::from_iter_values(&set.options));
    Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(numbers, options)?))
}
