//! Constraints, as plain data that each solver reads.

pub(crate) mod bounds;
pub(crate) mod linear;
#[cfg(feature = "psd")]
mod matrix;
mod order;
pub mod tree;

pub use bounds::Bounds;
pub use linear::{Rows, System};
#[cfg(feature = "psd")]
pub use matrix::{MatrixConstraint, Symmetric};
pub use order::{Direction, Order};
