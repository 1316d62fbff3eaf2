//! Everything deterministic after the noise; knows no privacy and does no input or output.
//!
//! Measurements go in, estimates that satisfy what must hold come out. It is post-processing: it costs no privacy, and it
//! works on anyone's noisy numbers.
//!
//! - [`constraint`]: what must hold, as plain data;
//! - [`tree`]: numbers that add up along a tree;
//! - [`certificate`]: how a solver ended, and how good its solution is.

pub mod certificate;
pub mod constraint;
mod error;
pub mod tree;

pub use error::ProjectError;
