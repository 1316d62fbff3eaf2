//! A table at every node of a tree: the same small table for a nation, its states and its counties.
//!
//! Tables add up along the tree, and cells along the margins of each table. The linear fit of all measurements is a
//! closed form ([`linear()`]), and costs no more than passing over the tables twice; from it the tables are made
//! nonnegative, and whole on request, from the roots down, family by family ([`top_down()`]).

mod by_level;
mod components;
mod family;
mod linear;
mod system;
mod top_down;

pub use by_level::LevelMarginVariances;
pub use linear::{TableTreeConflict, TableTreeFit, linear};
pub use system::TableTree;
pub use top_down::{TableTreeRefusal, TableTreeSolution, check, shrunk, top_down};
