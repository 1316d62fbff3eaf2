//! The integration tests of the crate, one binary.

mod geography;
mod hierarchy;
mod kinds;
mod notices;
mod plan;
mod reconcile;
mod thousand;
