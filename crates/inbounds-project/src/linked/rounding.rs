//! Controlled rounding of the fit: each number up or down by a flow where one exists, and otherwise in the order of the
//! finest cells.

use super::{Groupings, Level};
use crate::{certificate::Status, constraint::Rows, linear};

/// Flows of more cells take too long to be drawn again and again.
const MOST: usize = 5_000;

impl Groupings {
    /// Whole finest cells whose sums are near those of finest cells that are not negative, where groupings count as in
    /// [`Groupings::nonnegative`].
    ///
    /// If groupings are a network, as two hierarchies of the same cells are, each sum is rounded up or down so that the
    /// sum of squares grows least. Otherwise sums of finest cells side by side are: every cell is less than one away,
    /// and so is every group of cells that stand together.
    pub fn whole(&self, finest: &[f64], variances: &[f64]) -> Vec<f64> {
        self.by_flows(finest, variances).unwrap_or_else(|| side_by_side(finest))
    }

    fn by_flows(&self, finest: &[f64], variances: &[f64]) -> Option<Vec<f64>> {
        // A grouping that distinguishes all finest cells is these cells; the others follow in a list of numbers.
        let is_finest = |level: &Level| level.cells == self.finest;
        let begins = self.levels.iter().scan(self.finest, |end, level| {
            let begin = *end;
            *end += if is_finest(level) { 0 } else { level.cells };
            Some(begin)
        });
        let begins: Vec<usize> = begins.collect();
        // The finest cells and the sums of each grouping, with the weights of the groupings that count.
        let sums = self.sums(finest);
        let (mut values, mut weights) = (finest.to_vec(), Vec::new());
        let kept = self.kept(variances);
        let least = kept.iter().copied().fold(f64::INFINITY, f64::min);
        weights.resize(self.finest, 1e-6 * least);
        for ((level, sums), kept) in self.levels.iter().zip(sums).zip(&kept) {
            if is_finest(level) {
                weights.iter_mut().take(self.finest).for_each(|weight| *weight += kept);
            } else {
                values.extend(sums);
                weights.resize(values.len(), *kept);
            }
        }
        let all = values.len();
        if all > MOST {
            return None;
        }
        // One equality for each sum: it is made of the cells of the next finer grouping, or of finest cells.
        let mut triplets = Vec::new();
        for (coarse, level) in self.levels.iter().enumerate().filter(|(_, level)| !is_finest(level)) {
            let (begin, row) = (begins[coarse], begins[coarse] - self.finest);
            triplets.extend((0..level.cells).map(|cell| (row + cell, begin + cell, 1.0)));
            let mut parts: Vec<(usize, usize)> =
                match self.parts_of(coarse).filter(|fine| !is_finest(&self.levels[*fine])) {
                    None => level.cell_of.iter().enumerate().map(|(finest, &cell)| (cell as usize, finest)).collect(),
                    Some(fine) => (level.cell_of.iter().zip(&self.levels[fine].cell_of))
                        .map(|(&coarse, &part)| (coarse as usize, begins[fine] + part as usize))
                        .collect(),
                };
            parts.sort_unstable();
            parts.dedup();
            triplets.extend(parts.into_iter().map(|(cell, part)| (row + cell, part, -1.0)));
        }
        let rows = Rows::from_triplets(all, &triplets, vec![0.0; all - self.finest]).ok()?;
        let rounded = linear::round(&values, &weights, &rows).ok()?;
        (rounded.status == Status::Optimal).then(|| rounded.estimates[..self.finest].to_vec())
    }

    /// The coarsest grouping of whose cells those of one are sums, if there is one; of two that are the same, the
    /// later.
    fn parts_of(&self, coarse: usize) -> Option<usize> {
        let level = &self.levels[coarse];
        let is_finer = |fine: &usize| {
            let other = &self.levels[*fine];
            (other.cells, *fine) > (level.cells, coarse) && level.is_made_of(other)
        };
        (0..self.levels.len()).filter(is_finer).min_by_key(|fine| (self.levels[*fine].cells, *fine))
    }
}

/// Whole numbers of which any sum from the first on is that of the cells, rounded.
fn side_by_side(finest: &[f64]) -> Vec<f64> {
    let (mut sum, mut rounded_sum) = (0.0, 0.0_f64);
    let next = |cell: &f64| {
        sum += cell;
        let before = std::mem::replace(&mut rounded_sum, f64::round(sum));
        (rounded_sum - before).max(0.0)
    };
    finest.iter().map(next).collect()
}
