//! How a statistic's epsilon is divided among its levels.

mod balance;
mod minimise;
mod residuals;

use inbounds_core::Rational;
use inbounds_mechanisms::noise::NoiseKind;

use self::{
    balance::{Goal, Search},
    residuals::Measuring,
};
use super::{
    Asked, LevelsError,
    hierarchy::{Hierarchy, Nesting},
};
use crate::plan::{LevelShares, MarginShares};

/// Exact shares that add up to 1, one a level, where a unit moves the levels so far, in the norm that noise of this kind is made for. A level
/// with none is not measured. The level that is `known` has none.
///
/// # Errors
/// [`LevelsError::KnownShare`] where the plan gives it some.
pub(super) fn shares(
    (asked, known): (Asked<'_>, Option<usize>),
    hierarchy: &Hierarchy,
    moved: (NoiseKind, &[f64]),
) -> Result<Vec<Rational>, LevelsError> {
    let measured = |level: &&usize| known != Some(**level);
    let listed: Vec<usize> = hierarchy.listed.iter().filter(measured).copied().collect();
    let solved = |goal: Goal| solved(hierarchy, (&listed, known), moved, goal);
    // What a plan gives is for all that are listed.
    let given = |shares: &[Rational]| {
        let of_known =
            hierarchy.listed.iter().zip(shares).find(|(level, share)| known == Some(**level) && share.is_positive());
        match of_known {
            Some((level, _)) => {
                let of = hierarchy.levels[*level].granularity.clone();
                Err(LevelsError::KnownShare { of, shares: asked.shares_key() })
            }
            None => Ok(hierarchy
                .listed
                .iter()
                .zip(shares)
                .filter(|(level, _)| measured(level))
                .map(|(_, share)| share.clone())
                .collect()),
        }
    };
    let even = || vec![Rational::ratio(1, listed.len() as u128); listed.len()];
    let found = match asked {
        Asked::Levels(levels) => match &levels.shares.value {
            LevelShares::Even => even(),
            LevelShares::Balanced => solved(Goal::Balanced),
            LevelShares::Given(shares) => given(shares)?,
        },
        Asked::Margins(margins) => match &margins.shares.value {
            MarginShares::Even => even(),
            MarginShares::Balanced => solved(Goal::Balanced),
            MarginShares::LeastError => {
                let cells = listed.iter().map(|&level| hierarchy.levels[level].cells() as f64).collect();
                solved(Goal::LeastError { cells })
            }
            MarginShares::Given(shares) => given(shares)?,
        },
    };
    let mut shares = vec![Rational::ZERO; hierarchy.levels.len()];
    listed.iter().zip(found).for_each(|(&level, share): (_, Rational)| shares[level] = share);
    Ok(shares)
}

/// Shares of residuals of all margins, with which the listed ones err least over all cells under Gaussian noise, if that is by a hundredth less than with these
/// `shares` of the margins; none of levels. `moved` says how far a unit moves each margin, and each residual, in cells.
pub(super) fn residual_shares(hierarchy: &Hierarchy, shares: &[Rational], moved: [&[f64]; 2]) -> Option<Vec<Rational>> {
    let Nesting::Table { variances, .. } = &hierarchy.nesting else { return None };
    let mut weights = vec![0.0; hierarchy.levels.len()];
    hierarchy.listed.iter().for_each(|&level| weights[level] = hierarchy.levels[level].cells() as f64);
    residuals::shares(variances, &weights, moved[1], &Measuring { shares, moved: moved[0] })
}

/// The shares of these levels that serve a goal best, beside one that may be known.
fn solved(
    hierarchy: &Hierarchy,
    (listed, known): (&[usize], Option<usize>),
    (kind, moved): (NoiseKind, &[f64]),
    goal: Goal,
) -> Vec<Rational> {
    let tree = matches!(hierarchy.nesting, Nesting::Tree).then(|| hierarchy.tree());
    let variances = |noise: &[f64]| {
        let mut all = vec![f64::INFINITY; hierarchy.levels.len()];
        if let Some(known) = known {
            all[known] = 0.0;
        }
        listed.iter().zip(noise).for_each(|(&level, &noise)| all[level] = noise);
        let found = tree.as_ref().map_or_else(|| hierarchy.variances(&all), |tree| tree.means(&all));
        listed.iter().map(|&level| found[level]).collect()
    };
    let moved: Vec<f64> = listed.iter().map(|&level| moved[level]).collect();
    let needed: Vec<bool> = listed.iter().map(|&level| hierarchy.is_needed(level)).collect();
    Search { variances: &variances, moved: (kind, &moved), needed: &needed, goal: &goal }.shares()
}
