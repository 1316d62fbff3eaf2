//! The studies of Holohan, Antonatos, Braghin and Mac Aonghusa.

mod algorithm;
mod delta;
mod densities;
mod density;
mod fixed_point;
mod iris;
mod lemmas;
mod model;
mod naive_bayes;
mod surface;
mod synthetic;

use crate::Study;

/// In the order of the paper.
pub(crate) static STUDIES: &[Study] = &[
    densities::STUDY,
    naive_bayes::STUDY,
    synthetic::STUDY,
    delta::STUDY,
    surface::STUDY,
    lemmas::STUDY,
    fixed_point::STUDY,
];
