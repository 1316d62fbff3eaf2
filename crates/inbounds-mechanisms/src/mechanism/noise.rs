//! The laws of noise that mechanisms draw.

use crate::{
    law::{Accuracy, DiscreteGaussian, DiscreteLaplace, DiscreteStaircase, Noise, forward_noise},
    sampler::{Entropy, fill_discrete_gaussian, fill_discrete_laplace, sample_discrete_staircase},
};

/// A kind of noise, before its parameter is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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
#[non_exhaustive]
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
