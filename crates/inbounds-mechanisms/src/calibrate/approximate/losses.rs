//! The privacy loss of several cells together, whose losses lie on one lattice.
//!
//! **Idea.** Under the law of the first answer a cell has a loss in `top, top - step, ..`, with known probabilities.
//! Losses of cells with noise of their own add up, so that probabilities are convolved, and the hockey-stick divergence
//! of what is published is
//!
//! ```text
//! delta(epsilon) = sum_x P(loss = top - x step) max(0, 1 - factor e^(epsilon - top + x step)),
//! ```
//!
//! with a factor of one. Outputs further down add nothing, and are not computed.

use inbounds_core::Enclosure;

/// A probability, as a double that proposes or as an enclosure that proves.
pub(super) trait Probability: Clone {
    fn plus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
}

impl Probability for f64 {
    fn plus(&self, other: &Self) -> Self {
        self + other
    }

    fn times(&self, other: &Self) -> Self {
        self * other
    }
}

impl Probability for Enclosure {
    fn plus(&self, other: &Self) -> Self {
        self.add(other)
    }

    fn times(&self, other: &Self) -> Self {
        self.mul(other)
    }
}

/// The first `places` probabilities of the sum of two losses.
pub(super) fn convolved<P: Probability>(one: &[P], other: &[P], places: usize) -> Vec<P> {
    let all = (one.len() + other.len() - 1).min(places);
    let at = |x: usize| {
        let from = (x + 1).saturating_sub(other.len());
        let terms = (from..one.len().min(x + 1)).map(|i| one[i].times(&other[x - i]));
        terms.reduce(|sum, term| sum.plus(&term)).expect("each place of a sum is reached")
    };
    (0..all).map(at).collect()
}

/// The first `places` probabilities of the sum of the losses of `cells` equal cells; `cells > 0`.
pub(super) fn power<P: Probability>(cell: &[P], cells: u64, places: usize) -> Vec<P> {
    let mut product: Option<Vec<P>> = None;
    let mut square = cell[..cell.len().min(places)].to_vec();
    let mut left = cells;
    loop {
        if left & 1 == 1 {
            product = Some(product.map_or_else(|| square.clone(), |product| convolved(&product, &square, places)));
        }
        left >>= 1;
        match product {
            Some(product) if left == 0 => return product,
            _ => square = convolved(&square, &square, places),
        }
    }
}

/// The divergence, from the probabilities of the losses above epsilon and perhaps of some below. `last` is
/// `factor e^(epsilon - loss)` at the last place, and `ratio = e^-step`.
pub(super) fn divergence(probabilities: &[Enclosure], last: &Enclosure, ratio: &Enclosure, bits: usize) -> Enclosure {
    let one = Enclosure::one(bits);
    let (mut sum, mut boosted) = (Enclosure::zero(bits), last.clone());
    for probability in probabilities.iter().rev() {
        sum = sum.add(&probability.mul(&one.sub(&boosted).positive_part()));
        boosted = boosted.mul(ratio);
    }
    sum
}

/// The same in doubles, from the surplus `loss - epsilon - ln factor` at the first place.
pub(super) fn divergence_in_doubles(probabilities: &[f64], surplus: f64, step: f64) -> f64 {
    let excess = |(x, probability): (usize, &f64)| probability * -libm::expm1(-(surplus - x as f64 * step).max(0.0));
    probabilities.iter().enumerate().map(excess).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_repeated_sums() {
        let cell = [0.5, 0.3, 0.2];
        for cells in 1..9u64 {
            let repeated = (1..cells).fold(cell.to_vec(), |sum, _| convolved(&sum, &cell, usize::MAX));
            for places in [1, 3, 100] {
                let product = power(&cell, cells, places);
                assert_eq!(product.len(), repeated.len().min(places));
                assert!(product.iter().zip(&repeated).all(|(product, sum)| (product - sum).abs() < 1e-15));
            }
        }
    }
}
