//! One option of each cell that holds several.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, DictionaryArray, Int32Array, StringArray};
use arrow::datatypes::{DataType, Int32Type};
use arrow::error::Result;

use super::super::cast::cast;
use crate::SetColumn;

/// The option at this place of each cell, missing where a cell has fewer.
pub(super) fn option(cells: &ArrayRef, set: &SetColumn, place: u32) -> Result<ArrayRef> {
    let texts = cast(cells, &DataType::Utf8View)?;
    let number = |cell: &str| set.places(cell).get(place as usize).map(|&code| code as i32);
    let numbers: Int32Array = texts.as_string_view().iter().map(|cell| cell.and_then(number)).collect();
    let options: ArrayRef = Arc::new(StringArray::from_iter_values(&set.options));
    Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(numbers, options)?))
}
