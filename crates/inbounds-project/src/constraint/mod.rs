//! What must hold, as plain data that each solver reads.

pub mod tree;
