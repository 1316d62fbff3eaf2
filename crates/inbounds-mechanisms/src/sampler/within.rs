//! The step within a cell, where scales are so wide that a cell holds many.
//!
//! **Law.** Given its cell, a draw is at step `j` of the cell's `n` steps with probability
//! `P(j) = a^j (1 - a) / (1 - a^n)`, which is nearly `1/n`. It is drawn as a mixture: with probability `1 - T` evenly,
//! with probability `T` from what is left, `(P(j) - (1 - T)/n) / T`. That is a law because `n P(j) >= a^(n-1) >=
//! 1 - (n-1) tau >= 1 - T` for the `T` chosen here, not less than the `m tau` of whole cells.
//!
//! One uniform real `U` serves both: `floor(n U)` is even, and `frac(n U)`, independent of it and uniform, is below `T`
//! with probability `T`; given that, `frac(n U) / T` is uniform and inverts the rest. A 64-bit word gives the floor in
//! the high word of its product with `n` and the fraction in the low word, both certain unless the low word is below
//! `T` or so high that the unknown bits could carry: a share of about `T <= 2^-19` of the draws, which
//! [`exact::within`] settles. Claim: `sampler-mixture`.

use super::{Entropy, elementary::power_of_two, exact};
use crate::law::discrete_laplace::DiscreteLaplace;

/// Draws the step within a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Within {
    /// `2^64 T`.
    mixed: u64,
}

impl Within {
    /// For the law of inverse scale `tau`, and cells of at most `2^cell_bits` steps.
    pub(super) fn new(tau: f64, cell_bits: u32) -> Self {
        // Twice m tau, so that roundings need no thought.
        Self { mixed: (tau * power_of_two(i64::from(cell_bits) + 65)) as u64 }
    }

    /// A step of a cell of `size` steps.
    #[inline]
    pub(super) fn step(&self, law: &DiscreteLaplace, size: u64, word: u64, entropy: &mut dyn Entropy) -> u64 {
        let product = u128::from(word) * u128::from(size);
        let (even, fraction) = ((product >> 64) as u64, product as u64);
        if fraction >= self.mixed && fraction <= u64::MAX - size {
            even
        } else {
            exact::within(law, u128::from(size), self.mixed, word, entropy) as u64
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::SeededEntropy;

    const SIZE: u64 = 16;
    const DRAWS: u32 = 40_000;

    /// Chi-square statistic of the steps drawn, against probabilities proportional to `weight(step)`.
    fn distance(counts: &[u32], weight: impl Fn(u64) -> f64) -> f64 {
        let total: f64 = (0..SIZE).map(&weight).sum();
        let expected = |step: u64| weight(step) / total * f64::from(DRAWS);
        (0..SIZE).zip(counts).map(|(step, count)| (f64::from(*count) - expected(step)).powi(2) / expected(step)).sum()
    }

    /// A scale at which a third of the draws come from the rest of the mixture. With 15 degrees of freedom the
    /// statistic passes 58 with probability below 1e-6, over the choice of the seed.
    #[test]
    fn the_mixture_is_the_law() {
        let law = DiscreteLaplace::with_inverse_scale("0.01".parse().expect("number")).expect("admissible");
        let within = Within::new(law.tau(), 4);
        assert!((within.mixed as f64 / 2f64.powi(64) - 0.32).abs() < 1e-9);
        let mut entropy = SeededEntropy::from_seed(3);
        let mut counts = [0; SIZE as usize];
        for _ in 0..DRAWS {
            let word = entropy.word();
            counts[within.step(&law, SIZE, word, &mut entropy) as usize] += 1;
        }
        assert!(distance(&counts, |step| (-0.01 * step as f64).exp()) < 58.0);
        assert!(distance(&counts, |_| 1.0) > 58.0, "an even law passes");
        assert!(distance(&counts, |step| (-0.02 * step as f64).exp()) > 58.0, "half the scale passes");
    }

    /// Words that could carry ask for more, which decide: just below a border is the last step before it, just above is
    /// the beginning of the rest of the mixture, which is step zero.
    #[test]
    fn border_words_are_extended() {
        struct Same(u64, u32);
        impl Entropy for Same {
            fn word(&mut self) -> u64 {
                self.1 += 1;
                self.0
            }
        }
        let law = DiscreteLaplace::with_inverse_scale("1e-9".parse().expect("number")).expect("admissible");
        let within = Within::new(law.tau(), 10);
        for border in [1u128, 7, 999] {
            let word = ((border << 64) / 1000) as u64;
            for (rest, step) in [(0, border as u64 - 1), (u64::MAX, 0)] {
                let mut more = Same(rest, 0);
                assert_eq!(within.step(&law, 1000, word, &mut more), step, "border {border}");
                assert_eq!(more.1, 1, "border {border}");
            }
        }
    }
}
