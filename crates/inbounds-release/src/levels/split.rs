//! How a statistic's epsilon is divided among its levels, and what the levels err by then.

use inbounds_core::Rational;
use inbounds_project::{
    constraint::tree::{Tree, TreeSystem},
    tree::TreeCovariance,
};

use super::hierarchy::Hierarchy;
use crate::plan::LevelShares;

/// Exact shares that add up to 1, one a level.
pub(super) fn shares(asked: &LevelShares, levels: usize) -> Vec<Rational> {
    match asked {
        LevelShares::Even => vec![Rational::ratio(1, levels as u128); levels],
        LevelShares::Given(shares) => shares.clone(),
    }
}

/// Mean variance of the estimates of each level under the sums alone, from the variance of each level's noise.
pub(super) fn variances(hierarchy: &Hierarchy, noise: &[f64]) -> Vec<f64> {
    let tree = Tree::from_parents(&hierarchy.parents()).expect("prefixes of keys are a forest");
    let variance = hierarchy.spread(noise);
    let system = TreeSystem::new(tree, vec![0.0; variance.len()], variance).expect("variances were judged");
    hierarchy.means(&TreeCovariance::new(&system).variances())
}
