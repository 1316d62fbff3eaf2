//! Division of a statistic's epsilon among its levels.

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
    Asked,
    error::LevelsError,
    hierarchy::{Hierarchy, Nesting},
};
use crate::plan::{LevelShares, Levels, MarginShares, Margins};

/// Exact shares that add up to 1, one a level, where a unit moves the levels so far, in the norm that noise of this
/// kind is made for. A level with none is not measured. Those that are `known` have none.
///
/// # Errors
/// [`LevelsError::KnownShare`] where the plan gives them some, and [`LevelsError::AllKnown`] if nothing else is listed.
pub(super) fn shares(
    (asked, known): (Asked<'_>, &[usize]),
    hierarchy: &Hierarchy,
    moved: (NoiseKind, &[f64]),
) -> Result<Vec<Rational>, LevelsError> {
    let measured = |level: &&usize| !known.contains(level);
    let listed: Vec<usize> = hierarchy.listed.iter().filter(measured).copied().collect();
    if listed.is_empty() {
        return Err(LevelsError::AllKnown);
    }
    let search = Solved { hierarchy, listed: &listed, known, moved };
    // What a plan gives is for all that are listed.
    let given = |shares: &[Rational]| {
        let of_known =
            hierarchy.listed.iter().zip(shares).find(|(level, share)| known.contains(level) && share.is_positive());
        match of_known {
            Some((level, _)) => {
                let granularity = hierarchy.levels[*level].granularity.clone();
                Err(LevelsError::KnownShare { granularity, shares: asked.shares_key() })
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
    let cells = || listed.iter().map(|&level| hierarchy.levels[level].cells() as f64).collect();
    let listed_shares = match asked {
        Asked::Levels(levels) => match &levels.shares.value {
            LevelShares::Even => even(),
            LevelShares::Balanced => search.each(&Goal::Balanced),
            LevelShares::Given(shares) => given(shares)?,
        },
        Asked::Margins(margins) => match &margins.shares.value {
            MarginShares::Even => even(),
            MarginShares::Balanced => search.each(&Goal::Balanced),
            MarginShares::LeastError => search.each(&Goal::LeastError { cells: cells() }),
            MarginShares::Given(shares) => given(shares)?,
        },
        Asked::Both(levels, margins) => search.products(levels, margins),
    };
    let mut shares = vec![Rational::ZERO; hierarchy.levels.len()];
    listed.iter().zip(listed_shares).for_each(|(&level, share): (_, Rational)| shares[level] = share);
    Ok(shares)
}

/// Shares of residuals of all margins, with which the listed ones err least over all cells under Gaussian noise, if
/// that is by a hundredth less than with these `shares` of the margins; none of levels. `moved` says how far a unit
/// moves each margin, and each residual, in cells.
pub(super) fn residual_shares(hierarchy: &Hierarchy, shares: &[Rational], moved: [&[f64]; 2]) -> Option<Vec<Rational>> {
    let Nesting::Table { variances, .. } = &hierarchy.nesting else { return None };
    let mut weights = vec![0.0; hierarchy.levels.len()];
    hierarchy.listed.iter().for_each(|&level| weights[level] = hierarchy.levels[level].cells() as f64);
    residuals::shares(variances, &weights, moved[1], &Measuring { shares, moved: moved[0] })
}

/// Number of alternating solutions for the shares of levels and of margins, where both are.
const TURNS: usize = 2;

/// Levels whose shares are solved for, beside those that are known.
struct Solved<'a> {
    hierarchy: &'a Hierarchy,
    listed: &'a [usize],
    known: &'a [usize],
    moved: (NoiseKind, &'a [f64]),
}

impl Solved<'_> {
    /// One share for each level.
    fn each(&self, goal: &Goal) -> Vec<Rational> {
        let needed: Vec<bool> = self.listed.iter().map(|&level| self.hierarchy.is_needed(level)).collect();
        self.search(&needed, &|shares| shares.to_vec(), goal)
    }

    /// Shares of levels times shares of margins: what is listed of both is all margins of the first level, then of the
    /// next. What is known has no part, and the others have its part in proportion to their own.
    fn products(&self, levels: &Levels, margins: &Margins) -> Vec<Rational> {
        let (rows, columns) = (levels.names.len(), margins.sets.value.len());
        let place = |level: &usize| self.hierarchy.listed.iter().position(|listed| listed == level).unwrap_or(0);
        let pairs: Vec<(usize, usize)> =
            self.listed.iter().map(place).map(|place| (place / columns, place % columns)).collect();
        let even = |parts: usize| vec![Rational::ratio(1, parts as u128); parts];
        let mut of_levels = match &levels.shares.value {
            LevelShares::Given(shares) => shares.clone(),
            LevelShares::Even | LevelShares::Balanced => even(rows),
        };
        let mut of_margins = match &margins.shares.value {
            MarginShares::Given(shares) => shares.clone(),
            MarginShares::Even | MarginShares::Balanced | MarginShares::LeastError => even(columns),
        };
        let of_cells = || self.listed.iter().map(|&level| self.hierarchy.levels[level].cells() as f64).collect();
        let goal = match &margins.shares.value {
            MarginShares::LeastError => Goal::LeastError { cells: of_cells() },
            MarginShares::Even | MarginShares::Balanced | MarginShares::Given(_) => Goal::Balanced,
        };
        let solves_margins = matches!(margins.shares.value, MarginShares::Balanced | MarginShares::LeastError);
        let solves_levels = levels.shares.value == LevelShares::Balanced;
        let needed = |of_pair: &dyn Fn(&(usize, usize)) -> usize, parts: usize| -> Vec<bool> {
            let is_needed = |part: usize| {
                let of_part = pairs.iter().zip(self.listed).filter(|(pair, _)| of_pair(pair) == part);
                let mut levels = of_part.map(|(_, &level)| level);
                levels.any(|level| self.hierarchy.is_needed(level))
            };
            (0..parts).map(is_needed).collect()
        };
        let doubles = |shares: &[Rational]| shares.iter().map(Rational::to_f64).collect::<Vec<f64>>();
        for _ in 0..if solves_levels && solves_margins { TURNS } else { 1 } {
            if solves_margins {
                let fixed = doubles(&of_levels);
                let expand = |shares: &[f64]| pairs.iter().map(|(row, column)| fixed[*row] * shares[*column]).collect();
                of_margins = self.search(&needed(&|pair| pair.1, columns), &|shares| normal(expand(shares)), &goal);
            }
            if solves_levels {
                let fixed = doubles(&of_margins);
                let expand = |shares: &[f64]| pairs.iter().map(|(row, column)| shares[*row] * fixed[*column]).collect();
                of_levels = self.search(&needed(&|pair| pair.0, rows), &|shares| normal(expand(shares)), &goal);
            }
        }
        let shares: Vec<Rational> = pairs.iter().map(|(row, column)| &of_levels[*row] * &of_margins[*column]).collect();
        let all = shares.iter().fold(Rational::ZERO, |all, share| &all + share);
        shares.iter().map(|share| share / &all).collect()
    }

    /// The shares that serve a goal best, where `expand` says which shares of the listed levels they stand for.
    fn search(&self, needed: &[bool], expand: &dyn Fn(&[f64]) -> Vec<f64>, goal: &Goal) -> Vec<Rational> {
        let Self { hierarchy, listed, known, moved: (kind, moved) } = self;
        let tree = matches!(hierarchy.nesting, Nesting::Tree).then(|| hierarchy.tree());
        let variances = |noise: &[f64]| {
            let mut all = vec![f64::INFINITY; hierarchy.levels.len()];
            known.iter().for_each(|&known| all[known] = 0.0);
            listed.iter().zip(noise).for_each(|(&level, &noise)| all[level] = noise);
            let variances = tree.as_ref().map_or_else(|| hierarchy.variances(&all), |tree| tree.means(&all));
            listed.iter().map(|&level| variances[level]).collect()
        };
        let moved: Vec<f64> = listed.iter().map(|&level| moved[level]).collect();
        Search { variances: &variances, expand, moved: (*kind, &moved), needed, goal }.shares()
    }
}

/// Shares that add up to 1.
fn normal(shares: Vec<f64>) -> Vec<f64> {
    let all: f64 = shares.iter().sum();
    shares.into_iter().map(|share| share / all).collect()
}
