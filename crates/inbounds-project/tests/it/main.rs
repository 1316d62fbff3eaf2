//! Tests of the solvers as a user sees them: brute force, independent solvers, published tables, certificates.

mod tree;
