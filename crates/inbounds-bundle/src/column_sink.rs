//! Columns on their way into a table.

use arrow_array::ArrayRef;

/// Receiver of the columns of a table, or of some of its rows, one after the other.
pub trait ColumnSink {
    /// Takes a column; an empty unit or description is left out.
    fn push(&mut self, name: &str, unit: &str, description: &str, array: ArrayRef, nullable: bool);
}
