//! Cube noise: one vector for numbers that one unit moves together, for epsilon alone.
//!
//! The radius `R` has mass proportional to `(2R + 1)^D a^R`, which is, by the sums of `odd_powers.rs`, a mixture of
//! negative binomial laws:
//!
//! ```text
//! (2R + 1)^D = sum_j B(D, j) C(R - j + D, D),   so   R = J + G_0 + ... + G_D,
//! ```
//!
//! with `P(J = j)` proportional to `B(D, j) a^j`, and `D + 1` geometric `G_i`, `P(G_i = g)` proportional to `a^g`:
//! discrete Laplace noise that may only go up. One word gives `J`, by doubles with an outward error bound where they
//! can decide, by further words and exact arithmetic where they cannot. Then every coordinate is an integer uniform on
//! `-R..R`. There is no rejection loop, and noise is drawn before any answer is seen, so neither time nor words tell of
//! one.

mod erlang_sum;
mod law;
mod odd_powers;

use std::cmp::Ordering;

use inbounds_core::{Enclosure, Guarantee, Rational, Sensitivity};

pub use law::DiscreteCube;

use super::{About, Drawn, GridLaw, NoiseKind, Parameter, Promise, Record};
use crate::{
    calibrate::{self, CalibrationError},
    sampler::{
        Entropy, Reach, SLACK, WORD,
        exact::{LazyUniform, between},
        fill_conditioned,
        uniform::{uniform_below, uniform_below_wide},
    },
};

impl GridLaw for DiscreteCube {
    fn about() -> About {
        const SCALE: Parameter =
            Parameter { key: "inverse_scale_per_part", before: "inverse scale ", after: " per part of a step" };
        const PARTS: Parameter = Parameter { key: "parts", before: "a step of ", after: " parts" };
        const DIMENSIONS: Parameter = Parameter { key: "dimensions", before: "", after: " numbers drawn together" };
        About {
            word: "cube",
            law: "discrete-cube",
            promise: Promise::Pure,
            drawn: Drawn::Together,
            record: Record::Object { key: "cube", parameters: &[SCALE, PARTS, DIMENSIONS] },
        }
    }

    /// Noise of one number, whose cube is an interval: discrete Laplace noise. Numbers that are drawn together are
    /// calibrated together, by [`Together`](crate::mechanism::Together).
    ///
    /// # Errors
    /// [`CalibrationError::PureOnly`] for another guarantee than a pure one; else as for discrete Laplace noise.
    fn calibrate(guarantee: &Guarantee, sensitivity: &Sensitivity) -> Result<Self, CalibrationError> {
        let Guarantee::Pure { epsilon } = guarantee else { return Err(CalibrationError::PureOnly) };
        calibrate::cube(epsilon, sensitivity.l1, 1, 1)
    }

    fn kind(&self) -> NoiseKind {
        NoiseKind::Cube
    }

    fn parameters(&self) -> Vec<Rational> {
        let rational = |value: u128| Rational::from(value);
        vec![self.inverse_scale().clone(), rational(self.parts().into()), rational(self.dimensions() as u128)]
    }

    fn ln_kernel(&self, x: f64) -> f64 {
        self.ln_mass(x.abs())
    }

    /// Exact but for rounding; see [`DiscreteCube`].
    fn ln_exponential_moment(&self, rate: f64) -> f64 {
        self.ln_exponential_moment(rate)
    }

    fn exponential_rate(&self) -> f64 {
        self.tau()
    }

    /// Each from a vector of its own.
    fn fill(&self, entropy: &mut dyn Entropy, noise: &mut [i128]) {
        fill(self, 1, entropy, noise);
        noise.iter_mut().for_each(|parts| *parts = self.nearest_step(*parts));
    }
}

/// Fills `vectors` with draws of `D` numbers of parts each, one after the other.
///
/// # Postcondition
/// The vectors are independent; each is `z` with probability proportional to `a^max_j |z_j|`, exactly.
/// Claim: `cube-sampler-exact`.
///
/// # Panics
/// If `vectors` does not hold whole vectors.
///
/// # Example
/// ```
/// use inbounds_mechanisms::{noise::{DiscreteCube, fill_discrete_cube}, sampler::SeededEntropy};
/// let law = DiscreteCube::new("0.5".parse()?, 3, 1)?;
/// let mut vectors = [0; 3000];
/// fill_discrete_cube(&law, &mut SeededEntropy::from_seed(1), &mut vectors);
/// let origin = vectors.chunks(3).filter(|vector| **vector == [0, 0, 0]).count();
/// assert!((1..40).contains(&origin));
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn fill_discrete_cube(law: &DiscreteCube, entropy: &mut dyn Entropy, vectors: &mut [i128]) {
    assert_eq!(vectors.len() % law.dimensions(), 0, "the numbers are whole vectors");
    fill(law, law.dimensions(), entropy, vectors);
}

/// Vectors whose radii are drawn together.
const BLOCK: usize = 128;

/// Geometric draws: discrete Laplace noise that may only go up.
const UPWARD: Reach = Reach { below: Some(0), above: None };

/// The first `taken` coordinates of each vector.
fn fill(law: &DiscreteCube, taken: usize, entropy: &mut dyn Entropy, vectors: &mut [i128]) {
    let shift = law.shift();
    let parts = law.dimensions() + 1;
    let mut geometric = vec![0; parts * BLOCK.min(vectors.len() / taken)];
    for vectors in vectors.chunks_mut(taken * BLOCK) {
        let geometric = &mut geometric[..vectors.len() / taken * parts];
        fill_conditioned(law.levels(), |_| UPWARD, entropy, geometric);
        for (vector, geometric) in vectors.chunks_mut(taken).zip(geometric.chunks(parts)) {
            let radius = shift.draw(law, entropy) + geometric.iter().sum::<i128>();
            vector.fill_with(|| uniform_around_zero(radius, entropy));
        }
    }
}

/// Uniform on `-radius..=radius`. A geometric draw is below `2^117` at every admitted scale, so the sides fit.
fn uniform_around_zero(radius: i128, entropy: &mut dyn Entropy) -> i128 {
    let sides = 2 * radius.unsigned_abs() + 1;
    let place = match u64::try_from(sides) {
        Ok(sides) => u128::from(uniform_below(sides, entropy.word(), entropy)),
        Err(_) => uniform_below_wide(sides, entropy),
    };
    place as i128 - radius
}

/// The law of `J`: `P(J = j)` proportional to `b(D, j) a^j`.
#[derive(Debug, Clone, PartialEq)]
struct Shift {
    /// `P(J <= j)`, within `slack` of itself.
    reached: Vec<f64>,
    slack: f64,
}

impl Shift {
    /// From the weights `b(D, 0), ..., b(D, D)`.
    fn new(weights: &[f64], tau: f64) -> Self {
        let powers = (0..weights.len()).map(|j| libm::exp(-tau * j as f64));
        let masses: Vec<f64> = weights.iter().zip(powers).map(|(weight, power)| weight * power).collect();
        let total: f64 = masses.iter().sum();
        let reached = masses.iter().scan(0.0, |sum, mass| (*sum += mass, Some(*sum / total)).1).collect();
        // Each weight is a chain of at most four operations a dimension, on positive numbers.
        Self { reached, slack: SLACK * (weights.len() + 1) as f64 }
    }

    fn draw(&self, law: &DiscreteCube, entropy: &mut dyn Entropy) -> i128 {
        let word = entropy.word();
        let uniform = (word as f64 + 0.5) * WORD;
        for (j, border) in self.reached.iter().enumerate().take(law.dimensions()) {
            if (uniform - border).abs() <= border * self.slack + WORD {
                return Self::draw_exactly(law, word, entropy);
            }
            if uniform < *border {
                return j as i128;
            }
        }
        law.dimensions() as i128
    }

    /// Decides by enclosures of `U sum_j b(D, j) a^j` and of its parts, on as many words as it takes.
    fn draw_exactly(law: &DiscreteCube, word: u64, entropy: &mut dyn Entropy) -> i128 {
        let dimensions = law.dimensions();
        let weights = odd_powers::exact_weights(dimensions);
        // No weight is below 1 / (2 D)^D.
        let small = dimensions * (2 * dimensions).ilog2() as usize + dimensions;
        LazyUniform::new(word).decide(entropy, |uniform| {
            let precision = uniform.precision(law.levels()) + small;
            let ratio = Enclosure::exp_neg(law.inverse_scale(), precision);
            let mass = |j: usize| Enclosure::from_rational(&weights[j], precision).mul(&ratio.pow(j as u64));
            let masses: Vec<Enclosure> = (0..=dimensions).map(mass).collect();
            let total = masses.iter().fold(Enclosure::zero(precision), |sum, mass| sum.add(mass));
            let place = between(&uniform.ends(), precision).mul(&total);
            let mut reached = Enclosure::zero(precision);
            for (j, mass) in masses.iter().enumerate().take(dimensions) {
                reached = reached.add(mass);
                if place.certain_order(&reached)? == Ordering::Less {
                    return Some(j as i128);
                }
            }
            Some(dimensions as i128)
        })
    }
}
