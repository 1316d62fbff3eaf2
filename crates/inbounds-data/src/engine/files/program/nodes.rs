//! The parts of a program, and what they are for one batch.

use arrow::array::{Array as _, ArrayRef, BooleanArray, Int64Array, RecordBatch};
use arrow::error::Result;

use super::super::bins::BinIndex;
use super::super::clip::Steps;
use super::super::derived::Maker;
use super::super::filter::Condition;
use super::super::key_index::KeyIndex;
use super::super::read::Way;
use super::super::stored::readable;
use super::reasons::{Reasons, unreadable};
use super::set_option::option;
use super::values::{NodeId, Value, Values};
use crate::schema::Table;
use crate::{Keys, SetColumn};

/// A part of what a pass computes.
pub(super) enum Node<'a> {
    /// A column, by its place in the table.
    Read { column: usize, way: Way },
    /// A derived column, by its place in the table, from what its values are made of.
    Made { column: usize, from: Vec<NodeId>, maker: Box<Maker<'a>> },
    /// A derived column, read in some way.
    Converted { source: NodeId, column: usize, way: Way },
    /// The option at this place of each cell of a column that holds several.
    Option { cells: NodeId, set: &'a SetColumn, place: u32 },
    /// Steps of an amount.
    Steps { amounts: NodeId, steps: Steps },
    /// Numbers of keys, from their columns as stored.
    Key { columns: Vec<NodeId>, keys: &'a Keys, index: Box<KeyIndex> },
    /// Bins of an amount.
    Bin { amounts: NodeId, index: BinIndex },
    /// True for a row that passes.
    Condition(Condition),
    /// True where each of these keys has a number below that of the listed ones.
    Listed(Vec<ListedKey>),
    /// 1 where a condition holds, else 0.
    Holds(NodeId),
    /// Cells from keys, bins and a condition.
    Cell(CellOf),
    /// 1 where a number is this one, else 0.
    Indicator { numbers: NodeId, equals: u32 },
    /// 1 where a cell of one of these columns is empty and the row does not count as one that has a cell, else 0.
    Empty { columns: Vec<NodeId>, unless: HasCell },
    /// True for a stored cell, of the column at this place of the table, whose content is not of its kind.
    Unreadable { cells: NodeId, column: usize },
    /// The number of the reason for which a row is left out.
    LeftOut(Reasons),
}

/// The cell `key * bins + bin` of the rows that pass all conditions; the number of cells for all others.
#[derive(PartialEq)]
pub(super) struct CellOf {
    pub(super) key: Option<NodeId>,
    pub(super) keys: u32,
    pub(super) bin: Option<NodeId>,
    pub(super) bins: u32,
    /// All of these.
    pub(super) conditions: Vec<NodeId>,
}

/// Key lists are compared by [`Program::key`], before an index is made.
impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Read { column: a, way: b }, Self::Read { column: c, way: d }) => a == c && b == d,
            (Self::Made { column: a, .. }, Self::Made { column: b, .. }) => a == b,
            (Self::Converted { source: a, way: b, .. }, Self::Converted { source: c, way: d, .. }) => a == c && b == d,
            (Self::Option { cells: a, place: b, .. }, Self::Option { cells: c, place: d, .. }) => a == c && b == d,
            (Self::Empty { columns: a, unless: b }, Self::Empty { columns: c, unless: d }) => a == c && b == d,
            (Self::Unreadable { cells: a, .. }, Self::Unreadable { cells: b, .. }) => a == b,
            (Self::LeftOut(a), Self::LeftOut(b)) => a == b,
            (Self::Steps { amounts: a, steps: b }, Self::Steps { amounts: c, steps: d }) => a == c && b == d,
            (Self::Bin { amounts: a, index: b }, Self::Bin { amounts: c, index: d }) => a == c && b == d,
            (Self::Condition(a), Self::Condition(b)) => a == b,
            (Self::Listed(a), Self::Listed(b)) => a == b,
            (Self::Holds(a), Self::Holds(b)) => a == b,
            (Self::Cell(a), Self::Cell(b)) => a == b,
            (Self::Indicator { numbers: a, equals: b }, Self::Indicator { numbers: c, equals: d }) => a == c && b == d,
            _ => false,
        }
    }
}

impl CellOf {
    pub(super) fn cells(&self, values: &Values, rows: usize) -> Vec<u32> {
        let unlisted = self.keys * self.bins;
        let mut cells = match (self.key, self.bin) {
            (None, None) => vec![0; rows],
            (Some(key), None) => values.numbers(key).to_vec(),
            (None, Some(bin)) => values.numbers(bin).to_vec(),
            (Some(key), Some(bin)) => {
                let cell = |(&key, &bin): (&u32, &u32)| {
                    if key < self.keys && bin < self.bins { key * self.bins + bin } else { unlisted }
                };
                values.numbers(key).iter().zip(values.numbers(bin)).map(cell).collect()
            }
        };
        for &condition in &self.conditions {
            let passes = values.truth(condition);
            for (cell, passes) in cells.iter_mut().zip(passes.iter()) {
                *cell = if passes == Some(true) { *cell } else { unlisted };
            }
        }
        cells
    }
}

/// 1 where a number is this one.
fn equal(numbers: &[u32], wanted: u32) -> Int64Array {
    numbers.iter().map(|&number| Some(i64::from(number == wanted))).collect()
}

/// The numbers that the key of a row has, more than one where a cell holds several values, and the first that is none.
#[derive(PartialEq)]
pub(super) struct ListedKey {
    pub(super) numbers: Vec<NodeId>,
    pub(super) end: u32,
}

/// True where each key has a number that is below its end.
fn listed(keys: &[ListedKey], values: &Values, rows: usize) -> BooleanArray {
    let numbers = |key: &ListedKey| key.numbers.iter().map(|&id| values.numbers(id)).collect::<Vec<_>>();
    let keys: Vec<(Vec<&[u32]>, u32)> = keys.iter().map(|key| (numbers(key), key.end)).collect();
    let is_listed = |row: usize, (numbers, end): &(Vec<&[u32]>, u32)| numbers.iter().any(|numbers| numbers[row] < *end);
    (0..rows).map(|row| Some(keys.iter().all(|key| is_listed(row, key)))).collect()
}

/// 1 where a condition is true.
fn holds(truth: &BooleanArray) -> Int64Array {
    truth.iter().map(|truth| Some(i64::from(truth == Some(true)))).collect()
}

/// A row that counts whether a cell is empty or not.
#[derive(PartialEq)]
pub(super) enum HasCell {
    /// Its key is listed: this condition is true.
    Listed(NodeId),
    /// Its number is in one of so many bins.
    InBin { numbers: NodeId, bins: u32 },
}

impl HasCell {
    fn is_of(&self, row: usize, values: &Values) -> bool {
        match self {
            Self::Listed(condition) => {
                let truth = values.truth(*condition);
                truth.is_valid(row) && truth.value(row)
            }
            Self::InBin { numbers, bins } => values.numbers(*numbers)[row] < *bins,
        }
    }
}

/// 1 where one of the columns is null and the row does not count.
fn empty(columns: &[NodeId], unless: &HasCell, values: &Values, rows: usize) -> Int64Array {
    let nulls = values.nulls(columns);
    let is_null = |row: usize| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
    (0..rows).map(|row| Some(i64::from(is_null(row) && !unless.is_of(row, values)))).collect()
}

impl Node<'_> {
    /// Value of the node for a batch with the columns at these places of the table, given the values of the nodes
    /// before.
    pub(super) fn evaluate(
        &self,
        table: &Table,
        batch: &RecordBatch,
        columns: &[usize],
        values: &Values,
    ) -> Result<Value> {
        Ok(match self {
            Node::Read { column, way } => {
                let place = columns.binary_search(column).expect("a column that is read");
                let kind = table.columns[*column].kind;
                // Where types are public they are those that the plan was checked against.
                let cells = batch.column(place);
                let cells = if table.has_types { cells.clone() } else { readable(cells, kind)? };
                Value::Array(way.read(&cells, kind, table.reader(*column))?)
            }
            Node::Made { from, maker, .. } => Value::Array(maker.evaluate(from, values)?),
            Node::Converted { source, column, way } => {
                let kind = table.columns[*column].kind;
                Value::Array(way.read(values.array(*source), kind, table.reader(*column))?)
            }
            Node::Option { cells, set, place } => Value::Array(option(values.array(*cells), set, *place)?),
            Node::Unreadable { cells, column } => {
                Value::Truth(unreadable(values.array(*cells), &table.columns[*column], table.reader(*column))?)
            }
            Node::LeftOut(reasons) => Value::Numbers(reasons.numbers(values, batch.num_rows())),
            Node::Empty { columns, unless } => Value::Steps(empty(columns, unless, values, batch.num_rows())),
            Node::Steps { amounts, steps } => Value::Steps(steps.clip(values.array(*amounts))),
            Node::Key { columns, index, .. } => {
                let columns: Vec<ArrayRef> = columns.iter().map(|id| values.array(*id).clone()).collect();
                Value::Numbers(index.numbers(&columns)?)
            }
            Node::Bin { amounts, index } => Value::Numbers(index.bins(values.array(*amounts))),
            Node::Condition(condition) => Value::Truth(condition.evaluate(values)?),
            Node::Listed(keys) => Value::Truth(listed(keys, values, batch.num_rows())),
            Node::Holds(condition) => Value::Steps(holds(values.truth(*condition))),
            Node::Cell(cell) => Value::Numbers(cell.cells(values, batch.num_rows())),
            Node::Indicator { numbers, equals } => Value::Steps(equal(values.numbers(*numbers), *equals)),
        })
    }
}
