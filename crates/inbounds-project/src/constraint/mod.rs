//! What must hold, as plain data; the solvers are in the folders beside this one.

pub(crate) mod bounds;
mod order;

pub use bounds::Bounds;
pub use order::{Direction, Order};
