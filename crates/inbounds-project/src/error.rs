//! Errors in a system of constraints or its measurements, before it is solved.

use thiserror::Error;

/// Malformed input. That a well-formed system has no solution is a [`Status`](crate::certificate::Status), not an
/// error.
///
/// Nodes, cells and rows are named by their index in the input; the caller that read the input knows their names.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProjectError {
    /// A number lies outside its admissible set.
    #[error("{name} of {place} must be {requirement}, got {value}")]
    Number {
        /// Which number it is.
        name: &'static str,
        /// Place of the number, such as `node 3` or `row 2, column 5`.
        place: String,
        /// The admissible set in words.
        requirement: &'static str,
        /// The number found.
        value: f64,
    },
    /// Two lists that belong together differ in length.
    #[error("{name} must have one entry for each of the {wanted} {entries}, got {found}")]
    Length {
        /// Which list it is.
        name: &'static str,
        /// Meaning of the entries, such as `nodes`.
        entries: &'static str,
        /// Entries wanted.
        wanted: usize,
        /// Entries found.
        found: usize,
    },
    /// A lower bound above its upper bound.
    #[error("lower must be at most upper, but node {node} has lower = {lower} and upper = {upper}")]
    Bounds {
        /// The node.
        node: usize,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// Two exact values of one node differ.
    #[error("node {node} is known exactly twice, as {first} and as {second}: keep the right one")]
    Contradiction {
        /// The node.
        node: usize,
        /// First exact value.
        first: f64,
        /// A later exact value.
        second: f64,
    },
    /// A node or a parent that is not in the tree.
    #[error("there is no node {node}: the tree has {nodes} nodes, numbered from 0")]
    NoSuchNode {
        /// The index found.
        node: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// A node that no line places in the tree.
    #[error("node {node} is an orphan: name its parent, or say that it is a root")]
    Orphan {
        /// The node.
        node: usize,
    },
    /// A node below two parents.
    #[error("node {node} has two parents, {first} and {second}: a tree allows one")]
    TwoParents {
        /// The node.
        node: usize,
        /// First parent, or `a root`.
        first: String,
        /// A later parent, or `a root`.
        second: String,
    },
    /// A node that is its own ancestor.
    #[error("node {node} is its own ancestor: break the cycle of parents it lies on")]
    Cycle {
        /// A node on the cycle.
        node: usize,
    },
    /// No node, or more than the index type can number.
    #[error("a tree must have between 1 and {most} nodes, got {found}")]
    Size {
        /// Most nodes a tree can have.
        most: usize,
        /// Nodes found.
        found: usize,
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
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
    },
    /// A cell that is not there.
    #[error("cells count from 0 up to {cells}, got {cell}")]
    Cell {
        /// The cell named.
        cell: usize,
        /// Number of cells.
        cells: usize,
    },
    /// A system that may have no whole solution near a fractional one.
    #[error("controlled rounding needs a totally unimodular system; this one is not known to be: {reason}")]
    NotUnimodular {
        /// Objection to each structure that would do.
        reason: String,
    },
}
