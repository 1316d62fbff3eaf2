//! The studies of Zhu et al.

mod ball;
mod bias_bound;
mod distance;
mod geometric;
mod histogram;
mod nation;
mod projection;
mod release;
mod residuals;
mod shifted;
mod smallest;
mod trees;
mod variance;

use crate::Study;

/// In the order of the paper.
pub(crate) static STUDIES: &[Study] = &[
    residuals::STUDY,
    projection::STUDY,
    ball::STUDY,
    smallest::STUDY,
    shifted::STUDY,
    bias_bound::STUDY,
    variance::STUDY,
    distance::STUDY,
    geometric::STUDY,
    trees::STUDY,
];
