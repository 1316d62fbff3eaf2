//! Count of the events that happen, among many rare ones.

use std::cmp::Ordering;

use inbounds_core::Enclosure;

use super::{
    Entropy,
    exact::{LazyUniform, between},
};

/// Bits of a first attempt.
const BITS: usize = 512;

/// A number `K` of `trials` independent events that happen with probability `chance` each.
///
/// # Postcondition
/// `P(K = k) = C(n, k) p^k (1 - p)^(n - k)`, exactly: the least `k` with `U < P(K <= k)`, where the distribution is
/// enclosed and further words and bits are taken until the enclosure decides. `chance` encloses `0 < p < 1` with so
/// many bits. Time grows with `K` and with `n p`, which should be thousands at most.
pub(crate) fn binomial(trials: u64, chance: impl Fn(usize) -> Enclosure, entropy: &mut dyn Entropy) -> u64 {
    if trials == 0 {
        return 0;
    }
    LazyUniform::new(entropy.word()).decide(entropy, |uniform| {
        let ends = uniform.ends();
        // Probabilities of rare numbers need bits of their own, and words say nothing of those: bits grow faster.
        let bits = BITS * uniform.words() * uniform.words();
        let (uniform, p) = (between(&ends, bits), chance(bits));
        let missed = Enclosure::one(bits).sub(&p);
        let mut mass = missed.pow(trials);
        let mut reached = mass.clone();
        let mut number = 0;
        while number < trials {
            match uniform.certain_order(&reached)? {
                Ordering::Less | Ordering::Equal => break,
                Ordering::Greater => {}
            }
            mass = mass.times(trials - number).over(number + 1).mul(&p).div(&missed);
            reached = reached.add(&mass);
            number += 1;
        }
        Some(number)
    })
}

#[cfg(test)]
mod tests {
    use inbounds_core::Rational;

    use super::*;
    use crate::sampler::SeededEntropy;

    fn draws(trials: u64, chance: &Rational, draws: usize) -> Vec<u64> {
        let mut entropy = SeededEntropy::from_seed(29);
        (0..draws).map(|_| binomial(trials, |bits| Enclosure::from_rational(chance, bits), &mut entropy)).collect()
    }

    /// The mass function, by the recurrence in doubles.
    fn law(trials: u64, p: f64, most: u64) -> Vec<f64> {
        let mut masses = vec![(trials as f64 * (-p).ln_1p()).exp()];
        for k in 0..most.min(trials) {
            masses.push(masses[k as usize] * (trials - k) as f64 / (k + 1) as f64 * p / (1.0 - p));
        }
        masses
    }

    /// Chi-square of frequencies against a law, cells of fewer than ten expected draws put together.
    fn chi_square(sample: &[u64], masses: &[f64]) -> (f64, usize) {
        let draws = sample.len() as f64;
        let count = |k: usize| sample.iter().filter(|number| **number == k as u64).count() as f64;
        let large: Vec<usize> = (0..masses.len()).filter(|&k| draws * masses[k] >= 10.0).collect();
        let term = |observed: f64, mass: f64| (observed - draws * mass).powi(2) / (draws * mass);
        let rest: f64 = 1.0 - large.iter().map(|&k| masses[k]).sum::<f64>();
        let beyond = draws - large.iter().map(|&k| count(k)).sum::<f64>();
        let rest = if draws * rest >= 1.0 { term(beyond, rest) } else { 0.0 };
        (large.iter().map(|&k| term(count(k), masses[k])).sum::<f64>() + rest, large.len())
    }

    /// 20,000 draws each: a chi-square above its degrees of freedom by six standard deviations comes up less than once
    /// in a million runs; the law with the mean of another number of trials is caught by it.
    #[test]
    fn numbers_have_the_law_and_another_is_caught() {
        for (trials, chance) in [(1, "1/3"), (7, "1/2"), (50, "1/20"), (1 << 62, "1/1000000000000000000")] {
            let chance: Rational = chance.parse().expect("a number");
            let p = chance.to_f64();
            let sample = draws(trials, &chance, 20_000);
            let (square, cells) = chi_square(&sample, &law(trials, p, 60));
            let limit = cells as f64 + 6.0 * (2.0 * cells as f64).sqrt();
            assert!(square <= limit, "{trials} x {p}: {square} of {cells} cells");
            // A law with a mean that is a tenth larger.
            let (wrong, _) = chi_square(&sample, &law(trials, 1.1 * p, 60));
            assert!(wrong > limit, "{trials} x {p}: a wrong law has {wrong}");
        }
    }

    #[test]
    fn many_are_counted_too() {
        let sample = draws(1 << 63, &Rational::ratio(1000, 1 << 63), 200);
        let mean = sample.iter().sum::<u64>() as f64 / 200.0;
        // Six standard errors of 1000 / sqrt(1000 * 200).
        assert!((mean - 1000.0).abs() < 6.0 * (1000f64 / 200.0).sqrt(), "{mean}");
        assert_eq!(draws(0, &Rational::ratio(1, 2), 3), [0; 3]);
    }
}
