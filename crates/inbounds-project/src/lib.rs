//! Everything deterministic after the noise; knows no privacy and does no input or output.
//!
//! Measurements go in, estimates that satisfy what must hold come out. It is post-processing: it costs no privacy, and it
//! works on anyone's noisy numbers.

mod check;
pub mod constraint;
mod error;
pub mod isotonic;
pub mod linear;
mod numeric;
#[cfg(feature = "psd")]
pub mod psd;
pub mod simplex;
mod solution;
pub mod total;

pub use error::ProjectError;
pub use solution::{Kkt, Requirement, Solution, Status};
