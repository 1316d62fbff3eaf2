//! Independent events of probability `e^(-rate d)`, for many whole distances `d`.
//!
//! **Idea.** A word is a uniform real known to 64 bits. `e^(-rate d)` in doubles is off by less than [`MARGIN`], so the
//! word decides unless it lies within the margin of it, with probability below `2^-46`. Then exact arithmetic decides,
//! with further words.
//!
//! **Invariant.** Every distance takes one word, and the loop over them has no branch that their values decide, but for
//! the undecided ones.
//!
//! # Error
//! `rate` and `d` are each rounded once and their product once, so the exponent `x` errs relatively by less than
//! `2^-51`, and `e^-x` by less than `x e^-x 2^-51 < 2^-52`; the exponential errs by `2^-51` more (`elementary.rs`), and
//! the word as a double by `2^-54`. Claim: `sampler-acceptance`.

use std::cmp::Ordering;

use inbounds_core::{Enclosure, Rational};

use super::{
    Entropy, WORD,
    elementary::{exp_neg, power_of_two},
    exact::{LazyUniform, between},
};

/// Half the width around a probability in which a word does not decide.
const MARGIN: f64 = power_of_two(-48);

/// The places of the distances whose events happen.
///
/// # Postcondition
/// Place `i` is listed with probability `e^(-rate distances[i])`, exactly and independently of the others; places
/// increase.
pub(crate) fn accept(distances: &[u128], rate: &Rational, entropy: &mut dyn Entropy) -> Vec<usize> {
    let nearest = rate.to_f64();
    let mut words = vec![0; distances.len()];
    entropy.fill(&mut words);
    let gap = |(distance, word): (&u128, &u64)| exp_neg::<false>(nearest * *distance as f64) - *word as f64 * WORD;
    // Positive where the uniform lies below the probability.
    let gaps: Vec<f64> = distances.iter().zip(&words).map(gap).collect();
    let mut accepted = vec![false; distances.len()];
    for (place, gap) in gaps.iter().enumerate() {
        accepted[place] =
            if gap.abs() > MARGIN { *gap > 0.0 } else { decide(distances[place], rate, words[place], entropy) };
    }
    (0..distances.len()).filter(|place| accepted[*place]).collect()
}

/// The event of a word that doubles do not decide.
fn decide(distance: u128, rate: &Rational, word: u64, entropy: &mut dyn Entropy) -> bool {
    if distance == 0 {
        return true;
    }
    let exponent = rate * &Rational::from(distance);
    LazyUniform::new(word).decide(entropy, |uniform| {
        let precision = 64 * uniform.words() + 64;
        let probability = Enclosure::exp_neg(&exponent, precision);
        let order = between(&uniform.ends(), precision).certain_order(&probability)?;
        Some(order == Ordering::Less)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words that are given, and then a seeded source.
    struct Given(Vec<u64>);

    impl Entropy for Given {
        fn word(&mut self) -> u64 {
            if self.0.is_empty() { 1 << 63 } else { self.0.remove(0) }
        }
    }

    /// Words on both sides of the border, at it and next to it: the event is that the exact uniform lies below the
    /// exact probability.
    #[test]
    fn borders_are_exact() {
        for (rate, distance) in [("1/3", 7_u128), ("1e-9", 1_000_000_001), ("0.7", 1), ("40", 1), ("2", 30)] {
            let rate: Rational = rate.parse().expect("a number");
            let exponent = &rate * &Rational::from(distance);
            let border = Enclosure::exp_neg(&exponent, 256).upper();
            let word = (&border * &Rational::from(1_u128 << 64)).floor().expect("below 2^64") as u64;
            for (step, expected) in [(-2_i64, true), (-1, true), (1, false), (2, false), (1 << 17, false)] {
                let Some(near) = word.checked_add_signed(step) else { continue };
                let accepted = accept(&[distance], &rate, &mut Given(vec![near]));
                assert_eq!(!accepted.is_empty(), expected, "{rate} {distance} {step}");
            }
            // The border lies within this word, and the words that follow it decide.
            let rest = &(&border * &Rational::from(1_u128 << 64)) - &Rational::from(u128::from(word));
            let next = (&rest * &Rational::from(1_u128 << 64)).floor().expect("below 2^64") as u64;
            for (step, expected) in [(-1_i64, true), (1, false)] {
                let Some(near) = next.checked_add_signed(step) else { continue };
                let accepted = accept(&[distance], &rate, &mut Given(vec![word, near]));
                assert_eq!(!accepted.is_empty(), expected, "{rate} {distance} second word {step}");
            }
        }
    }

    #[test]
    fn no_distance_is_always_accepted() {
        let rate = Rational::ONE;
        assert_eq!(accept(&[0, 0, 0], &rate, &mut Given(vec![0, 1 << 40, u64::MAX])), [0, 1, 2]);
    }
}
