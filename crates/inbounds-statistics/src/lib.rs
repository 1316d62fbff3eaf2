//! Statistics that know their own range and sensitivity: how each is privatised, and how its error is stated.
//!
//! A [`Statistic`] is a public description. [`Statistic::prepare`] turns it into a [`Prepared`]: which exact integers the
//! engine must compute ([`Clip`]), which calibrated mechanisms measure them ([`Component`]), and how measurements become
//! [`Estimate`]s. Nothing here reads rows or draws randomness.

pub mod compound;
mod design;
mod direct;
mod edges;
mod error;
mod estimate;
mod grids;
mod histogram;
mod linear;
mod prepare;
pub mod proportion;
pub mod quantile;
mod ratio;
mod sensitivity;
mod spec;
mod two_laplaces;

pub use design::{Design, PrivacyUnit};
pub use direct::Direct;
pub use error::StatisticError;
pub use estimate::{Estimate, ExpectedError};
pub use histogram::Histogram;
pub use linear::{LinearCombination, Measure, Term};
pub use prepare::{Component, Estimator, Prepared};
pub use ratio::Ratio;
pub use sensitivity::of_sum;
pub use spec::{Clip, ClipMissing, ColumnBounds, Kind, Missing, OutputRange, Statistic};
