//! Tests of the statistics as the release uses them.

mod bayes;
mod covariance;
mod engine;
mod neighbours;
mod population;
mod ratio;
mod second_moments;
mod variance;
