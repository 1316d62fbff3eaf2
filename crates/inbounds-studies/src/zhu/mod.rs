//! The studies of Zhu et al.

mod ball;
mod bias_bound;
mod distance;
mod histogram;
mod release;
mod residuals;
mod smallest;
mod trees;
mod variance;

use crate::Study;

/// In the order of the paper.
pub(crate) static STUDIES: &[Study] = &[
    residuals::STUDY,
    ball::STUDY,
    bias_bound::STUDY,
    smallest::STUDY,
    variance::STUDY,
    distance::STUDY,
    trees::STUDY,
];
