//! Reasons for which a row counts in no cell of a query.

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::datatypes::{DataType, Float64Type};
use arrow::error::Result;

use super::super::cast::cast;
use super::super::stored::readable;
use super::values::{NodeId, Values};
use crate::cell_rules::{CellReader, truth, whole_double};
use crate::{Column, Kind, LeftOut};

/// Inputs that decide whether, and why, a row is left out.
#[derive(PartialEq)]
pub(super) struct Reasons {
    /// The condition of the query.
    pub(super) condition: Option<NodeId>,
    /// True where the key is listed.
    pub(super) listed: Option<NodeId>,
    /// Steps that are null where the row does not count.
    pub(super) steps: Vec<NodeId>,
    /// Numbers of bins, and that of the first one which is none.
    pub(super) bins: Option<(NodeId, u32)>,
    /// True where a needed cell cannot be read.
    pub(super) unreadable: Vec<NodeId>,
}

impl Reasons {
    /// The number of the reason for each row, 0 for a row that is not left out.
    pub(super) fn numbers(&self, values: &Values, rows: usize) -> Vec<u32> {
        let passes = self.condition.map(|condition| values.truth(condition));
        let steps: Vec<_> = self.steps.iter().map(|&id| values.steps(id)).collect();
        let unreadable: Vec<_> = self.unreadable.iter().map(|&id| values.truth(id)).collect();
        let listed = self.listed.map(|listed| values.truth(listed));
        let bins = self.bins.map(|(id, listed)| (values.numbers(id), listed));
        let reason = |row: usize| {
            if passes.is_some_and(|passes| !(passes.is_valid(row) && passes.value(row))) {
                return 0;
            }
            if listed.is_some_and(|listed| !listed.value(row)) {
                return LeftOut::Unlisted.number();
            }
            let lacks_bin = bins.is_some_and(|(numbers, listed)| numbers[row] >= listed);
            if !lacks_bin && steps.iter().all(|steps| steps.is_valid(row)) {
                return 0;
            }
            let cannot = unreadable.iter().any(|cells| cells.value(row));
            if cannot { LeftOut::Unreadable.number() } else { LeftOut::Missing.number() }
        };
        (0..rows).map(reason).collect()
    }
}

/// True for each cell of a column whose content is not of its kind.
pub(super) fn unreadable(cells: &ArrayRef, column: &Column, reader: &CellReader) -> Result<BooleanArray> {
    let cells = readable(cells, column.kind)?;
    let stored = Kind::from_data_type(cells.data_type());
    let numbers = |fits: fn(f64) -> bool| {
        let numbers = cast(&cells, &DataType::Float64)?;
        let numbers = numbers.as_primitive::<Float64Type>().iter();
        let odd = |number: f64| !number.is_nan() && !fits(number) && !reader.is_code(number);
        Ok(numbers.map(|number| Some(number.is_some_and(odd))).collect())
    };
    match (column.kind, stored) {
        (kind, Kind::Text) => {
            let texts = cast(&cells, &DataType::Utf8View)?;
            let odd = |cell: &str| reader.is_unreadable(cell, kind);
            Ok(texts.as_string_view().iter().map(|cell| Some(cell.is_some_and(odd))).collect())
        }
        (Kind::Integer, Kind::Number) => numbers(|number| whole_double(number).is_some()),
        (Kind::Boolean, Kind::Integer | Kind::Number) => numbers(|number| truth(number).is_some()),
        _ => Ok(BooleanArray::from(vec![false; cells.len()])),
    }
}
