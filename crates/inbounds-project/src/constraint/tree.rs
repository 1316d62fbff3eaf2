//! Sums along a tree: its shape, and what is known about its nodes.

mod shape;
mod system;

pub use shape::Tree;
pub use system::{NodeBounds, TreeSystem};
