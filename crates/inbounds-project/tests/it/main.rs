//! Tests of the solvers as a user sees them: brute force, independent solvers, published tables, certificates.

mod draws;
mod isotonic;
mod linear;
#[cfg(feature = "psd")]
mod psd;
mod reweight_large;
mod shrunk_table;
mod simplex;
mod table;
mod table_tree;
mod total;
mod tree;
