//! What must hold, as plain data; the solvers are in the folders beside this one.

pub(crate) mod bounds;
pub(crate) mod linear;
mod matrix;
mod order;

pub use bounds::Bounds;
pub use linear::{Rows, System};
pub use matrix::{MatrixConstraint, Symmetric};
pub use order::{Direction, Order};
