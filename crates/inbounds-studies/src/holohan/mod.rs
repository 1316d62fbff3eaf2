//! The studies of Holohan, Antonatos, Braghin and Mac Aonghusa.

mod delta;
mod densities;
mod density;
mod fixed_point;
mod iris;
mod naive_bayes;
mod surface;

use crate::Study;

/// In the order of the paper.
pub(crate) static STUDIES: &[Study] =
    &[densities::STUDY, naive_bayes::STUDY, delta::STUDY, surface::STUDY, fixed_point::STUDY];
