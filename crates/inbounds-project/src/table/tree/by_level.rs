//! The errors of the linear fit, level by level, before anything is measured.

use super::super::{
    axes::Axes,
    variances::{MarginVariances, summed},
};
use crate::tree::LevelVariances;

/// The margins of the tables of a tree, ready to tell the mean variances of their linear fit at each level.
///
/// # Contract
/// All tables of a level have their margins measured alike: `V_{l,S}` is the variance of a margin `S` at a level `l`. A
/// component `A` is an ordinary tree whose levels have the variances
/// `1 / sum over measured S that include A of 1 / (V_{l,S} n(S \ A))`, and a cell of a margin is made of the components
/// of its parts as in [`MarginVariances`]. So the means are those of [`linear`](super::linear()) for the same tree,
/// averaged over the nodes of a level.
///
/// # Example
/// A state of two counties, with men and women of each, all measured with variance 2: each sex is a tree of three
/// numbers.
/// ```
/// use inbounds_project::{table::{Axes, tree::LevelMarginVariances}, tree::LevelVariances};
/// let tree = LevelVariances::new(&[1, 2], &[None, Some(0), Some(0)])?;
/// let tables = LevelMarginVariances::new(tree, 2, &[2], [Axes::new([0])]);
/// // Level by level, the total and the two cells.
/// let none = f64::INFINITY;
/// let found = tables.of_all(&[none, 2.0, none, 2.0]);
/// assert!(found.iter().zip([8.0 / 3.0, 4.0 / 3.0, 8.0 / 3.0, 4.0 / 3.0]).all(|(one, other)| (one - other).abs() < 1e-12));
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
#[derive(Debug, Clone)]
pub struct LevelMarginVariances {
    tree: LevelVariances,
    levels: usize,
    margins: MarginVariances,
    sizes: Vec<usize>,
}

impl LevelMarginVariances {
    /// Of a tree of this many levels, and of all margins of some margins, where attributes have these sizes.
    ///
    /// # Panics
    /// If a margin has an attribute without a size.
    pub fn new(tree: LevelVariances, levels: usize, sizes: &[usize], margins: impl IntoIterator<Item = Axes>) -> Self {
        Self { tree, levels, margins: MarginVariances::new(sizes, margins), sizes: sizes.to_vec() }
    }

    /// All margins of a table, smaller ones first.
    pub fn margins(&self) -> &[Axes] {
        self.margins.margins()
    }

    /// The mean variance of a cell of each margin at each level, level after level, from the variance of the
    /// measurements of each: infinite for one that is not measured, zero for one that is known. The largest margin must
    /// be measured at the last level.
    ///
    /// # Panics
    /// Unless there is one variance for each margin of each level.
    pub fn of_all(&self, measured: &[f64]) -> Vec<f64> {
        let margins = self.margins();
        assert_eq!(measured.len(), self.levels * margins.len(), "one variance for each margin of each level");
        let component = |axes: &Axes| {
            let of_level = |measured: &[f64]| {
                let told = margins.iter().zip(measured).filter(|(margin, _)| margin.includes(*axes));
                told.map(|(margin, variance)| (variance * summed(&self.sizes, *margin, *axes)).recip())
                    .sum::<f64>()
                    .recip()
            };
            self.tree.means(&measured.chunks_exact(margins.len()).map(of_level).collect::<Vec<f64>>())
        };
        let components: Vec<Vec<f64>> = margins.iter().map(component).collect();
        let level = |level: usize| {
            self.margins.of_residuals(&components.iter().map(|component| component[level]).collect::<Vec<f64>>())
        };
        (0..self.levels).flat_map(level).collect()
    }

    /// The same of some margins alone, of which the others are not measured.
    ///
    /// # Example
    /// Of a state and its two counties the total is not asked for.
    /// ```
    /// use inbounds_project::{table::{Axes, tree::LevelMarginVariances}, tree::LevelVariances};
    /// let tree = LevelVariances::new(&[1, 2], &[None, Some(0), Some(0)])?;
    /// let tables = LevelMarginVariances::new(tree, 2, &[2], [Axes::new([0])]);
    /// let found = tables.of_some(&[Axes::new([0])], &[2.0, 2.0]);
    /// assert!(found.iter().all(|one| (one - 4.0 / 3.0).abs() < 1e-12));
    /// # Ok::<(), inbounds_project::ProjectError>(())
    /// ```
    ///
    /// # Panics
    /// If one is none of the margins, or unless there is one variance for each of them at each level.
    pub fn of_some(&self, some: &[Axes], measured: &[f64]) -> Vec<f64> {
        assert_eq!(measured.len(), self.levels * some.len(), "one variance for each margin of each level");
        let margins = self.margins();
        let place = |level: usize, axes: &Axes| {
            level * margins.len() + margins.binary_search(axes).expect("a margin of the table")
        };
        let places: Vec<usize> =
            (0..self.levels).flat_map(|level| some.iter().map(move |axes| place(level, axes))).collect();
        let mut all = vec![f64::INFINITY; self.levels * margins.len()];
        places.iter().zip(measured).for_each(|(&place, variance)| all[place] = *variance);
        let variances = self.of_all(&all);
        places.into_iter().map(|place| variances[place]).collect()
    }
}
