//! Casts of columns that put null where a cell does not fit.

use arrow::array::{ArrayRef, AsArray};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::DataType;
use arrow::error::Result;

/// Results of `parse` for each text; null stays null.
pub(super) fn map_text<T, A: FromIterator<Option<T>>>(
    array: &ArrayRef,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<A> {
    let parse = |cell: Option<&str>| cell.and_then(&parse);
    Ok(match array.data_type() {
        DataType::Utf8View => array.as_string_view().iter().map(parse).collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().map(parse).collect(),
        DataType::Utf8 => array.as_string::<i32>().iter().map(parse).collect(),
        _ => cast(array, &DataType::Utf8View)?.as_string_view().iter().map(parse).collect(),
    })
}

/// Arrow's cast in the mode that puts null where a value does not fit.
pub(super) fn cast(array: &ArrayRef, target: &DataType) -> Result<ArrayRef> {
    cast_with_options(array, target, &CastOptions { safe: true, ..CastOptions::default() })
}
