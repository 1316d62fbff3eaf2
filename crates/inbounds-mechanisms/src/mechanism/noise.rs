//! The laws of noise that mechanisms draw.

use crate::{
    law::{Accuracy, DiscreteGaussian, DiscreteLaplace, DiscreteStaircase, Noise, forward_noise},
    sampler::{Entropy, fill_discrete_gaussian, fill_discrete_laplace, sample_discrete_staircase},
};

/// A kind of noise, before its parameter is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoiseFamily {
    /// Discrete Laplace, for epsilon, with or without delta.
    Laplace,
    /// Discrete Gaussian, for epsilon with delta, or rho.
    Gaussian,
    /// Discrete staircase, for epsilon.
    Staircase,
}

/// Noise on the integers that can be drawn exactly.
#[derive(Debug, Clone, PartialEq)]
pub enum GridNoise {
    /// Discrete Laplace noise.
    Laplace(DiscreteLaplace),
    /// Discrete Gaussian noise.
    Gaussian(DiscreteGaussian),
    /// Discrete staircase noise.
    Staircase(DiscreteStaircase),
}

impl GridNoise {
    fn law(&self) -> &dyn Noise {
        match self {
            Self::Laplace(law) => law,
            Self::Gaussian(law) => law,
            Self::Staircase(law) => law,
        }
    }

    /// The discrete Laplace law, if that is what it is.
    pub fn as_laplace(&self) -> Option<&DiscreteLaplace> {
        match self {
            Self::Laplace(law) => Some(law),
            Self::Gaussian(_) | Self::Staircase(_) => None,
        }
    }

    /// Name of the law in manifests.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Laplace(_) => "discrete-laplace",
            Self::Gaussian(_) => "discrete-gaussian",
            Self::Staircase(_) => "discrete-staircase",
        }
    }

    /// The scale in steps by which the law is known: `b` of Laplace noise, the standard deviation of other noise.
    pub fn scale(&self) -> f64 {
        match self {
            Self::Laplace(law) => law.scale(),
            Self::Gaussian(_) | Self::Staircase(_) => self.variance().sqrt(),
        }
    }

    /// Log mass up to a constant, continued between the grid points.
    pub fn ln_kernel(&self, x: f64) -> f64 {
        match self {
            Self::Laplace(law) => -law.tau() * x.abs(),
            Self::Gaussian(law) => -x * x / (2.0 * law.sigma_squared().to_f64()),
            // Flat between the steps: nearest grid point.
            Self::Staircase(law) => law.ln_density(x.round()),
        }
    }

    /// An upper bound on `ln E exp(rate N)`, infinite where none is known; `rate > 0`.
    ///
    /// # Law
    /// Laplace, exactly: `2 ln(1 - a) - ln(1 - a e^rate) - ln(1 - a e^-rate)` for `rate < tau`, with `a = e^-tau`. Gaussian:
    /// `rate^2 sigma^2 / 2`. Staircase, exactly up to rounding: [`DiscreteStaircase::ln_exponential_moment`], for
    /// `rate D < epsilon`.
    ///
    /// # References
    /// Canonne, Kamath and Steinke 2020, corollary 17: a discrete Gaussian is subgaussian with its parameter.
    pub fn ln_exponential_moment(&self, rate: f64) -> f64 {
        let missing = |tau: f64| -libm::expm1(-tau);
        match self {
            Self::Laplace(law) if rate < law.tau() => {
                let tau = law.tau();
                2.0 * libm::log(missing(tau)) - libm::log(missing(tau - rate)) - libm::log(missing(tau + rate))
            }
            Self::Staircase(law) => law.ln_exponential_moment(rate),
            Self::Gaussian(law) => 0.5 * rate * rate * law.sigma_squared().to_f64(),
            Self::Laplace(_) => f64::INFINITY,
        }
    }

    /// The end of the rates at which [`GridNoise::ln_exponential_moment`] is finite.
    pub fn exponential_rate(&self) -> f64 {
        match self {
            Self::Laplace(law) => law.tau(),
            Self::Staircase(law) => law.epsilon().to_f64() / law.sensitivity() as f64,
            Self::Gaussian(_) => f64::INFINITY,
        }
    }

    /// One draw for each of `answers`, added to it.
    ///
    /// # Postcondition
    /// The differences are independent draws from the law, exactly.
    pub fn add_to(&self, answers: &[i128], entropy: &mut dyn Entropy) -> Vec<i128> {
        let mut sums = vec![0; answers.len()];
        match self {
            Self::Laplace(law) => fill_discrete_laplace(law, entropy, &mut sums),
            Self::Gaussian(law) => fill_discrete_gaussian(law.sigma_squared(), entropy, &mut sums),
            Self::Staircase(law) => sums.fill_with(|| sample_discrete_staircase(law, entropy)),
        }
        // |answer| < 2^117 and |noise| < 2^126 for every law that can be constructed, so the sums fit.
        sums.iter_mut().zip(answers).for_each(|(sum, answer)| *sum += answer);
        sums
    }
}

forward_noise!([] GridNoise => |noise| noise.law());
