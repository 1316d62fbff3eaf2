//! The error that remains when `n` cells with Laplace noise are made to add up to their known total.
//!
//! Without bounds the projection ([`crate::simplex::project`] with equal weights) subtracts the mean of the noises, so
//! the error of a cell is `Err_1 = ((n - 1) eta_1 - eta_2 - ... - eta_n) / n` for independent Laplace noises `eta` of
//! scale `b`. Its law is known exactly: `law.rs` evaluates it, `distance.rs` says how far it is from the noise
//! itself, and `bias.rs` how little bias nonnegativity can add; `discrete.rs` does all three for discrete Laplace
//! noise, as it is drawn.

mod bias;
mod discrete;
mod distance;
mod law;
mod mixture;

pub use discrete::DiscreteTotalError;
pub use law::TotalError;
