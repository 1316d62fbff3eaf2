//! Intervals for the parameter of the population that the rows are a sample of: sampling and noise together.
//!
//! The intervals of estimates elsewhere are for the answer, the statistic of the rows at hand. Here the rows themselves
//! are drawn from a population, so the interval must also cover how far the answer is from the population's parameter.
//!
//! # Method
//! A test is inverted, parameter by parameter. For a candidate `theta` the measurement has the law of "sample, then
//! measure",
//!
//! ```text
//! P(Y <= y | theta) = sum over samples s of P(s | theta) P(measurement of s <= y),
//! ```
//!
//! with the exact law of the noise, conditioned on a range where the mechanism conditions. The interval holds every
//! `theta` in its range with `P(Y >= y | theta)` and `P(Y <= y | theta)` both above half of the error probability. Both
//! are monotone in `theta`, so it is found by bisection. The raw measurement is used, not the estimate, so a constraint
//! costs no coverage.
//!
//! | parameter | law of the sample | exact |
//! |---|---|---|
//! | [`proportion`] | binomial | yes |
//! | [`mean`] | normal around the mean, with a variance from the bounds or from a measured variance | for many rows |
//! | [`variance`] | chi-squared | for a normal population |
//! | [`covariance`] | of products of two normal variables | for a normal population |
//!
//! A public number of rows, each of which counts, is taken for granted there. For a private one, mean and variance are
//! had by a parametric bootstrap by [`crate::Statistic::population_intervals`]. A [`Study`] states these
//! errors at other sample sizes.

mod interval;
mod measured;
mod no_interval;
mod parameter;
mod private_rows;
mod sampling;
mod study;

pub use interval::{Interval, KnownVariance, covariance, mean, proportion, variance};
pub use measured::Measured;
pub use no_interval::NoInterval;
pub(crate) use parameter::Parameter;
pub(crate) use private_rows::private_rows;
pub(crate) use sampling::SamplingLaw;
pub use study::{AtSize, Population, Study};
