//! Rows that meet the condition of a query and count in none of its cells, with the reason.

use std::slice;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::datatypes::{DataType, Float64Type};
use arrow::error::Result;

use super::super::read::{Way, cast};
use super::super::stored::readable;
use super::nodes::Node;
use super::values::{NodeId, Values};
use super::{NUMERIC, Program};
use crate::cell_rules::{CellReader, truth, whole_double};
use crate::{Column, DataError, Kind, LeftOut, Missing, Query};

/// What decides whether, and why, a row is left out.
#[derive(PartialEq)]
pub(super) struct Reasons {
    /// The condition of the query.
    condition: Option<NodeId>,
    /// Whether the key is listed.
    listed: Option<NodeId>,
    /// Steps that are null where the row does not count.
    steps: Vec<NodeId>,
    /// Numbers of bins, and that of the first one which is none.
    bins: Option<(NodeId, u32)>,
    /// Whether a cell that is needed cannot be read.
    unreadable: Vec<NodeId>,
}

impl<'a> Program<'a> {
    /// The number of the reason for which each row is left out of a query.
    pub(super) fn left_out(&mut self, query: &'a Query) -> std::result::Result<NodeId, DataError> {
        let condition = query.filter.as_deref().map(|text| self.condition(text)).transpose()?;
        // Of margins each column has its list.
        let lists = query.keys.as_ref().map(|keys| match keys.by_margin() {
            Some(margins) => &margins.values[..],
            None => slice::from_ref(keys),
        });
        let listed = lists.map(|lists| self.listed(lists)).transpose()?;
        let (mut steps, mut unreadable) = (Vec::new(), Vec::new());
        for value in query.values.iter().chain(&self.table.frequency).filter(|value| value.missing == Missing::Drop) {
            steps.push(self.steps(value)?);
            unreadable.extend(self.unreadable(&value.column)?);
        }
        let bins = query.bins.as_ref().filter(|bins| bins.missing() == Missing::Drop);
        let bins = bins.map(|bins| {
            unreadable.extend(self.unreadable(bins.column())?);
            let end = u32::try_from(bins.len()).expect("fewer than 2^31 cells");
            Ok::<_, DataError>((self.bin(bins)?, end))
        });
        let bins = bins.transpose()?;
        Ok(self.node(Node::LeftOut(Reasons { condition, listed, steps, bins, unreadable })))
    }

    /// Whether each cell that a column of numbers is made of cannot be read: one node for each stored column.
    fn unreadable(&mut self, name: &str) -> std::result::Result<Vec<NodeId>, DataError> {
        let column = self.column("survey", name, &NUMERIC)?;
        let origins = self.stored(self.table.place(column))?;
        let mut node = |place: usize| {
            let of = self.node(Node::Read { column: place, way: Way::Stored });
            self.node(Node::Unreadable { of, column: place })
        };
        Ok(origins.into_iter().map(&mut node).collect())
    }
}

impl Reasons {
    /// The number of the reason for each row, 0 for a row that is not left out.
    pub(super) fn of(&self, values: &Values, rows: usize) -> Vec<u32> {
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

/// Whether each cell of a column holds something that is not of its kind.
pub(super) fn unreadable(cells: &ArrayRef, column: &Column, reader: &CellReader) -> Result<BooleanArray> {
    let cells = readable(cells, column.kind)?;
    let stored = Kind::of(cells.data_type());
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
