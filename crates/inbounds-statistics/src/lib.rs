//! Statistics that know their own range and sensitivity: how each is privatised, and how its error is stated.
//!
//! A description ([`Count`], [`DistinctUnits`], [`Share`], [`Sum`], [`Mean`], [`Variance`], [`StandardDeviation`],
//! [`Histogram`],
//! [`LearnedCount`], [`LinearCombination`], [`covariance::Matrix`], [`proportion::ProportionVector`],
//! [`quantile::Quantiles`],
//! [`bayes::NaiveBayes`]) is public. Prepared in a [`Setting`] it becomes a [`Statistic`], which says what exact
//! integers the engine must compute ([`Ask`]), which calibrated mechanisms measure them ([`Component`]), and how
//! measurements become [`Estimate`]s. These are about the rows at hand; [`Statistic::population_intervals`] are for the
//! [`population`] that rows are drawn from. Nothing here reads rows, and randomness is drawn only to describe errors,
//! from public seeds.

pub mod bayes;
mod clip;
mod column;
mod count;
mod counted;
pub mod covariance;
mod design;
mod doubt;
mod edges;
mod error;
mod estimate;
mod grids;
mod histogram;
mod in_memory;
mod learned;
mod linear;
mod means;
mod output_range;
pub mod population;
pub mod proportion;
pub mod quantile;
mod ratio;
mod residual;
mod scenario;
mod second_moments;
mod sensitivity;
mod shared;
mod statistic;
mod sum;
mod two_laplaces;
mod variance;
mod worst;

pub use clip::{Clip, ClipMissing};
pub use column::{Column, ColumnBounds, Missing};
pub use count::{Count, DistinctUnits, Share};
pub use counted::{Entries, RowsMeasured};
pub use design::{Contribution, Design, PrivacyUnit};
pub use doubt::Doubt;
pub use error::{RawRule, StatisticError};
pub use estimate::{ErrorDependence, Estimate, ExpectedError, PossibleEstimate, WorstError};
pub use histogram::Histogram;
pub use in_memory::{BareMechanism, BareNoise, Counting, Describe, Protected, Published, Publisher, Records, laplace};
pub use learned::{KeyChoice, LearnedCount, SpaceOfKeys};
pub use linear::{CombinedMeasure, LinearCombination, Term};
pub use output_range::OutputRange;
pub(crate) use ratio::Ratio;
pub use residual::{RowTerms, of_residual};
pub use scenario::{ColumnMoments, ImpossibleMoments, MomentRegion, Scenario};
pub use sensitivity::{
    of_bernstein, of_centred_product, of_covariance_matrix, of_distances, of_distinct_units, of_left_out, of_sum,
    of_survey,
};
pub(crate) use shared::{SharedMean, SharedSum};
pub use statistic::{
    Ask, CellEntry, Component, Output, Setting, SharedNumbers, SharedVector, Simulated, Simulation, Single, Statistic,
    Unit, measure, simulate,
};
pub(crate) use statistic::{
    Case, Reading, errors_at, errors_in, errors_of_cells, expect, expected, measure_public, redrawn, redrawn_points,
};
pub use sum::{Mean, Sum};
pub use variance::{StandardDeviation, Variance};
