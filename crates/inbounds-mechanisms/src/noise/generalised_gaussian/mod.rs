//! Discrete generalised Gaussian noise, for epsilon with delta; drawn by certified inversion in a table.
//!
//! One uniform real decides the distance from zero, by bisection of a table of enclosed sums, and another word the
//! side. How many comparisons that takes follows from the entropy alone.

mod law;

use inbounds_core::{Enclosure, Guarantee, Rational, Sensitivity};

pub use law::DiscreteGeneralisedGaussian;

use super::{About, Drawn, GridLaw, NoiseKind, Parameter, Promise, Record, weights};
use crate::{
    calibrate::{self, CalibrationError},
    sampler::{
        Entropy,
        exact::{LazyUniform, between},
    },
};

/// The shape of noise that is named without one: the first beyond Gaussian noise. At one guarantee larger shapes err
/// more, which a test shows.
pub const SHAPE: u32 = 3;

impl GridLaw for DiscreteGeneralisedGaussian {
    fn about() -> About {
        About {
            word: "generalised-gaussian",
            law: "discrete-generalised-gaussian",
            promise: Promise::Approximate,
            drawn: Drawn::Alone,
            record: Record::Object {
                key: "generalised_gaussian",
                parameters: &[
                    Parameter { key: "shape", before: "shape ", after: "" },
                    Parameter { key: "rate", before: "rate ", after: " per step to that power" },
                ],
            },
        }
    }

    /// Noise of shape [`SHAPE`], by [`calibrate::generalised_gaussian`].
    fn calibrate(guarantee: &Guarantee, sensitivity: &Sensitivity) -> Result<Self, CalibrationError> {
        match guarantee {
            Guarantee::Pure { .. } => Err(CalibrationError::NeedsDelta),
            Guarantee::Approximate { epsilon, delta } => {
                calibrate::generalised_gaussian(SHAPE, epsilon, delta, sensitivity)
            }
            Guarantee::ZeroConcentrated { .. } => Err(CalibrationError::NeedsEpsilon),
        }
    }

    fn kind(&self) -> NoiseKind {
        NoiseKind::GeneralisedGaussian
    }

    fn parameters(&self) -> Vec<Rational> {
        vec![Rational::from(u128::from(self.shape())), self.rate().clone()]
    }

    fn ln_kernel(&self, x: f64) -> f64 {
        self.exponent(x)
    }

    /// By the table, and what lies beyond it: less than `e^-60` times its length, at rates up to the end.
    fn ln_exponential_moment(&self, rate: f64) -> f64 {
        if rate > self.largest_exponential_rate() {
            return f64::INFINITY;
        }
        libm::log(self.exponential_moment(rate)) + 1e-12
    }

    fn exponential_rate(&self) -> f64 {
        self.largest_exponential_rate()
    }

    fn fill(&self, entropy: &mut dyn Entropy, noise: &mut [i128]) {
        let table = Draws::new(self, PRECISION);
        noise.fill_with(|| table.draw(self, entropy));
    }
}

/// Fractional bits of the table that decides all but some `2^-150` of the draws.
const PRECISION: usize = 256;

/// Sums of weights by distance.
struct Draws {
    sums: Vec<Enclosure>,
    total: Enclosure,
    bits: usize,
}

impl Draws {
    fn new(law: &DiscreteGeneralisedGaussian, bits: usize) -> Self {
        let end = end_of_table(law.shape(), law.rate(), bits);
        let sums = weights::of_power(law.shape(), law.rate(), end, bits);
        let total = total(&sums, bits);
        Self { sums, total, bits }
    }

    /// Claim: `generalised-gaussian-sampler`.
    fn draw(&self, law: &DiscreteGeneralisedGaussian, entropy: &mut dyn Entropy) -> i128 {
        let (word, side) = (entropy.word(), entropy.word());
        let distance = LazyUniform::new(word).decide(entropy, |uniform| {
            let bits = PRECISION.max(64 * uniform.words() + 128);
            let finer = (bits > self.bits).then(|| Self::new(law, bits));
            finer.as_ref().unwrap_or(self).distance(&between(&uniform.ends(), bits))
        });
        if side >> 63 == 1 { -(distance as i128) } else { distance as i128 }
    }

    /// The first distance up to which the weights of both sides are more than this part of all; `None` where the table
    /// does not tell, as beyond its end.
    fn distance(&self, part: &Enclosure) -> Option<usize> {
        let target = part.mul(&self.total);
        let one = Enclosure::one(self.bits);
        let is_above = |k: usize| {
            let both = self.sums[k].add(&self.sums[k]).sub(&one);
            both.certain_order(&target).map(|order| order.is_gt())
        };
        let (mut low, mut high) = (-1, self.sums.len() as i64 - 1);
        if !is_above(high as usize)? {
            return None;
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if is_above(middle as usize)? { high = middle } else { low = middle }
        }
        Some(high as usize)
    }
}

/// The distance from which weights `e^(-c k^p)` are below `2^-bits`.
pub(crate) fn end_of_table(shape: u32, rate: &Rational, bits: usize) -> usize {
    let depth = (bits as f64 + 2.0) * std::f64::consts::LN_2;
    libm::pow(depth / rate.to_f64(), 1.0 / f64::from(shape)).ceil() as usize + 1
}

/// The sum of all weights, of both sides, from the sums of one up to [`end_of_table`].
///
/// Beyond the last distance `t` weights fall by a factor of `e^(-c ((t + 1)^p - t^p)) <= e^(-p c t^(p-1))` a step or
/// more, so that they add up to at most `w(t) / (p c t^(p-1)) <= t w(t)`, since `c t^p >= 1`.
pub(crate) fn total(sums: &[Enclosure], bits: usize) -> Enclosure {
    let both = |sum: &Enclosure| sum.add(sum).sub(&Enclosure::one(bits));
    let last = sums.len() - 1;
    let rest = sums[last].sub(&sums[last - 1]).positive_part().times(last as u64);
    let side = sums[last].hull(&sums[last].add(&rest));
    both(&side)
}
