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
}
