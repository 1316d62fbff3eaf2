//! Statistics that know their own range and sensitivity: how each is privatised, and how its error is stated.
//!
//! A [`Statistic`] is a public description. [`Statistic::prepare`] turns it into a [`Prepared`]: which exact integers the
//! engine must compute ([`Clip`]), which calibrated mechanisms measure them ([`Component`]), and how measurements become
//! [`Estimate`]s. Statistics of several outputs or measured vectors are [`compound::Compound`]s, each prepared from its own
//! description in a [`compound::Setting`]: [`variance`] (and standard deviation), [`covariance`] (and correlation) matrices, and a
//! naive [`bayes`] classifier. Their estimates are about the rows at hand; [`population`] has intervals for the population that
//! rows are drawn from. Nothing here reads rows, and randomness is drawn only to describe errors, from public seeds.

pub mod bayes;
pub mod compound;
mod counted;
pub mod covariance;
mod design;
mod direct;
mod doubt;
mod edges;
mod error;
mod estimate;
mod grids;
mod histogram;
mod linear;
pub mod population;
mod prepare;
pub mod proportion;
pub mod quantile;
mod ratio;
mod second_moments;
mod sensitivity;
mod spec;
mod two_laplaces;
pub mod variance;

pub use counted::{Entries, RowsMeasured};
pub use design::{Design, PrivacyUnit};
pub use direct::Direct;
pub use doubt::Doubt;
pub use error::StatisticError;
pub use estimate::{Estimate, ExpectedError, Supposed};
pub use histogram::Histogram;
pub use linear::{LinearCombination, Measure, Term};
pub use prepare::{Component, Estimator, Prepared};
pub use ratio::Ratio;
pub use sensitivity::{of_bernstein, of_centred_product, of_covariance_matrix, of_distances, of_sum, of_survey};
pub use spec::{Clip, ClipMissing, ColumnBounds, Kind, Missing, OutputRange, Statistic};
