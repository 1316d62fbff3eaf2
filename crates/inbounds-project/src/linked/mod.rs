//! Sums of the same cells by several groupings, of which none need be part of another.
//!
//! Counties are in states and in health regions: both add up over counties, and neither over the other. What is solved
//! for are the finest cells, and every sum is made of them, so that sums hold over each grouping whatever was measured.
//!
//! - [`Groupings`]: which finest cells are in which cell of each grouping;
//! - `linear`: the unbiased fit, by conjugate gradients, and its variances;
//! - `bounded`: the fit that is not negative; `rounding`: the fit in whole numbers.

mod bounded;
mod linear;
mod rounding;

pub use self::bounded::LinkedSolution;

/// Groupings of finest cells, which have all their cells among them.
///
/// # Example
/// ```
/// use inbounds_project::linked::Groupings;
/// // Four counties: two states, two health regions, and the counties themselves.
/// let groupings = Groupings::new(4, vec![vec![0, 0, 1, 1], vec![0, 1, 1, 0], vec![0, 1, 2, 3]]);
/// let measured = [vec![30.0, 70.0], vec![51.0, 49.0], vec![11.0, 19.0, 31.0, 41.0]];
/// let sums = groupings.sums(&groupings.linear(&measured, &[1.0, 1.0, 1.0]));
/// let county = &sums[2];
/// assert!((sums[0][0] - county[0] - county[1]).abs() < 1e-9 && (sums[1][0] - county[0] - county[3]).abs() < 1e-9);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Groupings {
    finest: usize,
    levels: Vec<Level>,
}

/// One grouping.
#[derive(Debug, Clone, PartialEq)]
struct Level {
    /// Its cell of each finest cell.
    cell_of: Vec<u32>,
    cells: usize,
}

impl Groupings {
    /// Groupings of `finest` finest cells, each with its cell of every finest one, numbered from 0.
    ///
    /// # Panics
    /// If a grouping has not one cell for each finest one, or some number has none.
    pub fn new(finest: usize, groupings: Vec<Vec<u32>>) -> Self {
        let level = |cell_of: Vec<u32>| {
            assert_eq!(cell_of.len(), finest, "a cell of each finest one");
            let cells = cell_of.iter().max().map_or(0, |most| *most as usize + 1);
            let mut seen = vec![false; cells];
            cell_of.iter().for_each(|&cell| seen[cell as usize] = true);
            assert!(seen.iter().all(|seen| *seen), "cells that are numbered without gaps");
            Level { cell_of, cells }
        };
        Self { finest, levels: groupings.into_iter().map(level).collect() }
    }

    /// Number of cells of each grouping.
    pub fn cells(&self) -> impl Iterator<Item = usize> {
        self.levels.iter().map(|level| level.cells)
    }

    /// The sums of numbers of the finest cells, by grouping.
    pub fn sums(&self, finest: &[f64]) -> Vec<Vec<f64>> {
        self.levels.iter().map(|level| level.sums(finest)).collect()
    }

    /// Of each grouping, whether all of its cells are sums of cells of another.
    fn is_coarser(&self) -> Vec<bool> {
        let finer = |coarse: usize, fine: usize| {
            let (coarse, fine) = (&self.levels[coarse], &self.levels[fine]);
            fine.cells > coarse.cells && coarse.is_made_of(fine)
        };
        let all = 0..self.levels.len();
        all.clone().map(|coarse| all.clone().any(|fine| finer(coarse, fine))).collect()
    }
}

impl Level {
    fn sums(&self, finest: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.cells];
        self.cell_of.iter().zip(finest).for_each(|(&cell, number)| sums[cell as usize] += number);
        sums
    }

    /// `true` if each of its cells is a sum of cells of another grouping.
    fn is_made_of(&self, fine: &Self) -> bool {
        let mut parent = vec![u32::MAX; fine.cells];
        self.cell_of.iter().zip(&fine.cell_of).all(|(&coarse, &fine)| {
            let known = &mut parent[fine as usize];
            if *known == u32::MAX {
                *known = coarse;
            }
            *known == coarse
        })
    }
}

#[cfg(test)]
mod tests;
