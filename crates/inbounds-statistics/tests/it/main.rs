//! Tests of the statistics as the release uses them.

mod bayes;
mod bayes_errors;
mod chosen_quantile;
mod covariance;
mod engine;
mod linear;
mod moved;
mod neighbours;
mod population;
mod proportion;
mod quantile;
mod ratio;
mod second_moments;
mod stated;
mod variance;
