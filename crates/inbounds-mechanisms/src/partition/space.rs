//! Cells of a public space of keys, of which a row has few.

use inbounds_core::{
    Answer, Enclosure, Epsilon, Guarantee, Rational, Sensitivity, StepRange,
    planted::{Defect, planted},
};

use super::{
    KeyCandidates, KeyNoise, KeySelection,
    learned::{existing, least_threshold},
};
use crate::{
    calibrate::{self, CalibrationError},
    law::discrete_laplace::DiscreteLaplace,
    mechanism::{Calibration, Mechanism as _},
    noise::GridNoise,
    sampler::{Entropy, binomial::binomial, uniform::uniform_below},
};

/// A cell of a space of keys that is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RankedCell {
    /// The place of its key in the space. Public.
    pub rank: u64,
    /// Its noisy count, at least the threshold.
    pub measurement: i128,
}

impl KeySelection {
    /// Noise for epsilon on the counts of all of `cells` keys, and the least threshold from 1 on at which cells without
    /// rows that are published are expected to be at most `spurious`, whatever the rows.
    ///
    /// # Guarantee
    /// `epsilon`, without delta, for the published keys and measurements together; see the [module](super).
    ///
    /// # Errors
    /// [`CalibrationError::ZeroSensitivity`], [`CalibrationError::Scale`], and [`CalibrationError::Unproved`] where
    /// `spurious` is not above 0, there is no cell, or the threshold is above `2^116`.
    ///
    /// # Example
    /// A million million keys: `10^12 e^-30 / (1 + e^-1) = 0.068` cells without rows are published on average.
    /// ```
    /// use inbounds_core::{Answer, Epsilon, Rational, Sensitivity};
    /// use inbounds_mechanisms::{partition::{KeySelection, RankedCell}, sampler::SeededEntropy};
    /// let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "sum-add-remove", squares: None };
    /// let epsilon = Epsilon::new("1".parse()?)?;
    /// let tenth: Rational = "0.1".parse()?;
    /// let selection = KeySelection::calibrate_space(&epsilon, &one, 1_000_000_000_000, &tenth).expect("calibrates");
    /// assert_eq!(selection.threshold(), 30);
    /// // Two keys have rows, the one with rank 7 and the one with rank 400.
    /// let published = selection.select_of_space(&[7, 400], Answer::new(vec![2, 90]), &mut SeededEntropy::from_seed(8));
    /// assert_eq!(published.iter().map(|cell| cell.rank).collect::<Vec<_>>(), [400]);
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn calibrate_space(
        epsilon: &Epsilon,
        sensitivity: &Sensitivity,
        cells: u64,
        spurious: &Rational,
    ) -> Result<Self, CalibrationError> {
        let unproved = || CalibrationError::Unproved { epsilon: epsilon.to_string(), l1: sensitivity.l1 };
        if !spurious.is_positive() || cells == 0 {
            return Err(unproved());
        }
        let inverse_scale = calibrate::clamped(epsilon, sensitivity)?;
        let law = calibrate::law(inverse_scale, epsilon, sensitivity)?;
        let zeros = (-spurious.to_f64().max(f64::MIN_POSITIVE).log2()).max(0.0) as usize;
        let bits = 256 + zeros;
        let most = Enclosure::from_rational(spurious, bits);
        let is_proved = |threshold: i128| expected(&law, threshold, cells, bits).certainly_at_most(&most);
        let threshold = least_threshold(is_proved).ok_or_else(unproved)?;
        let calibration = Calibration {
            guarantee: Guarantee::Pure { epsilon: epsilon.clone() },
            sensitivity: sensitivity.clone(),
            noise: GridNoise::Laplace(law.clone()),
            range: StepRange::new(Some(0), None).expect("open above"),
            loss_bound: None,
        };
        let spurious_bound = expected(&law, threshold, cells, bits).upper().to_f64_up();
        let candidates = KeyCandidates::OfSpace { cells, spurious: spurious.clone(), spurious_bound };
        Ok(Self { law, calibration, threshold, kind: KeyNoise::Unbounded, ended: None, candidates })
    }

    /// Consumes the counts of cells by the ranks of their keys, which ascend, and returns those of all cells that are
    /// published, in the order of their ranks. Cells whose rank is not among them have no row; one that is may have
    /// none either.
    ///
    /// # Contract
    /// Ranks are **private**: which keys have rows. Time grows with their number, with the number of published cells
    /// and with `spurious`.
    ///
    /// # Panics
    /// Unless the selection is one of a space, ranks ascend and lie in it, and each has a count.
    pub fn select_of_space(&self, ranks: &[u64], counts: Answer, entropy: &mut dyn Entropy) -> Vec<RankedCell> {
        let &KeyCandidates::OfSpace { cells, .. } = &self.candidates else { panic!("keys of a space are chosen") };
        assert!(
            ranks.is_sorted_by(|a, b| a < b) && ranks.last().is_none_or(|last| *last < cells),
            "ranks of the space"
        );
        assert_eq!(ranks.len(), counts.cells(), "a count for each rank");
        let existing = existing(&counts);
        let known = self.reaching(&existing, entropy).into_iter();
        let mut published: Vec<RankedCell> =
            known.map(|cell| RankedCell { rank: ranks[cell.place], measurement: cell.measurement }).collect();
        if !planted(Defect::EmptyKeysWithoutNoise) {
            let ranks: Vec<u64> = existing.iter().map(|(place, _)| ranks[*place]).collect();
            published.extend(self.without_rows(&ranks, cells, entropy));
        }
        published.sort_unstable();
        published
    }

    /// Published cells of those without rows, in any order.
    fn without_rows(&self, ranks: &[u64], cells: u64, entropy: &mut dyn Entropy) -> Vec<RankedCell> {
        let empty = cells - ranks.len() as u64;
        let number = binomial(empty, |bits| reaches(&self.law, self.threshold, bits), entropy);
        let places = distinct(number, empty, entropy);
        let measurements = self.measure(&vec![0; places.len()], entropy);
        let cell = |(place, measurement): (u64, i128)| RankedCell { rank: rank_among(ranks, place), measurement };
        places.into_iter().zip(measurements).map(cell).collect()
    }
}

/// `P(Z >= T) = a^T / (1 + a)` for `T >= 1`, enclosed.
fn reaches(law: &DiscreteLaplace, threshold: i128, bits: usize) -> Enclosure {
    let tau = law.inverse_scale();
    let power = Enclosure::exp_neg(&(tau * &Rational::from(threshold)), bits);
    power.div(&Enclosure::one(bits).add(&Enclosure::exp_neg(tau, bits)))
}

/// The expected number of cells that reach the threshold, if none has a row.
fn expected(law: &DiscreteLaplace, threshold: i128, cells: u64, bits: usize) -> Enclosure {
    reaches(law, threshold, bits).times(cells)
}

/// So many different numbers below `below`, every set of them with the same probability, in increasing order (Floyd's
/// algorithm).
fn distinct(number: u64, below: u64, entropy: &mut dyn Entropy) -> Vec<u64> {
    let mut chosen = std::collections::BTreeSet::new();
    for last in below - number..below {
        let word = entropy.word();
        let drawn = uniform_below(last + 1, word, entropy);
        if !chosen.insert(drawn) {
            chosen.insert(last);
        }
    }
    chosen.into_iter().collect()
}

/// The rank of the cell with this number of cells without rows before it.
///
/// Of the ranks below it as many are taken as make up the difference: `ranks[i] - i` cells without rows lie before
/// `ranks[i]`.
fn rank_among(ranks: &[u64], place: u64) -> u64 {
    let (mut low, mut high) = (0, ranks.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        if ranks[middle] - middle as u64 <= place { low = middle + 1 } else { high = middle }
    }
    place + low as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::SeededEntropy;

    #[test]
    fn places_are_those_that_are_left() {
        let ranks = [0, 1, 4, 5, 9];
        let left: Vec<u64> = (0..7).map(|place| rank_among(&ranks, place)).collect();
        assert_eq!(left, [2, 3, 6, 7, 8, 10, 11]);
        assert_eq!(rank_among(&[], u64::MAX >> 1), u64::MAX >> 1);
    }

    /// All sets of two of five, 10,000 draws: beyond six standard errors of 1,000 with a probability below 1e-7.
    #[test]
    fn all_sets_are_as_likely() {
        let mut entropy = SeededEntropy::from_seed(3);
        let mut counts = std::collections::BTreeMap::<Vec<u64>, u32>::new();
        for _ in 0..10_000 {
            *counts.entry(distinct(2, 5, &mut entropy)).or_default() += 1;
        }
        assert_eq!(counts.len(), 10);
        assert!(counts.values().all(|times| times.abs_diff(1000) < 180), "{counts:?}");
        assert_eq!(distinct(3, 3, &mut entropy), [0, 1, 2]);
        assert!(distinct(0, 0, &mut entropy).is_empty());
    }
}
