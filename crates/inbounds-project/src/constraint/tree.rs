//! Sums along a tree: its shape, and the measurements and bounds of its nodes.

mod shape;
mod system;

pub use shape::Tree;
pub use system::{NodeBounds, TreeSystem};
