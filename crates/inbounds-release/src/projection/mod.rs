//! Noisy numbers of a tree made to add up, and how wrong they are then.
//!
//! Shared by [`reconcile`](mod@crate::reconcile), which takes anyone's measurements, and by statistics with levels, which
//! take those of the release. Nothing here reads a row or spends budget.
//!
//! - `model`, `shape`, `reach`: measurements and constraints as one system;
//! - `solve`, `top_down`: estimates, by the solvers of `inbounds-project`;
//! - `simulate`, `noise`, `largest`: the error of estimates, by drawing the noise again;
//! - `entry`: what a manifest says of all that.

mod entry;
mod largest;
mod model;
mod noise;
mod reach;
mod shape;
mod simulate;
mod solve;
mod top_down;

pub use entry::{CertificateEntry, SolverEntry};
pub use noise::Law;
pub use solve::Method;

pub(crate) use largest::Largest;
pub(crate) use model::Model;
pub(crate) use reach::ranges;
pub(crate) use simulate::{Errors, Measured, Replicate, Simulation, least_replicates, mean_and_error, rank};
pub(crate) use solve::{Ending, Solved, solve};
