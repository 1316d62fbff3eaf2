//! Everything random in inbounds; knows no data and no constraint.
//!
//! - [`law`]: probability laws of noise, and [`bounding`]: wrappers that keep noise in a range;
//! - [`sampler`]: exact samplers and the entropy they draw on;
//! - [`calibrate`]: parameters from guarantees, rounded to the safe side;
//! - [`mechanism`]: a law, a sensitivity and a guarantee tied together, which turn an answer into measurements;
//! - [`designer`]: the best post-processing rule for a law and a criterion, with a certificate;
//! - [`interval`]: intervals for the answer, given a released value;
//! - [`partition`]: cells whose keys are not listed in advance, published where their noisy counts reach a threshold;
//! - [`posterior`]: the posterior of the answer after a measurement, for a prior over its range;
//! - [`account`]: the mechanisms that ran, and their cost;
//! - [`selection`]: quantiles chosen among public bins by how many rows lie between;
//! - [`registry`]: one line per mechanism.

pub mod account;
pub mod bounding;
pub mod calibrate;
mod chosen;
pub mod designer;
pub mod interval;
pub mod law;
pub mod mechanism;
pub mod noise;
pub mod partition;
pub mod posterior;
pub mod registry;
pub mod sampler;
pub mod selection;
