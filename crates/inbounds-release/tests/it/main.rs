//! The integration tests of the crate, one binary.

mod adult_tree;
mod geography;
mod hierarchy;
mod kinds;
mod notices;
mod plan;
mod ranges;
mod reconcile;
mod thousand;
