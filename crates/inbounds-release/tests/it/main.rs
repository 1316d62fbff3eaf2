//! The integration tests of the crate, one binary.

mod adult_tree;
mod hierarchy;
mod kinds;
mod notices;
mod plan;
mod ranges;
mod thousand;
