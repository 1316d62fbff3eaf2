//! How a statistic's epsilon is divided among its levels.
//!
//! `least-error` looks for the shares, in thousandths, of least mean variance of the leaves' estimates under the sums
//! alone, which has a closed form in the variances of the levels and the public tree. It starts from equal parts and moves thousandths
//! from one level to another while that helps, in ever smaller amounts; where it ends, no move of one thousandth
//! between two levels helps. It reads no row.

use inbounds_core::Rational;
use inbounds_project::{
    constraint::tree::{Tree, TreeSystem},
    tree::Covariance,
};

use super::hierarchy::Hierarchy;
use crate::plan::LevelShares;

const PARTS: u32 = 1000;
/// Amounts moved, in thousandths.
const MOVES: [u32; 8] = [200, 100, 50, 20, 10, 5, 2, 1];
/// Gains below this part of the variance are rounding.
const GAIN: f64 = 1e-12;

/// Exact shares that add up to 1. `noise` is the variance of a level's noise when it has a share.
pub(super) fn shares(asked: &LevelShares, hierarchy: &Hierarchy, noise: impl Fn(usize, f64) -> f64) -> Vec<Rational> {
    let levels = hierarchy.levels.len();
    match asked {
        LevelShares::Even => vec![Rational::ratio(1, levels as u128); levels],
        LevelShares::Given(shares) => shares.clone(),
        LevelShares::LeastError => {
            let tree = Tree::from_parents(&hierarchy.parents()).expect("prefixes of keys are a forest");
            let error = |parts: &[u32]| {
                let share = |parts: u32| f64::from(parts) / f64::from(PARTS);
                let noise: Vec<f64> = (0..).zip(parts).map(|(level, &parts)| noise(level, share(parts))).collect();
                variances(&tree, hierarchy, &noise).last().copied().unwrap_or(f64::INFINITY)
            };
            let parts = exchange(levels, error);
            parts.into_iter().map(|parts| Rational::ratio(parts.into(), PARTS.into())).collect()
        }
    }
}

/// Mean variance of the estimates of each level under the sums alone, from the variance of each level's noise.
pub(super) fn variances(tree: &Tree, hierarchy: &Hierarchy, noise: &[f64]) -> Vec<f64> {
    let variance = hierarchy.spread(noise);
    let system = TreeSystem::new(tree.clone(), vec![0.0; variance.len()], variance).expect("variances were judged");
    hierarchy.means(&Covariance::new(&system).variances())
}

/// Parts of a thousand, each at least one, from which no exchange of one part lowers the error.
fn exchange(levels: usize, error: impl Fn(&[u32]) -> f64) -> Vec<u32> {
    let mut parts: Vec<u32> = vec![PARTS / levels as u32; levels];
    parts[levels - 1] += PARTS % levels as u32;
    let mut least = error(&parts);
    for amount in MOVES {
        loop {
            let pairs = (0..levels).flat_map(|from| (0..levels).map(move |to| (from, to)));
            let possible = pairs.filter(|&(from, to)| from != to && parts[from] > amount);
            let tried = possible.map(|(from, to)| {
                let mut moved = parts.clone();
                moved[from] -= amount;
                moved[to] += amount;
                (error(&moved), moved)
            });
            match tried.min_by(|one, other| one.0.total_cmp(&other.0)) {
                Some((found, moved)) if found < least * (1.0 - GAIN) => (least, parts) = (found, moved),
                _ => break,
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchange_finds_the_least_of_a_known_error() {
        // The sum of c / s^2 is least at s proportional to the cube root of c.
        let found = exchange(3, |parts| {
            [1.0, 8.0, 64.0].iter().zip(parts).map(|(c, &parts)| c / (f64::from(parts) / 1000.0).powi(2)).sum()
        });
        assert_eq!(found.iter().sum::<u32>(), 1000);
        for (found, exact) in found.iter().zip([142.857, 285.714, 571.429]) {
            assert!((f64::from(*found) - exact).abs() <= 1.0, "{found} for {exact}");
        }
    }
}
