//! Discrete staircase noise, for epsilon, with or without delta; drawn by certified inversion.
//!
//! The law is a mixture of uniform ones: level 0 is a plateau of `2r - 1` integers around zero, and each level `j >= 1`
//! has `2D` integers of weight `a^j`, `D` on each side. Words are read for whether the noise stays on the
//! plateau, for where in its level it lies, and beyond the plateau for the level. Doubles with outward error bounds
//! decide where they can, further words and exact arithmetic where they cannot; there is no rejection loop. The noise
//! never depends on an answer, so neither does the number of words.

mod law;

use std::cmp::Ordering;

use inbounds_core::{Delta, Enclosure, Guarantee, Rational, Sensitivity};

pub use law::DiscreteStaircase;

use super::{About, Drawn, GridLaw, NoiseKind, Parameter, Promise, Record};
use crate::{
    calibrate::{self, CalibrationError},
    law::Noise,
    sampler::{
        Entropy, Reach, SLACK, WORD,
        exact::{LazyUniform, between},
        sample_discrete_laplace,
        uniform::uniform_below,
    },
};

impl GridLaw for DiscreteStaircase {
    fn about() -> About {
        const STAIR: Parameter = Parameter { key: "stair", before: "stairs of ", after: " steps" };
        const HIGH: Parameter = Parameter { key: "high", before: "", after: " of them high" };
        About {
            word: "staircase",
            law: "discrete-staircase",
            promise: Promise::Pure,
            drawn: Drawn::Alone,
            record: Record::Object { key: "staircase", parameters: &[STAIR, HIGH] },
        }
    }

    /// Noise of least variance for an answer whose cells move by at most `linf` steps each.
    ///
    /// # Guarantee
    /// With stairs of `linf` steps and epsilon `e` a cell, any move of up to `linf` steps costs at most `e`
    /// (claim `discrete-staircase-loss`), and a small one may cost all of it. So cells that move together share epsilon
    /// evenly, `e = epsilon / cells`, however little each moves. With a delta `e` may be larger
    /// ([`calibrate::approximate::staircase`]).
    ///
    /// # Errors
    /// [`CalibrationError::ZeroSensitivity`], [`CalibrationError::NeedsEpsilon`] for rho, and
    /// [`CalibrationError::Stairs`] outside what the sampler accepts.
    fn calibrate(guarantee: &Guarantee, sensitivity: &Sensitivity) -> Result<Self, CalibrationError> {
        match guarantee {
            Guarantee::Pure { epsilon } => calibrate::approximate::staircase(epsilon, &Delta::ZERO, sensitivity),
            Guarantee::Approximate { epsilon, delta } => calibrate::approximate::staircase(epsilon, delta, sensitivity),
            Guarantee::ZeroConcentrated { .. } => Err(CalibrationError::NeedsEpsilon),
        }
    }

    fn kind(&self) -> NoiseKind {
        NoiseKind::Staircase
    }

    fn parameters(&self) -> Vec<Rational> {
        [self.sensitivity(), self.high()].map(|steps| Rational::from(u128::from(steps))).into()
    }

    /// Flat between the steps, as at the nearest grid point.
    fn ln_kernel(&self, x: f64) -> f64 {
        self.ln_density(x.round())
    }

    /// Exact up to rounding; see [`DiscreteStaircase::ln_exponential_moment`].
    fn ln_exponential_moment(&self, rate: f64) -> f64 {
        self.ln_exponential_moment(rate)
    }

    fn exponential_rate(&self) -> f64 {
        self.epsilon().to_f64() / self.sensitivity() as f64
    }

    fn fill(&self, entropy: &mut dyn Entropy, noise: &mut [i128]) {
        noise.fill_with(|| sample_discrete_staircase(self, entropy));
    }
}

/// Levels beyond the first are geometric: the law of discrete Laplace noise that may only go up.
const UPWARD: Reach = Reach { below: Some(0), above: None };

/// Draws noise.
///
/// # Postcondition
/// The result is `k` with probability proportional to `a^level(|k|)`, `level(n) = floor((n + D - r) / D)` and
/// `a = exp(-epsilon)`, exactly. Claim: `staircase-sampler-exact`.
///
/// # Panics
/// If the level passes `2^74`, for which four hundred million random words in a row would have to be zero.
///
/// # Example
/// ```
/// use inbounds_mechanisms::{noise::{DiscreteStaircase, sample_discrete_staircase}, sampler::SeededEntropy};
/// let law = DiscreteStaircase::new("40".parse()?, 10, 3)?;
/// let mut entropy = SeededEntropy::from_seed(1);
/// let draws: Vec<i128> = (0..1000).map(|_| sample_discrete_staircase(&law, &mut entropy)).collect();
/// assert_eq!((draws.iter().min(), draws.iter().max()), (Some(&-2), Some(&2)));
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn sample_discrete_staircase(law: &DiscreteStaircase, entropy: &mut dyn Entropy) -> i128 {
    let (stay, place) = (entropy.word(), entropy.word());
    let (period, high) = (law.sensitivity(), law.high());
    if is_on_plateau(law, stay, entropy) {
        return i128::from(uniform_below(2 * high - 1, place, entropy)) - i128::from(high - 1);
    }
    let blocks = sample_discrete_laplace(law.levels(), UPWARD, entropy);
    let place = uniform_below(2 * period, place, entropy);
    let nearest =
        blocks.checked_mul(i128::from(period)).expect("a level beyond 2^74 is never drawn") + i128::from(high);
    if place < period { nearest + i128::from(place) } else { -nearest - i128::from(place - period) }
}

/// `true` if the level is zero: probability `p / (p + q)` with `p = (2r - 1)(1 - a)` and `q = 2 D a`.
fn is_on_plateau(law: &DiscreteStaircase, word: u64, entropy: &mut dyn Entropy) -> bool {
    let (plateau, level) = (2 * law.high() - 1, 2 * law.sensitivity());
    let tau = law.levels().tau();
    let inside = plateau as f64 * -libm::expm1(-tau);
    let beyond = level as f64 * libm::exp(-tau);
    let border = inside / (inside + beyond);
    let uniform = (word as f64 + 0.5) * WORD;
    if (uniform - border).abs() > border * SLACK + WORD {
        uniform < border
    } else {
        is_on_plateau_exactly(law, plateau, level, word, entropy)
    }
}

/// Decides `U (p + q) < p` with enclosures, on as many words as it takes.
fn is_on_plateau_exactly(
    law: &DiscreteStaircase,
    plateau: u64,
    level: u64,
    word: u64,
    entropy: &mut dyn Entropy,
) -> bool {
    LazyUniform::new(word).decide(entropy, |uniform| {
        let precision = uniform.precision(law.levels());
        let times = |factor: u64, x: &Enclosure| {
            Enclosure::from_rational(&Rational::from(u128::from(factor)), precision).mul(x)
        };
        let ratio = Enclosure::exp_neg(law.epsilon(), precision);
        let inside = times(plateau, &Enclosure::one(precision).sub(&ratio));
        let all = inside.add(&times(level, &ratio));
        let order = between(&uniform.ends(), precision).mul(&all).certain_order(&inside);
        order.map(|order| order == Ordering::Less)
    })
}
