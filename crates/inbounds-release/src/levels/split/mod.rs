//! How a statistic's epsilon is divided among its levels, and what the levels err by then.

mod balance;
mod minimise;

use inbounds_core::Rational;
use inbounds_project::tree::LevelVariances;

use super::hierarchy::Hierarchy;
use crate::plan::LevelShares;

/// Exact shares that add up to 1, one a level, where a unit moves the levels so far. A level with none is not measured.
pub(super) fn shares(asked: &LevelShares, hierarchy: &Hierarchy, moved: &[f64]) -> Vec<Rational> {
    match asked {
        LevelShares::Even => vec![Rational::ratio(1, moved.len() as u128); moved.len()],
        LevelShares::Balanced => balance::Levels { tree: &tree(hierarchy), moved }.balanced(),
        LevelShares::Given(shares) => shares.clone(),
    }
}

/// Mean variance of the estimates of each level under the sums alone, from the variance of each level's noise.
pub(super) fn variances(hierarchy: &Hierarchy, noise: &[f64]) -> Vec<f64> {
    tree(hierarchy).means(noise)
}

fn tree(hierarchy: &Hierarchy) -> LevelVariances {
    let sizes: Vec<usize> = hierarchy.levels.iter().map(super::hierarchy::Level::cells).collect();
    LevelVariances::new(&sizes, &hierarchy.parents()).expect("prefixes of keys are a forest")
}
