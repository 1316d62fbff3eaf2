//! The studies of McGlinchey and Mason.

mod any_base;
mod any_mechanism;
mod bias;
mod half_line;
mod integers;
mod interval;
mod log_laplace;
mod ramp;
mod ratio;
mod restriction;
mod shifted_ramp;

use crate::Study;

/// In the order of the paper.
pub(crate) static STUDIES: &[Study] = &[
    ramp::STUDY,
    restriction::STUDY,
    ratio::STUDY,
    log_laplace::STUDY,
    shifted_ramp::STUDY,
    any_base::STUDY,
    half_line::STUDY,
    interval::STUDY,
    integers::STUDY,
    any_mechanism::STUDY,
];
