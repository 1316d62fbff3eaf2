//! Laws of chosen bins, in doubles, for public counts.

use inbounds_core::{quadrature, root};

use super::part::Part;
use crate::sampler::{Entropy, WORD, uniform::uniform_below};

/// Panels of the integral, each four times as wide as the one before: beyond `4^PANELS` over the expected number of
/// accepted bins the integrand is below `e^-64`.
const PANELS: i32 = 3;

/// The law of a uniform choice among events that happen independently.
///
/// # Law
/// With the events `A_i` of probability `p_i`, of which one at least is certain, place `j` is chosen with probability
///
/// ```text
/// p_j E[1 / (1 + N_j)] = p_j integral over v from 0 to 1 of prod_(i != j) (1 - p_i v),      N_j = number of A_i, i != j, that happen.
/// ```
///
/// By Gauss-Legendre quadrature on panels as wide as the integrand asks for; relatively to 1e-9 or better, which a test
/// holds it to.
///
/// # Parameters
/// - `accepted`: `p`, each in `[0, 1]`, one of them 1.
///
/// # Example
/// Two certain events and one of probability 1/2: the last is chosen with `1/2 * 1/3`.
/// ```
/// use inbounds_mechanisms::selection::chosen;
/// let law = chosen(&[1.0, 0.5, 1.0]);
/// assert!((law[1] - 1.0 / 6.0).abs() < 1e-12 && (law[0] - 5.0 / 12.0).abs() < 1e-12);
/// ```
pub fn chosen(accepted: &[f64]) -> Vec<f64> {
    let expected: f64 = accepted.iter().sum();
    let mut ends = vec![0.0];
    ends.extend((1..=PANELS).map(|panel| 4f64.powi(panel) / expected).filter(|end| *end < 0.7));
    // Near 1 a factor may vanish, which more panels follow.
    ends.extend(
        [0.7, 0.9, 1.0].into_iter().filter(|end| ends.last().is_some_and(|last| end > last)).collect::<Vec<_>>(),
    );
    // Bins without rows between them miss a quantile by the same number of rows.
    let alike: Vec<(f64, usize)> = accepted.chunk_by(|one, next| one == next).map(|run| (run[0], run.len())).collect();
    let mut law = vec![0.0; alike.len()];
    for panel in ends.windows(2) {
        for (v, weight) in quadrature::nodes(panel[0], panel[1]) {
            let ln_all: f64 = alike.iter().map(|(p, bins)| *bins as f64 * libm::log1p(-p * v)).sum();
            if ln_all < -60.0 {
                continue;
            }
            let share = weight * libm::exp(ln_all);
            law.iter_mut().zip(&alike).for_each(|(own, (p, _))| *own += share * p / (1.0 - p * v));
        }
    }
    law.into_iter().zip(alike).flat_map(|(mass, (_, bins))| std::iter::repeat_n(mass, bins)).collect()
}

/// Exponents beyond which a bin counts as never accepted: of all bins none would be in `10^13` draws.
const NEVER: f64 = 45.0;

/// Public counts of bins, with their running sums.
pub(super) struct Summed {
    counts: Vec<f64>,
    /// Rows in all bins before each, and in all.
    before: Vec<f64>,
}

impl Summed {
    pub(super) fn new(counts: &[f64]) -> Self {
        let mut sum = 0.0;
        let mut before = vec![0.0];
        before.extend(counts.iter().map(|count| {
            sum += count;
            sum
        }));
        Self { counts: counts.to_vec(), before }
    }
}

/// Bins that may be accepted.
pub(super) struct Near {
    first: usize,
    accepted: Vec<f64>,
}

impl Near {
    /// The bins of a part whose rows miss the quantile of `p` by few enough that they may be accepted. The rows
    /// before and after a bin only grow with its place, so that they are a run, whose ends are found by bisection.
    pub(super) fn in_part(part: &Part, summed: &Summed, p: f64, rate: f64) -> Self {
        let per_row = rate / (2.0 * p.max(1.0 - p));
        let (first, last) = part.ends();
        let of_bin = |bin: usize| part.parts_of_rows(bin) * summed.counts[bin];
        let before = |bin: usize| match bin {
            bin if bin == first => 0.0,
            bin => of_bin(first) + (summed.before[bin] - summed.before[first + 1]),
        };
        let after = |bin: usize| before(bin) + of_bin(bin);
        let (wanted, reach) = (p * after(last), NEVER / per_row);
        let end_of = |from: usize, holds: &dyn Fn(usize) -> bool| {
            let last = root::bisect_integer(from as i128 - 1, last as i128 + 1, |bin| holds(bin as usize));
            (last + 1) as usize
        };
        let begin = end_of(first, &|bin| after(bin) < wanted - reach);
        let end = end_of(begin, &|bin| before(bin) <= wanted + reach);
        let missed = |bin: usize| (before(bin) - wanted).max(wanted - after(bin)).max(0.0);
        let mut accepted: Vec<f64> = (begin..end).map(|bin| libm::exp(-per_row * missed(bin))).collect();
        // Sums of doubles may leave the bin of the quantile a rounding short of certain.
        let largest = accepted.iter().fold(0.0_f64, |most, one| most.max(*one));
        accepted.iter_mut().for_each(|one| *one = (*one / largest).min(1.0));
        Self { first: begin, accepted }
    }

    /// The chosen bin, drawn in doubles.
    pub(super) fn draw(&self, entropy: &mut dyn Entropy) -> usize {
        let happens = |place: &usize| entropy.word() as f64 * WORD < self.accepted[*place];
        let happened: Vec<usize> = (0..self.accepted.len()).filter(happens).collect();
        let word = entropy.word();
        let place = if happened.is_empty() { 0 } else { uniform_below(happened.len() as u64, word, entropy) as usize };
        self.first + happened.get(place).copied().unwrap_or(0)
    }
}

/// The law of the bin chosen for one probability.
pub(super) fn of_bins(counts: &[f64], p: f64, rate: f64) -> Vec<f64> {
    let near = Near::in_part(&Part::whole(counts.len()), &Summed::new(counts), p, rate);
    let mut law = vec![0.0; counts.len()];
    law[near.first..][..near.accepted.len()].copy_from_slice(&chosen(&near.accepted));
    law
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The law by the distribution of the number of accepted bins, which shares nothing with the quadrature.
    fn by_numbers(accepted: &[f64]) -> Vec<f64> {
        let others = |j: usize| {
            let mut number = vec![1.0];
            for (i, p) in accepted.iter().enumerate().filter(|(i, _)| *i != j) {
                let _ = i;
                let mut next = vec![0.0; number.len() + 1];
                for (n, mass) in number.iter().enumerate() {
                    next[n] += mass * (1.0 - p);
                    next[n + 1] += mass * p;
                }
                number = next;
            }
            number.iter().enumerate().map(|(n, mass)| mass / (n as f64 + 1.0)).sum::<f64>()
        };
        (0..accepted.len()).map(|j| accepted[j] * others(j)).collect()
    }

    #[test]
    fn the_quadrature_is_the_law() {
        let decaying = |bins: i32, rate: f64| -> Vec<f64> {
            (0..bins).map(|bin| (-rate * f64::from((bin - bins / 3).abs())).exp()).collect()
        };
        let mut cases = vec![vec![1.0], vec![1.0; 400], vec![1.0, 0.0, 1e-9]];
        cases.extend([(3, 0.1), (40, 1.0), (300, 0.01), (300, 0.3)].map(|(bins, rate)| decaying(bins, rate)));
        for accepted in cases {
            let (computed, expected) = (chosen(&accepted), by_numbers(&accepted));
            assert!((computed.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            for (one, other) in computed.iter().zip(&expected) {
                assert!((one - other).abs() <= 1e-9 * other, "{one} {other} of {}", accepted.len());
            }
        }
    }
}
