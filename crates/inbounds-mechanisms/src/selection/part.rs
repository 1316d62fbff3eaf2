//! A run of bins in which a quantile is chosen, and how many rows each bin misses it by.
//!
//! **Invariant.** Rows of the bins inside count whole, those of the first and the last bin in the part that is theirs:
//! a half for each time that a quantile was chosen there.

use inbounds_core::Rational;

use crate::calibrate::CalibrationError;

/// Most parts of the fraction that a probability is, so that products with counts of rows stay below `2^127`.
const MOST_PARTS: u128 = 1 << 40;

/// Probabilities increase between 0 and 1.
pub(super) fn check(probabilities: &[Rational]) -> Result<(), CalibrationError> {
    let refused = |probability: &Rational| CalibrationError::Probability { found: probability.to_f64() };
    let inside = |p: &&Rational| p.is_positive() && **p < Rational::ONE && parts_of(p).is_some();
    if probabilities.is_empty() {
        return Err(CalibrationError::Probability { found: f64::NAN });
    }
    if let Some(outside) = probabilities.iter().find(|p| !inside(p)) {
        return Err(refused(outside));
    }
    match probabilities.windows(2).find(|pair| pair[0] >= pair[1]) {
        Some(pair) => Err(refused(&pair[1])),
        None => Ok(()),
    }
}

/// Numerator and denominator, where both are small enough.
fn parts_of(p: &Rational) -> Option<(i128, i128)> {
    let (numerator, denominator) = p.parts();
    let denominator = u128::try_from(denominator).ok().filter(|parts| *parts <= MOST_PARTS)?;
    Some((i128::try_from(numerator).ok()?, i128::try_from(denominator).ok()?))
}

/// `max(p, 1 - p)`.
pub(super) fn larger_side(p: &Rational) -> Rational {
    p.clone().max(&Rational::ONE - p)
}

/// A run of bins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    first: usize,
    last: usize,
    /// Quantiles that were chosen around it: rows count `2^depth` whole.
    depth: u32,
    /// Weights of rows in the first and in the last bin; the same where these are one.
    weights: [i128; 2],
}

/// Distances of the bins of a part from a quantile: `steps` times `unit`. One row moves each by at most a half.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Distances {
    pub(super) steps: Vec<u128>,
    pub(super) unit: Rational,
}

impl Part {
    /// All bins.
    pub(super) fn whole(bins: usize) -> Self {
        Self { first: 0, last: bins - 1, depth: 0, weights: [1; 2] }
    }

    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// The bin of the part that is nearest to one.
    pub(super) fn nearest(&self, bin: usize) -> usize {
        bin.clamp(self.first, self.last)
    }

    /// The first and the last bin.
    pub(super) fn ends(&self) -> (usize, usize) {
        (self.first, self.last)
    }

    /// The part of each row of a bin that counts.
    pub(super) fn parts_of_rows(&self, bin: usize) -> f64 {
        self.weight(bin) as f64 / (1_i128 << self.depth) as f64
    }

    /// Weight of rows in a bin.
    fn weight(&self, bin: usize) -> i128 {
        match bin {
            bin if bin == self.first => self.weights[0],
            bin if bin == self.last => self.weights[1],
            _ => 1 << self.depth,
        }
    }

    /// The parts below and above a chosen bin, which is in both by half.
    pub(super) fn divided(&self, bin: usize) -> [Self; 2] {
        let half = self.weight(bin);
        let end = |own: usize, weight: i128| if own == bin { half } else { 2 * weight };
        let depth = self.depth + 1;
        let below = Self { first: self.first, last: bin, depth, weights: [end(self.first, self.weights[0]), half] };
        let above = Self { first: bin, last: self.last, depth, weights: [half, end(self.last, self.weights[1])] };
        [below, above]
    }

    /// Distance of each bin from the quantile of a probability among the rows of this part, in parts of `2 max(p, 1 -
    /// p)` rows for the `p` that is aimed at.
    pub(super) fn distances(&self, counts: &[i128], p: &Rational) -> Distances {
        let (numerator, denominator) = exact_parts(p);
        let weighted: Vec<i128> = (self.first..=self.last).map(|bin| counts[bin] * self.weight(bin)).collect();
        let wanted = numerator * weighted.iter().sum::<i128>();
        let mut before = 0;
        let step = |rows: &i128| {
            let after = before + rows;
            let missed = (denominator * before - wanted).max(wanted - denominator * after).max(0);
            before = after;
            missed.unsigned_abs()
        };
        let steps = weighted.iter().map(step).collect();
        // A whole row moves a distance by the numerator or the rest of the denominator, whatever the fraction was
        // before it was cut.
        let moved = numerator.max(denominator - numerator).unsigned_abs();
        Distances { steps, unit: Rational::ratio(1, (2 * moved) << self.depth) }
    }
}

/// A probability within a part, whose fraction may have grown: then the nearest one of `2^40` parts, which moves what
/// is aimed at and no guarantee.
fn exact_parts(p: &Rational) -> (i128, i128) {
    parts_of(p).unwrap_or_else(|| {
        let parts = Rational::from(MOST_PARTS);
        let numerator = (p * &parts).floor().expect("a probability").clamp(1, MOST_PARTS as i128 - 1);
        (numerator, MOST_PARTS as i128)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bin_of_the_quantile_misses_no_row() {
        let half = Rational::ratio(1, 2);
        let computed = Part::whole(4).distances(&[3, 0, 4, 3], &half);
        // In steps of half a row: 5 rows wanted, 3 before the third bin and 7 at its end.
        assert_eq!((computed.steps, computed.unit), (vec![4, 4, 0, 4], Rational::ratio(1, 2)));
    }

    /// A row more moves no distance by more than a half, exactly, also for fractions that are cut to `2^40` parts; and
    /// some by a half.
    #[test]
    fn a_row_moves_no_distance_by_more_than_a_half() {
        let fine = Rational::ratio(1, 3 << 60);
        let near = |p: Rational| [&p - &fine, p.clone(), &p + &fine];
        for p in [(1, 2), (1, 3), (9, 10), (1, 1000)]
            .map(|(one, denominator)| near(Rational::ratio(one, denominator)))
            .concat()
        {
            for part in [Part::whole(4), Part::whole(4).divided(2)[0].clone()] {
                let counts = [5, 0, 4, 3];
                let before = part.distances(&counts, &p);
                let mut most = Rational::ZERO;
                for bin in 0..=part.last {
                    let mut more = counts;
                    more[bin] += 1;
                    let after = part.distances(&more, &p);
                    let moved = before.steps.iter().zip(&after.steps).map(|(one, other)| one.abs_diff(*other)).max();
                    most = most.max(&Rational::from(moved.expect("a bin")) * &after.unit);
                }
                assert_eq!(most, Rational::ratio(1, 2), "{p}");
            }
        }
    }

    #[test]
    fn rows_of_a_chosen_bin_are_divided() {
        let [below, above] = Part::whole(3).divided(1);
        let (quarter, counts) = (Rational::ratio(1, 2), [2, 6, 2]);
        // 2 + 6 / 2 rows lie below, of which the middle lies in the chosen bin, and as many above.
        assert_eq!(below.distances(&counts, &quarter).steps, [2, 0]);
        assert_eq!(above.distances(&counts, &quarter).steps, [0, 2]);
        let [lowest, highest] = below.divided(1);
        assert_eq!((lowest.weights, highest.weights), ([4, 1], [1, 1]));
    }
}
