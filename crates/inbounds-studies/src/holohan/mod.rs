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
mod noisy_sums;
mod surface;
mod synthetic;
mod two_cells;

use crate::Study;

/// In the order of the paper.
pub(crate) static STUDIES: &[Study] = &[
    densities::STUDY,
    naive_bayes::STUDY,
    synthetic::STUDY,
    noisy_sums::STUDY,
    delta::STUDY,
    two_cells::STUDY,
    surface::STUDY,
    lemmas::STUDY,
    fixed_point::STUDY,
];
