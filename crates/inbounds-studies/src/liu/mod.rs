//! The studies of Liu.

mod consistency;
mod covariance;
mod covariance_design;
mod covariance_findings;
mod estimate;
mod formulas;
mod intervals;
mod mechanism;
mod populations;
mod printed;
mod proportions;
mod propositions;
mod sensitivity;
mod simplex;

use crate::Study;

/// In the order of the paper.
pub(crate) static STUDIES: &[Study] = &[
    printed::STUDY,
    formulas::STUDY,
    propositions::STUDY,
    consistency::STUDY,
    covariance::STUDY,
    proportions::RESCALING,
    proportions::MULTIPLE_SYNTHESIS,
    proportions::ALL_BUT_ONE,
    proportions::UNIVERSAL_HISTOGRAM,
    proportions::PAIR_SUMS,
    simplex::STUDY,
    intervals::STUDY,
];
