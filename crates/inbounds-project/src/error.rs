//! What can be wrong with a system of constraints or its measurements before it is solved.

use thiserror::Error;

/// Malformed input. That a well-formed system has no solution is a status of its solution, not an error.
///
/// Nodes, cells and rows are named by their index in the input; whoever read the input knows their names.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProjectError {
    /// A number lies outside its admissible set.
    #[error("{name} of {place} must be {requirement}, got {value}")]
    Number {
        /// Which number it is.
        name: &'static str,
        /// Whose number it is, such as `node 3` or `row 2, column 5`.
        place: String,
        /// The admissible set in words.
        requirement: &'static str,
        /// The number found.
        value: f64,
    },
    /// Two lists that belong together differ in length.
    #[error("{name} must have one entry for each of the {wanted} {of}, got {found}")]
    Length {
        /// Which list it is.
        name: &'static str,
        /// What the entries stand for, such as `nodes`.
        of: &'static str,
        /// Entries wanted.
        wanted: usize,
        /// Entries found.
        found: usize,
    },
    /// A parent that is not there.
    #[error("the parent of cell {cell} must be one of the {cells} cells counted from 0, got {parent}")]
    Parent {
        /// The child.
        cell: usize,
        /// The parent named.
        parent: usize,
        /// How many cells there are.
        cells: usize,
    },
    /// Parents that lead back to where they started.
    #[error("parents must lead to a root, but cells {cells:?} form a cycle")]
    Cycle {
        /// The cells of the cycle, each followed by its parent.
        cells: Vec<usize>,
    },
    /// A coefficient at a place that is not there.
    #[error(
        "rows and columns count from 0 up to {rows} and {columns}, got a coefficient in row {row}, column {column}"
    )]
    Place {
        /// The row named.
        row: usize,
        /// The column named.
        column: usize,
        /// How many rows there are.
        rows: usize,
        /// How many columns there are.
        columns: usize,
    },
    /// A cell that is not there.
    #[error("cells count from 0 up to {cells}, got {cell}")]
    Cell {
        /// The cell named.
        cell: usize,
        /// How many cells there are.
        cells: usize,
    },
    /// A system that may have no whole solution near a fractional one.
    #[error("controlled rounding needs a totally unimodular system; this one is not known to be: {reason}")]
    NotUnimodular {
        /// What stands against each structure that would do.
        reason: String,
    },
}
