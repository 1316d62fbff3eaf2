//! The studies of Liu.

mod covariance;
mod mechanism;
mod printed;
mod propositions;

use crate::Study;

/// In the order of the paper.
pub(crate) static STUDIES: &[Study] = &[printed::STUDY, propositions::STUDY, covariance::STUDY];
