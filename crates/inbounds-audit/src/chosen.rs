//! Privacy loss of a choice of bins, by its law for the counts of two tables.

use inbounds_mechanisms::selection::RankSelection;

use crate::vector::Vector;

/// Most outcomes that are looked at for several quantiles.
const MOST_OUTCOMES: usize = 4096;

fn selection(vector: &Vector) -> &RankSelection {
    vector.mechanism.selection().expect("a choice of bins")
}

/// The cells of two tables whose counts differ.
fn moved<'a>(
    bins: usize,
    left: &'a [i128],
    right: &'a [i128],
) -> impl Iterator<Item = (usize, &'a [i128], &'a [i128])> {
    let cells = left.chunks(bins).zip(right.chunks(bins)).enumerate();
    cells.filter(|(_, (left, right))| left != right).map(|(cell, (left, right))| (cell, left, right))
}

/// The largest log ratio of probabilities of an outcome: the sum over cells of the largest of each.
///
/// For one quantile all bins are outcomes; for several, those that a search finds in which few bins stand for all: the
/// ends, those that hold a quantile, and those beside a count that differs.
pub(crate) fn loss(vector: &Vector, left: &[i128], right: &[i128]) -> f64 {
    let selection = selection(vector);
    let of_cell = |(_, left, right): (usize, &[i128], &[i128])| {
        if selection.probabilities().len() == 1 {
            let law = |counts: &[i128]| selection.law(&counts.iter().map(|count| *count as f64).collect::<Vec<_>>());
            let ratio = |(one, other): (&f64, &f64)| if one.min(*other) > 0.0 { (one / other).ln().abs() } else { 0.0 };
            return law(left).iter().zip(&law(right)).map(ratio).fold(0.0, f64::max);
        }
        let outcomes = outcomes(selection, left, right);
        let ratio = |bins: &Vec<usize>| {
            let [one, other] = [left, right].map(|counts| selection.ln_probability(counts, bins));
            if one.is_finite() && other.is_finite() { (one - other).abs() } else { 0.0 }
        };
        outcomes.iter().map(ratio).fold(0.0, f64::max)
    };
    moved(selection.bins(), left, right).map(of_cell).sum()
}

/// Bins that may be chosen, in order.
fn outcomes(selection: &RankSelection, left: &[i128], right: &[i128]) -> Vec<Vec<usize>> {
    let (bins, quantiles) = (selection.bins(), selection.probabilities().len());
    let differs =
        (0..bins).filter(|bin| left[*bin] != right[*bin]).flat_map(|bin| [bin.saturating_sub(1), bin, bin + 1]);
    let held = [left, right].into_iter().flat_map(|counts| {
        let all: i128 = counts.iter().sum();
        let place = move |p: f64| {
            let mut rows = 0;
            counts.iter().position(|count| {
                rows += count;
                rows as f64 >= p * all as f64
            })
        };
        selection.probabilities().iter().filter_map(move |p| place(p.to_f64()))
    });
    let mut candidates: Vec<usize> =
        [0, bins - 1].into_iter().chain(differs).chain(held).filter(|bin| *bin < bins).collect();
    candidates.sort_unstable();
    candidates.dedup();
    let mut outcomes = vec![Vec::new()];
    for _ in 0..quantiles {
        let longer = |outcome: &Vec<usize>| {
            let least = outcome.last().copied().unwrap_or(0);
            let next = candidates.iter().filter(move |bin| **bin >= least);
            next.map(|bin| [outcome.as_slice(), &[*bin]].concat()).collect::<Vec<_>>()
        };
        outcomes = outcomes.iter().flat_map(longer).take(MOST_OUTCOMES).collect();
    }
    outcomes
}

/// The log ratio of the probabilities of what was chosen.
pub(crate) fn score(vector: &Vector, times: &[i128], left: &[i128], right: &[i128]) -> f64 {
    let selection = selection(vector);
    let of_cell = |(cell, left, right): (usize, &[i128], &[i128])| {
        let own = &times[cell * selection.bins()..(cell + 1) * selection.bins()];
        let chosen: Vec<usize> =
            own.iter().enumerate().flat_map(|(bin, times)| std::iter::repeat_n(bin, *times as usize)).collect();
        selection.ln_probability(left, &chosen) - selection.ln_probability(right, &chosen)
    };
    moved(selection.bins(), left, right).map(of_cell).sum()
}
