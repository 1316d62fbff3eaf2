//! The integration tests of the crate, one binary.

mod plan;
mod reconcile;
mod thousand;
