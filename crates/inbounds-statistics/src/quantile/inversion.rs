//! The inversion of tests at the edges of a noisy distribution, for quantiles from counts of bins and of runs around
//! chosen ones.

use inbounds_core::Quantity;

use crate::{Output, Unit};

/// Fewest and most draws of the pivots' noise.
const DRAWS: (usize, usize) = (1999, 99_999);

/// Number of draws of the pivots' noise that serve a level: two of them at least are beyond each threshold, unless that
/// takes more than 99,999.
pub(super) fn draws(level: f64) -> usize {
    let wanted = (4.0 / (1.0 - level) * (1.0 - 1e-9)).ceil() as usize;
    wanted.saturating_sub(1).clamp(DRAWS.0, DRAWS.1)
}

/// The rank among this many draws of a pivot that further noise passes with probability at most `(1 - level) / 2`; none
/// where that takes more draws.
pub(super) fn rank(level: f64, draws: usize) -> Option<usize> {
    let rank = (0.5 * (1.0 + level) * (draws as f64 + 1.0)).ceil() as usize;
    (1..=draws).contains(&rank).then_some(rank)
}

/// The first and the last of the bins, or runs of them, that may hold the quantile: with the pivots and thresholds of
/// the inner edges, and the numbers of rows below all edges.
pub(super) fn held(pivots: &[f64], thresholds: &[f64], below: &[f64]) -> (usize, usize) {
    // Equal numbers may differ by the rounding of sums.
    let slack = 1e-9 + 1e-14 * below.iter().fold(0.0, |largest, s| s.abs().max(largest));
    // Bin `first` ends at inner edge `first`; below the last edge all rows lie.
    let first = pivots.iter().zip(thresholds).position(|(d, t)| *d >= -t - slack).unwrap_or(pivots.len());
    // Bin `j + 1` begins at inner edge `j`; before the first edge none do.
    let last = pivots.iter().zip(thresholds).rposition(|(d, t)| *d <= t + slack).map_or(0, |j| j + 1);
    (first.min(last), last.max(first))
}

/// A quantile of each probability, in the unit of the column.
pub(super) fn outputs(probabilities: &[f64]) -> Vec<Output> {
    let output = |p: &f64| Output { quantity: Quantity::Quantile { probability: *p }, unit: Unit::Columns(vec![0]) };
    probabilities.iter().map(output).collect()
}

/// One in this many of the bins has rows where these lie close together.
const CLOSE: usize = 20;

/// Rows of public numbers, for which errors are stated and methods compared before rows are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spread {
    /// Evenly over all bins.
    Even,
    /// Evenly over a twentieth of the bins, in the middle: bounds are often wide.
    Close,
}

impl Spread {
    /// Those that differ for this many bins.
    pub(super) fn for_bins(bins: usize) -> &'static [Self] {
        if bins < 2 * CLOSE { &[Self::Even] } else { &[Self::Even, Self::Close] }
    }

    /// Counts of the bins for this many rows.
    pub(super) fn counts(self, bins: usize, rows: u64) -> Vec<i128> {
        let filled = match self {
            Self::Even => bins,
            Self::Close => bins / CLOSE,
        };
        let (rows, parts) = (i128::from(rows), filled as i128);
        let first = (bins - filled) / 2;
        let mut counts = vec![0; bins];
        let each = counts[first..first + filled].iter_mut().zip(0..);
        each.for_each(|(count, part)| *count = rows * (part + 1) / parts - rows * part / parts);
        counts
    }

    /// Its name for a probability.
    pub(super) fn case(self, p: f64, rows: u64) -> String {
        match self {
            Self::Even => format!("probability {p}, {rows} rows spread over the bins"),
            Self::Close => format!("probability {p}, {rows} rows in a twentieth of the bins"),
        }
    }
}
