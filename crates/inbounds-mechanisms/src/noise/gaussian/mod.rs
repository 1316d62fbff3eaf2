//! Discrete Gaussian noise, for epsilon with delta, or rho; drawn by rejection from discrete Laplace noise.
//!
//! The number of tries is random, 1.3 on average at large variances and below 2.3 at any, but it follows from
//! the entropy alone: noise without limits is drawn before any answer is seen, so neither time nor words tell of one.
//! A decision is taken in doubles where an outward error bound allows it; else [`exact`] decides.

mod law;

use inbounds_core::{Guarantee, Rational, Sensitivity};

pub use law::DiscreteGaussian;

use super::{About, DiscreteLaplace, Drawn, GridLaw, NoiseKind, Parameter, Promise, Record};
use crate::{
    calibrate::{self, CalibrationError},
    sampler::{Entropy, Reach, SLACK, WORD, exact, fill_discrete_laplace, sample_discrete_laplace},
};

impl GridLaw for DiscreteGaussian {
    fn about() -> About {
        About {
            word: "gaussian",
            law: "discrete-gaussian",
            promise: Promise::Approximate,
            drawn: Drawn::Alone,
            record: Record::Number(Parameter {
                key: "variance_parameter_in_steps",
                before: "σ² = ",
                after: " squared steps",
            }),
        }
    }

    fn calibrate(guarantee: &Guarantee, sensitivity: &Sensitivity) -> Result<Self, CalibrationError> {
        let calibrated = calibrate::gaussian::variance_parameter(guarantee, sensitivity)?;
        let variance = calibrated.parameter.to_f64();
        Self::with_variance_parameter(calibrated.parameter).map_err(|_| CalibrationError::Variance {
            guarantee: guarantee.to_string(),
            l1: sensitivity.l1,
            variance,
        })
    }

    fn kind(&self) -> NoiseKind {
        NoiseKind::Gaussian
    }

    fn parameters(&self) -> Vec<Rational> {
        vec![self.sigma_squared().clone()]
    }

    fn ln_kernel(&self, x: f64) -> f64 {
        -x * x / (2.0 * self.sigma_squared().to_f64())
    }

    /// `rate^2 sigma^2 / 2`: a discrete Gaussian is subgaussian with its parameter (Canonne, Kamath and Steinke 2020,
    /// corollary 17).
    fn ln_exponential_moment(&self, rate: f64) -> f64 {
        0.5 * rate * rate * self.sigma_squared().to_f64()
    }

    fn exponential_rate(&self) -> f64 {
        f64::INFINITY
    }

    fn fill(&self, entropy: &mut dyn Entropy, noise: &mut [i128]) {
        fill_discrete_gaussian(self.sigma_squared(), entropy, noise);
    }
}

/// Draws noise.
///
/// # Postcondition
/// The result is `k` with probability `e^(-k^2 / (2 s)) / sum_j e^(-j^2 / (2 s))` over all integers, `s` the variance
/// parameter `sigma_squared`, exactly. Claim: `discrete-gaussian-sampler`.
///
/// # Parameters
/// `sigma_squared` is in squared grid steps, between 1e-6 and 1e30.
///
/// # Panics
/// If `sigma_squared` lies outside that range; calibration refuses such a variance before.
///
/// # Example
/// ```
/// use inbounds_mechanisms::{noise::sample_discrete_gaussian, sampler::SeededEntropy};
/// let mut entropy = SeededEntropy::from_seed(1);
/// let draws: Vec<i128> = (0..4000).map(|_| sample_discrete_gaussian(&"9".parse().unwrap(), &mut entropy)).collect();
/// let mean_square = draws.iter().map(|k| k * k).sum::<i128>() as f64 / 4000.0;
/// assert!((mean_square - 9.0).abs() < 1.0);
/// ```
///
/// # References
/// Canonne, Kamath and Steinke (2020), Algorithm 3: with `t` any whole number, a discrete Laplace draw
/// `k` of scale `t`, kept with probability `exp(-(|k| - s/t)^2 / (2 s))`, has this law; `t = floor(sqrt(s)) + 1` keeps
/// often.
pub fn sample_discrete_gaussian(sigma_squared: &Rational, entropy: &mut dyn Entropy) -> i128 {
    let proposal = Proposal::new(sigma_squared);
    loop {
        let k = sample_discrete_laplace(&proposal.law, Reach::UNLIMITED, entropy);
        if proposal.keeps(k, entropy.word(), entropy) {
            return k;
        }
    }
}

/// Fills `noise` with independent draws.
///
/// # Postcondition
/// Each as of [`sample_discrete_gaussian`]; the two give different numbers for one seed.
///
/// # Panics
/// As [`sample_discrete_gaussian`].
pub fn fill_discrete_gaussian(sigma_squared: &Rational, entropy: &mut dyn Entropy, noise: &mut [i128]) {
    let proposal = Proposal::new(sigma_squared);
    let mut proposed = [0; BLOCK];
    let mut filled = 0;
    while filled < noise.len() {
        let wanted = (noise.len() - filled).min(BLOCK);
        fill_discrete_laplace(&proposal.law, entropy, &mut proposed[..wanted]);
        for k in &proposed[..wanted] {
            if proposal.keeps(*k, entropy.word(), entropy) {
                noise[filled] = *k;
                filled += 1;
            }
        }
    }
}

/// Proposals that are drawn together.
const BLOCK: usize = 512;

/// Discrete Laplace noise of a whole scale near the standard deviation.
struct Proposal<'a> {
    sigma_squared: &'a Rational,
    sigma: f64,
    scale: u128,
    law: DiscreteLaplace,
}

impl<'a> Proposal<'a> {
    fn new(sigma_squared: &'a Rational) -> Self {
        let variance = sigma_squared.to_f64();
        assert!((1e-6..=1e30).contains(&variance), "the variance parameter lies between 1e-6 and 1e30, got {variance}");
        let sigma = variance.sqrt();
        let scale = sigma as u128 + 1;
        let law = DiscreteLaplace::with_inverse_scale(Rational::ratio(1, scale));
        Self { sigma_squared, sigma, scale, law: law.expect("a scale between 1 and 1e15 + 1 is admissible") }
    }

    /// Tests that a uniform number that begins with `word` is below `exp(-(|k| - s/t)^2 / (2 s))`.
    fn keeps(&self, k: i128, word: u64, entropy: &mut dyn Entropy) -> bool {
        let (far, center) = (k.unsigned_abs() as f64 / self.sigma, self.sigma / self.scale as f64);
        let off = far - center;
        let border = libm::exp(-off * off / 2.0);
        // The error of `off` is at most a few units of its larger part; the exponent's is `off` times that.
        let relative = (off.abs() * (far + center) + 1.0) * SLACK;
        let uniform = (word as f64 + 0.5) * WORD;
        if (uniform - border).abs() > border * relative + WORD {
            uniform < border
        } else {
            exact::is_below_exp_neg(&self.exponent(k), word, entropy)
        }
    }

    /// `(|k| - s/t)^2 / (2 s)`, exactly.
    fn exponent(&self, k: i128) -> Rational {
        let off = &Rational::from(k.unsigned_abs()) - &(self.sigma_squared / &Rational::from(self.scale));
        &(&off * &off) / &(self.sigma_squared * &Rational::from(2u128))
    }
}
