//! Everything deterministic after the noise; knows no privacy and does no input or output.
//!
//! Measurements go in, estimates that satisfy what must hold come out. It is post-processing: it costs no privacy, and
//! it works on anyone's noisy numbers.
//!
//! - [`constraint`]: what must hold, as plain data;
//! - [`tree`]: numbers that add up along a tree;
//! - [`simplex`]: cells with one known total; [`total`]: the law of the error that is left then;
//! - [`isotonic`]: values in order;
//! - [`table`]: counts by several attributes, of which margins were measured;
//! - [`linked`]: sums by several groupings of the same cells;
//! - [`linear`]: sparse linear equalities and inequalities, and solutions made whole;
//! - `psd`: matrices without small eigenvalues, with the feature of the same name;
//! - [`certificate`]: how a solver ended, and how good its solution is.

pub mod certificate;
mod check;
pub mod constraint;
mod error;
pub mod isotonic;
pub mod linear;
pub mod linked;
mod numeric;
#[cfg(feature = "psd")]
pub mod psd;
mod reweight_large;
mod shrink;
pub mod simplex;
mod solution;
pub mod table;
pub mod total;
pub mod tree;

pub use error::ProjectError;
pub use solution::Solution;
