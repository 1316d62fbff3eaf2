//! Runs of bins around chosen ones.

use std::ops::Range;

/// Ratio of the width of a run to that of the one before it, going away from a chosen bin: for one chosen bin and for
/// several.
const WIDER: [usize; 2] = [4, 16];

/// Consecutive runs of bins: each chosen bin by itself, and beside it runs that grow with the distance.
///
/// # Law
/// With `k` bins, the edges are 0, `k`, and for each chosen bin `y` the numbers `y - w` and `y + 1 + w` that lie
/// between, `w` over `0, 1, f, f^2, ...`; `f` is 4 for one chosen bin and 16 for several.
///
/// # Example
/// ```
/// use inbounds_statistics::quantile::Runs;
/// let runs = Runs::around(&[30], 100);
/// assert_eq!(runs.edges(), [0, 14, 26, 29, 30, 31, 32, 35, 47, 95, 100]);
/// assert!(runs.number() <= Runs::most(1, 100));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runs(Vec<usize>);

/// `0, 1, f, f^2, ...` below a number of bins.
fn widths(chosen: usize, bins: usize) -> impl Iterator<Item = usize> {
    let wider = WIDER[usize::from(chosen > 1)];
    std::iter::once(0)
        .chain(std::iter::successors(Some(1), move |width| Some(width * wider)))
        .take_while(move |width| *width < bins)
}

impl Runs {
    /// Runs of `bins` bins around the places of chosen ones.
    pub fn around(chosen: &[usize], bins: usize) -> Self {
        let mut edges = vec![0, bins];
        for place in chosen {
            for width in widths(chosen.len(), bins) {
                edges.extend(place.checked_sub(width));
                edges.extend(Some(place + 1 + width).filter(|edge| *edge < bins));
            }
        }
        edges.sort_unstable();
        edges.dedup();
        Self(edges)
    }

    /// The most runs around that many chosen bins.
    pub fn most(chosen: usize, bins: usize) -> usize {
        (2 * chosen * widths(chosen, bins).count() + 1).min(bins)
    }

    /// The numbers of bins below the edges between runs, from 0 to all.
    pub fn edges(&self) -> &[usize] {
        &self.0
    }

    /// Number of runs.
    pub fn number(&self) -> usize {
        self.0.len() - 1
    }

    /// The bins of each run.
    pub(super) fn spans(&self) -> impl Iterator<Item = Range<usize>> {
        self.0.windows(2).map(|pair| pair[0]..pair[1])
    }

    /// The run of each bin, counted from `first`.
    pub(super) fn of_bins(&self, bins: usize, first: u32) -> Vec<u32> {
        let mut runs = Vec::with_capacity(bins);
        self.spans().enumerate().for_each(|(run, span)| runs.extend(span.map(|_| first + run as u32)));
        runs
    }

    /// Numbers of rows at or below the end of each run, from counts of the runs; what is counted beyond the last run is
    /// noise.
    pub(super) fn below(&self, counts: &[i128]) -> Vec<f64> {
        sums(counts[..self.number()].iter().copied())
    }
}

/// Running sums.
pub(super) fn sums(counts: impl Iterator<Item = i128>) -> Vec<f64> {
    let mut sum = 0;
    let add = |count: i128| {
        sum += count;
        sum as f64
    };
    counts.map(add).collect()
}

/// The pivots at the inner edges: with the sums `S_1, ..., S_k` of counts, `S_j - p S_k`; with a public number `n` of
/// rows `S_j - (j / k) (S_k - n) - p n`, in which the noise of all counts is spread out evenly.
pub(super) fn pivots(below: &[f64], p: f64, rows: Option<f64>) -> Vec<f64> {
    let (runs, all) = (below.len() as f64, below[below.len() - 1]);
    let pivot = |(place, sum): (usize, &f64)| match rows {
        None => sum - p * all,
        Some(rows) => sum - (place as f64 + 1.0) / runs * (all - rows) - p * rows,
    };
    below[..below.len() - 1].iter().enumerate().map(pivot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_divide_the_bins_and_are_never_more_than_most() {
        for bins in [1, 2, 3, 10, 64, 1000, 4096] {
            for chosen in
                [vec![0], vec![bins - 1], vec![bins / 2], vec![bins / 4, bins / 2, bins / 2], vec![bins / 3; 9]]
            {
                let runs = Runs::around(&chosen, bins);
                let all: Vec<usize> = runs.spans().flatten().collect();
                assert!(all.iter().copied().eq(0..bins), "{bins} {chosen:?}");
                assert!(runs.number() <= Runs::most(chosen.len(), bins), "{bins} {chosen:?}");
                assert_eq!(runs.of_bins(bins, 5).len(), bins);
                assert!(chosen.iter().all(|place| runs.spans().any(|span| span == (*place..place + 1))));
            }
        }
    }
}
