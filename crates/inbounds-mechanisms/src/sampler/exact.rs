//! The undecided cases of certified inversion, settled with outward-rounded arithmetic of any precision.
//!
//! A random word `w` of `B` bits stands for a uniform real in `[w, w + 1] 2^-B`. When that interval straddles a border
//! another word is appended; it then lies on one side with probability one, after 64 more bits almost surely.

use std::cmp::Ordering;

use inbounds_core::{Enclosure, Rational};

use super::{Entropy, Reach};
use crate::law::DiscreteLaplace;

/// A uniform real on (0, 1), known to as many bits as have been drawn.
pub(super) struct LazyUniform {
    value: Rational,
    unit: Rational,
    bits: usize,
}

impl LazyUniform {
    pub(super) fn new(word: u64) -> Self {
        let unit = Rational::ratio(1, 1 << 64);
        Self { value: &Rational::from(u128::from(word)) * &unit, unit, bits: 64 }
    }

    pub(super) fn extend(&mut self, entropy: &mut dyn Entropy) {
        self.unit = &self.unit * &Rational::ratio(1, 1 << 64);
        self.value = &self.value + &(&Rational::from(u128::from(entropy.word())) * &self.unit);
        self.bits += 64;
    }

    pub(super) fn enclosure(&self, precision: usize) -> Enclosure {
        let low = Enclosure::from_rational(&self.value, precision);
        low.hull(&Enclosure::from_rational(&(&self.value + &self.unit), precision))
    }

    /// Bits enough to see the borders of `law` around a uniform known this well.
    pub(super) fn precision(&self, law: &DiscreteLaplace) -> usize {
        let small_tau = (-law.tau().log2()).ceil().max(0.0) as usize;
        self.bits + small_tau + 64
    }
}

fn power(law: &DiscreteLaplace, steps: u128, precision: usize) -> Enclosure {
    Enclosure::exp_neg(&(law.inverse_scale() * &Rational::from(steps)), precision)
}

/// `a^steps`, zero when there is no limit.
fn limit_power(law: &DiscreteLaplace, steps: Option<u128>, precision: usize) -> Enclosure {
    steps.map_or_else(|| Enclosure::from_rational(&Rational::ZERO, precision), |steps| power(law, steps, precision))
}

/// Decides `U (1 + a - a^(below+1) - a^(above+1)) < a - a^(below+1)`.
pub(super) fn is_below(law: &DiscreteLaplace, reach: Reach, word: u64, entropy: &mut dyn Entropy) -> bool {
    let mut uniform = LazyUniform::new(word);
    loop {
        let precision = uniform.precision(law);
        let below = power(law, 1, precision).sub(&limit_power(law, reach.below.map(|b| b + 1), precision));
        let above = Enclosure::one(precision).sub(&limit_power(law, reach.above.map(|c| c + 1), precision));
        let scaled = uniform.enclosure(precision).mul(&below.add(&above));
        match scaled.certain_order(&below) {
            Some(order) => return order == Ordering::Less,
            None => uniform.extend(entropy),
        }
    }
}

/// Finds `k` in `[0, limit]` with `a^(k+1) < W + (1 - W) a^(limit+1) <= a^k`, starting from the bracket that the
/// doubles left; the bracket only saves time, every border is certified.
pub(super) fn geometric(
    law: &DiscreteLaplace,
    limit: Option<u128>,
    word: u64,
    bracket: (f64, f64),
    entropy: &mut dyn Entropy,
) -> i128 {
    let mut uniform = LazyUniform::new(word);
    loop {
        if let Some(k) = locate(law, limit, &uniform, bracket) {
            return k;
        }
        uniform.extend(entropy);
    }
}

fn locate(law: &DiscreteLaplace, limit: Option<u128>, uniform: &LazyUniform, bracket: (f64, f64)) -> Option<i128> {
    let precision = uniform.precision(law);
    let w = uniform.enclosure(precision);
    let beyond = limit_power(law, limit.map(|limit| limit + 1), precision);
    let argument = w.add(&Enclosure::one(precision).sub(&w).mul(&beyond));
    // Whether k is at or below the answer: argument <= a^k.
    let reached = |k: u128| argument.certain_order(&power(law, k, precision)).map(|order| order == Ordering::Less);

    // a^(k+1) < 2^-bits < argument beyond this, unless the word is all zeros, where more bits are asked for.
    let deepest = ((uniform.bits as f64 + 1.0) * std::f64::consts::LN_2 / law.tau()).ceil() as u128 + 1;
    let end = limit.map_or(deepest, |limit| limit + 1);
    let end_is_beyond = limit.is_some();

    let (mut low, mut high) = (0, end);
    let guess = (as_steps(bracket.0 - 1.0).min(end - 1), (as_steps(bracket.1).saturating_add(2)).min(end));
    if guess.0 > low && reached(guess.0)? {
        low = guess.0;
    }
    if guess.1 < high && guess.1 > low {
        if reached(guess.1)? { low = guess.1 } else { high = guess.1 }
    }
    if high == end && !end_is_beyond && reached(end)? {
        return None;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if reached(middle)? { low = middle } else { high = middle }
    }
    i128::try_from(low).ok()
}

/// A double as a step count: NaN and negatives give zero, infinity the largest.
fn as_steps(value: f64) -> u128 {
    value as u128
}
