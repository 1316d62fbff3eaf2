//! Noisy numbers made to add up along a tree, or to satisfy other constraints, and how wrong they are then.
//!
//! Shared by [`reconcile`](crate::reconcile()), which takes anyone's measurements, and by statistics with levels, which
//! take those of the release. Nothing here reads a row or spends budget.
//!
//! - `model`, `shape`, `reach`: measurements and constraints as one system;
//! - `general`: what may be required beyond sums along a tree, with its solvers;
//! - `fit`, `solve`: estimates, by the solvers of `inbounds-project`;
//! - `simulate`, `noise`, `largest`, `drift`: the error of estimates, by drawing the noise again;
//! - `entry`: what a manifest says of all that.

mod drift;
mod entry;
mod fit;
mod general;
mod largest;
mod model;
mod noise;
mod reach;
mod shape;
mod simulate;
mod solve;

pub use inbounds_bundle::Method;

pub use drift::Drift;
pub use entry::solver_entry;
pub use fit::Fit;
pub use largest::Largest;
pub use model::Model;
pub use noise::Law;
pub use simulate::{Errors, Measured, Replicate, Simulation};
pub use solve::{Cause, Ending, Solved, linear_variances, method, solve};

pub(crate) use general::{Demands, General, Places, Row, Sense, Whose};
pub(crate) use reach::ranges;
pub(crate) use simulate::least_replicates;
pub(crate) use solve::linear;
