//! The undecided cases of certified inversion, settled with outward-rounded arithmetic of any precision.
//!
//! A random word `w` of `B` bits stands for a uniform real in `[w, w + 1] 2^-B`. When that interval straddles a border
//! another word is appended; it then lies on one side with probability one, after 64 more bits almost surely.
//! Claim: `sampler-borders`.

use std::cmp::Ordering;

use inbounds_core::{Enclosure, Grid, Rational};

use super::{Entropy, Reach};
use crate::law::discrete_laplace::DiscreteLaplace;

/// A uniform real on (0, 1), known to as many bits as have been drawn.
pub(crate) struct LazyUniform {
    value: Rational,
    unit: Rational,
    bits: usize,
}

impl LazyUniform {
    pub(crate) fn new(word: u64) -> Self {
        let unit = Rational::ratio(1, 1 << 64);
        Self { value: &Rational::from(u128::from(word)) * &unit, unit, bits: 64 }
    }

    fn extend(&mut self, entropy: &mut dyn Entropy) {
        self.unit = &self.unit * &Rational::ratio(1, 1 << 64);
        self.value = &self.value + &(&Rational::from(u128::from(entropy.word())) * &self.unit);
        self.bits += 64;
    }

    /// Both ends of the interval in which it is known to lie.
    pub(crate) fn ends(&self) -> [Rational; 2] {
        [self.value.clone(), &self.value + &self.unit]
    }

    /// Number of known words.
    pub(crate) fn words(&self) -> usize {
        self.bits / 64
    }

    /// Bits enough to see the borders of `law` around a uniform known this well.
    pub(crate) fn precision(&self, law: &DiscreteLaplace) -> usize {
        let small_tau = (-law.tau().log2()).ceil().max(0.0) as usize;
        self.bits + small_tau + 64
    }

    /// The first answer that `decide` is certain of, with as many more words as that takes.
    pub(crate) fn decide<T>(&mut self, entropy: &mut dyn Entropy, decide: impl Fn(&Self) -> Option<T>) -> T {
        loop {
            if let Some(decided) = decide(self) {
                return decided;
            }
            self.extend(entropy);
        }
    }
}

pub(crate) fn between(ends: &[Rational; 2], precision: usize) -> Enclosure {
    Enclosure::from_rational(&ends[0], precision).hull(&Enclosure::from_rational(&ends[1], precision))
}

fn power(law: &DiscreteLaplace, steps: u128, precision: usize) -> Enclosure {
    Enclosure::exp_neg(&(law.inverse_scale() * &Rational::from(steps)), precision)
}

/// `a^steps`, zero when there is no limit.
fn limit_power(law: &DiscreteLaplace, steps: Option<u128>, precision: usize) -> Enclosure {
    steps.map_or_else(|| Enclosure::from_rational(&Rational::ZERO, precision), |steps| power(law, steps, precision))
}

/// Sign of the noise, `true` for negative, and its cell counted from zero on its side: the law of [`super::inversion`]
/// with cells of `2^cell_bits` steps.
pub(super) fn cell(
    law: &DiscreteLaplace,
    cell_bits: u32,
    reach: Reach,
    word: u64,
    entropy: &mut dyn Entropy,
) -> (bool, u128) {
    LazyUniform::new(word).decide(entropy, |uniform| {
        let precision = uniform.precision(law);
        let (negative, t) = side(law, reach, uniform, precision)?;
        let end = reach.count(negative).map(|count| count.div_ceil(1 << cell_bits));
        // Whether the draw lies in this cell or deeper.
        let reached = |cell: u128| {
            let border = power(law, (cell << cell_bits) + u128::from(negative), precision);
            t.certain_order(&border).map(|order| order == Ordering::Less)
        };
        let cells_per_log = 1.0 / (law.tau() * (1u128 << cell_bits) as f64);
        let guess = -libm::log(t.to_f64()) * cells_per_log;
        let error = 2.0 + (guess.abs() + cells_per_log) * 2f64.powi(-50);
        // a^steps < 2^-bits beyond this: the first bits were all zeros, so more are asked for.
        let deepest = ((uniform.bits as f64 + 1.0) * std::f64::consts::LN_2 * cells_per_log).ceil() as u128 + 1;
        let cell = match end {
            Some(end) => last_reached(end, [guess - error, guess + error], reached)?,
            None if reached(deepest)? => return None,
            None => last_reached(deepest, [guess - error, guess + error], reached)?,
        };
        Some((negative, cell))
    })
}

/// Sign of the noise, `true` for negative, and `t`.
fn side(law: &DiscreteLaplace, reach: Reach, uniform: &LazyUniform, precision: usize) -> Option<(bool, Enclosure)> {
    let p = limit_power(law, reach.below.and_then(|below| below.checked_add(1)), precision);
    let r = limit_power(law, reach.count(false), precision);
    let border = power(law, 1, precision).sub(&p);
    let total = Enclosure::one(precision).sub(&r).add(&border);
    let v = between(&uniform.ends(), precision).mul(&total);
    // Without a negative side the border is zero, which no enclosure is certain of.
    let negative = reach.below != Some(0) && v.certain_order(&border)? == Ordering::Less;
    Some((negative, if negative { v.add(&p) } else { v.sub(&border).add(&r) }))
}

/// The largest index below `end` that is reached, where zero is and `end` is not, and indices before a reached one are.
/// The bracket only saves time: every border is certified.
fn last_reached<const N: usize>(end: u128, bracket: [f64; N], reached: impl Fn(u128) -> Option<bool>) -> Option<u128> {
    let (mut low, mut high) = (0, end);
    // Casts to integers saturate, and turn NaN into zero.
    for probe in bracket.map(|probe| probe as u128) {
        if low < probe && probe < high {
            if reached(probe)? { low = probe } else { high = probe }
        }
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if reached(middle)? { low = middle } else { high = middle }
    }
    Some(low)
}

/// The step within a cell of `size` steps: the law of [`super::within`] with threshold `mixed`.
pub(super) fn within(law: &DiscreteLaplace, size: u128, mixed: u64, word: u64, entropy: &mut dyn Entropy) -> u128 {
    let mixed = &Rational::from(u128::from(mixed)) * &Rational::ratio(1, 1 << 64);
    LazyUniform::new(word).decide(entropy, |uniform| {
        let scaled = uniform.ends().map(|end| &end * &Rational::from(size));
        // The upper end is never itself the uniform, so its floor is that of what lies just below it.
        let [even, upper] = [Grid::INTEGERS.floor(&scaled[0])?, Grid::INTEGERS.ceil(&scaled[1])? - 1];
        if even != upper {
            return None;
        }
        let fraction = scaled.map(|end| &end - &Rational::from(even));
        if fraction[0] >= mixed {
            return u128::try_from(even).ok();
        }
        if fraction[1] > mixed {
            return None;
        }
        let precision = uniform.precision(law);
        remainder(law, size, &mixed, &between(&fraction, precision), precision)
    })
}

/// The step whose interval under the rest of the mixture contains `fraction`: borders at `(1 - a^j) / (1 - a^size) -
/// (1 - mixed) j / size`.
fn remainder(
    law: &DiscreteLaplace,
    size: u128,
    mixed: &Rational,
    fraction: &Enclosure,
    precision: usize,
) -> Option<u128> {
    let missing = |steps: u128| Enclosure::one(precision).sub(&power(law, steps, precision));
    let total = missing(size);
    let even_share = &(&Rational::ONE - mixed) * &Rational::ratio(1, size);
    let reached = |step: u128| {
        let even = Enclosure::from_rational(&(&even_share * &Rational::from(step)), precision);
        let order = missing(step).certain_order(&fraction.add(&even).mul(&total));
        order.map(|order| order == Ordering::Less)
    };
    last_reached(size, [], reached)
}

/// Decides `U < e^-x` for `x >= 0`.
pub(crate) fn is_below_exp_neg(x: &Rational, word: u64, entropy: &mut dyn Entropy) -> bool {
    LazyUniform::new(word).decide(entropy, |uniform| {
        let precision = uniform.bits + 64;
        let order = between(&uniform.ends(), precision).certain_order(&Enclosure::exp_neg(x, precision));
        order.map(|order| order == Ordering::Less)
    })
}

/// The noise of a word that doubles could not decide, at scales where a cell is a step.
pub(super) fn settle(law: &DiscreteLaplace, reach: Reach, word: u64, entropy: &mut dyn Entropy) -> i128 {
    let (negative, distance) = cell(law, 0, reach, word, entropy);
    signed(negative, distance)
}

/// Noise from its side and its distance from the first noise of that side.
pub(super) fn signed(negative: bool, distance: u128) -> i128 {
    let distance = distance as i128;
    if negative { !distance } else { distance }
}
