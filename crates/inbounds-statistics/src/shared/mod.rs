//! Means and sums of a private number of rows, made of a noisy sum and a noisy number of rows that are measured once for all statistics that
//! need them.

mod mean;
mod radii;
mod sum;

pub(crate) use self::{mean::SharedMean, sum::SharedSum};
