//! Figures: the mathematics by simulation, and bundles that are made for it.

mod bundles;
mod coverage;
mod made;
