//! The studies of Liu.

mod covariance;
mod intervals;
mod mechanism;
mod populations;
mod printed;
mod proportions;
mod propositions;
mod simplex;

use crate::Study;

/// In the order of the paper.
pub(crate) static STUDIES: &[Study] = &[
    printed::STUDY,
    propositions::STUDY,
    covariance::STUDY,
    proportions::RESCALING,
    proportions::MULTIPLE_SYNTHESIS,
    proportions::ALL_BUT_ONE,
    proportions::UNIVERSAL_HISTOGRAM,
    proportions::PAIR_SUMS,
    simplex::STUDY,
    intervals::STUDY,
];
